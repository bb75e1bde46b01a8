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

template <class Visit>
void PyrrhaNic::for_each_root(const NicContext& context, const SendState& sender, Visit visit) {
  const FlowKey key{context.host(), sender.remote, sender.entropy};
  const auto start = [&](std::span<Hop> out) { return context.paths()->from_host(context.host(), key, out); };
  bool done = false;
  if (settings_.single_tier) {  // [PYRRHA-ONE-1]
    LastTwo two;
    for_each_hop(*context.paths(), key, settings_.last_hop_only, start, std::ref(two));
    done = (two.near.node.exists() && visit(root_of(two.near))) || (two.last.node.exists() && visit(root_of(two.last)));
  } else {
    for_each_hop(*context.paths(), key, settings_.last_hop_only, start,
                 [&](const Hop& hop, std::size_t) { return done = visit(root_of(hop)); });
  }
  if (!done) visit(root_of(sender.remote));  // [PYRRHA-ROOT-4]
}

GateId PyrrhaNic::gate_for(NicContext& context, std::size_t place) {
  GateId gate;
  if (paused_.empty()) return gate;
  const auto meets = [&](Root root) {
    if (const Paused* paused = find(root)) gate = paused->gate;
    return gate.exists();
  };
  const Roots& roots = roots_[place];
  if (roots.count <= roots.near.size()) {
    static_cast<void>(std::any_of(roots.near.begin(), roots.near.begin() + roots.count, meets));
  } else {
    for_each_root(context, *context.sender(followed_[place].number), meets);
  }
  return gate;
}

GateId PyrrhaNic::gate_of(NicContext& context, SendState& sender) {
  if (!in_use() || sender.priority != settings_.priority || context.paths() == nullptr) return GateId::none();
  const std::size_t place = place_of(sender.number);
  if (place >= followed_.size()) {
    followed_.resize(place + 1);
    roots_.resize(place + 1);
  }
  followed_[place].number = sender.number;
  learn(context, place, sender);
  return followed_[place].gate = gate_for(context, place);
}

void PyrrhaNic::on_close(NicContext&, const SendState& sender, GateId) {
  if (place_of(sender.number) < followed_.size()) followed_[place_of(sender.number)] = {};
}

void PyrrhaNic::learn(NicContext& context, std::size_t place, const SendState& sender) {
  Roots& roots = roots_[place];
  roots.count = 0;
  followed_[place].roots = 0;
  for_each_root(context, sender, [&](Root root) {
    if (roots.count < roots.near.size()) roots.near[roots.count] = root;
    ++roots.count;
    followed_[place].roots |= bit_of(root);
    return false;
  });
}

void PyrrhaNic::move(NicContext& context, std::size_t place, GateId gate) {
  Followed& followed = followed_[place];
  if (followed.gate == gate) return;
  followed.gate = gate;
  context.move_to_gate(*context.sender(followed.number), *this, gate);
}

void PyrrhaNic::follow_routes(NicContext& context) {
  const std::uint64_t version = context.paths() == nullptr ? 0 : context.paths()->version();
  if (std::exchange(version_, version) == version) return;
  for (std::size_t place = 0; place < followed_.size(); ++place) {
    if (!followed_[place].number.exists()) continue;
    learn(context, place, *context.sender(followed_[place].number));
    move(context, place, gate_for(context, place));
  }
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
  follow_routes(context);
  if (find(root) != nullptr) return;
  const GateId gate = paused_.size() < paused_.capacity() ? context.take_gate() : GateId::none();
  if (!gate.exists()) {
    ++unheeded_;
    return;
  }
  ++obeyed_;
  context.set_gate(gate, false);
  paused_.push_back({root, gate});
  for (std::size_t place = 0; place < followed_.size(); ++place) {
    if ((followed_[place].roots & bit_of(root)) != 0) move(context, place, gate_for(context, place));
  }
}

// [PYRRHA-HOST-2] Nothing of a host waits in a queue for the root, so it deallocates at once.
void PyrrhaNic::resume(NicContext& context, Root root) {
  follow_routes(context);
  if (Paused* paused = find(root)) {
    const GateId gate = paused->gate;
    *paused = paused_.back();
    paused_.pop_back();
    // Those that must wait for another root go to its gate first, so that none of them sends in between.
    for (std::size_t place = 0; place < followed_.size(); ++place) {
      if (followed_[place].gate != gate) continue;
      if (const GateId next = gate_for(context, place); next.exists()) move(context, place, next);
    }
    release(context, gate);
  }
  say(context, Kind::deallocate, root);
}

void PyrrhaNic::release(NicContext& context, GateId gate) {
  context.set_gate(gate, true);
  for (std::size_t place = 0; place < followed_.size(); ++place) {
    if (followed_[place].gate == gate) move(context, place, GateId::none());
  }
  context.return_gate(*this, gate);
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
  for (; !paused_.empty(); paused_.pop_back()) release(context, paused_.back().gate);
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
