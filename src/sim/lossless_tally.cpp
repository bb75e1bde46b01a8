// SPDX-License-Identifier: Apache-2.0
#include "sim/lossless_tally.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "fabric/hop_protocols.h"
#include "units/words.h"

namespace weir {

void LosslessTally::on_drop(const SwitchContext& context, const Frame& frame, DropReason reason) {
  if (!frame.ingress.exists() || !context.buffer().lossless[frame.ingress_priority]) return;
  if (reason != DropReason::buffer_full && reason != DropReason::policy) {
    ++others_[static_cast<std::size_t>(reason)];
    return;
  }
  const NodeId node = fabric_.topology().node_of(context.id());
  const std::uint32_t channel = fabric_.channels()[fabric_.channel(node, frame.ingress)].reverse;
  ++frames_[{channel, frame.ingress_priority}];
}

std::vector<RunFinding> LosslessTally::findings() const {
  std::vector<RunFinding> out;
  if (std::optional<RunFinding> drops = for_want_of_buffer()) out.push_back(std::move(*drops));
  if (std::optional<RunFinding> drops = for_other_reasons()) out.push_back(std::move(*drops));
  if (std::optional<RunFinding> drops = at_hosts()) out.push_back(std::move(*drops));
  return out;
}

std::optional<RunFinding> LosslessTally::for_want_of_buffer() const {
  if (frames_.empty()) return std::nullopt;
  struct Place {
    std::uint32_t channel;
    Priority priority;
    std::uint64_t frames;
  };
  std::vector<Place> places;
  std::uint64_t all = 0;
  for (const auto& [place, frames] : frames_) {
    places.push_back({place.first, place.second, frames});
    all += frames;
  }
  std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.frames > b.frames; });

  constexpr std::size_t kTold = 3;
  RunFinding out;
  out.kind = FindingKind::lossless_drops;
  std::vector<std::string> told;
  std::uint64_t others = all;
  for (std::size_t i = 0; i < std::min(kTold, places.size()); ++i) {
    const auto& [channel, priority, frames] = places[i];
    const ChannelSpec& spec = fabric_.channels()[channel];
    const Topology& topology = fabric_.topology();
    told.push_back(std::to_string(frames) + " of priority " + std::to_string(priority) + " at " +
                   topology.node(spec.to).name + " from " + topology.node(spec.from).name + cause(channel));
    out.ports.push_back({channel, "priority " + std::to_string(priority) + ": " + std::to_string(frames)});
    others -= frames;
  }
  if (others > 0) told.push_back(std::to_string(others) + " elsewhere");
  out.text = "switches dropped " + std::to_string(all) + (all == 1 ? " frame" : " frames") +
             " of lossless priorities for lack of buffer: " + join_words(told);
  return out;
}

std::optional<RunFinding> LosslessTally::for_other_reasons() const {
  static constexpr std::array<const char*, kDropReasons> kWhy = {
      "without a route",
      "for lack of buffer",
      "above the queue's threshold",
      "by the buffer policy",
      "corrupted on links",
      "queued for links that failed",
      "because the frame pool was exhausted",
      "by pause watchdogs",
  };
  const std::uint64_t all = std::accumulate(others_.begin(), others_.end(), std::uint64_t{0});
  if (all == 0) return std::nullopt;
  std::vector<std::string> told;
  for (std::size_t reason = 0; reason < others_.size(); ++reason) {
    if (others_[reason] > 0) told.push_back(std::to_string(others_[reason]) + " " + kWhy[reason]);
  }
  RunFinding out;
  out.kind = FindingKind::lossless_drops;
  out.text = "switches dropped " + std::to_string(all) + (all == 1 ? " frame" : " frames") +
             " of lossless priorities: " + join_words(told);
  return out;
}

std::optional<RunFinding> LosslessTally::at_hosts() const {
  struct Place {
    HostId host;
    std::uint64_t frames;
  };
  std::vector<Place> places;
  std::uint64_t all = 0;
  for (std::size_t host = 0; host < fabric_.hosts(); ++host) {
    const std::uint64_t frames = fabric_.nic(HostId(host)).lossless_overflows();
    if (frames > 0) places.push_back({HostId(host), frames});
    all += frames;
  }
  if (all == 0) return std::nullopt;
  std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.frames > b.frames; });
  constexpr std::size_t kTold = 3;
  const Topology& topology = fabric_.topology();
  std::vector<std::string> told;
  std::uint64_t others = all;
  for (std::size_t i = 0; i < std::min(kTold, places.size()); ++i) {
    told.push_back(std::to_string(places[i].frames) + " at " + topology.node(topology.node_of(places[i].host)).name);
    others -= places[i].frames;
  }
  if (others > 0) told.push_back(std::to_string(others) + " elsewhere");
  RunFinding out;
  out.kind = FindingKind::lossless_drops;
  out.text = "hosts dropped " + std::to_string(all) + (all == 1 ? " frame" : " frames") +
             " of lossless priorities because their receive buffers were full: " + join_words(told);
  return out;
}

std::string LosslessTally::cause(std::uint32_t channel) const {
  const ChannelSpec& spec = fabric_.channels()[channel];
  const Switch& at = *fabric_.switch_at(spec.to);
  const SwitchSettings switches = settings_.switches_of(at.id());
  if (!sends_pauses(switches)) return " (the switches have no flow control that pauses)";
  const Link& link = fabric_.topology().link(spec.link);
  const std::int64_t largest = maximum_frame_bytes(settings_);
  const auto headroom = [&](const HeadroomRule& rule) {
    return headroom_bytes(rule, link, settings_.network.framing, largest, switches.pause_response);
  };
  const std::int64_t given = headroom(switches.headroom);
  const std::int64_t needed = headroom({});
  if (given >= needed) return "";
  return " (headroom is " + std::to_string(given) + " B, the link needs " + std::to_string(needed) + " B)";
}

}  // namespace weir
