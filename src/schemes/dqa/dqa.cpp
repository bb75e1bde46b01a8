// SPDX-License-Identifier: Apache-2.0
#include "schemes/dqa/dqa.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace weir::dqa {
namespace {

/// The state of the flows with one index of the flow table.
struct Entry {
  std::uint32_t frames = 0;  // in this queue
  std::uint32_t queue = 0;   // index among the queues of the port and priority
};

class Dqa final : public Classifier {
 public:
  explicit Dqa(const Parameters& parameters)
      : queues_(static_cast<std::uint32_t>(parameters.get<std::int64_t>("queues"))),
        entries_(queues_ * static_cast<std::uint32_t>(parameters.get<std::int64_t>("flow_table_factor"))),
        seed_(static_cast<std::uint32_t>(parameters.get<std::int64_t>("seed"))),
        words_((queues_ + kBits - 1) / kBits) {}

  [[nodiscard]] Hooks hooks() const override {
    Hooks hooks;
    hooks.depart = hooks.drop = hooks.withdraw = true;
    return hooks;
  }

  // [DQA-1] The default queue of a port and priority is the first of its queues.
  void attach(SwitchContext& context) override {
    const std::size_t classes = context.ports() * kPriorities;
    table_.resize(classes * entries_);
    empty_.resize(classes * words_);
    for (std::size_t place = 0; place < classes; ++place) {
      more_.push_back(QueueId(context.queues()));
      for (std::uint32_t queue = 0; queue < queues_; ++queue) {
        note_empty(place, queue, true);
        if (queue == 0) continue;
        QueueSpec spec;
        spec.port = PortId(place / kPriorities);
        spec.priority = static_cast<Priority>(place % kPriorities);
        queue_context(context).new_queue(spec);
      }
    }
  }

  QueueId classify(QueueContext& context, Frame& frame) override {
    const std::size_t place = place_of(frame);
    Entry& entry = entry_of(frame);
    if (entry.frames == 0) entry.queue = assign(context, place);  // [DQA-2]
    ++entry.frames;
    return queue_of(context, place, entry.queue);
  }

  void on_depart(SwitchContext& context, QueueId, Frame& frame) override { leave(context, frame); }
  void on_withdraw(SwitchContext& context, QueueId, Frame& frame) override { leave(context, frame); }
  void on_drop(SwitchContext& context, QueueId, const Frame& frame, DropReason) override {
    if (frame.charged_bytes != 0) leave(context, frame);  // it had been admitted, and therefore classified
  }

 private:
  static constexpr std::uint32_t kBits = 64;

  static std::size_t place_of(const Frame& frame) { return frame.egress.index() * kPriorities + frame.priority; }
  // [DQA-3]
  Entry& entry_of(const Frame& frame) {
    const std::uint64_t hash = flow_hash(HashKind::mix, seed_, FlowKey::of(frame));
    return table_[place_of(frame) * entries_ + (hash * entries_ >> 32)];
  }
  [[nodiscard]] QueueId queue_of(const SwitchContext& context, std::size_t place, std::uint32_t queue) const {
    if (queue > 0) return QueueId(more_[place].index() + queue - 1);
    return context.default_queue(PortId(place / kPriorities), static_cast<Priority>(place % kPriorities));
  }
  void note_empty(std::size_t place, std::uint32_t queue, bool empty) {
    std::uint64_t& word = empty_[place * words_ + queue / kBits];
    const std::uint64_t bit = std::uint64_t{1} << (queue % kBits);
    word = empty ? word | bit : word & ~bit;
  }

  // [DQA-2] An empty queue if there is one, otherwise any.
  std::uint32_t assign(SwitchContext& context, std::size_t place) {
    for (std::uint32_t word = 0; word < words_; ++word) {
      const std::uint64_t empty = empty_[place * words_ + word];
      if (empty == 0) continue;
      const std::uint32_t queue = word * kBits + static_cast<std::uint32_t>(std::countr_zero(empty));
      note_empty(place, queue, false);
      return queue;
    }
    return static_cast<std::uint32_t>(context.random().below(queues_));
  }

  // [DQA-4]
  void leave(SwitchContext& context, const Frame& frame) {
    const std::size_t place = place_of(frame);
    Entry& entry = entry_of(frame);
    --entry.frames;
    if (context.queue(queue_of(context, place, entry.queue)).frames == 0) note_empty(place, entry.queue, true);
  }

  std::uint32_t queues_;   // per port and priority
  std::uint32_t entries_;  // per port and priority
  std::uint32_t seed_;
  std::uint32_t words_;               // of the bitmap of one port and priority
  std::vector<Entry> table_;          // by port, priority and hash
  std::vector<std::uint64_t> empty_;  // by port and priority: bitmap of the empty queues
  std::vector<QueueId> more_;         // by port and priority: the second queue, which the others follow
};

/// [DQA-5]
std::vector<std::string> warnings(const Parameters& parameters, const SchemeSurroundings& around) {
  constexpr std::int64_t kMuch = 1'000'000'000;  // bytes, for flow tables alone
  const auto queues = parameters.get<std::int64_t>("queues");
  const auto factor = parameters.get<std::int64_t>("flow_table_factor");
  const auto ports = static_cast<std::int64_t>(around.network.switch_ports);
  const std::int64_t for_factor = queues * ports * static_cast<std::int64_t>(kPriorities * sizeof(Entry));
  if (factor * for_factor <= kMuch) return {};
  return {"the flow tables of all switches take " + std::to_string(factor * for_factor / 1'000'000) +
          " MB of memory: " + std::to_string(queues * factor) + " entries per priority, for 8 priorities at each of " +
          std::to_string(ports) + " ports; expected a smaller flow_table_factor, " +
          std::to_string(std::max<std::int64_t>(1, kMuch / for_factor)) + " for 1000 MB"};
}

}  // namespace

const Scheme scheme = {
    .name = "dqa",
    .summary = "BFC's dynamic queue assignment alone: a new flow gets an empty queue, but there are no pauses",
    .traits = {},
    .parameters =
        {
            {"queues", std::int64_t{32}, "queues per port and priority", "BFC section 6.4", 1, 1024},
            {"flow_table_factor", std::int64_t{100}, "flow-table entries per queue", "BFC section 3.3.1", 1, 1000},
            {"seed", std::int64_t{0xbfc},
             "seed of the hash, the same in all switches; independent of that for path selection", "ours", 0,
             4294967295.0},
        },
    .flow_control = [](const Parameters& parameters) -> std::unique_ptr<FlowControl> {
      return std::make_unique<Dqa>(parameters);
    },
    .warnings = warnings,
};

}  // namespace weir::dqa
