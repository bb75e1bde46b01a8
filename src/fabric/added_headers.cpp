#include "fabric/added_headers.h"

#include <algorithm>
#include <limits>

namespace weir {
namespace {

constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();

HeaderBytes header_of(const PolicyChoice& choice) {
  if (choice.scheme->header_bytes != nullptr) return choice.scheme->header_bytes(choice.parameters);
  HeaderBytes header;
  header.at_source = choice.scheme->traits.header_bytes;
  return header;
}

std::uint32_t on_data(const HeaderBytes& header, std::size_t switches) {
  const auto adding = static_cast<std::uint32_t>(std::min<std::size_t>(switches, header.switches));
  return header.at_source + header.at_switch * adding;
}

}  // namespace

AddedHeaders::AddedHeaders(const Settings& settings) {
  std::vector<const Scheme*> counted;
  const auto add = [&](const PolicyChoice& choice) {
    if (choice.scheme == nullptr || std::find(counted.begin(), counted.end(), choice.scheme) != counted.end()) return;
    counted.push_back(choice.scheme);
    headers_.push_back(header_of(choice));
  };
  add(settings.hosts.congestion_control);
  add(settings.hosts.loss_recovery);
  for (const SwitchSettings& switches : settings.switch_kinds()) {
    for (const PolicyChoice& choice : switches.flow_control) add(choice);
    for (const PolicyChoice& choice : switches.congestion_point) add(choice);
  }
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
