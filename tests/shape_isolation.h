// SPDX-License-Identifier: Apache-2.0
// The shape of Pyrrha: flow control by congestion root, with isolation queues in front of the output queue.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "policy/nic_policy.h"
#include "policy/switch_policy.h"
#include "shape_lab.h"
#include "units/bit_rate.h"

namespace weir::shape {

/// A congestion root as encoded in control frames: switch and egress port.
using Root = std::uint32_t;
inline constexpr Root kNoRoot = ~Root{0};
inline Root root_of(Hop hop) {
  return hop.node.value << 16 | hop.port.value;
}

inline constexpr std::uint8_t kRootProtocol = 201;
enum class RootMessage : std::uint16_t { pause, resume, merge };

/// The farthest announced root: from a top of rack, the downlink of the other one.
inline constexpr std::size_t kDistances = 2;

inline FrameId make_root_message(FramePool& frames, const Framing& framing, RootMessage message, Root root,
                                 Root successor) {
  const FrameId id = frames.allocate();
  if (!id.exists()) return id;
  Frame& frame = frames[id];
  frame.kind = FrameKind::hop_control;
  frame.protocol = kRootProtocol;
  frame.frame_bytes = framing.minimum_frame;
  frame.tag = static_cast<std::uint16_t>(message);
  frame.tag_value = root;
  frame.sequence = successor;
  return id;
}

/// The common part of all layouts of isolation queues (pyrrha 4.1, 4.4): an output queue longer than two hop
/// bandwidth-delay products declares itself a root and pauses its upstream neighbours; so does an isolation queue, for
/// its roots; below one they resume. A port that is a root and is paused by one further downstream gives up its own
/// root, and orders the neighbours that it paused to merge.
class RootControl : public Classifier {
 public:
  [[nodiscard]] Hooks hooks() const final {
    Hooks hooks;
    hooks.enter = true;
    hooks.depart = true;
    return hooks;
  }
  void attach(SwitchContext& context) override {
    owner_ = context.new_gate_owner();
    ports_ = context.ports();
    for (std::size_t port = 0; port < ports_; ++port) {
      const Root self = root_of({context.id(), PortId(port)});
      track(context, context.default_queue(PortId(port), 3), {self, kNoRoot});
    }
  }
  void on_enter(SwitchContext& context, QueueId queue, Frame& frame) final {
    Tracked* tracked = find(queue);
    if (tracked == nullptr || !frame.ingress.exists() || context.queue(queue).bytes <= tracked->pause_above) return;
    if ((tracked->told >> frame.ingress.value & 1) != 0) return;
    tracked->told |= std::uint64_t{1} << frame.ingress.value;
    for (const Root root : tracked->roots) tell(context, frame.ingress, RootMessage::pause, root);
  }
  void on_depart(SwitchContext& context, QueueId queue, Frame&) override { shrank(context, queue); }
  bool on_control(SwitchContext& context, PortId port, const Frame& frame) final {
    if (frame.protocol != kRootProtocol) return false;
    const Root root = frame.tag_value;
    if (root >> 16 == context.id().value) return true;  // 4.5: a loop
    switch (static_cast<RootMessage>(frame.tag)) {
      case RootMessage::pause:
        abdicate(context, port, root);
        on_root(context, port, root, true);
        break;
      case RootMessage::resume:
        on_root(context, port, root, false);
        break;
      case RootMessage::merge:
        ++merges;
        on_merge(context, port, root, frame.sequence);
        break;
    }
    return true;
  }

  std::uint64_t merges = 0;    ///< received
  std::uint64_t isolated = 0;  ///< frames that left an isolation queue
  std::int64_t assigned = 0;   ///< isolation queues in use now

 protected:
  struct Tracked {
    std::array<Root, kDistances> roots{kNoRoot, kNoRoot};
    std::int64_t pause_above = 0;
    std::int64_t resume_below = 0;
    std::uint64_t told = 0;  // ingresses that were paused for it
    bool active = false;
  };

  /// The root at `port` paused or resumed.
  virtual void on_root(SwitchContext& context, PortId port, Root root, bool paused) = 0;
  /// The root was given up for another: frames that wait for it are no longer blocked by it.
  virtual void on_merge(SwitchContext& context, PortId port, Root root, Root successor) = 0;

  void track(SwitchContext& context, QueueId queue, std::array<Root, kDistances> roots) {
    if (tracked_.size() <= queue.index()) tracked_.resize(queue.index() + 1);
    const PortId port = context.queue(queue).port;
    const std::int64_t product = bytes_in(context.hop_round_trip(port), context.port(port).rate).count();
    Tracked& tracked = tracked_[queue.index()];
    tracked = {roots, 2 * product, product, tracked.told, true};
  }
  /// The queue no longer represents `root`, because it merges: it no longer pauses neighbours for it.
  void forget(QueueId queue, Root root) {
    std::array<Root, kDistances>& roots = tracked_[queue.index()].roots;
    std::replace(roots.begin(), roots.end(), root, kNoRoot);
  }
  Tracked* find(QueueId queue) {
    const bool known = queue.index() < tracked_.size() && tracked_[queue.index()].active;
    return known ? &tracked_[queue.index()] : nullptr;
  }
  void shrank(SwitchContext& context, QueueId queue) {
    Tracked* tracked = find(queue);
    if (tracked == nullptr || tracked->told == 0 || context.queue(queue).bytes > tracked->resume_below) return;
    for_each_told(*tracked, [&](PortId ingress) {
      for (const Root root : tracked->roots) tell(context, ingress, RootMessage::resume, root);
    });
    tracked->told = 0;
  }
  /// Forwards a merge to the neighbours that were paused for this queue, which are no longer paused then.
  void pass_merge(SwitchContext& context, QueueId queue, Root root, Root successor) {
    Tracked& tracked = tracked_[queue.index()];
    for_each_told(tracked, [&](PortId ingress) {
      for (const Root other : tracked.roots) {
        tell(context, ingress, other == root ? RootMessage::merge : RootMessage::resume, other, successor);
      }
    });
    tracked.told = 0;
  }
  /// The further hops of a frame, from the next switch on.
  static std::size_t onward(const SwitchContext& context, const Frame& frame, std::array<Hop, kDistances>& hops) {
    return context.paths()->beyond(context.id(), frame.egress, FlowKey::of(frame), hops);
  }

