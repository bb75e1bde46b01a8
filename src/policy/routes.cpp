// SPDX-License-Identifier: Apache-2.0
#include "policy/routes.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace weir {

// One page per kPage hosts, in order.
void Routes::lay_out() {
  page_of_.resize((hosts_ + kPage - 1) / kPage);
  for (std::size_t i = 0; i < page_of_.size(); ++i) page_of_[i] = static_cast<std::uint32_t>(i * kPage);
  ways_.assign(page_of_.size() * kPage, kGroup);
}

void Routes::pack() {
  std::vector<std::uint16_t> kept;
  std::unordered_map<std::string_view, std::uint32_t> place_of;  // by the bytes of a page
  for (std::uint32_t& page : page_of_) {
    const auto* const ways = ways_.data() + page;
    const std::string_view bytes(reinterpret_cast<const char*>(ways), kPage * sizeof *ways);
    const auto [entry, is_new] = place_of.try_emplace(bytes, static_cast<std::uint32_t>(kept.size()));
    if (is_new) kept.insert(kept.end(), ways, ways + kPage);
    page = entry->second;
  }
  kept.shrink_to_fit();
  ways_ = std::move(kept);
  packed_ = true;
}

void Routes::unpack() {
  const Routes packed = *this;
  lay_out();
  for (std::size_t host = 0; host < hosts_; ++host) ways_[host] = packed.word_of(HostId(host));
  packed_ = false;
}

std::size_t Routes::bytes() const {
  return page_of_.capacity() * sizeof page_of_[0] + ways_.capacity() * sizeof ways_[0] +
         way_of_group_.capacity() * sizeof way_of_group_[0] + group_of_port_.capacity() * sizeof group_of_port_[0] +
         groups_.capacity() * sizeof groups_[0] + ports_.capacity() * sizeof ports_[0] +
         weights_.capacity() * sizeof weights_[0];
}

}  // namespace weir
