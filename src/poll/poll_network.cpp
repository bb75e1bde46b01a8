// SPDX-License-Identifier: Apache-2.0
#include "poll/poll_network.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace weir {

Duration pause_response(const PollOptions& options, const Settings& settings) {
  BitRate slowest = settings.network.topology.links().front().rate;
  for (const Link& link : settings.network.topology.links()) slowest = std::min(slowest, link.rate);
  const Bytes frame(maximum_frame_bytes(settings) + settings.network.framing.wire_overhead);
  return 4 * options.period + 2 * std::int64_t{options.transmit_depth} * time_to_send(frame, slowest);
}

Settings for_poll_loop(Settings settings, const PollOptions& options) {
  settings.switches.pause_response += pause_response(options, settings);
  return settings;
}

PollNetwork::PollNetwork(const Settings& settings, PollOptions options)
    : settings_(for_poll_loop(settings, options)),
      options_(options),
      fabric_(settings_),
      traffic_(settings_.traffic(settings_.run.seed)),
      jitter_(settings_.run.seed, 0, 0x6a6974),
      link_changes_(settings_.network) {
  for (std::size_t i = 0; i < fabric_.nodes(); ++i) nodes_.push_back(NodeId(i));
  connections_ = std::make_unique<Connections>(
      fabric_, settings_, traffic_,
      [this](const FlowSpec&, const FlowRecord& record, Time) { report_.flows.push_back(record); });
  for (std::size_t i = 0; i < fabric_.channels().size(); ++i) {
    const ChannelSpec& spec = fabric_.channels()[i];
    Wire wire;
    wire.serialisation = SerialisationTime(spec.rate);
    wire.corruption = RandomStream(settings_.run.seed, i, 0x64616d);
    wire.corrupt_below =
        spec.error_rate >= 1 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(spec.error_rate * 0x1.0p64);
    wires_.push_back(std::move(wire));
  }
  std::size_t most_ports = 0;
  for (std::size_t i = 0; i < fabric_.switches(); ++i)
    most_ports = std::max(most_ports, fabric_.switch_by(SwitchId(i)).ports());
  ports_.reserve(most_ports);
}

PollNetwork::~PollNetwork() = default;

template <class Item>
void PollNetwork::shuffle(std::vector<Item>& items) {
  for (std::size_t left = items.size(); left > 1; --left) std::swap(items[left - 1], items[jitter_.below(left)]);
}

PollReport PollNetwork::run() {
  constexpr std::uint64_t kCheckEvery = 512;  // polls
  while (report_.failure.empty()) {
    change_links();
    while (connections_->next_stop() <= now_) connections_->stop_next(now_);
    while (traffic_.next_start() <= now_ && traffic_.next_start() < settings_.run.stop) connections_->start_next(now_);
    shuffle(nodes_);
    for (const NodeId node : nodes_) {
      if (Switch* at = fabric_.switch_at(node); at != nullptr) {
        poll_switch(node, *at);
      } else {
        poll_nic(node, *fabric_.nic_at(node));
      }
    }
    if (++report_.polls % kCheckEvery == 0) check();
    const bool offered = traffic_.next_start() < settings_.run.stop;
    const bool in_flight = std::any_of(wires_.begin(), wires_.end(), [](const Wire& w) { return w.in_flight > 0; });
    const bool idle = connections_->open() == 0 && !in_flight && fabric_.frames_held() == 0;
    if ((!offered && idle) || now_ >= options_.limit) break;
    now_ += options_.period;
  }
  connections_->close_all(now_);
  check();
  report_.flows_started = connections_->started();
  report_.flows_completed = connections_->completed();
  for (std::size_t i = 0; i < fabric_.switches(); ++i) {
    const Switch& at = fabric_.switch_by(SwitchId(i));
    report_.pauses_sent += at.pauses_sent();
    for (int reason = 0; reason < kDropReasons; ++reason) report_.drops += at.drops(static_cast<DropReason>(reason));
    report_.lossless_drops += at.drops(DropReason::buffer_full);
    for (std::size_t port = 0; port < at.ports(); ++port) {
      for (Priority priority = 0; priority < kPriorities; ++priority) {
        report_.pauses_in_force += at.ingress(PortId(port), priority).paused ? 1 : 0;
      }
    }
  }
  return report_;
}

void PollNetwork::put_in_flight(Wire& wire, FrameId id) {
  FramePool& frames = fabric_.frames();
  frames[id].next = FrameId::none();
  if (wire.head.exists()) {
    frames[wire.tail].next = id;
  } else {
    wire.head = id;
  }
  wire.tail = id;
  ++wire.in_flight;
}

FrameId PollNetwork::take_from_flight(Wire& wire) {
  const FrameId id = wire.head;
  wire.head = fabric_.frames()[id].next;
  --wire.in_flight;
  return id;
}

template <class Receive>
void PollNetwork::take_burst(std::uint32_t channel, Receive receive) {
  Wire& wire = wires_[channel];
  std::array<FrameId, kBurst> burst;
  std::size_t taken = 0;
  while (taken < kBurst && wire.head.exists()) {
    const Frame& frame = fabric_.frames()[wire.head];
    if (frame.arrival > now_) break;
    report_.digest = mix(report_.digest, mix(channel, frame.sequence) ^ frame.frame_bytes);
    burst[taken++] = take_from_flight(wire);
  }
  if (taken == 0) return;
  receive(std::span<const FrameId>(burst.data(), taken));
  report_.largest_burst = std::max<std::uint64_t>(report_.largest_burst, taken);
}