  GateOwner owner_ = 0;
  std::size_t ports_ = 0;

 private:
  template <class Visit>
  void for_each_told(const Tracked& tracked, Visit visit) {
    for (std::size_t port = 0; port < ports_; ++port) {
      if ((tracked.told >> port & 1) != 0) visit(PortId(port));
    }
  }
  void abdicate(SwitchContext& context, PortId port, Root successor) {
    pass_merge(context, context.default_queue(port, 3), root_of({context.id(), port}), successor);
  }
  void tell(SwitchContext& context, PortId ingress, RootMessage message, Root root, Root successor = kNoRoot) {
    if (root == kNoRoot) return;
    const FrameId id = make_root_message(context.frames(), context.framing(), message, root, successor);
    if (!id.exists()) return;
    context.send(ingress, id);
    context.note_hop_pause(ingress, root, message == RootMessage::pause);
  }

  std::vector<Tracked> tracked_;  // by queue
};

/// 4.4, cooperation of hosts: a NIC that blocks the queue pairs whose path contains a paused root.
class RootNic : public NicFlowControl {
 public:
  void attach(NicContext& context) override { owner_ = context.new_gate_owner(); }
  bool on_control(NicContext& context, const Frame& frame) override {
    if (frame.protocol != kRootProtocol) return false;
    // Several queues of the switch may pause for one root: each resumes once.
    if (static_cast<RootMessage>(frame.tag) == RootMessage::pause) {
      if (count_ < kRoots) paused_[count_++] = frame.tag_value;
      ++pauses;
    } else if (const auto found = std::find(paused_.begin(), end(), frame.tag_value); found != end()) {
      *found = paused_[--count_];
    }
    Visit visit{this, &context};
    context.for_each_sender(
        [](void* at, SendState& sender) {
          const Visit& visited = *static_cast<Visit*>(at);
          visited.nic->evaluate(*visited.context, sender);
        },
        &visit);
    return true;
  }
  GateId gate_of(NicContext& context, SendState& sender) override {
    evaluate(context, sender);
    return GateId::none();
  }
  void on_link(NicContext&, bool) override { count_ = 0; }

  std::uint64_t pauses = 0;
  [[nodiscard]] std::size_t paused_roots() const { return count_; }

 private:
  static constexpr std::size_t kRoots = 64;
  struct Visit {
    RootNic* nic;
    NicContext* context;
  };
  std::array<Root, kRoots>::iterator end() { return paused_.begin() + static_cast<std::ptrdiff_t>(count_); }
  void evaluate(NicContext& context, SendState& sender) {
    std::array<Hop, kMaximumHops> path;
    const FlowKey key{context.host(), sender.remote, sender.entropy};
    const std::span<const Hop> hops(path.data(), context.paths()->from_host(context.host(), key, path));
    const bool held = std::any_of(hops.begin(), hops.end(),
                                  [&](Hop hop) { return std::find(paused_.begin(), end(), root_of(hop)) != end(); });
    context.set_gate(sender, owner_, !held);
  }

  GateOwner owner_ = 0;
  std::array<Root, kRoots> paused_{};
  std::size_t count_ = 0;
};

// ---- the scenario ----

inline constexpr std::size_t kRacks = 5;
inline constexpr std::size_t kSources = 16;
inline constexpr std::size_t kIncastTarget = 16;
inline constexpr std::size_t kVictimTarget = 17;
inline constexpr std::size_t kVictim = 16;  // flow
inline constexpr std::size_t kFlows = 18;

/// Racks of four below one spine. All hosts of the others send to one of the last, which overloads the spine's downlink
/// at first and the target's downlink throughout; one of them also sends to the target's neighbour.
inline Settings root_incast() {
  using namespace literals;
  LeafSpineSettings network;
  network.tors = kRacks;
  network.hosts_per_tor = 4;
  network.spines = 1;
  network.host_link = {100_Gbps, 1_us, 0};
  network.fabric_link = {400_Gbps, 1_us, 0};
  Settings settings = bare(built(build_leaf_spine(network)));
  std::vector<FlowSpec> flows;
  for (std::size_t source = 0; source < kSources; ++source) flows.push_back(flow(source, kIncastTarget, 1_MB));
  flows.push_back(flow(0, kVictimTarget, 500_KB, at(20_us)));
  flows.push_back(flow(4, 5, 1_KB, at(4_ms)));  // by then the network is idle again
  offer(settings, flows);
  return settings;
}

}  // namespace weir::shape
