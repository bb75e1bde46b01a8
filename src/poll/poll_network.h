// SPDX-License-Identifier: Apache-2.0
// The second driver: a network in a poll loop, with a virtual clock.
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
  Duration period = Duration::picoseconds(200'000);  ///< of the loop: every node is polled once per period
  /// Number of frames that a port may be given beyond the one on the wire. A device's queue cannot be paused.
  std::uint32_t transmit_depth = 1;
  Time limit = Time::picoseconds(1'000'000'000'000);  ///< the run is aborted at this time
};

/// Maximum additional delay of a PAUSE in such a loop, beyond what headroom accounts for anyway: the frame that causes
/// it is received up to one period late; the PAUSE itself waits for one period of wire time and for the frames that the
/// device was given beyond it, and is also received and obeyed late.
Duration pause_response(const PollOptions& options, const Settings& settings);

/// The settings with SwitchSettings::pause_response increased by that delay, from which PollNetwork builds its nodes. A
/// replay of such a node needs a node built from the same settings.
Settings for_poll_loop(Settings settings, const PollOptions& options);

/// The result of a run.
struct PollReport {
  std::uint64_t flows_started = 0;
  std::uint64_t flows_completed = 0;
  std::uint64_t lossless_drops = 0;   ///< of lossless priorities for lack of buffer
  std::uint64_t drops = 0;            ///< of any kind
  std::uint64_t frames_lost = 0;      ///< on links that failed
  std::uint64_t pauses_in_force = 0;  ///< ingress ports and priorities that are paused at the end
  std::uint64_t pauses_sent = 0;
  std::uint64_t polls = 0;
  std::uint64_t largest_burst = 0;
  std::uint64_t digest = 0;       ///< over every delivered frame, as in the event loop
  std::vector<FlowRecord> flows;  ///< ended flows, in the order of their end
  std::string failure;            ///< a violated invariant, or empty
};

/// Runs the same nodes as the event loop, but like a software switch: the clock moves in steps, frames that arrived
/// since the last poll are received in bursts that share one `now`, timers run when the clock has passed them, and each
/// wire is given frames until it is busy beyond the next poll. Links keep their rate and delay. Nodes, and the ports of
/// a switch, are polled in an order that is drawn from the seed for each period: threads of real systems are never
/// synchronous, and a fixed order would let one port always win the last bytes of a buffer.
class PollNetwork {
 public:
  PollNetwork(const Settings& settings, PollOptions options);
  ~PollNetwork();

  PollReport run();
  [[nodiscard]] Fabric& fabric() { return fabric_; }

 private:
  /// One direction of a link. Its frames are linked in the order in which they were sent.
  struct Wire {
    FrameId head;             // first in flight
    FrameId tail;             // last in flight, if there is a first
    FrameId queued;           // the first that will not have begun by the next poll: it is in the device's queue
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
  std::vector<PortId> ports_;  // of the switch that is being polled
  std::vector<Wire> wires_;
  LinkChanges link_changes_;
  Time now_;
  PollReport report_;
};

}  // namespace weir
