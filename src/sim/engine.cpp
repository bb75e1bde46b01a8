#include "sim/engine.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>

#include "sim/version.h"

namespace weir {
namespace {

constexpr Duration kCheckInterval = Duration::picoseconds(500'000'000);
constexpr std::uint64_t kReportEvery = 1u << 14;  // events

std::uint64_t damage_threshold(double rate) {
  return rate >= 1 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(rate * 0x1.0p64);
}

std::vector<std::uint64_t> transmit_ranks(std::uint64_t seed, std::size_t channels) {
  std::vector<std::uint64_t> ranks;
  for (std::size_t channel = 0; channel < channels; ++channel) ranks.push_back(mix(seed, channel));
  return ranks;
}

}  // namespace

EventQueue Engine::make_events(const Settings& settings) const {
  std::vector<EventSpec> specs(2 * std::size_t{channel_count_} + node_count_ + 5);
  const std::uint64_t seed = settings.run.seed;
  for (std::uint32_t channel = 0; channel < channel_count_; ++channel) {
    specs[arrival_event(channel)] = {Phase::arrival, mix(seed, channel)};
    specs[wire_event(channel)] = {Phase::transmit, mix(seed, channel)};
  }
  for (std::uint32_t node = 0; node < node_count_; ++node) {
    specs[deadline_event(node)] = {Phase::timer, mix(seed, std::uint64_t{node} << 32)};
  }
  specs[flow_event_] = {Phase::new_flow, 0};
  specs[stop_event_] = {Phase::new_flow, 1};
  specs[change_event_] = {Phase::link_change, 0};
  specs[sample_event_] = {Phase::sample, 0};
  specs[end_event_] = {Phase::sample, 1};
  // Slots so wide that a frame's arrival, one link delay ahead, mostly falls into the present window of the queue: it
  // is then filed once. What shares a slot is sorted, which costs less than filing again.
  Duration ahead;
  for (const ChannelSpec& channel : fabric_.channels()) {
    const Bytes frame(maximum_frame_bytes(settings) + settings.network.framing.wire_overhead);
    ahead = std::max(ahead, channel.delay + time_to_send(frame, channel.rate));
  }
  return EventQueue(specs, std::max(EventQueue::kDefaultSlotWidth, ahead / 2048));
}

Engine::Engine(const Settings& settings)
    : settings_(settings),
      fabric_(settings_),
      pool_(fabric_.frames()),
      frames_(pool_),
      wire_overhead_(settings_.network.framing.wire_overhead),
      channel_count_(static_cast<std::uint32_t>(fabric_.channels().size())),
      node_count_(static_cast<std::uint32_t>(fabric_.nodes())),
      flow_event_(2 * channel_count_ + node_count_),
      stop_event_(flow_event_ + 1),
      change_event_(flow_event_ + 2),
      sample_event_(flow_event_ + 3),
      end_event_(flow_event_ + 4),
      events_(make_events(settings_)),
      channels_(channel_count_),
      due_(transmit_ranks(settings_.run.seed, channel_count_)),
      lost_(channel_count_),
      deadlocks_(fabric_),
      hop_deadlocks_(fabric_),
      traffic_(settings_.traffic(settings_.run.seed)) {
  for (std::uint32_t i = 0; i < channel_count_; ++i) {
    const ChannelSpec& spec = fabric_.channels()[i];
    Channel& channel = channels_[i];
    channel.serialisation = SerialisationTime(spec.rate);
    channel.delay = spec.delay;
    channel.from_node = spec.from.value;
    channel.from_port = spec.from_port;
    channel.to_node = spec.to.value;
    channel.to_port = spec.to_port;
    channel.special = spec.error_rate > 0;
    corruption_.push_back({RandomStream(settings_.run.seed, i, 0x64616d), damage_threshold(spec.error_rate)});
  }
  for (std::uint32_t node = 0; node < node_count_; ++node) {
    machines_.push_back({.at = fabric_.switch_at(NodeId(node)),
                         .nic = fabric_.nic_at(NodeId(node)),
                         .first_channel = fabric_.channel(NodeId(node), PortId(0))});
  }
  measurement_ = std::make_unique<Measurement>(fabric_, settings_);
  connections_ = std::make_unique<Connections>(
      fabric_, settings_, traffic_, [this](const FlowSpec& flow, const FlowRecord& record) { end_flow(flow, record); },
      [this](const FlowSpec& flow) { measurement_->on_flow_start(flow); });
  measurement_->set_connections(*connections_);

  failures_of_link_.resize(fabric_.topology().links().size());
  known_failures_of_link_.resize(fabric_.topology().links().size());
  for (const LinkFailure& failure : settings_.network.failures) {
    for (const auto& [at, up] : {std::pair(failure.down, false), std::pair(failure.up, true)}) {
      if (at == Time::never()) continue;
      changes_.push_back({at, failure.link, up, false});
      // A link that is down from the start was never there for the controller.
      changes_.push_back({at == Time() ? at : at + settings_.network.failure_detection, failure.link, up, true});
    }
  }
  std::stable_sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) { return a.at < b.at; });
  if (!changes_.empty()) events_.schedule(change_event_, changes_.front().at);
  if (traffic_.next_start() < settings_.run.stop) events_.schedule(flow_event_, traffic_.next_start());
  events_.schedule(sample_event_, Time() + settings_.measurement.sample_interval);
  if (settings_.run.stop != Time::never()) {
    events_.schedule(end_event_, settings_.run.stop + (settings_.run.drain ? settings_.run.drain_limit : Duration()));
  }
  next_check_ = Time() + kCheckInterval;
}

