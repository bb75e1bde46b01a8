// SPDX-License-Identifier: Apache-2.0
// The flows of a switch by their full identifiers, without a limit: no real switch has this (bfc 3.3.2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "policy/flow_hash.h"

namespace weir::bfc {

/// A flow that has frames in the switch, or that a neighbour has paused.
struct RegisteredFlow {
  FlowKey key;
  PortId egress;
  QueuePairId queue_pair;        ///< of its data, for the NIC from which it arrives
  std::uint32_t frames = 0;      ///< in the switch
  std::uint32_t over = 0;        ///< of these, over the threshold on arrival
  std::uint32_t generation = 0;  ///< 24 bits; frames that were over in another generation are no longer counted
  PortId told;                   ///< the ingress whose neighbour has paused the flow, while `over` is above zero
  std::uint16_t queue = 0;       ///< while it has frames
  bool held = false;             ///< paused by its downstream neighbour
};

/// Looked up by identifier and egress port. Memory grows with the number of simultaneous flows.
class FlowRegister {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  /// The most flows that are kept although they have no frames here: the neighbour determines which flows it pauses.
  static constexpr std::size_t kMostFlows = std::size_t{1} << 20;

  RegisteredFlow& operator[](std::uint32_t place) { return flows_[place]; }
  const RegisteredFlow& operator[](std::uint32_t place) const { return flows_[place]; }
  [[nodiscard]] std::size_t size() const { return place_of_.size(); }
  /// The largest number of simultaneous flows so far.
  [[nodiscard]] std::size_t most() const { return flows_.size(); }
  [[nodiscard]] std::uint32_t find(const FlowKey& key, PortId egress) const {
    const auto found = place_of_.find({key, egress});
    return found == place_of_.end() ? kNone : found->second;
  }
  /// The flow's place; a new one if it has none.
  std::uint32_t enter(const FlowKey& key, PortId egress) {
    const auto [found, is_new] = place_of_.try_emplace({key, egress}, kNone);
    if (!is_new) return found->second;
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(flows_.size()));
      flows_.emplace_back();
    }
    const std::uint32_t place = found->second = free_.back();
    free_.pop_back();
    RegisteredFlow& flow = flows_[place];
    flow.key = key;
    flow.egress = egress;
    return place;
  }
  /// Forgets a flow that has no frames and is not paused.
  void forget(std::uint32_t place) {
    RegisteredFlow& flow = flows_[place];
    place_of_.erase({flow.key, flow.egress});
    flow = RegisteredFlow{};
    free_.push_back(place);
  }
  /// Calls visit(place) for all places in order, whether or not in use.
  template <class Visit>
  void for_each_place(Visit visit) const {
    for (std::size_t place = 0; place < flows_.size(); ++place) visit(static_cast<std::uint32_t>(place));
  }

 private:
  struct Name {
    FlowKey key;
    PortId egress;
    bool operator==(const Name& other) const { return key == other.key && egress == other.egress; }
  };
  struct Hash {
    std::size_t operator()(const Name& name) const {
      return mix(flow_hash(HashKind::mix, 0x666c6f77, name.key), name.egress.value);
    }
  };
  std::unordered_map<Name, std::uint32_t, Hash> place_of_;  // only looked up, never iterated
  std::vector<RegisteredFlow> flows_;
  std::vector<std::uint32_t> free_;
};

}  // namespace weir::bfc
