// SPDX-License-Identifier: Apache-2.0
#include "fabric/connections.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace weir {
namespace {

bool is_endless(const FlowSpec& flow, std::int64_t payload) {
  return flow.size >= long_running(payload) && flow.stop == Time::never();
}

BitRate slowest(const std::vector<PathLink>& links) {
  const auto slower = [](const PathLink& a, const PathLink& b) { return a.rate < b.rate; };
  return std::min_element(links.begin(), links.end(), slower)->rate;
}

Duration shortest_delay(const Fabric& fabric) {
  Duration shortest = Duration::max();
  for (const ChannelSpec& channel : fabric.channels()) shortest = std::min(shortest, channel.delay);
  return shortest;
}

}  // namespace

Connections::Connections(Fabric& fabric, const Settings& settings, MergedTraffic& traffic, FlowEnd on_end,
                         FlowStart on_start)
    : fabric_(fabric),
      hosts_(settings.hosts),
      framing_(settings.network.framing),
      headers_(settings),
      seed_(settings.run.seed),
      traffic_(traffic),
      on_end_(std::move(on_end)),
      on_start_(std::move(on_start)),
      linger_(shortest_delay(fabric)) {
  if (hosts_.window.kind != WindowSettings::Kind::none && hosts_.window.global_round_trip) {
    for (std::size_t source = 0; source < fabric_.hosts(); ++source) {
      for (std::size_t destination = 0; destination < fabric_.hosts(); ++destination) {
        if (source == destination) continue;
        const auto links = path_links(HostId(source), HostId(destination), 0);
        longest_round_trip_ = std::max(longest_round_trip_, base_round_trip(links, hosts_.payload, framing_, headers_));
      }
    }
  }
}

std::vector<PathLink> Connections::path_links(HostId source, HostId destination, std::uint16_t entropy) const {
  const Topology& topology = fabric_.topology();
  NodeId node = topology.node_of(source);
  PortId port(0);
  std::vector<PathLink> links;
  const NodeId end = topology.node_of(destination);
  while (links.size() < kMaximumHops) {
    const Link& link = topology.link_at(node, port);
    links.push_back({link.rate, link.delay});
    node = topology.port(node, port).peer;
    if (node == end || topology.node(node).is_host()) break;
    Switch& at = *fabric_.switch_at(node);
    const NextHops hops = at.routes().to(destination);
    if (hops.ports.empty()) break;
    port = hops.ports.size() > 1 && at.forwarding() != nullptr
               ? at.forwarding()->predict({source, destination, entropy}, hops)
               : hops.ports.front();
    if (!port.exists()) port = hops.ports.front();  // all paths have the same length
  }
  return links;
}

// The UDP source port, by which ECMP distinguishes flows: a hash of the flow's number, in the dynamic port range.
std::uint16_t Connections::entropy_of(const FlowSpec& spec) const {
  return static_cast<std::uint16_t>(0xc000u | (mix(seed_, spec.id.value) & 0x3fffu));
}

