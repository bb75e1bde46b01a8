// SPDX-License-Identifier: Apache-2.0
#include "schemes/pyrrha/pyrrha_nic.h"

#include <algorithm>
#include <array>

#include "schemes/pyrrha/message.h"
#include "schemes/pyrrha/path_finder.h"

namespace weir::pyrrha {
namespace {

/// In the order of the cases of statistic().
constexpr auto kNicStatistics = std::to_array<StatisticSpec>({
    {.name = "pyrrha.pauses_obeyed", .unit = ""},
    {.name = "pyrrha.pauses_unheeded", .unit = ""},
});

}  // namespace

void PyrrhaNic::attach(NicContext& context) {
  if (!in_use()) return;
  context.reserve_gates(kMostPaused);
  paused_.reserve(kMostPaused);
}

PyrrhaNic::Paused* PyrrhaNic::find(Root root) {
  const auto found = std::find_if(paused_.begin(), paused_.end(), [root](const Paused& at) { return at.root == root; });
  return found == paused_.end() ? nullptr : &*found;
}

GateId PyrrhaNic::gate_for(const NicContext& context, const SendState& sender) {
  if (paused_.empty() || sender.priority != settings_.priority || context.paths() == nullptr) return GateId::none();
  const FlowKey key{context.host(), sender.remote, sender.entropy};
  std::array<Hop, kMostLevels + 1> hops;
  // [PYRRHA-PATH-2]
  const std::size_t count = settings_.last_hop_only
                                ? context.paths()->from_host(sender.remote, key, std::span(hops).first(1))
                                : context.paths()->from_host(context.host(), key, hops);
  std::span<const Hop> met = std::span(hops).first(count);
  Hop last;
  if (settings_.single_tier) met = last_two(*context.paths(), sender.remote, key, met, last);  // [PYRRHA-ONE-1]
  for (const Hop& hop : met) {
    if (const Paused* paused = find(root_of(hop))) return paused->gate;
  }
  return GateId::none();
}

GateId PyrrhaNic::gate_of(NicContext& context, SendState& sender) {
  return gate_for(context, sender);
}

void PyrrhaNic::place_all(NicContext& context) {
  struct Placing {
    PyrrhaNic& nic;
    NicContext& context;
  } placing{*this, context};
  context.for_each_sender(
      [](void* with, SendState& sender) {
        const Placing& at = *static_cast<Placing*>(with);
        const GateId gate = at.nic.gate_for(at.context, sender);
        if (gate.exists()) at.context.move_to_gate(sender, at.nic, gate);
      },
      &placing);
}

bool PyrrhaNic::on_control(NicContext& context, const Frame& frame) {
  if (frame.kind != FrameKind::hop_control || frame.protocol != kProtocol) return false;
  const std::optional<Message> message = read_message(frame);
  if (!message || !in_use()) return true;
  if (message->kind == Kind::pause) pause(context, message->root);
  if (message->kind == Kind::resume || message->kind == Kind::merge) resume(context, message->root);
  return true;
}

void PyrrhaNic::pause(NicContext& context, Root root) {
  if (find(root) != nullptr) return;
  const GateId gate = paused_.size() < paused_.capacity() ? context.take_gate() : GateId::none();
  if (!gate.exists()) {
    ++unheeded_;
    return;
  }
  ++obeyed_;
  context.set_gate(gate, false);
  paused_.push_back({root, gate});
  place_all(context);
}

// [PYRRHA-HOST-2] Nothing of a host waits in a queue for the root, so it deallocates at once.
void PyrrhaNic::resume(NicContext& context, Root root) {
  if (Paused* paused = find(root)) {
    const GateId gate = paused->gate;
    *paused = paused_.back();
    paused_.pop_back();
    // Those that must wait for another root go there first, so that none of them sends in between.
    place_all(context);
    context.return_gate(*this, gate);
  }
  const FrameId id = make_message(context.frames(), context.framing(), {Kind::deallocate, root, 0});
  if (id.exists()) context.send(id);
}

void PyrrhaNic::on_link(NicContext& context, bool) {
  if (!in_use()) return;
  for (; !paused_.empty(); paused_.pop_back()) context.return_gate(*this, paused_.back().gate);
}

void PyrrhaNic::held_by(const NicContext&, GateId gate, std::vector<HeldBy>& out) const {
  for (const Paused& paused : paused_) {
    if (paused.gate == gate) out.push_back({PortId(0), paused.root, QueueId::none()});
  }
}

std::span<const StatisticSpec> PyrrhaNic::statistics() const {
  return kNicStatistics;
}

Statistic PyrrhaNic::statistic(std::size_t which, std::size_t) const {
  return Statistic::of_counter(which == 0 ? obeyed_ : unheeded_);
}

}  // namespace weir::pyrrha
