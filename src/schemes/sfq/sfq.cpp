// SPDX-License-Identifier: Apache-2.0
#include "schemes/sfq/sfq.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace weir::sfq {
namespace {

class Sfq final : public Classifier {
 public:
  explicit Sfq(const Parameters& parameters)
      : queues_(static_cast<std::uint32_t>(parameters.get<std::int64_t>("queues"))),
        seed_(static_cast<std::uint32_t>(parameters.get<std::int64_t>("seed"))),
        perturbation_(parameters.get<Duration>("perturbation")) {}

  // [SFQ-1] The default queue of a port and priority is the first of its queues.
  void attach(SwitchContext& context) override {
    for (std::size_t port = 0; port < context.ports(); ++port) {
      for (Priority priority = 0; priority < kPriorities; ++priority) {
        more_.push_back(QueueId(context.queues()));
        for (std::uint32_t i = 1; i < queues_; ++i) {
          QueueSpec spec;
          spec.port = PortId(port);
          spec.priority = priority;
          queue_context(context).new_queue(spec);
        }
      }
    }
    if (perturbation_ == Duration()) return;
    timer_ = context.new_timer(*this);
    started_ = context.now();
    context.arm(timer_, started_ + perturbation_);
  }

  // [SFQ-2] The same hash at every switch.
  QueueId classify(QueueContext& context, Frame& frame) override {
    const std::uint64_t hash = flow_hash(HashKind::mix, seed_, FlowKey::of(frame));
    const auto number = static_cast<std::uint32_t>(hash * queues_ >> 32);
    if (number == 0) return context.default_queue(frame.egress, frame.priority);
    return QueueId(more_[frame.egress.index() * kPriorities + frame.priority].index() + number - 1);
  }

  // [SFQ-3] Counted from the start, so that a driver that calls late changes nothing.
  void on_timer(SwitchContext& context, TimerId timer) override {
    while (started_ + perturbation_ <= context.now()) {
      started_ += perturbation_;
      ++seed_;
    }
    context.arm(timer, started_ + perturbation_);
  }

 private:
  std::uint32_t queues_;  // per port and priority
  std::uint32_t seed_;
  Duration perturbation_;
  Time started_;  // when this hash was first used
  TimerId timer_;
  std::vector<QueueId> more_;  // by port and priority: the second queue, which the others follow
};

}  // namespace

const Scheme scheme = {
    .name = "sfq",
    .summary =
        "stochastic fair queueing: flows are hashed to a few queues per port, which are served in deficit round robin",
    .traits = {},
    .parameters =
        {
            {"queues", std::int64_t{32}, "queues per port and priority", "BFC section 6.4", 1, 4096},
            {"seed", std::int64_t{0x5f9},
             "seed of the hash, the same in all switches; independent of that for path selection",
             "ours; BFC section 3.1: the same hash in all switches", 0, 4294967295.0},
            {"perturbation", Duration(), "interval at which the hash changes; 0: never",
             "BFC section 6.4 mentions none", 0, 1e6},
        },
    .flow_control = [](const Parameters& parameters) -> std::unique_ptr<FlowControl> {
      return std::make_unique<Sfq>(parameters);
    },
};

}  // namespace weir::sfq
