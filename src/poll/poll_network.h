// SPDX-License-Identifier: Apache-2.0
// Driver 2: a network in a poll loop, with a virtual clock.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fabric/connections.h"
#include "fabric/fabric.h"
#include "fabric/link_changes.h"
#include "poll/burst.h"
#include "traffic/merged_traffic.h"

namespace weir {

struct PollOptions {
  Duration period = Duration::picoseconds(200'000);  ///< of the loop: every node is polled once in it
  /// Frames a port may have been given beyond the one on the wire. A device's queue cannot be paused.
  std::uint32_t transmit_depth = 1;
  Time limit = Time::picoseconds(1'000'000'000'000);  ///< gives up then
};

/// How late such a loop may be with a PAUSE, beyond what headroom counts anyway: the frame that calls for it is looked
/// at a period late, the PAUSE itself waits behind a period of wire and what the device was given beyond it, and is
/// looked at and obeyed likewise.
Duration pause_response(const PollOptions& options, const Settings& settings);

/// The settings with that much more of SwitchSettings::pause_response: what PollNetwork builds its nodes from. A replay
/// of what such a node did needs a node built so.
Settings for_poll_loop(Settings settings, const PollOptions& options);

/// What came of it.
struct PollReport {
  std::uint64_t flows_started = 0;
  std::uint64_t flows_completed = 0;
  std::uint64_t lossless_drops = 0;   ///< of lossless priorities for want of buffer
  std::uint64_t drops = 0;            ///< of any kind
  std::uint64_t frames_lost = 0;      ///< on links that failed
  std::uint64_t pauses_in_force = 0;  ///< ingress ports and priorities told to pause, at the end
  std::uint64_t pauses_sent = 0;
  std::uint64_t polls = 0;
  std::uint64_t largest_burst = 0;
  std::uint64_t digest = 0;       ///< over every delivered frame, as the event loop's
  std::vector<FlowRecord> flows;  ///< that are over, in the order of their end
  std::string failure;            ///< an invariant that broke, or empty
};

/// Runs the same nodes as the event loop, but as a software switch would: the clock moves in steps, frames that came in
/// since the last look are taken in bursts that share one `now`, timers run when the clock has passed them, and each
/// wire is given frames until it is busy beyond the next look. Links keep their rate and delay. Nodes, and the ports of
/// a switch, are looked at in an order that is drawn for each round with the seed: no real system's threads stay in
/// step, and a fixed order would let one port win every race for the last bytes of a buffer.
class PollNetwork {
 public:
  PollNetwork(const Settings& settings, PollOptions options);
  ~PollNetwork();

  PollReport run();
  [[nodiscard]] Fabric& fabric() { return fabric_; }

 private:
  /// A direction of a link. Its frames are a list through the frames, in the order in which they were sent.
  struct Wire {
    FrameId head;             // first in flight
    FrameId tail;             // last in flight, when there is a first
    FrameId queued;           // the first that has not begun by the next look: it is in the device's queue
    std::uint32_t depth = 0;  // of that queue
    std::uint32_t in_flight = 0;
    Time free_at;
    SerialisationTime serialisation;
    bool up = true;
    RandomStream corruption;
    std::uint64_t corrupt_below = 0;
  };

  template <class Item>
  void shuffle(std::vector<Item>& items);
  void put_in_flight(Wire& wire, FrameId id);
  FrameId take_from_flight(Wire& wire);
  void look_at_queue(Wire& wire, const ChannelSpec& spec, Time next_look);
  void poll_switch(NodeId node, Switch& at);
  void poll_nic(NodeId node, Nic& nic);
  template <class Receive>
  void take_burst(std::uint32_t channel, Receive receive);
  template <class Transmit>
  void fill_wire(std::uint32_t channel, Transmit transmit);
  void change_links();
  void set_link(LinkId id, bool up);
  void check();

  Settings settings_;
  PollOptions options_;
  Fabric fabric_;
  MergedTraffic traffic_;
  std::unique_ptr<Connections> connections_;
  RandomStream jitter_;
  std::vector<NodeId> nodes_;
  std::vector<PortId> ports_;  // of the switch that is looked at
  std::vector<Wire> wires_;
  LinkChanges link_changes_;
  Time now_;
  PollReport report_;
};

}  // namespace weir