std::uint32_t Connections::connect(const FlowSpec& spec, std::uint16_t entropy, const std::vector<PathLink>& links,
                                   Time now) {
  std::uint32_t slot;
  if (free_connections_.empty()) {
    slot = static_cast<std::uint32_t>(connections_.size());
    connections_.emplace_back();
  } else {
    slot = free_connections_.back();
    free_connections_.pop_back();
  }
  Connection& connection = connections_[slot];
  connection = Connection();
  connection.source = spec.source;
  connection.destination = spec.destination;
  connection.persistent = spec.connection.exists();
  Nic& source = fabric_.nic(spec.source);
  Nic& destination = fabric_.nic(spec.destination);
  OpenSender sender;
  sender.connection = slot;
  sender.remote = spec.destination;
  sender.entropy = entropy;
  sender.priority = spec.priority;
  sender.incast = spec.incast;
  if (hosts_.transport.scheme != nullptr && spec.rate_limit > BitRate()) {
    throw std::runtime_error("flow " + std::to_string(spec.id.value) + " has a rate limit, which the transport \"" +
                             std::string(hosts_.transport.scheme->name) + "\" would not obey");
  }
  sender.rate_limit = spec.rate_limit;
  sender.base_round_trip = base_round_trip(links, hosts_.payload, framing_, headers_);
  if (hosts_.window.kind != WindowSettings::Kind::none) {
    const Duration round_trip = hosts_.window.global_round_trip ? longest_round_trip_ : sender.base_round_trip;
    sender.window = hosts_.window.bytes ? hosts_.window.bytes->count() : bytes_in(round_trip, slowest(links)).count();
  }
  OpenReceiver receiver;
  receiver.connection = slot;
  receiver.remote = spec.source;
  receiver.entropy = entropy;
  receiver.priority = spec.priority;
  connection.sender = source.open_sender(now, sender);
  connection.receiver = destination.open_receiver(now, receiver);
  if (!connection.sender.exists() || !connection.receiver.exists()) {
    throw std::runtime_error("host " +
                             std::to_string(connection.sender.exists() ? spec.destination.value : spec.source.value) +
                             " has no free queue pair: too many flows are open at once");
  }
  source.connect_sender(connection.sender, connection.receiver);
  destination.connect_receiver(connection.receiver, connection.sender);
  return slot;
}

void Connections::close_all(Time now) {
  close_done(now, Duration());
}

void Connections::close_done(Time now, Duration linger) {
  for (; !done_.empty() && now - done_.front().at >= linger; done_.pop_front()) {
    const std::uint32_t number = done_.front().connection;
    const Connection& connection = connections_[number];
    fabric_.nic(connection.source).close_sender(now, connection.sender);
    fabric_.nic(connection.destination).close_receiver(now, connection.receiver);
    free_connections_.push_back(number);
  }
}

HostId Connections::start_next(Time now) {
  close_done(now, linger_);
  const FlowSpec spec = traffic_.take();
  Nic& nic = fabric_.nic(spec.source);
  std::uint32_t connection = kNone;
  if (spec.connection.exists()) {
    const auto found = persistent_.find(spec.connection.value);
    if (found != persistent_.end()) connection = found->second;
  }
  const std::uint16_t entropy =
      connection == kNone ? entropy_of(spec) : nic.peek_sender(connections_[connection].sender)->entropy;
  const std::vector<PathLink> links = path_links(spec.source, spec.destination, entropy);
  if (connection == kNone) {
    connection = connect(spec, entropy, links, now);
    if (spec.connection.exists()) persistent_[spec.connection.value] = connection;
  }

  std::uint32_t slot;
  if (free_flows_.empty()) {
    slot = static_cast<std::uint32_t>(flows_.size());
    flows_.emplace_back();
    stops_.resize(flows_.size());
  } else {
    slot = free_flows_.back();
    free_flows_.pop_back();
  }
  Connection& carrier = connections_[connection];
  Flow& flow = flows_[slot];
  flow = Flow();
  flow.spec = spec;
  flow.connection = connection;
  FlowRecord& record = flow.record;
  record.id = spec.id;
  record.source = spec.source;
  record.destination = spec.destination;
  record.size = spec.size;
  record.start = now;
  record.label = static_cast<std::uint8_t>(spec.label);
  record.ideal_fct =
      ideal_fct(links, spec.size, hosts_.payload, framing_, spec.rate_limit, hosts_.acknowledge_every, headers_).sender;

  if (carrier.newest != kNone) flows_[carrier.newest].next = slot;
  carrier.newest = slot;
  if (carrier.oldest == kNone) carrier.oldest = slot;
  if (carrier.receiving == kNone) carrier.receiving = slot;
  if (spec.stop != Time::never()) stops_.arm(slot, spec.stop);
  ++started_;
  if (on_start_) on_start_(spec);
  if (is_endless(spec, hosts_.payload)) ++endless_;
  nic.post(now, carrier.sender, FlowId(slot), spec.size);
  return spec.source;
}

HostId Connections::stop_next(Time now) {
  const std::uint32_t slot = stops_.first();
  stops_.cancel(slot);
  const Flow& flow = flows_[slot];
  const HostId source = flow.spec.source;
  fabric_.nic(source).stop(now, connections_[flow.connection].sender);
  return source;
}

