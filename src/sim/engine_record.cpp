// SPDX-License-Identifier: Apache-2.0
// The findings of a run: samples, invariants and the record at its end.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "sim/engine.h"
#include "sim/version.h"

namespace weir {

void Engine::sample() {
  measurement_->sample(now_, bytes_by_kind_);
  if (!measurement_->failure().empty()) check_invariants();
  sample_at_ = now_ + settings_.measurement.sample_interval;
  refuse_beyond_limit(sample_at_);
}

/// The sample interval does not affect at which deadlock a run ends.
void Engine::inspect() {
  if (now_ >= next_check_) {
    check_invariants();
    next_check_ = now_ + kCheckInterval;
  }
  look_for_deadlock();
}

void Engine::check_invariants() {
  if (!failure_.empty()) return;
  std::size_t in_flight = 0;
  for (const Channel& channel : channels_) {
    for (FrameId id = channel.head; id.exists(); id = frames_[id].next) ++in_flight;
  }
  std::size_t markers = 0;
  for (std::size_t i = 0; i < fabric_.switches() && failure_.empty(); ++i) {
    const Switch& at = fabric_.switch_by(SwitchId(i));
    if (const std::string broken = at.broken_invariant(); !broken.empty()) {
      failure_ = "switch " + fabric_.topology().node(fabric_.topology().node_of(SwitchId(i))).name + ": " + broken;
    }
    for (std::size_t queue = 0; queue < at.queues(); ++queue) {
      markers += at.queue(QueueId(queue)).markers;
    }
  }
  const std::size_t accounted = in_flight + fabric_.frames_held() + markers;
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
  if (!failure_.empty()) fail();
}

/// A stuck set that may not be permanent is checked again soon, then at increasing intervals.
void Engine::look_for_deadlock() {
  if (!failure_.empty()) return;
  const bool suspected_before = deadlocks_.suspects();
  std::optional<DeadlockCycle> found = deadlocks_.look(now_);
  if (!deadlocks_.suspects()) {
    look_interval_ = kLookInterval;
  } else if (!suspected_before) {
    look_interval_ = kSoonLook;
  } else {
    look_interval_ = std::min(2 * look_interval_, kLongestLook);
  }
  look_at_ = before_end(now_ + look_interval_);
  if (!found) return;
  failure_ = std::move(found->failure);
  deadlock_ = std::move(found->finding);
  fail();
}

/// Time of the next deadlock check, at most `at`. The last two checks are at the end of the run, so far apart that a
/// set which is stuck in both waits for nothing in flight.
Time Engine::before_end(Time at) const {
  if (end_at_ == Time::never()) return at;
  if (now_ >= end_at_) return Time::never();
  const Duration apart = std::max(kSoonLook, deadlocks_.on_its_way());
  const Time last_but_one = end_at_.since_start() > apart ? end_at_ - apart : Time();
  return std::min(at, now_ < last_but_one ? last_but_one : end_at_);
}

void Engine::fail() {
  failure_ += " (seed " + std::to_string(settings_.run.seed) + ", at " + std::to_string(now_.picoseconds()) + " ps)";
  ended_ = true;
}

void Engine::report(Progress& progress) const {
  progress.simulated_picoseconds.store(now_.picoseconds(), std::memory_order_relaxed);
  progress.packet_hops.store(packet_hops_, std::memory_order_relaxed);
  progress.flows_started.store(connections_->started(), std::memory_order_relaxed);
  progress.flows_completed.store(connections_->completed(), std::memory_order_relaxed);
}

Engine::Received Engine::received_from(std::uint32_t channel) const {
  const NodeState& node = nodes_[channels_[channel].to_node];
  if (node.at == nullptr) return {node.nic->frames_received(), node.nic->bytes_received()};
  const PortState& port = node.at->port(channels_[channel].to_port);
  return {port.frames_received, port.bytes_received};
}

void Engine::add_egress_kinds(RunRecord& record) const {
  for (std::uint32_t i = 0; i < sent_by_kind_.size(); ++i) {
    const LinkRecord& link = record.links[i];
    std::array<Sent, kKindsApart> by_kind = sent_by_kind_[i];
    if (const Switch* from = fabric_.switch_at(fabric_.channels()[i].from); from != nullptr) {
      const PortState& port = from->port(fabric_.channels()[i].from_port);
      Sent data{static_cast<std::int64_t>(port.frames_sent), port.bytes_sent};
      for (const Sent& other : by_kind) {
        data.frames -= other.frames;
        data.bytes -= other.bytes;
      }
      by_kind[static_cast<std::size_t>(FrameKind::data)] = data;
    }
    for (std::size_t kind = 0; kind < kStoredFrameKinds.size(); ++kind) {
      const Sent& sent = by_kind[kind];
      if (sent.frames == 0) continue;
      record.statistics.egress_kinds.push_back({link.from, link.to, link.from_tier, link.to_tier,
                                                std::string(kStoredFrameKinds[kind]), sent.frames, sent.bytes});
    }
  }
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
  result.deadlock = deadlock_.has_value();
  if (deadlock_) result.findings.push_back(*deadlock_);
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
  add_egress_kinds(result);
  constexpr char kHexadecimal[] = "0123456789abcdef";
  for (int shift = 60; shift >= 0; shift -= 4) result.digest += kHexadecimal[(digest >> shift) & 15];
  for (std::size_t host = 0; host < fabric_.hosts(); ++host) {
    const Nic& nic = fabric_.nic(HostId(host));
    result.data_frames += nic.data_sent();
    result.retransmitted_frames += nic.retransmitted();
    result.out_of_order_frames += nic.out_of_order();
    result.strays += nic.strays();
    result.receive_overflows += nic.receive_overflows();
    result.datagrams_dropped += nic.datagrams_dropped();
  }
  return result;
}

}  // namespace weir
