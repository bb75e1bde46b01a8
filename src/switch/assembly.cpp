// SPDX-License-Identifier: Apache-2.0
// Assembly of a switch: its ports and queues, the policies that attach to it, and their requests in attach().
#include <algorithm>
#include <bitset>
#include <cassert>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "switch/switch.h"

namespace weir {
namespace {

/// Throws std::invalid_argument if a switch has more of something than the limit.
void refuse_excess(std::size_t there, std::size_t most, std::string_view what) {
  if (there <= most) return;
  throw std::invalid_argument("a switch has " + std::to_string(there) + " " + std::string(what) + ", expected " +
                              std::to_string(most) + " at most");
}

}  // namespace

Switch::Switch(FramePool& frames, const SwitchConfig& config, SwitchPolicies policies)
    : QueueContext(frames),
      frame_at_(frames),
      scheduler_(frames, ports_, queues_, egress_),
      policies_(std::move(policies)) {
  id_ = config.id;
  tier_ = config.tier;
  keeps_statistics_ = config.keeps_statistics;
  hosts_ = config.hosts;
  framing_ = config.framing;
  maximum_frame_ = config.maximum_frame;
  paths_ = config.paths;
  headers_ = config.headers;
  breaks_cycle_ = config.breaks_cycle;
  random_ = RandomStream(config.seed, config.id.value, 0x73776974);
  buffer_.size = config.buffer;
  buffer_.control_reserve = config.control_reserve;
  buffer_.pool_of_priority = config.pool_of_priority;
  buffer_.lossless = config.lossless;
  for (std::size_t i = 0; i < config.pools.size(); ++i) buffer_.pools[i].size = config.pools[i];

  level_of_priority_ = config.level_of_priority;
  scheduler_.set_maximum_frame(maximum_frame_);
  for (std::size_t priority = 0; priority < kPriorities; ++priority) {
    set_discipline(static_cast<Priority>(priority), config.discipline_of_priority[priority]);
  }
  const std::size_t ports = config.ports.size();
  ports_.resize(ports);
  ingress_.resize(ports * kPriorities);
  egress_.resize(ports * kPriorities);
  ready_ports_.resize(ports);
  for (std::size_t port = 0; port < ports; ++port) {
    const PortConfig& from = config.ports[port];
    ports_[port].rate = from.rate;
    ports_[port].delay = from.delay;
    ports_[port].peer = from.peer;
    ports_[port].serialisation = SerialisationTime(from.rate);
    for (std::size_t priority = 0; priority < kPriorities; ++priority) {
      IngressState& ingress = ingress_[port * kPriorities + priority];
      ingress.reserve_size = from.reserve[priority];
      ingress.headroom_size = from.headroom[priority];
      scheduler_.add_queue(queue_of({.port = PortId(port), .priority = static_cast<Priority>(priority)}));
    }
  }
  attach_all();
  if (config.watchdog) start_watchdog(*config.watchdog);
}

void Switch::attach_all() {
  if (policies_.forwarding) all_.push_back(policies_.forwarding.get());
  assert(policies_.buffer);
  all_.push_back(policies_.buffer.get());
  buffer_of_.fill(policies_.buffer.get());
  for (const PriorityBuffer& each : policies_.priority_buffer) {
    all_.push_back(each.policy.get());
    for (std::size_t priority = 0; priority < kPriorities; ++priority) {
      if (each.priorities[priority]) buffer_of_[priority] = each.policy.get();
    }
  }
  std::size_t classifiers = 0;
  for (const auto& policy : policies_.flow_control) {
    all_.push_back(policy.get());
    if (Classifier* classifier = policy->classifier(); classifier != nullptr) {
      ++classifiers;
      classifier_ = classifier;
    }
  }
  refuse_excess(classifiers, 1, "flow controls that classify frames into queues");
  for (const auto& policy : policies_.congestion_point) all_.push_back(policy.get());
  for (SwitchPolicy* policy : all_) {
    const Hooks hooks = policy->hooks();
    SwitchPolicy* const called = through_filter(policy);
    if (hooks.arrival) on_arrival_.push_back(called);
    if (hooks.enter) on_enter_.push_back(called);
    if (hooks.depart) on_depart_.push_back(called);
    if (hooks.depart_if_queued) on_depart_if_queued_.push_back(called);
    if (hooks.drop) on_drop_.push_back(called);
    if (hooks.withdraw) on_withdraw_.push_back(called);
    if (hooks.enter_if_crowded) on_enter_if_crowded_.push_back(called);
    if (hooks.depart_if_paused) on_depart_if_paused_.push_back(called);
    if (hooks.rescue) rescue_.push_back(called);
    if (hooks.trim) on_trim_.push_back(called);
    if (hooks.gate) on_gate_.push_back(policy);
    policy->attach(*this);
  }
  refuse_excess(gate_owners_, kGateOwners, "owners of gates");
  note_extras();
  for (std::size_t port = 0; port < ports_.size(); ++port) note_threshold(PortId(port));
  // Every gate that can be closed until a given time has its own timer, because hooks allocate nothing; so has every
  // stage.
  timer_slots_.reserve(timer_slots_.size() + queues_.size() + egress_.size() + scheduler_.stages());
  const auto new_slot = [this](TimerSlot::Kind kind, std::size_t target) {
    timer_slots_.push_back({.kind = kind, .owner = 0, .target = static_cast<std::uint32_t>(target)});
    return static_cast<std::uint32_t>(timer_slots_.size() - 1);
  };
  queue_gate_timer_.reserve(queues_.size());
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    queue_gate_timer_.push_back(new_slot(TimerSlot::Kind::queue_gate, i));
  }
  first_priority_gate_timer_ = static_cast<std::uint32_t>(timer_slots_.size());
  for (std::size_t i = 0; i < egress_.size(); ++i) new_slot(TimerSlot::Kind::priority_gate, i);
  time_stages();
  timers_.resize(timer_slots_.size());
  more_.reserve(all_.size());
  more_now_.reserve(all_.size());
}

