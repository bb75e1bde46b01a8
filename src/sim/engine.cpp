// SPDX-License-Identifier: Apache-2.0
#include "sim/engine.h"

#include <algorithm>
#include <chrono>

namespace weir {
namespace {

constexpr std::uint64_t kReportEvery = 1u << 14;  // events
constexpr std::size_t kTogether = 8;              // hosts

}  // namespace

RunRecord Engine::run(Progress* progress) {
  const auto begin = std::chrono::steady_clock::now();
  bool interrupted = false;
  ended_ = finished();
  std::uint64_t report_at = kReportEvery;
  while (!ended_ && !interrupted) {
    advance();
    if (event_count_ >= report_at && progress != nullptr) {
      report_at = event_count_ + kReportEvery;
      report(*progress);
      interrupted = progress->stop.load(std::memory_order_relaxed);
    }
  }
  connections_->close_all(now_);
  check_invariants();
  if (progress != nullptr) report(*progress);
  RunRecord result = record(interrupted);
  result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

// ---- look-ahead windows ----

void Engine::advance() {
  const Time next = std::min({switches_.next(), hosts_.next(), next_flow_change()});
  // At one instant link changes come first; samples, deadlock checks and the end come last.
  const Time change_at = link_changes_.next();
  const Time stop_at = std::min({sample_at_, look_at_, end_at_});
  if (change_at <= std::min(next, stop_at)) {
    now_ = change_at;
    ++event_count_;
    return change_links();
  }
  if (sample_at_ < next && sample_at_ <= end_at_) {
    now_ = sample_at_;
    ++event_count_;
    return sample();
  }
  if (look_at_ < next && look_at_ <= end_at_) {
    now_ = look_at_;
    ++event_count_;
    return inspect();
  }
  if (end_at_ < next) {
    now_ = end_at_;
    ended_ = true;
    return;
  }
  const Time end = std::min({next + lookahead_, change_at, stop_at + kInstant});
  while (switches_.next() < end) run_switch(nodes_[switch_nodes_[switches_.first()]], end);
  run_hosts(end);
  now_ = end - kInstant;  // all nodes have reached it
  measurement_->end_window();
}

void Engine::run_switch(NodeState& node, Time end) {
  Agenda& agenda = node.agenda;
  if (node.busy) fetch_heads(node);
  std::uint64_t events = 0;
  const std::uint64_t end_key = agenda.key_from(end);
  for (;;) {
    const std::uint64_t next = agenda.first_key();
    if (!due_.empty() && agenda.time_of(next) > now_) {
      transmit_switch(node, PortId(due_.take_first() - node.first_channel));
      continue;
    }
    if (next >= end_key) break;
    now_ = agenda.time_of(next);
    ++events;
    const std::uint32_t event = agenda.event_of(next);
    if (event < agenda.deadline()) {
      arrive_at_switch(node, event);
    } else if (event > agenda.deadline()) {
      wire_free(node, event - agenda.wire(0));
    } else {
      deadline(node);
    }
  }
  event_count_ += events;
  node.busy = events > node.incoming.size();
  set_next(switches_, node.number, agenda.next());
}

void Engine::set_next(NodeAgenda& nodes, std::uint32_t number, Time next) {
  if (next < limit_) [[likely]] {
    nodes.set(number, next);
  } else {
    nodes.clear(number);
  }
}

// The state of a busy switch was last used one window ago: prefetches the next frame of each link and of each port, all
// at once.
void Engine::fetch_heads(const NodeState& node) const {
  for (const NodeState::Incoming& in : node.incoming) prefetch(in.channel);
  node.at->fetch_ports();
  for (std::size_t port = 0; port < node.incoming.size(); ++port) prefetch(node.channels + port);
  node.at->fetch_queues();
  for (const NodeState::Incoming& in : node.incoming) {
    const FrameId head = in.channel->head;
    if (head.exists()) frames_.prefetch(head);
  }
  node.at->fetch_frames();
}

void Engine::run_hosts(Time end) {
  for (;;) {
    // Flows change at `until` if it is before the end of the window.
    Time until = next_flow_change();
    if (traffic_.follows_completions()) until = std::min(until, hosts_.next());
    const bool to_flows = until < end;
    if (!to_flows) until = end;
    run_hosts_until(until, to_flows);
    connections_->end_flows();
    if (!to_flows) return;
    change_flows(until);
    for (const std::uint32_t host : waiting_hosts_) set_next(hosts_, host, nodes_[host_nodes_[host]].agenda.next());
    waiting_hosts_.clear();
    if (!traffic_.follows_completions()) continue;
    // The remaining events of this instant.
    while (hosts_.next() == until) run_host(nodes_[host_nodes_[hosts_.first()]], until + kInstant, false);
    connections_->end_flows();
  }
}

// As run_host(), for all hosts. No host affects another one before `end`, so some are taken together and their state is
// fetched meanwhile.
void Engine::run_hosts_until(Time end, bool to_flows) {
  std::array<NodeState*, kTogether> group{};
  for (;;) {
    std::size_t count = 0;
    while (count < kTogether && (hosts_.next() < end || (to_flows && hosts_.next() == end))) {
      const std::uint32_t number = hosts_.first();
      hosts_.clear(number);
      group[count++] = &nodes_[host_nodes_[number]];
    }
    const std::span<NodeState* const> taken = std::span(group).first(count);
    if (count > 1) fetch_hosts(taken);
    for (NodeState* node : taken) run_host(*node, end, to_flows);
    if (count < kTogether) return;
  }
}

const Frame* Engine::next_arriving(const NodeState& host) const {
  const FrameId head = host.incoming.front().channel->head;
  return head.exists() ? &frames_[head] : nullptr;
}

// The state of a host was last used some hosts ago. Each step prefetches what the next one reads.
void Engine::fetch_hosts(std::span<NodeState* const> group) const {
  for (const NodeState* node : group) prefetch_all(*node);
  for (const NodeState* node : group) {
    node->agenda.prefetch();
    prefetch(node->channels);
    prefetch(node->incoming.data());
    prefetch_all(*node->nic);
  }
  for (const NodeState* node : group) prefetch(node->incoming.front().channel);
  for (const NodeState* node : group) {
    const FrameId head = node->incoming.front().channel->head;
    if (head.exists()) frames_.prefetch(head);
  }
  for (const NodeState* node : group) node->nic->fetch_queue_pairs(next_arriving(*node));
  for (const NodeState* node : group) node->nic->fetch_details(next_arriving(*node));
}

// Runs the events before `end`; with `to_flows`, also those at `end` that precede new flows.
void Engine::run_host(NodeState& node, Time end, bool to_flows) {
  Agenda& agenda = node.agenda;
  for (;;) {
    const std::uint64_t key = agenda.first_key();
    const Time next = agenda.time_of(key);
    if (!due_.empty() && next > now_ && now_ < end) {
      due_.take_first();
      transmit_host(node);
      continue;
    }
    const std::uint32_t event = agenda.event_of(key);
    if (next >= end && (next > end || !to_flows || event > agenda.deadline())) break;
    now_ = next;
    ++event_count_;
    if (event < agenda.deadline()) {
      arrive_at_host(node);
    } else if (event == agenda.deadline()) {
      deadline(node);
    } else {
      Channel& channel = *node.channels;
      channel.waits = false;
      transmit_host(node);
      if (!channel.waits) agenda.clear_wire(0);
    }
  }
  if (!due_.empty()) hold_due();
  const Time next = agenda.next();
  if (to_flows && next <= end) {
    hosts_.clear(node.number);  // its events before new flows are done
    waiting_hosts_.push_back(node.number);
  } else {
    set_next(hosts_, node.number, next);
  }
}

// Ports that became ready wait for the transmit phase of this instant.
void Engine::hold_due() {
  while (!due_.empty()) {
    Channel& channel = channels_[due_.take_first()];
    channel.free_at = now_;
    wait_for_wire(nodes_[channel.from_node], channel.from_port, channel);
  }
}

// ---- frames ----

FrameId Engine::take_off_wire(NodeState& node, std::uint32_t number, Channel& channel) {
  const FrameId id = channel.head;
  const Frame& frame = frames_[id];
  channel.head = frame.next;
  ++packet_hops_;
  add_to_digest(channel.digest, frame);
  bytes_by_kind_[static_cast<std::size_t>(frame.kind)] += frame.frame_bytes;
  if (channel.head.exists()) {
    node.agenda.set_arrival(number, next_arrival(frame));
    frames_.prefetch(channel.head);
  } else {
    node.agenda.clear_arrival(number);
  }
  return id;
}

void Engine::arrive_at_switch(NodeState& node, std::uint32_t number) {
  const auto [channel, port] = node.incoming[number];
  const FrameId id = take_off_wire(node, number, *channel);
  const FrameId passed = node.at->pass(now_, port, id);
  if (passed.exists()) send(node, frames_[passed].egress, passed);
  after_switch(node);
}

void Engine::arrive_at_host(NodeState& node) {
  Channel& channel = *node.incoming.front().channel;
  const FrameId id = take_off_wire(node, 0, channel);
  const Frame& frame = frames_[id];
  Nic& nic = *node.nic;
  const bool is_watched = frame.kind == FrameKind::data && measurement_->wants_delivery();
  const QueuePairId receiver = frame.queue_pair;
  const std::int64_t kept_before = nic.payload_kept();
  nic.receive(now_, id);
  if (is_watched) measurement_->on_delivery(nic.host(), receiver, nic.payload_kept() - kept_before);
  after_nic(node);
}

void Engine::request(NodeState& node, PortId port) {
  Channel& channel = node.channels[port.index()];
  if (!channel.up || channel.waits) return;
  if (channel.free_at > now_) {
    wait_for_wire(node, port, channel);
  } else {
    due_.insert(node.first_channel + port.value);
  }
}

void Engine::wait_for_wire(NodeState& node, PortId port, Channel& channel) {
  channel.waits = true;
  node.agenda.set_wire(node.wire_of[port.index()], channel.free_at);
}

void Engine::wire_free(NodeState& node, std::uint32_t number) {
  const PortId port = node.outgoing[number];
  Channel& channel = node.channels[port.index()];
  channel.waits = false;
  if (due_.empty()) {
    transmit_switch(node, port);
  } else {
    due_.insert(node.first_channel + port.value);
  }
  // Usually it waits again, in which case its event has been moved.
  if (!channel.waits) node.agenda.clear_wire(number);
}

void Engine::send(NodeState& node, PortId port, FrameId frame) {
  Channel& channel = node.channels[port.index()];
  put_on_wire(channel, frame);
  if (node.at->occupy(port, channel.free_at) && !channel.waits) wait_for_wire(node, port, channel);
}

void Engine::transmit_switch(NodeState& node, PortId port) {
  // A frame that arrived at this instant may have taken the wire meanwhile.
  if (node.channels[port.index()].free_at > now_) [[unlikely]]
    return request(node, port);
  const FrameId frame = node.at->transmit(now_, port);
  if (frame.exists()) send(node, port, frame);
  after_switch(node);
}

void Engine::transmit_host(NodeState& node) {
  Channel& channel = *node.channels;
  if (channel.free_at > now_) [[unlikely]]
    return request(node, PortId(0));
  const FrameId frame = node.nic->transmit(now_);
  if (frame.exists()) {
    put_on_wire(channel, frame);
    if (node.nic->has_ready()) wait_for_wire(node, PortId(0), channel);
  }
  after_nic(node, true);
}

void Engine::put_on_wire(Channel& channel, FrameId id) {
  Frame& frame = frames_[id];
  channel.free_at = now_ + channel.serialisation(frame.frame_bytes + wire_overhead_);
  frame.arrival = channel.free_at + channel.delay;
  frame.next = FrameId::none();
  if (channel.special != 0) [[unlikely]] {
    const bool of_data = frame.kind == FrameKind::data;
    if (!of_data || channel.special != Channel::kCounted) {
      if ((channel.special & (of_data ? Channel::kDataCounted : Channel::kCounted)) != 0) {
        count_kind(number_of(channel), frame);
      }
      if ((channel.special & (Channel::kDamaging | Channel::kTapped)) != 0) treat_specially(number_of(channel), frame);
    }
  }
  if (channel.head.exists()) {
    Frame& before = frames_[channel.tail];
    before.next = id;
    note_next_arrival(before, frame.arrival);
  } else {
    channel.head = id;
    schedule_arrival(channel, frame.arrival);
  }
  channel.tail = id;
}

void Engine::schedule_arrival(const Channel& channel, Time arrival) {
  NodeState& node = nodes_[channel.to_node];
  node.agenda.set_arrival(channel.arrival_number, arrival);
  NodeAgenda& nodes = node.at != nullptr ? switches_ : hosts_;
  if (arrival < nodes.time_of(node.number)) nodes.set(node.number, arrival);
}

void Engine::count_kind(std::uint32_t channel, const Frame& frame) {
  Sent& sent = sent_by_kind_[channel][static_cast<std::size_t>(frame.kind)];
  ++sent.frames;
  sent.bytes += frame.frame_bytes;
}

[[gnu::noinline]] void Engine::treat_specially(std::uint32_t channel, Frame& frame) {
  Corruption& corruption = corruption_[channel];
  if (corruption.below > 0 && corruption.random.next() < corruption.below) frame.set_corrupt(true);
  if (tap_ != nullptr && tap_number_[channel] != kNotTapped) tap_->on_wire(tap_number_[channel], now_, pool_, frame);
}

void Engine::tap(const std::vector<LinkDirection>& links, WireTap& tap) {
  tap_ = &tap;
  lookahead_ = kInstant;  // it must see frames in time order
  tap_number_.assign(channel_count_, kNotTapped);
  for (std::size_t i = 0; i < links.size(); ++i) {
    const std::uint32_t channel = fabric_.channel(links[i].from, links[i].port);
    tap_number_[channel] = static_cast<std::uint32_t>(i);
    channels_[channel].special |= Channel::kTapped;
  }
}

void Engine::after_switch(NodeState& node) {
  node.at->take_ready([&](PortId port) { request(node, port); });
  follow_deadline(node, node.at->next_deadline());
}

void Engine::after_nic(NodeState& node, bool transmitted) {
  Nic& nic = *node.nic;
  if (!nic.completions().empty()) connections_->settle(nic);
  if (looks_at_nics_) [[unlikely]]
    measurement_->look_at_nic(nic, now_, !transmitted && node.channels->free_at > now_);
  if (nic.became_ready()) {
    nic.clear_ready();
    request(node, PortId(0));
  }
  follow_deadline(node, nic.next_deadline());
}

void Engine::after(NodeState& node) {
  if (node.at != nullptr) {
    after_switch(node);
  } else {
    after_nic(node);
  }
}

void Engine::move_deadline(NodeState& node, Time deadline) {
  node.deadline = deadline;
  const Time at = std::max(now_, deadline);
  if (at < limit_) {
    node.agenda.set_deadline(at);
  } else {
    node.agenda.clear_deadline();
  }
}

void Engine::deadline(NodeState& node) {
  node.deadline = Time::never();
  node.agenda.clear_deadline();
  if (node.at != nullptr) {
    node.at->advance(now_);
  } else {
    node.nic->advance(now_);
  }
  after(node);
}

// ---- flows ----

Time Engine::next_flow_change() const {
  const Time start = traffic_.next_start();
  return std::min(start < settings_.run.stop ? start : Time::never(), connections_->next_stop());
}

void Engine::change_flows(Time at) {
  now_ = at;
  if (traffic_.next_start() <= at && traffic_.next_start() < settings_.run.stop) start_flows();
  if (connections_->next_stop() <= at) stop_flows();
}

void Engine::start_flows() {
  ++event_count_;
  while (traffic_.next_start() <= now_ && traffic_.next_start() < settings_.run.stop) {
    after_flow_change(connections_->start_next(now_));
  }
  refuse_beyond_limit(next_flow_change());
  // Without a stop time the run ends `drain_limit` after its last start.
  if (settings_.run.stop == Time::never() && traffic_.next_start() == Time::never()) {
    end_at_ = saturating_add(now_, std::max(settings_.run.drain_limit, reach_));
    if (end_at_ >= limit_) refuse(end_at_);
    look_at_ = before_end(look_at_);
  }
  end_if_finished(now_);
}

void Engine::stop_flows() {
  ++event_count_;
  while (connections_->next_stop() <= now_) after_flow_change(connections_->stop_next(now_));
}

void Engine::after_flow_change(HostId source) {
  NodeState& node = nodes_[host_nodes_[source.index()]];
  after_nic(node);
  hold_due();
  if (node.agenda.next() < hosts_.time_of(node.number)) set_next(hosts_, node.number, node.agenda.next());
}

void Engine::end_flow(const FlowSpec& flow, const FlowRecord& record, Time at) {
  measurement_->on_flow_end(flow, record, at);
  // A flow of a closed loop may have become due.
  if (settings_.run.stop == Time::never() && traffic_.next_start() != Time::never()) end_at_ = Time::never();
  end_if_finished(at);
}

void Engine::end_if_finished(Time at) {
  // Other nodes may have advanced up to this time in the present window.
  if (finished()) end_at_ = std::min(end_at_, at + reach_);
}

bool Engine::finished() const {
  const Time next = traffic_.next_start();
  if (next < settings_.run.stop || connections_->open() > connections_->endless()) return false;
  if (connections_->endless() > 0) return false;  // until the stop time
  return settings_.run.drain || settings_.run.stop == Time::never();
}

}  // namespace weir
