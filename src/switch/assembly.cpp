// How a switch is put together: its ports and queues, the policies that attach to it, and what they ask for then.
#include <algorithm>
#include <cassert>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>

#include "switch/switch.h"

namespace weir {
namespace {

/// Throws std::invalid_argument when a switch has more of something than there is room for.
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

  for (std::size_t priority = 0; priority < kPriorities; ++priority) {
    scheduler_.set_level(static_cast<Priority>(priority), config.level_of_priority[priority]);
  }
  for (std::size_t priority = 0; priority < kPriorities; ++priority) {
    set_discipline(static_cast<Priority>(priority), config.discipline_of_priority[priority]);
  }
  const std::size_t ports = config.ports.size();
  ports_.resize(ports);
  ingress_.resize(ports * kPriorities);
  egress_.resize(ports * kPriorities);
  kicked_.resize(ports);
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
      QueueState queue;
      queue.port = PortId(port);
      queue.priority = static_cast<Priority>(priority);
      queue.quantum = static_cast<std::uint32_t>(maximum_frame_);
      scheduler_.add_queue(queue);
    }
  }
  attach_all();
}

void Switch::attach_all() {
  if (policies_.forwarding) all_.push_back(policies_.forwarding.get());
  assert(policies_.buffer);
  all_.push_back(policies_.buffer.get());
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
    if (hooks.arrival) on_arrival_.push_back(policy);
    if (hooks.enter) on_enter_.push_back(policy);
    if (hooks.depart) on_depart_.push_back(policy);
    if (hooks.depart_if_queued) on_depart_if_queued_.push_back(policy);
    if (hooks.drop) on_drop_.push_back(policy);
    if (hooks.enter_if_crowded) on_enter_if_crowded_.push_back(policy);
    if (hooks.depart_if_paused) on_depart_if_paused_.push_back(policy);
    policy->attach(*this);
  }
  refuse_excess(gate_owners_, kGateOwners, "owners of gates");
  note_extras();
  for (std::size_t port = 0; port < ports_.size(); ++port) note_threshold(PortId(port));
  // Every gate that can be closed until an instant has a timer of its own, and so has every stage.
  timer_slots_.reserve(timer_slots_.size() + queues_.size() + egress_.size() + scheduler_.stages());
  const auto add_timers = [this](TimerSlot::Kind kind, std::size_t count) {
    const auto first = static_cast<std::uint32_t>(timer_slots_.size());
    for (std::uint32_t i = 0; i < count; ++i) timer_slots_.push_back({.kind = kind, .owner = 0, .target = i});
    return first;
  };
  queue_gate_timer_.resize(queues_.size());
  std::iota(queue_gate_timer_.begin(), queue_gate_timer_.end(),
            add_timers(TimerSlot::Kind::queue_gate, queues_.size()));
  first_priority_gate_timer_ = add_timers(TimerSlot::Kind::priority_gate, egress_.size());
  first_stage_timer_ = add_timers(TimerSlot::Kind::stage, scheduler_.stages());
  timers_.resize(timer_slots_.size());
  more_.reserve(all_.size());
  more_now_.reserve(all_.size());
}

void Switch::note_extras() {
  const auto note = [this](unsigned extra, bool there) { extras_ = there ? extras_ | extra : extras_ & ~extra; };
  note(kTraced, trace_ != nullptr);
  note(kArrivalHooks, !on_arrival_.empty());
  note(kJudged, policies_.buffer->judges_admission());
  note(kWatched, frame_observer_ != nullptr);
  note(kClassified, classifier_ != nullptr);
  note(kEnterHooks, !on_enter_.empty());
  note(kCrowdHooks, !on_enter_if_crowded_.empty());
  note(kLengthHooks, !on_depart_if_queued_.empty());
  isolates_ = classifier_ != nullptr;
}

void Switch::note_threshold(PortId ingress) {
  for (std::size_t i = 0; i < kPriorities; ++i) {
    const auto priority = static_cast<Priority>(i);
    const auto rule = policies_.buffer->linear_xoff(ingress, priority);
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

QueueId Switch::new_queue(const QueueSpec& spec) {
  QueueState queue;
  queue.port = spec.port;
  queue.priority = spec.priority;
  queue.stage = spec.stage;
  queue.service = spec.service;
  queue.quantum = static_cast<std::uint32_t>(maximum_frame_) * spec.weight;
  queue.ideal = spec.ideal;
  const QueueId id = scheduler_.add_queue(queue);
  if (attached()) queue_gate_timer_.push_back(add_timer({TimerSlot::Kind::queue_gate, 0, id.value}));
  return id;
}

TimerId Switch::new_timer(SwitchPolicy& policy) {
  const auto found = std::find(all_.begin(), all_.end(), &policy);
  assert(found != all_.end());
  return TimerId(add_timer({TimerSlot::Kind::policy, 0, static_cast<std::uint32_t>(found - all_.begin())}));
}

// One beyond kGateOwners closes nothing: attach_all() refuses the switch when all have asked.
GateOwner Switch::new_gate_owner() {
  return gate_owners_++;
}

void Switch::set_discipline(Priority priority, Discipline discipline) {
  scheduler_.set_discipline(priority, discipline);
  if (discipline == Discipline::rank) extras_ |= kRanked;
}

}  // namespace weir
