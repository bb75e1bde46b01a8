// SPDX-License-Identifier: Apache-2.0
#include "schemes/pyrrha/pyrrha_nic.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "schemes/pyrrha/message.h"
#include "schemes/pyrrha/path_finder.h"

namespace weir::pyrrha {
namespace {

/// In the order of the cases of statistic().
constexpr auto kNicStatistics = std::to_array<StatisticSpec>({
    {.name = "pyrrha.pauses_obeyed", .unit = ""},
    {.name = "pyrrha.pauses_unheeded", .unit = ""},
    {.name = "pyrrha.host_pauses", .unit = "frames"},
    {.name = "pyrrha.host_resumes", .unit = "frames"},
    {.name = "pyrrha.receive_buffer", .unit = "B", .kind = StatisticSpec::Kind::gauge},
});

}  // namespace

void PyrrhaNic::attach(NicContext& context) {
  buffer_ = &context.receive_buffer();
  if (buffer_->size > 0 && watches_receive_buffer()) {
    const auto product = static_cast<double>(hop_product(buffer_->drain_rate, context.delay()));
    pause_above_ = static_cast<std::int64_t>(settings_.pause_factor * product);  // [PYRRHA-HOST-4]
    resume_below_ = static_cast<std::int64_t>(settings_.resume_factor * product);
    retry_ = context.new_timer(*this);
  }
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
  const auto start = [&](std::span<Hop> out) { return context.paths()->from_host(context.host(), key, out); };
  const Paused* met = nullptr;
  if (settings_.single_tier) {  // [PYRRHA-ONE-1]
    LastTwo two;
    for_each_hop(*context.paths(), key, settings_.last_hop_only, start, std::ref(two));
    if (two.near.node.exists()) met = find(root_of(two.near));
    if (met == nullptr && two.last.node.exists()) met = find(root_of(two.last));
  } else {
    for_each_hop(*context.paths(), key, settings_.last_hop_only, start, [&](const Hop& hop, std::size_t) {
      met = find(root_of(hop));
      return met != nullptr;
    });
  }
  if (met != nullptr) return met->gate;
  if (const Paused* paused = find(root_of(sender.remote))) return paused->gate;  // [PYRRHA-ROOT-4]
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
  say(context, Kind::deallocate, root);
}

bool PyrrhaNic::say(NicContext& context, Kind kind, Root root) {
  const FrameId id = make_message(context.frames(), context.framing(), {kind, root, 0});
  if (id.exists()) context.send(id);
  return id.exists();
}

// [PYRRHA-HOST-3]
void PyrrhaNic::on_receive_buffer(NicContext& context, Priority) {
  if (!retry_.exists()) return;
  const std::int64_t bytes = buffer_->of_priority[settings_.priority];
  const Root root = root_of(context.host());
  if (!is_root_ && bytes > pause_above_) {
    if (!say(context, Kind::pause, root)) return;  // the next frame retries
    is_root_ = true;
    ++root_pauses_;
    context.note_hop_pause(root, true);
  } else if (is_root_ && (bytes < resume_below_ || bytes == 0)) {
    if (!say(context, Kind::resume, root)) {
      // This may have been the last frame in the buffer.
      context.arm(retry_, context.now() + time_to_send(Bytes(context.maximum_frame()), context.rate()));
      return;
    }
    is_root_ = false;
    ++root_resumes_;
    context.note_hop_pause(root, false);
  }
}

void PyrrhaNic::on_timer(NicContext& context, TimerId) {
  on_receive_buffer(context, settings_.priority);
}

std::int64_t PyrrhaNic::receive_need(BitRate drain, BitRate rate, Duration delay) const {
  // What the output queue of the switch holds until the switch itself pauses its neighbours is sent in spite of a
  // PAUSE.
  const auto both = static_cast<double>(hop_product(drain, delay) + hop_product(rate, delay));
  return static_cast<std::int64_t>(settings_.pause_factor * both);
}

// [PYRRHA-ONE-9]
std::string_view PyrrhaNic::receive_refusal() const {
  if (!settings_.single_tier) return {};
  return "with tiers = 1 a host that drains slowly is no congestion root, and cannot pause its switch; expected "
         "tiers = 0, or \"pfc\" as well";
}

void PyrrhaNic::on_link(NicContext& context, bool) {
  if (retry_.exists()) context.cancel(retry_);
  // [PYRRHA-LINK-2] The switch has forgotten it; if it is still needed, the next frame repeats it.
  if (std::exchange(is_root_, false)) context.note_hop_pause(root_of(context.host()), false);
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
  if (which == 4) return {static_cast<double>(buffer_->used), static_cast<double>(buffer_->maximum)};
  const std::uint64_t counts[] = {obeyed_, unheeded_, root_pauses_, root_resumes_};
  return Statistic::of_counter(counts[which]);
}

}  // namespace weir::pyrrha
