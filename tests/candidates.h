// SPDX-License-Identifier: Apache-2.0
// Every registered scheme in each of its roles, in a small network: general requirements are tested with these.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "net/builders.h"
#include "whole_network.h"

namespace weir::whole {

/// The positions of a scheme in a configuration, named as the roles are in scenarios; `all` is every one that it can
/// take at once.
enum class Slot : std::uint8_t {
  forwarding,
  buffer_policy,
  flow_control,
  congestion_point,
  congestion_control,
  loss_recovery,
  transport,
  all,
  none
};
inline constexpr const char* kSlotNames[] = {
    "forwarding", "buffer_policy", "flow_control", "congestion_point", "congestion_control", "loss_recovery",
    "transport",  "all",           "none"};

/// Whether a configuration cannot have a scheme in each of the two.
inline bool exclude_each_other(Slot a, Slot b) {
  const auto replaced = [](Slot slot) { return slot == Slot::congestion_control || slot == Slot::loss_recovery; };
  return (a == Slot::transport && replaced(b)) || (b == Slot::transport && replaced(a));
}

inline std::vector<Slot> slots_of(const Scheme& scheme) {
  std::vector<Slot> slots;
  if (scheme.forwarding != nullptr) slots.push_back(Slot::forwarding);
  if (scheme.buffer != nullptr) slots.push_back(Slot::buffer_policy);
  if (scheme.flow_control != nullptr || scheme.nic_flow_control != nullptr) slots.push_back(Slot::flow_control);
  if (scheme.congestion_point != nullptr) slots.push_back(Slot::congestion_point);
  if (scheme.congestion_control != nullptr) slots.push_back(Slot::congestion_control);
  if (scheme.loss_recovery != nullptr) slots.push_back(Slot::loss_recovery);
  if (scheme.transport != nullptr) slots.push_back(Slot::transport);
  return slots;
}

struct Candidate {
  const Scheme* scheme;
  Slot slot;
};

inline std::vector<Candidate> candidates() {
  std::vector<Candidate> all;
  for (const Scheme* scheme : all_schemes()) {
    const std::vector<Slot> slots = slots_of(*scheme);
    for (const Slot slot : slots) all.push_back({scheme, slot});
    if (slots.size() > 1) all.push_back({scheme, Slot::all});
  }
  return all;
}

inline std::string name_of(const testing::TestParamInfo<Candidate>& info) {
  return std::string(info.param.scheme->name) + "_as_" + kSlotNames[static_cast<std::size_t>(info.param.slot)];
}

/// A transport removes the schemes in the roles that it replaces.

inline void place(Settings& settings, const Scheme& scheme, Slot slot) {
  const PolicyChoice choice{&scheme, Parameters(scheme.parameters)};
  switch (slot) {
    case Slot::forwarding:
      settings.switches.forwarding = choice;
      break;
    case Slot::buffer_policy:
      settings.switches.buffer_policy = choice;
      break;
    case Slot::flow_control:  // above PFC as a fallback
      if (scheme.name != "pfc") settings.switches.flow_control.insert(settings.switches.flow_control.begin(), choice);
      break;
    case Slot::congestion_point:
      settings.switches.congestion_point = {choice};
      break;
    case Slot::congestion_control:
      settings.hosts.congestion_control = choice;
      break;
    case Slot::loss_recovery:
      settings.hosts.loss_recovery = choice;
      break;
    case Slot::transport:
      settings.hosts.transport = choice;
      settings.hosts.congestion_control = {};
      settings.hosts.loss_recovery = {};
      break;
    case Slot::none:
      break;
    case Slot::all:
      for (const Slot one : slots_of(scheme)) {
        if (scheme.transport == nullptr || !exclude_each_other(one, Slot::transport)) place(settings, scheme, one);
      }
      break;
  }
}

/// A leaf-spine of eight hosts with the candidate in its slot and the usual schemes in the others, without traffic.
inline Settings calm_leaf_spine(const Candidate& candidate) {
  constexpr LinkSpec kHostLink{BitRate(25'000'000'000), Duration::picoseconds(600'000)};
  constexpr LinkSpec kFabricLink{BitRate(40'000'000'000), Duration::picoseconds(1'000'000)};
  BuiltTopology built = build_leaf_spine({.tors = 2,
                                          .hosts_per_tor = 4,
                                          .spines = 2,
                                          .host_link = kHostLink,
                                          .fabric_link = kFabricLink,
                                          .parallel_links = 1,
                                          .tor_oversubscription = {}});
  Settings settings = lossless_network(std::move(built.topology), 20_ms);
  settings.switches.lossless[4] = true;
  settings.switches.buffer = 1_MB;
  settings.switches.congestion_point = {
      choose("red", {{"kmin", 5'000_B}, {"kmax", 50'000_B}, {"scale_with_rate", false}})};
  settings.hosts.loss_recovery = choose("go_back_n", {{"timeout", 200_us}, {"nack_interval", 50_us}});
  place(settings, *candidate.scheme, candidate.slot);
  return settings;
}

}  // namespace weir::whole