void Connections::settle(Nic& nic) {
  for (const Completion& completion : nic.completions()) {
    Connection& connection = connections_[completion.connection];
    if (completion.kind == Completion::Kind::received) {
      if (connection.receiving == kNone) continue;
      Flow& flow = flows_[connection.receiving];
      flow.record.receiver_completion = completion.at - flow.record.start;
      flow.out_of_order = nic.receiver(connection.receiver)->out_of_order;
      flow.received = true;
      connection.receiving = flow.next;
    } else {
      Flow& flow = flows_[completion.flow.index()];
      flow.record.stopped = completion.kind == Completion::Kind::stopped;
      if (!flow.record.stopped) flow.record.sender_completion = completion.at - flow.record.start;
      flow.retransmitted = nic.peek_sender(connection.sender)->packets_retransmitted;
      if (nic.measures_waits()) flow.waits = *nic.sender_waits(connection.sender);
      over_.push_back({completion.at, flow.spec.id, completion.connection});
    }
  }
  nic.clear_completions();
}

void Connections::end_all_over() {
  std::sort(over_.begin(), over_.end(),
            [](const Over& a, const Over& b) { return std::pair(a.at, a.flow) < std::pair(b.at, b.flow); });
  for (const Over& over : over_) end_oldest(over.connection, over.at);
  over_.clear();
}

// Messages of a queue pair are acknowledged in the order of posting, so the oldest one has ended.
void Connections::end_oldest(std::uint32_t number, Time now) {
  Connection& connection = connections_[number];
  const std::uint32_t slot = connection.oldest;
  Flow& flow = flows_[slot];
  // A stopped flow may never be completely received.
  if (!flow.received) {
    flow.out_of_order = fabric_.nic(connection.destination).receiver(connection.receiver)->out_of_order;
  }
  // The counters of a persistent queue pair continue; a flow is assigned the counts since the previous flow ended.
  flow.record.retransmitted = static_cast<std::uint32_t>(flow.retransmitted - connection.retransmitted);
  flow.record.out_of_order = static_cast<std::uint32_t>(flow.out_of_order - connection.out_of_order);
  connection.retransmitted = flow.retransmitted;
  connection.out_of_order = flow.out_of_order;
  waits_of_ended_.reset();
  if (fabric_.nic(connection.source).measures_waits()) {
    waits_of_ended_ = flow.waits - connection.waits;
    connection.waits = flow.waits;
  }
  connection.oldest = flow.next;
  if (connection.receiving == slot) connection.receiving = flow.next;
  if (connection.newest == slot) connection.newest = kNone;
  stops_.cancel(slot);
  ++completed_;
  const FlowSpec spec = flow.spec;
  const FlowRecord record = flow.record;
  if (is_endless(spec, hosts_.payload)) --endless_;
  free_flows_.push_back(slot);
  if (!connection.persistent) done_.push_back({now, spec.id, number});
  traffic_.on_completed(spec, now);  // before the traffic is asked whether more flows will follow
  on_end_(spec, record, now);
}

void Connections::for_each_open(const std::function<void(const FlowSpec&, const FlowRecord&)>& visit) const {
  std::vector<const Flow*> open;
  for (const Connection& connection : connections_) {
    for (std::uint32_t slot = connection.oldest; slot != kNone; slot = flows_[slot].next) open.push_back(&flows_[slot]);
  }
  std::sort(open.begin(), open.end(), [](const Flow* a, const Flow* b) { return a->spec.id < b->spec.id; });
  for (const Flow* flow : open) visit(flow->spec, flow->record);
}

const FlowSpec* Connections::flow_of_receiver(HostId host, QueuePairId number) const {
  const auto connection = fabric_.nic(host).connection_of_receiver(number);
  if (!connection) return nullptr;
  const std::uint32_t slot = connections_[*connection].receiving;
  return slot == kNone ? nullptr : &flows_[slot].spec;
}

}  // namespace weir
