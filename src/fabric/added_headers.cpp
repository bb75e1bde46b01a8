// SPDX-License-Identifier: Apache-2.0
#include "fabric/added_headers.h"

#include <algorithm>
#include <limits>
#include <map>

#include "fabric/hop_protocols.h"
#include "fabric/roles.h"

namespace weir {
namespace {

constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();

/// The nodes that run a scheme.
struct Seats {
  bool at_host = false;
  bool at_switch = false;
};

HeaderBytes header_of(const PolicyChoice& choice, const Seats& seats) {
  HeaderBytes header;
  header.at_source = choice.scheme->traits.header_bytes;
  if (choice.scheme->header_bytes != nullptr) header = choice.scheme->header_bytes(choice.parameters);
  if (!seats.at_host) header.at_source = header.acknowledgement = 0;
  if (!seats.at_switch) header.at_switch = 0;
  return header;
}

std::uint32_t on_data(const HeaderBytes& header, std::size_t switches) {
  const auto adding = static_cast<std::uint32_t>(std::min<std::size_t>(switches, header.switches));
  return header.at_source + header.at_switch * adding;
}

}  // namespace

HeaderBytes added_by_host(const PolicyChoice& choice) {
  return choice.scheme == nullptr ? HeaderBytes() : header_of(choice, {.at_host = true, .at_switch = false});
}

AddedHeaders::AddedHeaders(const Settings& settings) {
  std::map<const Scheme*, Seats> seats;
  std::vector<PolicyChoice> choices;  // each scheme once
  const auto seat = [&](const PolicyChoice& choice, bool at_host, bool at_switch) {
    if (choice.scheme == nullptr) return;
    const auto [found, is_new] = seats.try_emplace(choice.scheme);
    if (is_new) choices.push_back(choice);
    found->second.at_host |= at_host;
    found->second.at_switch |= at_switch;
  };
  for_each_host_role([&](const SchemeRole&, PolicyChoice HostSettings::*of) { seat(settings.hosts.*of, true, false); });
  for (const SwitchSettings& switches : settings.switch_kinds()) {
    const Scheme* forwarding = switches.forwarding.scheme;
    seat(switches.forwarding, forwarding != nullptr && forwarding->nic_forwarding != nullptr, true);
    seat(switches.buffer_policy, false, true);
    for (const PolicyChoice& choice : switches.flow_control) {
      seat(choice, takes_part(choice, true), takes_part(choice, false));
    }
    for (const PolicyChoice& choice : switches.congestion_point) seat(choice, false, true);
  }
  for (const PolicyChoice& choice : choices) headers_.push_back(header_of(choice, seats[choice.scheme]));
}

std::uint32_t AddedHeaders::data(std::size_t switches) const {
  std::uint32_t bytes = 0;
  for (const HeaderBytes& header : headers_) bytes += on_data(header, switches);
  return bytes;
}

std::uint32_t AddedHeaders::most() const {
  return data(kAnyNumber);
}

std::uint32_t AddedHeaders::acknowledgement(std::size_t switches) const {
  std::uint32_t bytes = 0;
  for (const HeaderBytes& header : headers_) {
    bytes += header.acknowledgement;
    if (header.echoed) bytes += on_data(header, switches);
  }
  return bytes;
}

std::uint32_t AddedHeaders::longest_acknowledgement() const {
  return acknowledgement(kAnyNumber);
}

}  // namespace weir
