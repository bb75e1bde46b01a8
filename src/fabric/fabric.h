// SPDX-License-Identifier: Apache-2.0
// The nodes of a network, built and wired from Settings, without a driver.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "fabric/settings.h"
#include "host/nic.h"
#include "net/path_table.h"
#include "policy/header_fields.h"
#include "switch/switch.h"

namespace weir {

/// One direction of a link: from a port to the port at its other end. A port and its outgoing channel have the same
/// number.
struct ChannelSpec {
  NodeId from;
  PortId from_port;
  NodeId to;
  PortId to_port;
  std::uint32_t reverse = 0;  ///< the channel of the other direction
  LinkId link;
  BitRate rate;
  Duration delay;
  double error_rate = 0;
};

/// All switches and NICs of a run and the frames they share. It knows the wiring, but moves no frames; a driver does.
class Fabric {
 public:
  /// Throws std::invalid_argument if the headroom and reserve of a switch exceed its buffer, if the header fields of
  /// the schemes do not fit into a frame, or if a default that comes from the network is out of its range.
  ///
  /// `partition_of_node` gives the partition of each node, by node number: numbers from 0 without gaps. Empty: one
  /// partition. Each partition has its own frames, as many as the settings say, so that partitions may run in parallel.
  /// A frame to a node of another partition is copied (wire/mailbox.h).
  explicit Fabric(const Settings& settings, std::vector<std::uint32_t> partition_of_node = {});

  [[nodiscard]] const Topology& topology() const { return topology_; }
  /// The frames of the first partition, which is the only one unless a driver requests more.
  [[nodiscard]] FramePool& frames() { return *pools_.front(); }
  [[nodiscard]] FramePool& frames_of_partition(std::size_t partition) { return *pools_[partition]; }
  [[nodiscard]] std::size_t partitions() const { return pools_.size(); }
  [[nodiscard]] std::uint32_t partition_of(NodeId node) const {
    return partition_of_node_.empty() ? 0 : partition_of_node_[node.index()];
  }
  [[nodiscard]] PathTable& paths() { return *paths_; }
  /// Positions of schemes' header fields in the frames.
  [[nodiscard]] const HeaderLayout& headers() const { return headers_; }
  [[nodiscard]] std::size_t nodes() const { return topology_.nodes().size(); }

  /// The switch at a node, or nullptr for a host.
  [[nodiscard]] Switch* switch_at(NodeId node) { return switch_of_node_[node.index()]; }
  [[nodiscard]] const Switch* switch_at(NodeId node) const { return switch_of_node_[node.index()]; }
  [[nodiscard]] Nic* nic_at(NodeId node) { return nic_of_node_[node.index()]; }
  [[nodiscard]] Switch& switch_by(SwitchId id) { return *switches_[id.index()]; }
  [[nodiscard]] Nic& nic(HostId host) { return *nics_[host.index()]; }
  [[nodiscard]] const Nic& nic(HostId host) const { return *nics_[host.index()]; }
  [[nodiscard]] std::size_t switches() const { return switches_.size(); }
  [[nodiscard]] std::size_t hosts() const { return nics_.size(); }

  [[nodiscard]] const std::vector<ChannelSpec>& channels() const { return channels_; }
  [[nodiscard]] std::uint32_t channel(NodeId node, PortId port) const {
    return first_channel_[node.index()] + port.value;
  }
  /// Computes routes without the failed links, and installs them at all switches at once.
  void reroute(const std::vector<LinkId>& failed);
  /// Frames in the queues of switches and NICs.
  [[nodiscard]] std::size_t frames_held() const;
  /// Maximum time from the arrival of a PFC frame at this switch to its effect.
  [[nodiscard]] Duration pause_response(NodeId node) const { return pause_response_[node.index()]; }

 private:
  void build_channels();
  void build_switches(const Settings& settings);
  void build_nics(const Settings& settings);

  Topology topology_;
  std::vector<PortWeight> weights_;
  std::vector<std::uint32_t> partition_of_node_;
  std::vector<std::unique_ptr<FramePool>> pools_;  // by partition
  HeaderLayout headers_;
  std::unique_ptr<PathTable> paths_;
  std::vector<std::unique_ptr<Switch>> switches_;
  std::vector<std::unique_ptr<Nic>> nics_;
  std::vector<Switch*> switch_of_node_;
  std::vector<Nic*> nic_of_node_;
  std::vector<Duration> pause_response_;  // by node
  std::vector<ChannelSpec> channels_;
  std::vector<std::uint32_t> first_channel_;  // by node
};

/// The headroom of an ingress port under a rule, in bytes.
std::int64_t headroom_bytes(const HeadroomRule& rule, const Link& link, const Framing& framing,
                            std::int64_t maximum_frame, Duration pause_response);
/// The part of a host's receive buffer, in bytes, for frames that can still arrive after it decides to pause its switch
/// by PFC; zero if it does not.
std::int64_t receive_headroom(const Settings& settings, HostId host);
/// Maximum frame size in bytes under these settings: a full payload, and the maximum that schemes may add.
std::int64_t maximum_frame_bytes(const Settings& settings);

/// Capacity of a run's pools in frames: run.frame_capacity or, if that has its default value, a multiple of the number
/// of smallest frames that fit into the buffers and links of the network, at most the default.
std::size_t frame_capacity(const Settings& settings);

/// The division of the buffer of one switch. Values out of range are replaced by the nearest representable ones.
struct BufferPlan {
  std::int64_t reserve = 0;  ///< over all ports and lossless priorities
  std::int64_t headroom = 0;
  std::int64_t shared = 0;  ///< the rest, for the service pools; negative if reserve and headroom do not fit
};
BufferPlan plan_buffer(const Settings& settings, SwitchId id);

}  // namespace weir
