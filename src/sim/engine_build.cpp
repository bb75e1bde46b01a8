// SPDX-License-Identifier: Apache-2.0
// Construction of the nodes of a run, their agendas, and the length of look-ahead windows.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "sim/engine.h"
#include "sim/time_limit.h"

namespace weir {
namespace {

std::uint64_t damage_threshold(double rate) {
  return rate >= 1 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(rate * 0x1.0p64);
}

std::vector<std::uint64_t> transmit_ranks(std::uint64_t seed, std::size_t channels) {
  std::vector<std::uint64_t> ranks;
  for (std::size_t channel = 0; channel < channels; ++channel) ranks.push_back(mix(seed, channel));
  return ranks;
}

}  // namespace

Engine::Engine(const Settings& settings)
    : settings_(settings),
      fabric_(settings_),
      pool_(fabric_.frames()),
      frames_(pool_),
      wire_overhead_(settings_.network.framing.wire_overhead),
      channel_count_(static_cast<std::uint32_t>(fabric_.channels().size())),
      host_count_(static_cast<std::uint32_t>(fabric_.hosts())),
      switches_(std::max<std::uint32_t>(1, static_cast<std::uint32_t>(fabric_.switches()))),
      hosts_(std::max<std::uint32_t>(1, host_count_)),
      limit_(run_limit(settings_)),
      channels_(channel_count_),
      due_(transmit_ranks(settings_.run.seed, channel_count_)),
      lost_(channel_count_),
      deadlocks_(fabric_),
      traffic_(settings_.traffic(settings_.run.seed)),
      link_changes_(settings_.network) {
  for (std::uint32_t i = 0; i < channel_count_; ++i) {
    const ChannelSpec& spec = fabric_.channels()[i];
    Channel& channel = channels_[i];
    channel.serialisation = SerialisationTime(spec.rate);
    channel.delay = spec.delay;
    channel.from_node = spec.from.value;
    channel.from_port = spec.from_port;
    channel.to_node = spec.to.value;
    channel.to_port = spec.to_port;
    if (spec.error_rate > 0) channel.special |= Channel::kDamaging;
    if (settings_.measurement.egress_kinds) {
      // A switch counts all frames of its ports, which gives the number of data frames.
      const bool of_switch = fabric_.switch_at(spec.from) != nullptr;
      channel.special |= Channel::kCounted | (of_switch ? 0 : Channel::kDataCounted);
    }
    corruption_.push_back({RandomStream(settings_.run.seed, i, 0x64616d), damage_threshold(spec.error_rate)});
  }
  if (settings_.measurement.egress_kinds) sent_by_kind_.resize(channel_count_);
  build_nodes();
  measurement_ = std::make_unique<Measurement>(fabric_, settings_);
  looks_at_nics_ = measurement_->wants_nics();
  connections_ = std::make_unique<Connections>(
      fabric_, settings_, traffic_,
      [this](const FlowSpec& flow, const FlowRecord& record, Time at) { end_flow(flow, record, at); },
      [this](const FlowSpec& flow) { measurement_->on_flow_start(flow); });
  measurement_->set_connections(*connections_);

  sample_at_ = Time() + settings_.measurement.sample_interval;
  if (settings_.run.stop != Time::never()) {
    end_at_ = latest_end(settings_.run);
  }
  next_check_ = Time() + kCheckInterval;
  look_at_ = before_end(Time() + kLookInterval);
  set_lookahead();
}

void Engine::build_nodes() {
  for (std::uint32_t id = 0; id < fabric_.nodes(); ++id) {
    NodeState& node = nodes_.emplace_back();
    node.at = fabric_.switch_at(NodeId(id));
    node.nic = fabric_.nic_at(NodeId(id));
    node.first_channel = fabric_.channel(NodeId(id), PortId(0));
    node.channels = channels_.data() + node.first_channel;
    node.number = node.at != nullptr ? node.at->id().value : node.nic->host().value;
    make_agenda(node, settings_.run.seed);
  }
  for (std::uint32_t i = 0; i < fabric_.switches(); ++i) {
    switch_nodes_.push_back(fabric_.topology().node_of(SwitchId(i)).value);
  }
  for (std::uint32_t i = 0; i < host_count_; ++i) {
    host_nodes_.push_back(fabric_.topology().node_of(HostId(i)).value);
  }
}

void Engine::set_lookahead() {
  reach_ = Duration::max();
  for (const ChannelSpec& channel : fabric_.channels()) reach_ = std::min(reach_, channel.delay);
  if (channels_.empty()) reach_ = Duration();
  lookahead_ = std::max(kInstant, reach_);
  if (limit_ == Time()) {
    throw std::invalid_argument("measure.sample_interval: in a network of this size events are at most " +
                                std::to_string(event_limit(settings_.network.topology).seconds()) + " s ahead");
  }
  if (settings_.run.stop != Time::never() && end_at_ >= limit_) refuse(end_at_);
  refuse_beyond_limit(next_flow_change());
}

void Engine::refuse_beyond_limit(Time at) const {
  if (at != Time::never() && at >= limit_) refuse(at);
}

void Engine::refuse(Time end) const {
  throw std::invalid_argument("the maximum run time of a network of this size is " + std::to_string(limit_.seconds()) +
                              " s, but this run would last until " + std::to_string(end.seconds()) + " s");
}

void Engine::make_agenda(NodeState& node, std::uint64_t seed) {
  const std::uint32_t ports = node.at != nullptr ? static_cast<std::uint32_t>(node.at->ports()) : 1;
  const auto by_rank = [seed](std::uint32_t a, std::uint32_t b) {
    return std::pair(mix(seed, a), a) < std::pair(mix(seed, b), b);
  };
  for (std::uint32_t port = 0; port < ports; ++port) {
    node.incoming.push_back({&channels_[fabric_.channels()[node.first_channel + port].reverse], PortId(port)});
    node.outgoing.push_back(PortId(port));
  }
  std::sort(node.incoming.begin(), node.incoming.end(),
            [&](const NodeState::Incoming& a, const NodeState::Incoming& b) {
              return by_rank(number_of(*a.channel), number_of(*b.channel));
            });
  std::sort(node.outgoing.begin(), node.outgoing.end(),
            [&](PortId a, PortId b) { return by_rank(node.first_channel + a.value, node.first_channel + b.value); });
  node.wire_of.resize(ports);
  for (std::uint32_t i = 0; i < ports; ++i) {
    node.incoming[i].channel->arrival_number = i;
    node.wire_of[node.outgoing[i].index()] = i;
  }
  node.agenda = Agenda(ports);
}

}  // namespace weir