// Frames handed over earlier that will have begun by the next poll have left the device's queue.
void PollNetwork::look_at_queue(Wire& wire, const ChannelSpec& spec, Time next_look) {
  const std::uint32_t overhead = settings_.network.framing.wire_overhead;
  while (wire.queued.exists()) {
    const Frame& frame = fabric_.frames()[wire.queued];
    if (frame.arrival - spec.delay - wire.serialisation(frame.frame_bytes + overhead) > next_look) return;
    wire.queued = frame.next;
    --wire.depth;
  }
}

template <class Transmit>
void PollNetwork::fill_wire(std::uint32_t channel, Transmit transmit) {
  Wire& wire = wires_[channel];
  if (!wire.up) return;
  const ChannelSpec& spec = fabric_.channels()[channel];
  const std::uint32_t overhead = settings_.network.framing.wire_overhead;
  const Time next_look = now_ + options_.period;
  look_at_queue(wire, spec, next_look);
  // Until the wire is busy beyond the next poll; then as many more as the device's queue holds.
  while (wire.free_at <= next_look || wire.depth < options_.transmit_depth) {
    const FrameId id = transmit();
    if (!id.exists()) return;
    Frame& frame = fabric_.frames()[id];
    const Time begin = std::max(wire.free_at, now_);
    wire.free_at = begin + wire.serialisation(frame.frame_bytes + overhead);
    frame.arrival = wire.free_at + spec.delay;
    if (wire.corrupt_below != 0 && wire.corruption.next() < wire.corrupt_below) frame.set_corrupt(true);
    put_in_flight(wire, id);
    if (begin <= next_look) continue;
    if (wire.depth++ == 0) wire.queued = id;
  }
}

void PollNetwork::poll_switch(NodeId node, Switch& at) {
  ports_.clear();
  for (std::size_t port = 0; port < at.ports(); ++port) ports_.push_back(PortId(port));
  shuffle(ports_);
  for (const PortId port : ports_) {
    const std::uint32_t in = fabric_.channels()[fabric_.channel(node, port)].reverse;
    take_burst(in, [&](std::span<const FrameId> burst) { at.receive(now_, port, burst); });
  }
  while (at.next_deadline() <= now_) at.advance(now_);
  for (std::size_t port = 0; port < at.ports(); ++port) {
    fill_wire(fabric_.channel(node, PortId(port)), [&] { return at.transmit(now_, PortId(port)); });
  }
  at.clear_ready();
}

void PollNetwork::poll_nic(NodeId node, Nic& nic) {
  const std::uint32_t out = fabric_.channel(node, PortId(0));
  take_burst(fabric_.channels()[out].reverse, [&](std::span<const FrameId> burst) { nic.receive(now_, burst); });
  while (nic.next_deadline() <= now_) nic.advance(now_);
  if (!nic.completions().empty()) {
    connections_->settle(nic);
    connections_->end_flows();
  }
  fill_wire(out, [&] { return nic.transmit(now_); });
  nic.clear_ready();
}

void PollNetwork::change_links() {
  const auto down = link_changes_.advance(now_, [this](LinkId link, bool up) { set_link(link, up); });
  if (down) fabric_.reroute(*down);
}

void PollNetwork::set_link(LinkId id, bool up) {
  const Link& link = fabric_.topology().link(id);
  for (const auto& [node, port] : {std::pair(link.a, link.a_port), std::pair(link.b, link.b_port)}) {
    Wire& wire = wires_[fabric_.channel(node, port)];
    wire.up = up;
    while (wire.in_flight > 0) {
      fabric_.frames().release(take_from_flight(wire));
      ++report_.frames_lost;
    }
    wire.queued = FrameId::none();
    wire.depth = 0;
    wire.free_at = now_;
    if (Switch* at = fabric_.switch_at(node); at != nullptr) {
      at->link(now_, port, up);
    } else {
      fabric_.nic_at(node)->link(now_, up);
    }
  }
}

void PollNetwork::check() {
  if (!report_.failure.empty()) return;
  std::size_t accounted = fabric_.frames_held();
  for (const Wire& wire : wires_) accounted += wire.in_flight;
  for (std::size_t i = 0; i < fabric_.switches(); ++i) {
    const Switch& at = fabric_.switch_by(SwitchId(i));
    const std::string broken = at.broken_invariant();
    if (!broken.empty()) report_.failure = "switch " + std::to_string(i) + ": " + broken;
    for (std::size_t queue = 0; queue < at.queues(); ++queue) {
      accounted += at.queue(QueueId(queue)).markers;
    }
  }
  if (report_.failure.empty() && accounted != fabric_.frames().in_use()) {
    report_.failure = "frames are not conserved: " + std::to_string(fabric_.frames().in_use()) + " in use, " +
                      std::to_string(accounted) + " in queues and on links";
  }
  if (report_.failure.empty() && fabric_.frames().refused() > 0) {
    report_.failure = "run.frame_capacity = " + std::to_string(fabric_.frames().capacity()) + " is too small";
  }
}

}  // namespace weir