namespace {

/// Calls a policy for the frames of its priorities only.
class OfPriorities final : public SwitchPolicy {
 public:
  OfPriorities(SwitchPolicy& policy, std::bitset<kPriorities> priorities) : policy_(policy), priorities_(priorities) {}
  void on_arrival(SwitchContext& context, Frame& frame) override {
    if (concerns(frame)) policy_.on_arrival(context, frame);
  }
  void on_enter(SwitchContext& context, QueueId queue, Frame& frame) override {
    if (concerns(frame)) policy_.on_enter(context, queue, frame);
  }
  void on_depart(SwitchContext& context, QueueId queue, Frame& frame) override {
    if (concerns(frame)) policy_.on_depart(context, queue, frame);
  }
  void on_drop(SwitchContext& context, QueueId queue, const Frame& frame, DropReason reason) override {
    if (concerns(frame)) policy_.on_drop(context, queue, frame, reason);
  }
  void on_withdraw(SwitchContext& context, QueueId queue, Frame& frame) override {
    if (concerns(frame)) policy_.on_withdraw(context, queue, frame);
  }
  Rescue rescue(SwitchContext& context, const Frame& frame, DropReason reason) override {
    return concerns(frame) ? policy_.rescue(context, frame, reason) : Rescue();
  }
  void on_trim(SwitchContext& context, QueueId queue, Frame& frame, std::int64_t was_charged) override {
    if (concerns(frame)) policy_.on_trim(context, queue, frame, was_charged);
  }

 private:
  [[nodiscard]] bool concerns(const Frame& frame) const { return priorities_[frame.ingress_priority]; }
  SwitchPolicy& policy_;
  std::bitset<kPriorities> priorities_;
};

}  // namespace

SwitchPolicy* Switch::through_filter(SwitchPolicy* policy) {
  if (policies_.priority_buffer.empty()) return policy;
  std::bitset<kPriorities> left;
  left.set();
  for (const PriorityBuffer& each : policies_.priority_buffer) left &= ~each.priorities;
  const auto found = std::find_if(policies_.priority_buffer.begin(), policies_.priority_buffer.end(),
                                  [policy](const PriorityBuffer& each) { return each.policy.get() == policy; });
  const bool of_some = found != policies_.priority_buffer.end();
  if (!of_some && policy != policies_.buffer.get()) return policy;
  filters_.push_back(std::make_unique<OfPriorities>(*policy, of_some ? found->priorities : left));
  return filters_.back().get();
}

void Switch::time_stages() {
  for (std::uint32_t i = 0; i < scheduler_.stages(); ++i) {
    if (scheduler_.stage(i).timer != Scheduler::kNoTimer) continue;
    timer_slots_.push_back({.kind = TimerSlot::Kind::stage, .owner = 0, .target = i});
    scheduler_.stage(i).timer = static_cast<std::uint32_t>(timer_slots_.size() - 1);
  }
  timers_.resize(timer_slots_.size());
}