RunRecord Engine::run(Progress* progress) {
  const auto begin = std::chrono::steady_clock::now();
  bool interrupted = false;
  ended_ = finished();
  while (!ended_ && !interrupted && !events_.empty()) {
    const Event event = events_.pop();
    now_ = event.time;
    if (event.id < channel_count_) [[likely]] {
      arrive(event.id);
    } else {
      dispatch(event);
    }
    while (!due_.empty() && !events_.due_before(Phase::sample)) transmit(due_.take_first());
    if ((++event_count_ & (kReportEvery - 1)) == 0 && progress != nullptr) {
      report(*progress);
      interrupted = progress->stop.load(std::memory_order_relaxed);
    }
  }
  check_invariants();
  if (progress != nullptr) report(*progress);
  RunRecord result = record(interrupted);
  result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

void Engine::dispatch(const Event& event) {
  if (event.id < 2 * channel_count_) {
    wire_free(event.id - channel_count_);
  } else if (event.id < flow_event_) {
    deadline(event.id - 2 * channel_count_);
  } else if (event.id == flow_event_) {
    start_flows();
  } else if (event.id == stop_event_) {
    stop_flows();
  } else if (event.id == change_event_) {
    change_links();
  } else if (event.id == sample_event_) {
    sample();
  } else {
    ended_ = true;
  }
}

// ---- frames ----

void Engine::arrive(std::uint32_t number) {
  Channel& channel = channels_[number];
  const FrameId id = channel.head;
  Frame& frame = frames_[id];
  channel.head = frame.next;
  if (channel.head.exists()) events_.schedule(arrival_event(number), next_arrival(frame));
  ++packet_hops_;
  add_to_digest(channel.digest, frame);
  bytes_by_kind_[static_cast<std::size_t>(frame.kind)] += frame.frame_bytes;
  Machine& machine = machines_[channel.to_node];
  if (machine.at != nullptr) {
    const FrameId passed = machine.at->pass(now_, channel.to_port, id);
    if (passed.exists()) send(machine, frames_[passed].egress, passed);
    return after_switch(machine);
  }
  Nic& nic = *machine.nic;
  if (frame.kind == FrameKind::data && measurement_->wants_delivery()) {
    measurement_->on_delivery(nic.host(), frame, now_);
  }
  // What is due at this very instant it runs at once.
  const bool moves_gates = frame.kind == FrameKind::pfc || (machine.told_to_pause && machine.deadline <= now_);
  nic.receive(now_, id);
  if (moves_gates) [[unlikely]]
    note_pause(machine);
  after_nic(machine);
}

void Engine::note_pause(Machine& host) {
  host.told_to_pause = true;
  measurement_->on_nic_gates(*host.nic, now_);
}

void Engine::request(std::uint32_t number) {
  Channel& channel = channels_[number];
  if (!channel.up || channel.waits) return;
  if (channel.free_at > now_) {
    wait_for_wire(number, channel);
  } else {
    due_.insert(number);
  }
}

void Engine::wait_for_wire(std::uint32_t number, Channel& channel) {
  channel.waits = true;
  events_.schedule(wire_event(number), channel.free_at);
}

void Engine::wire_free(std::uint32_t number) {
  channels_[number].waits = false;
  if (due_.empty()) return transmit(number);
  due_.insert(number);
}

void Engine::send(const Machine& machine, PortId port, FrameId frame) {
  const std::uint32_t number = machine.first_channel + port.value;
  Channel& channel = channels_[number];
  put_on_wire(number, channel, frame);
  if (machine.at->occupy(port, channel.free_at) && !channel.waits) wait_for_wire(number, channel);
}

void Engine::transmit(std::uint32_t number) {
  Channel& channel = channels_[number];
  // A frame that came in at this instant may have taken the wire meanwhile.
  if (channel.free_at > now_) [[unlikely]]
    return request(number);
  Machine& machine = machines_[channel.from_node];
  if (machine.at != nullptr) {
    const FrameId frame = machine.at->transmit(now_, channel.from_port);
    if (frame.exists()) send(machine, channel.from_port, frame);
    after_switch(machine);
  } else {
    const FrameId frame = machine.nic->transmit(now_);
    if (frame.exists()) {
      put_on_wire(number, channel, frame);
      if (machine.nic->has_ready()) wait_for_wire(number, channel);
    }
    after_nic(machine);
  }
}

void Engine::put_on_wire(std::uint32_t number, Channel& channel, FrameId id) {
  Frame& frame = frames_[id];
  channel.free_at = now_ + channel.serialisation(frame.frame_bytes + wire_overhead_);
  frame.arrival = channel.free_at + channel.delay;
  frame.next = FrameId::none();
  if (channel.special) [[unlikely]]
    treat_specially(number, frame);
  if (channel.head.exists()) {
    Frame& before = frames_[channel.tail];
    before.next = id;
    note_next_arrival(before, frame.arrival);
  } else {
    channel.head = id;
    events_.schedule(arrival_event(number), frame.arrival);
  }
  channel.tail = id;
}

void Engine::treat_specially(std::uint32_t channel, Frame& frame) {
  Corruption& corruption = corruption_[channel];
  if (corruption.below > 0 && corruption.random.next() < corruption.below) frame.set_corrupt(true);
  if (tap_ != nullptr && tap_number_[channel] != kNotTapped) tap_->on_wire(tap_number_[channel], now_, pool_, frame);
}

void Engine::tap(const std::vector<LinkDirection>& links, WireTap& tap) {
  tap_ = &tap;
  tap_number_.assign(channel_count_, kNotTapped);
  for (std::size_t i = 0; i < links.size(); ++i) {
    const std::uint32_t channel = fabric_.channel(links[i].from, links[i].port);
    tap_number_[channel] = static_cast<std::uint32_t>(i);
    channels_[channel].special = true;
  }
}

void Engine::after_switch(Machine& machine) {
  machine.at->take_kicked([&](PortId port) { request(machine.first_channel + port.value); });
  follow_deadline(machine, machine.at->next_deadline());
}

void Engine::after_nic(Machine& machine) {
  Nic& nic = *machine.nic;
  if (!nic.completions().empty()) settle_completions(nic);
  if (nic.kicked()) {
    nic.clear_kicked();
    request(machine.first_channel);
  }
  follow_deadline(machine, nic.next_deadline());
}

void Engine::after(Machine& machine) {
  if (machine.at != nullptr) {
    after_switch(machine);
  } else {
    after_nic(machine);
  }
}

void Engine::settle_completions(Nic& nic) {
  connections_->settle(nic);
  // A completion may have made a flow of a closed loop due.
  const Time next = traffic_.next_start();
  if (next < settings_.run.stop && next < events_.time_of(flow_event_)) {
    events_.reschedule(flow_event_, std::max(now_, next));
    // Without a stop time the run was to end so long after its last start.
    if (settings_.run.stop == Time::never()) events_.cancel(end_event_);
  }
}

void Engine::move_deadline(Machine& machine, Time deadline) {
  const auto node = static_cast<std::uint32_t>(&machine - machines_.data());
  machine.deadline = deadline;
  if (deadline == Time::never()) {
    events_.cancel(deadline_event(node));
  } else {
    events_.reschedule(deadline_event(node), std::max(now_, deadline));
  }
}

void Engine::deadline(std::uint32_t node) {
  Machine& machine = machines_[node];
  machine.deadline = Time::never();
  if (machine.at != nullptr) {
    machine.at->advance(now_);
  } else {
    machine.nic->advance(now_);
    if (machine.told_to_pause) measurement_->on_nic_gates(*machine.nic, now_);
  }
  after(machine);
}

// ---- flows ----

void Engine::start_flows() {
  while (traffic_.next_start() <= now_ && traffic_.next_start() < settings_.run.stop) {
    const HostId source = connections_->start_next(now_);
    const NodeId node = fabric_.topology().node_of(source);
    after(machines_[node.index()]);
  }
  if (traffic_.next_start() < settings_.run.stop) {
    events_.reschedule(flow_event_, traffic_.next_start());
  } else if (settings_.run.stop == Time::never() && traffic_.next_start() == Time::never()) {
    events_.reschedule(end_event_, now_ + settings_.run.drain_limit);
  }
  if (connections_->next_stop() != Time::never()) {
    events_.reschedule(stop_event_, std::max(now_, connections_->next_stop()));
  }
  ended_ = finished();
}

void Engine::stop_flows() {
  while (connections_->next_stop() <= now_) {
    const HostId source = connections_->stop_next(now_);
    const NodeId node = fabric_.topology().node_of(source);
    after(machines_[node.index()]);
  }
  if (connections_->next_stop() != Time::never()) events_.reschedule(stop_event_, connections_->next_stop());
}

void Engine::end_flow(const FlowSpec& flow, const FlowRecord& record) {
  measurement_->on_flow_end(flow, record, now_);
  ended_ = ended_ || finished();
}

bool Engine::finished() const {
  const Time next = traffic_.next_start();
  if (next < settings_.run.stop || connections_->open() > connections_->endless()) return false;
  if (connections_->endless() > 0) return false;  // until the stop time
  return settings_.run.drain || settings_.run.stop == Time::never();
}

// ---- links ----

void Engine::change_links() {
  bool reroute = false;
  while (next_change_ < changes_.size() && changes_[next_change_].at <= now_) {
    const Change& change = changes_[next_change_++];
    auto& failures = change.detected ? known_failures_of_link_ : failures_of_link_;
    int& count = failures[change.link.index()];
    count += change.up ? -1 : 1;
    if (count != (change.up ? 0 : 1)) continue;  // another failure of this link goes on
    if (change.detected) {
      reroute = true;
    } else {
      set_link(change.link, change.up);
    }
  }
  if (reroute) {
    std::vector<LinkId> down;
    for (std::size_t link = 0; link < known_failures_of_link_.size(); ++link) {
      if (known_failures_of_link_[link] > 0) down.push_back(LinkId(link));
    }
    fabric_.reroute(down);
  }
  if (next_change_ < changes_.size()) events_.schedule(change_event_, changes_[next_change_].at);
}

void Engine::set_link(LinkId id, bool up) {
  const Link& link = fabric_.topology().link(id);
  for (const auto& [node, port] : {std::pair(link.a, link.a_port), std::pair(link.b, link.b_port)}) {
    const std::uint32_t number = fabric_.channel(node, port);
    Channel& channel = channels_[number];
    channel.up = up;
    events_.cancel(arrival_event(number));
    events_.cancel(wire_event(number));
    channel.waits = false;
    while (channel.head.exists()) {  // what was in flight is lost
      const FrameId frame = channel.head;
      channel.head = frames_[frame].next;
      pool_.release(frame);
      ++lost_[number];
    }
    channel.free_at = now_;
    if (Switch* at = machines_[node.index()].at; at != nullptr) {
      at->link(now_, port, up);
    } else {
      Nic& nic = *machines_[node.index()].nic;
      nic.link(now_, up);
      measurement_->on_nic_gates(nic, now_);
    }
    after(machines_[node.index()]);
  }
}

// ---- watching ----

void Engine::sample() {
  measurement_->sample(now_);
  if (now_ >= next_check_ || !measurement_->failure().empty()) {
    check_invariants();
    next_check_ = now_ + kCheckInterval;
  }
  events_.schedule(sample_event_, now_ + settings_.measurement.sample_interval);
}

void Engine::check_invariants() {
  if (!failure_.empty()) return;
  std::size_t in_flight = 0;
  for (const Channel& channel : channels_) {
    for (FrameId id = channel.head; id.exists(); id = frames_[id].next) ++in_flight;
  }
  std::size_t marks = 0;
  for (std::size_t i = 0; i < fabric_.switches() && failure_.empty(); ++i) {
    const Switch& at = fabric_.switch_by(SwitchId(i));
    if (const std::string broken = at.broken_invariant(); !broken.empty()) {
      failure_ = "switch " + fabric_.topology().node(fabric_.topology().node_of(SwitchId(i))).name + ": " + broken;
    }
    for (std::size_t queue = 0; queue < at.queues(); ++queue) {
      marks += at.queue(QueueId(queue)).marks;
    }
  }
  const std::size_t accounted = in_flight + fabric_.frames_held() + marks;
  if (failure_.empty() && accounted != pool_.in_use()) {
    failure_ = "frames are not conserved: " + std::to_string(pool_.in_use()) + " in use, " + std::to_string(accounted) +
               " in queues and on links";
  }
  if (failure_.empty() && pool_.refused() > 0) {
    failure_ = "run.frame_capacity = " + std::to_string(pool_.capacity()) +
               " is too small: all frames were in use when another was needed, " + std::to_string(pool_.refused()) +
               " times";
  }
  if (failure_.empty() && !measurement_->failure().empty()) failure_ = measurement_->failure();
  if (failure_.empty()) {
    if (measurement_->pauses_in_force() > 0) failure_ = deadlocks_.look(now_);
    if (failure_.empty()) failure_ = hop_deadlocks_.look(now_);
    deadlock_ = !failure_.empty();
  }
  if (!failure_.empty()) {
    failure_ += " (seed " + std::to_string(settings_.run.seed) + ", at " + std::to_string(now_.picoseconds()) + " ps)";
    ended_ = true;
  }
}

void Engine::report(Progress& progress) const {
  progress.simulated_picoseconds.store(now_.picoseconds(), std::memory_order_relaxed);
  progress.packet_hops.store(packet_hops_, std::memory_order_relaxed);
  progress.flows_started.store(connections_->started(), std::memory_order_relaxed);
  progress.flows_completed.store(connections_->completed(), std::memory_order_relaxed);
}

Engine::Received Engine::received_from(std::uint32_t channel) const {
  const Machine& machine = machines_[channels_[channel].to_node];
  if (machine.at == nullptr) return {machine.nic->frames_received(), machine.nic->bytes_received()};
  const PortState& port = machine.at->port(channels_[channel].to_port);
  return {port.frames_received, port.bytes_received};
}

RunRecord Engine::record(bool interrupted) {
  connections_->for_each_open([this](const FlowSpec& flow, const FlowRecord& flow_record) {
    measurement_->on_flow_end(flow, flow_record, now_);
  });
  RunRecord result;
  result.scenario = settings_.scenario;
  result.variant = settings_.variant;
  result.labels = settings_.labels;
  result.seed = settings_.run.seed;
  result.version = kVersion;
  result.effective_configuration = settings_.effective_configuration;
  result.interrupted = interrupted;
  result.failure = failure_;
  result.deadlock = deadlock_;
  result.simulated = now_;
  result.packet_hops = packet_hops_;
  result.events = event_count_;
  result.bytes_by_kind = bytes_by_kind_;
  measurement_->finish(now_, result);
  std::uint64_t digest = mix(settings_.run.seed);
  for (std::uint32_t i = 0; i < channel_count_; ++i) {
    digest = mix(digest, channels_[i].digest);
    const Received received = received_from(i);
    result.links[i].frames = received.frames;
    result.links[i].bytes = received.bytes;
    result.links[i].lost = lost_[i];
  }
  constexpr char kHexadecimal[] = "0123456789abcdef";
  for (int shift = 60; shift >= 0; shift -= 4) result.digest += kHexadecimal[(digest >> shift) & 15];
  for (std::size_t host = 0; host < fabric_.hosts(); ++host) {
    const Nic& nic = fabric_.nic(HostId(host));
    result.data_frames += nic.data_sent();
    result.retransmitted_frames += nic.retransmitted();
    result.out_of_order_frames += nic.out_of_order();
  }
  return result;
}

}  // namespace weir
