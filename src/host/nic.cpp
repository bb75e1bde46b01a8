// SPDX-License-Identifier: Apache-2.0
#include "host/nic.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>

namespace weir {
namespace {

/// Throws std::invalid_argument if a NIC has more of something than the limit.
void refuse_excess(std::size_t there, std::size_t most, std::string_view what) {
  if (there <= most) return;
  throw std::invalid_argument("a NIC has " + std::to_string(there) + " " + std::string(what) + ", expected " +
                              std::to_string(most) + " at most");
}

}  // namespace

Nic::Nic(FramePool& frames, const NicConfig& config, NicPolicies policies)
    : TransportContext(frames),
      frame_at_(frames),
      policies_(std::move(policies)),
      config_(config),
      serialisation_(config.rate) {
  host_ = config.host;
  hosts_ = config.hosts;
  rate_ = config.rate;
  delay_ = config.delay;
  maximum_payload_ = config.maximum_payload;
  notification_priority_ = config.notification_priority;
  framing_ = config.framing;
  maximum_frame_ =
      std::max<std::int64_t>(config.maximum_frame, framing_.data(static_cast<std::uint32_t>(maximum_payload_)));
  paths_ = config.paths;
  headers_ = config.headers;
  random_ = RandomStream(config.seed, config.host.value, 0x6e6963);
  ring_.fill(kNone);
  std::iota(priority_at_.rbegin(), priority_at_.rend(), Priority{0});
  const auto level_at = [&](std::size_t place) { return config.level_of_priority[priority_at_[place]]; };
  std::stable_sort(priority_at_.begin(), priority_at_.end(),
                   [&](Priority a, Priority b) { return config.level_of_priority[a] < config.level_of_priority[b]; });
  for (std::size_t place = 0; place < kPriorities; ++place) {
    place_of_[priority_at_[place]] = static_cast<std::uint8_t>(place);
    if (place > 0 && level_at(place) == level_at(place - 1)) {
      shared_places_ = static_cast<std::uint8_t>(shared_places_ | 3u << (place - 1));
    }
  }
  deficit_.fill(quantum());
  transport_ = policies_.transport.get();
  assert(transport_ != nullptr || (policies_.congestion_control && policies_.loss_recovery));
  if (config.measure_waits && transport_ == nullptr) waits_ = std::make_unique<Waits>();
  if (config.receive_buffer > 0) {
    ReceiveBufferState& buffer = rare().buffer;
    buffer.size = config.receive_buffer;
    buffer.drain_rate = config.drain_rate;
    buffer.lossless = config.receive_lossless;
    buffer.headroom = config.receive_headroom;
    buffer.others_limit =
        buffer.headroom == 0 ? buffer.size : receive_limits(buffer.size, buffer.headroom, maximum_frame_).resume;
    receive_buffer_ = &buffer;
  }
  assert(config.receive_buffer == 0 || config.drain_rate > BitRate());
  refuse_excess(policies_.flow_control.size(), kNicFlowControls, "flow controls");
  timer_slots_.resize(kDrainTimer + 1);
  if (transport_ != nullptr) {
    extras_ |= kPeers;
    static_cast<NicPolicy&>(*transport_).attach(*this);
  } else {
    policies_.congestion_control->attach(*this);
    policies_.loss_recovery->attach(*this);
  }
  if (policies_.forwarding) policies_.forwarding->attach(*this);
  std::size_t serve_by_gate = 0;
  for (const auto& policy : policies_.flow_control) {
    policy->attach(*this);
    if (policy->watches_received()) on_receive_.push_back(policy.get());
    if (config.receive_buffer > 0 && policy->watches_receive_buffer()) rare().on_buffer.push_back(policy.get());
    if (policy->marks_sent())
      on_sent_.push_back({policy.get(), static_cast<std::size_t>(&policy - policies_.flow_control.data())});
    if (policy->serves_by_gate() && !config_.shortest_remaining_first) {
      ++serve_by_gate;
      turns_by_ = static_cast<std::size_t>(&policy - policies_.flow_control.data());
    }
  }
  if (headers_->has(kFirstRoundTrip)) {
    rare().first_round_trip = std::make_unique<FirstRoundTripWriter>(*headers_);
    on_sent_.push_back({rare().first_round_trip.get(), 0});
  }
  marks_sent_ = !on_sent_.empty();
  refuse_excess(serve_by_gate, 1, "flow controls whose gates take turns");
  refuse_excess(gate_owners_, kGateOwners, "owners of gates");
  if (transport_ != nullptr) {
    senders_.set_state_bytes(transport_->sender_bytes(), 0);
    receivers_.set_state_bytes(transport_->receiver_bytes(), 0);
  } else {
    hooks_ = policies_.congestion_control->hooks();
    senders_.set_state_bytes(policies_.congestion_control->sender_bytes(), policies_.loss_recovery->sender_bytes());
    receivers_.set_state_bytes(policies_.congestion_control->receiver_bytes(),
                               policies_.loss_recovery->receiver_bytes());
  }
  note_extras();
  first_sender_timer_ = static_cast<std::uint32_t>(timer_slots_.size());
  timers_.resize(first_sender_timer_);
  constexpr std::size_t kFewAtOnce =
      64;  // completions, and sender look-ups, between two calls in which a driver handles them
  completions_.reserve(kFewAtOnce);
  touched_.reserve(kFewAtOnce);
}

// ---- the driver's calls ----

void Nic::note_extras() {
  const auto note = [this](unsigned extra, bool there) { extras_ = there ? extras_ | extra : extras_ & ~extra; };
  note(kTraced, trace_ != nullptr);
  note(kReceiveHooks, !on_receive_.empty());
  note(kTransport, transport_ != nullptr);
  note(kBuffered, receive_buffer_->size > 0);
}

void Nic::receive(Time now, FrameId id) {
  now_ = now;
  Frame& frame = frame_at_[id];
  if ((extras_ & kTraced) != 0) [[unlikely]]
    trace_receive(frame);
  ++frames_received_;
  bytes_received_ += frame.frame_bytes;
  frame.clear_meta(now, PortId(0));
  if (frame.corrupt() || frame.trimmed()) [[unlikely]] {
    if (!keeps_headers(frame)) return frames_.release(id);
  }
  if (extras_ != 0 && receive_aside(id, frame)) [[unlikely]]
    return after_receive();
  take(frame);
  frames_.release(id);
  after_receive();
}

// The headers of a damaged frame are not evaluated, and only a transport can interpret the header of a trimmed one:
// such frames must not be treated as data.
[[gnu::noinline]] bool Nic::keeps_headers(const Frame& frame) {
  if (frame.corrupt()) {
    ++corrupt_;
    return false;
  }
  strays_ += transport_ == nullptr ? 1 : 0;
  return transport_ != nullptr;
}

// True: the frame was taken from the caller.
[[gnu::noinline]] bool Nic::receive_aside(FrameId id, Frame& frame) {
  for (NicFlowControl* policy : on_receive_) policy->on_receive(*this, frame);
  if ((extras_ & kBuffered) != 0 && !frame.is_hop_control()) {
    enter_buffer(id, frame);
    return true;
  }
  return (extras_ & kDatagrams) != 0 && frame.kind == FrameKind::datagram && receive_datagram(id, frame);
}

void Nic::take(Frame& frame) {
  if (transport_ != nullptr) [[unlikely]]
    return take_by_transport(frame);
  switch (frame.kind) {
    case FrameKind::data:
      receive_data(frame);
      break;
    case FrameKind::ack:
    case FrameKind::nack:
      receive_acknowledgement(frame);
      break;
    case FrameKind::cnp:
      if (Sender* sender = senders_.find(frame.queue_pair); sender != nullptr) {
        policies_.congestion_control->on_cnp(*this, *sender, frame);
        after_hook(*sender);
      } else {
        ++strays_;
      }
      break;
    case FrameKind::pfc:
    case FrameKind::hop_control:
      for (const auto& policy : policies_.flow_control) {
        if (policy->on_control(*this, frame)) break;
      }
      break;
    case FrameKind::host_control:
      if (!policies_.congestion_control->on_feedback(*this, frame)) policies_.loss_recovery->on_feedback(*this, frame);
      break;
    case FrameKind::datagram:
      ++strays_;
      break;
    case FrameKind::marker:
      break;
  }
}

FrameId Nic::transmit(Time now) {
  now_ = now;
  const FrameId id = next_frame();
  if (trace_ != nullptr) [[unlikely]]
    trace_transmit(id);
  return id;
}

[[gnu::noinline]] void Nic::trace_receive(const Frame& frame) {
  trace_->receive(now_, PortId(0), frames_, frame);
}

[[gnu::noinline]] void Nic::trace_transmit(FrameId id) {
  trace_->transmit(now_, PortId(0), frames_, id);
}

FrameId Nic::next_frame() {
  if (next_deadline() <= now_) run_due();
  if (!up_) return FrameId::none();
  FrameId id = control_head_;
  if (id.exists()) {
    control_head_ = frames_[id].next;
    if (!control_head_.exists()) control_tail_ = FrameId::none();
    take_wire(frames_[id], std::max(now_, wire_free_));
  }
  while (!id.exists() && ready_places_ != 0) {
    const auto place = static_cast<std::size_t>(std::countr_zero(ready_places_));
    const Priority priority = priority_at_[place];
    if (responses_[priority].head.exists() &&
        (priority_closed_by_[priority] == 0 || config_.acknowledgements_ignore_pause)) {
      id = pop(responses_[priority]);
      take_wire(frame_at_[id], std::max(now_, wire_free_));
      update_level(priority);
    } else if (transport_ != nullptr) [[unlikely]] {
      bool exhausted = false;
      id = build_chosen(priority, exhausted);
      if (exhausted) break;
      if (!id.exists()) continue;
    } else if (Sender* sender = pick(priority); sender != nullptr) {
      Gate* const gate = turns_of(*sender);  // the hook may assign it another gate while it sends
      id = build(*sender);
      if (!id.exists()) {
        try_again_later();
        break;
      }
      if (gate != nullptr) take_turn(*gate, priority, frame_at_[id].frame_bytes);
    } else {
      update_level(priority);  // all were blocked
      continue;
    }
    if ((shared_places_ >> place & 1) != 0) take_turn(priority, frame_at_[id].frame_bytes);
  }
  if (policies_.forwarding && id.exists() && !frame_at_[id].is_hop_control()) [[unlikely]]
    policies_.forwarding->on_send(*this, frame_at_[id]);
  return id;
}

// The frame pool is exhausted, and there is no notification when a frame becomes free.
void Nic::try_again_later() {
  timers_.arm(kRetryTimer, now_ + serialisation_(static_cast<std::uint32_t>(quantum()) + framing_.wire_overhead));
}

void Nic::advance(Time now) {
  now_ = now;
  if (trace_ != nullptr) [[unlikely]]
    trace_->advance(now);
  run_due();
}

void Nic::link(Time now, bool up) {
  now_ = now;
  if (trace_ != nullptr) trace_->link(now, PortId(0), up);
  up_ = up;
  wire_free_ = now_;
  for (FrameId id = control_head_; id.exists();) {
    const FrameId next = frames_[id].next;
    frames_.release(id);
    id = next;
  }
  control_head_ = control_tail_ = FrameId::none();
  for (std::size_t priority = 0; priority < kPriorities; ++priority) {
    timers_.cancel(static_cast<std::uint32_t>(priority));
    if (waits_ != nullptr) note_priority(static_cast<Priority>(priority), 0);
    const bool was_open = std::exchange(priority_closed_by_[priority], std::uint8_t{0}) == 0;
    opened_at_[priority] = now_;
    update_level(static_cast<Priority>(priority));
    if (observer_ != nullptr && !was_open) observer_->on_priority_gate(*this, static_cast<Priority>(priority), true);
  }
  for (std::size_t gate = 0; gate < gates_.size(); ++gate) set_gate(GateId(gate), true);
  senders_.for_each([this](Sender& sender) {
    for (GateOwner owner = 0; owner < gate_owners_; ++owner) set_gate(sender, owner, true);
  });
  if (transport_ != nullptr) {
    transport_->on_link(*this, up);
    follow_gates();
  } else {
    policies_.congestion_control->on_link(*this, up);
    policies_.loss_recovery->on_link(*this, up);
  }
  if (policies_.forwarding) policies_.forwarding->on_link(*this, up);
  for (const auto& policy : policies_.flow_control) policy->on_link(*this, up);
  refresh_touched();
  became_ready_ = up;
}

// ---- the receiver half ----

void Nic::receive_data(Frame& frame) {
  Receiver* receiver = receivers_.find(frame.queue_pair);
  if (receiver == nullptr || receiver->remote != frame.source) {
    ++strays_;
    return;
  }
  ++data_received_;
  if (sequence_before(frame.sequence, receiver->highest)) {
    if (!frame.retransmitted()) {
      ++receiver->out_of_order;
      ++out_of_order_;
    }
  } else {
    receiver->highest = frame.sequence + 1;
  }
  const Reception reception = policies_.loss_recovery->on_data(*this, *receiver, frame);
  if (reception.accepted) payload_kept_ += frame.payload_bytes;
  for (std::uint32_t i = 0; i < reception.completed_messages; ++i) {
    completions_.push_back({Completion::Kind::received, receiver->connection, FlowId::none(), now_});
  }
  Reply reply = reception.reply;
  if (reply == Reply::ack && reception.accepted && !frame.wants_ack()) reply = Reply::none;
  answer(*receiver, frame, reply);
}

void Nic::answer(Receiver& receiver, Frame& data, Reply reply) {
  FrameId id;
  if (reply != Reply::none) id = new_acknowledgement(receiver, receiver.expected);
  if (!id.exists()) {
    if (hooks_.data) policies_.congestion_control->on_data(*this, receiver, data, nullptr);
    return;
  }
  Frame& frame = frame_at_[id];
  if (const NicHeaders& added = config_.added; added.echoed || added.acknowledgement > 0) [[unlikely]] {
    const int came = data.frame_bytes - framing_.data(data.payload_bytes) - added.not_echoed;
    const int echo = added.echoed ? std::max(0, came) : 0;  // wire data: it may be shorter than expected
    frame.frame_bytes = framing_.acknowledge(static_cast<std::uint32_t>(added.acknowledgement + echo));
  }
  if (reply == Reply::nack) {
    frame.kind = FrameKind::nack;
    policies_.loss_recovery->on_nack_made(*this, receiver, data, frame);
  }
  if (hooks_.data) policies_.congestion_control->on_data(*this, receiver, data, &frame);
  send_to_host(id);
}

FrameId Nic::new_acknowledgement(const ReceiveState& receiver, std::uint32_t sequence) {
  const FrameId id = frames_.allocate();
  if (!id.exists()) return id;
  Frame& frame = frame_at_[id];
  frame.frame_bytes = framing_.acknowledge();
  frame.kind = FrameKind::ack;
  frame.priority = config_.acknowledge_priority.value_or(receiver.priority);
  frame.source = host_;
  frame.destination = receiver.remote;
  frame.queue_pair = receiver.remote_number;
  frame.sequence = sequence;
  frame.entropy = receiver.entropy;
  return id;
}

// ---- frames made by the NIC ----

void Nic::push(List& list, FrameId id) {
  frame_at_[id].next = FrameId::none();
  if (list.head.exists()) {
    frame_at_[list.tail].next = id;
  } else {
    list.head = id;
  }
  list.tail = id;
}

FrameId Nic::pop(List& list) {
  const FrameId id = list.head;
  list.head = frame_at_[id].next;
  if (!list.head.exists()) list.tail = FrameId::none();
  return id;
}

void Nic::send(FrameId id) {
  frames_[id].next = FrameId::none();
  if (control_tail_.exists()) {
    frames_[control_tail_].next = id;
  } else {
    control_head_ = id;
  }
  control_tail_ = id;
  became_ready_ = true;
}

void Nic::send_to_host(FrameId id) {
  const Priority priority = frame_at_[id].priority;
  const bool first = !responses_[priority].head.exists();
  push(responses_[priority], id);
  if (first) update_level(priority);
}

std::size_t Nic::frames_held() const {
  std::size_t held = 0;
  const auto count = [&](FrameId id) {
    for (; id.exists(); id = frames_[id].next) ++held;
  };
  count(control_head_);
  for (const List& list : responses_) count(list.head);
  if (rare_) {
    for (const DatagramQueue& queue : rare_->datagram_queues) count(queue.frames.head);
    count(rare_->datagrams_in.head);
    count(rare_->buffered.head);
  }
  return held;
}

// ---- timers ----

void Nic::run_due() {
  while (timers_.earliest() <= now_) {
    const std::uint32_t timer = timers_.first();
    timers_.cancel(timer);
    run_timer(timer);
  }
  while (pacing_.earliest() <= now_) {
    Sender& sender = senders_.at(pacing_.first());
    const Time due = pacing_.earliest();
    pacing_.cancel(index(sender));
    reconsider(sender);
    if (sender.standing == Standing::ready) sender.ready_at = due;
  }
  if (!touched_.empty()) refresh_touched();
}

void Nic::run_timer(std::uint32_t timer) {
  if (timer < kPriorities) {
    set_priority_gate(static_cast<Priority>(timer), timer_slots_[timer].owner, true);
  } else if (timer == kRetryTimer) {
    became_ready_ = true;
  } else if (timer == kDrainTimer) {
    drain_buffer();
  } else if (timer < first_sender_timer_) {
    timer_slots_[timer].policy->on_timer(*this, TimerId(timer));
  } else if (transport_ != nullptr) {
    const std::uint32_t index = (timer - first_sender_timer_) / 2;
    if ((timer - first_sender_timer_) % 2 == 0) {
      transport_->on_sender_timer(*this, senders_.at(index));
    } else {
      transport_->on_receiver_timer(*this, receivers_.at(index));
    }
  } else {
    Sender& sender = senders_.at((timer - first_sender_timer_) / 2);
    if ((timer - first_sender_timer_) % 2 == 0) {
      policies_.congestion_control->on_sender_timer(*this, sender);
      after_hook(sender);
    } else {
      check_loss(sender);
    }
  }
}

// ---- requests and actions of policies ----

SendState* Nic::sender(QueuePairId number) {
  Sender* found = senders_.find(number);
  if (found != nullptr) touch(*found);
  return found;
}

SendState* Nic::sender_to(HostId remote, QueuePairId remote_number) {
  const auto found = sender_by_peer_.find(peer_key(remote, remote_number));
  return found == sender_by_peer_.end() ? nullptr : sender(senders_.at(found->second).number);
}

void Nic::for_each_sender_to(HostId remote, void (*visit)(void* context, SendState& sender), void* context) {
  const auto newest = rare().newest_to.find(remote.value);
  for (std::uint32_t at = newest == rare().newest_to.end() ? kNone : newest->second; at != kNone;) {
    Sender& sender = senders_.at(at);
    at = sender.next_to_remote;
    visit(context, sender);
    touch(sender);
  }
}

void Nic::for_each_sender(void (*visit)(void* context, SendState& sender), void* context) {
  senders_.for_each([&](Sender& sender) {
    visit(context, sender);
    touch(sender);
  });
}

TimerId Nic::new_timer(NicPolicy& policy) {
  timer_slots_.push_back({&policy, 0});
  return TimerId(timer_slots_.size() - 1);
}

// Owners beyond kGateOwners block nothing: the constructor rejects the NIC when all policies have attached.
GateOwner Nic::new_gate_owner() {
  return gate_owners_++;
}

GateId Nic::new_gate() {
  gates_.emplace_back();
  return GateId(gates_.size() - 1);
}

void Nic::reserve_gates(std::size_t count) {
  extras_ |= kPeers;
  for (std::size_t i = 0; i < count; ++i) rare().spare_gates.push_back(new_gate());
}

void Nic::arm(SendState& state, Time deadline) {
  timers_.arm(congestion_timer(index(static_cast<Sender&>(state))), deadline);
}

void Nic::cancel(SendState& state) {
  timers_.cancel(congestion_timer(index(static_cast<Sender&>(state))));
}

}  // namespace weir