void Switch::note_extras() {
  const auto note = [this](unsigned extra, bool there) { extras_ = there ? extras_ | extra : extras_ & ~extra; };
  note(kTraced, trace_ != nullptr);
  note(kArrivalHooks, !on_arrival_.empty());
  const auto sees = [](const BufferPolicy* policy) { return policy->sees_admission(); };
  note(kSeesAdmission, std::any_of(buffer_of_.begin(), buffer_of_.end(), sees) ||
                           (classifier_ != nullptr && classifier_->sees_admission()));
  note(kShaped, !buckets_.empty());
  note(kDepartHooks, !on_depart_.empty());
  note(kGatesWatched, !on_gate_.empty() || observer_ != nullptr || watchdog_ != nullptr);
  note(kWatched, frame_observer_ != nullptr);
  note(kEntriesWatched, frame_observer_ != nullptr && frame_observer_->watches_entries(*this));
  note(kClassified, classifier_ != nullptr);
  note(kEnterHooks, !on_enter_.empty());
  note(kCrowdHooks, !on_enter_if_crowded_.empty());
  note(kLengthHooks, !on_depart_if_queued_.empty());
  isolates_ = classifier_ != nullptr;
}

void Switch::note_threshold(PortId ingress) {
  for (std::size_t i = 0; i < kPriorities; ++i) {
    const auto priority = static_cast<Priority>(i);
    const auto rule = buffer_of_[priority]->linear_xoff(ingress, priority);
    if (!rule) {
      extras_ |= kAskedThreshold;
      return;
    }
    IngressState& state = ingress_[ingress.index() * kPriorities + priority];
    state.xoff_base = rule->base;
    state.xoff_share = rule->share;
  }
}

std::uint32_t Switch::add_timer(TimerSlot slot) {
  timer_slots_.push_back(slot);
  timers_.resize(timer_slots_.size());
  return static_cast<std::uint32_t>(timer_slots_.size() - 1);
}

QueueState Switch::queue_of(const QueueSpec& spec) const {
  QueueState queue;
  queue.port = spec.port;
  queue.priority = spec.priority;
  queue.stage = spec.stage;
  queue.service = spec.service;
  queue.quantum = static_cast<std::uint32_t>(maximum_frame_) * spec.weight;
  queue.ideal = spec.ideal;
  queue.level = Scheduler::level_number(spec.level.value_or(level(spec.priority)), spec.behind);
  return queue;
}

QueueId Switch::new_queue(const QueueSpec& spec) {
  const QueueId id = scheduler_.add_queue(queue_of(spec));
  if (spec.rate > BitRate()) {
    assert(spec.service == Service::scheduled && spec.burst > 0 && spec.burst <= TokenBucket::kMaximumBurst);
    QueueState& queue = queues_[id.index()];
    queue.shaped = true;
    scheduler_.set_bucket(id, static_cast<std::uint32_t>(buckets_.size()));
    buckets_.push_back(
        {TokenBucket(spec.rate, spec.burst, spec.starts_full), add_timer({TimerSlot::Kind::tokens, 0, id.value})});
    extras_ |= kShaped;
  }
  if (attached()) {
    queue_gate_timer_.push_back(add_timer({TimerSlot::Kind::queue_gate, 0, id.value}));
    if (watchdog_ != nullptr) watch_another();
    time_stages();
  }
  return id;
}

void Switch::bind(QueueId queue, const QueueSpec& spec) {
  QueueState& state = queues_[queue.index()];
  assert(!state.port.exists() && state.empty() && spec.port.exists() && spec.rate == BitRate());
  const std::uint8_t closed_by = state.closed_by;
  state = queue_of(spec);
  state.closed_by = closed_by;
  scheduler_.bind(queue);
  if (attached()) time_stages();
}

void Switch::unbind(QueueId queue) {
  assert(queues_[queue.index()].port.exists() && queues_[queue.index()].empty());
  for (GateOwner owner = 0; owner < gate_owners_; ++owner) set_gate(queue, owner, true);
  if (watchdog_ != nullptr) end_storm_now(watchdog_->gate_of(queue));
  scheduler_.unbind(queue);
  QueueState& state = queues_[queue.index()];
  state = queue_of({.priority = state.priority, .service = Service::released});
  state.blocked = scheduler_.must_block(state);
}

TimerId Switch::new_timer(SwitchPolicy& policy) {
  const auto found = std::find(all_.begin(), all_.end(), &policy);
  assert(found != all_.end());
  return TimerId(add_timer({TimerSlot::Kind::policy, 0, static_cast<std::uint32_t>(found - all_.begin())}));
}

// Owners beyond kGateOwners close nothing: attach_all() rejects the switch when all policies have attached.
GateOwner Switch::new_gate_owner() {
  return gate_owners_++;
}

void Switch::set_discipline(Priority priority, Discipline discipline) {
  scheduler_.set_discipline(level(priority), discipline);
  if (discipline == Discipline::rank) extras_ |= kRanked;
}

}  // namespace weir
