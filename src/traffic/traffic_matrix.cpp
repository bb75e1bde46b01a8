// SPDX-License-Identifier: Apache-2.0
#include "traffic/traffic_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace weir {

TrafficMatrix::Block TrafficMatrix::make_block(const TrafficBlock& block, const Racks& racks) {
  Block made;
  made.destinations = HostsByRack(block.destinations, racks);
  made.weight = block.weight;
  std::uint64_t pairs = 0;
  for (const HostId source : block.sources) {
    const HostsByRack::Choice choice = made.destinations.choice(source, block.scope);
    if (choice.size() == 0) continue;
    pairs += choice.size();
    made.sources.push_back(source);
    made.choices.push_back(choice);
    made.pairs_up_to.push_back(pairs);
  }
  return made;
}

TrafficMatrix::TrafficMatrix(const std::vector<TrafficBlock>& blocks, const Racks& racks) {
  double weight = 0.0;
  for (const TrafficBlock& block : blocks) {
    if (block.weight == 0.0) continue;
    for (const HostSet* set : {&block.sources, &block.destinations}) {
      if (!set->empty()) host_bound_ = std::max(host_bound_, (*set)[set->size() - 1].index() + 1);
    }
    Block made = make_block(block, racks);
    weight += block.weight;
    made.weight_up_to = weight;
    blocks_.push_back(std::move(made));
  }
}

TrafficMatrix TrafficMatrix::uniform(const HostSet& hosts) {
  return TrafficMatrix({{hosts, hosts, PairScope::any, 1.0}});
}

TrafficMatrix TrafficMatrix::with_rack_local_share(const HostSet& hosts, const Racks& racks, double share) {
  return TrafficMatrix(
      {{hosts, hosts, PairScope::intra_rack, share}, {hosts, hosts, PairScope::inter_rack, 1.0 - share}}, racks);
}

std::vector<std::string> TrafficMatrix::problems(const std::vector<TrafficBlock>& blocks, const Racks& racks) {
  std::vector<std::string> problems;
  double weight = 0.0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const TrafficBlock& block = blocks[i];
    // A single one may stand for traffic without blocks.
    const std::string which = blocks.size() == 1 ? std::string() : fmt::format("block {}: ", i + 1);
    if (!(block.weight >= 0.0 && block.weight <= 1e12)) {
      problems.push_back(fmt::format("{}the weight is {}, expected 0 to 1e12", which, block.weight));
      continue;
    }
    weight += block.weight;
    if (block.weight > 0.0 && make_block(block, racks).sources.empty()) {
      problems.push_back(fmt::format("{}no source has a destination in its scope", which));
    }
  }
  if (problems.empty() && weight == 0.0) problems.emplace_back("no block has a weight, expected at least one");
  return problems;
}

HostPair TrafficMatrix::draw(RandomStream& random) const {
  auto block = blocks_.begin();
  if (blocks_.size() > 1) {
    const double at = random.uniform() * blocks_.back().weight_up_to;
    block = std::upper_bound(blocks_.begin(), blocks_.end() - 1, at,
                             [](double weight, const Block& b) { return weight < b.weight_up_to; });
  }
  std::uint64_t pair = random.below(block->pairs_up_to.back());
  const auto upper = std::upper_bound(block->pairs_up_to.begin(), block->pairs_up_to.end(), pair);
  if (upper != block->pairs_up_to.begin()) pair -= *(upper - 1);
  const auto source = static_cast<std::size_t>(upper - block->pairs_up_to.begin());
  return {block->sources[source], block->destinations.at(block->choices[source], pair)};
}

void TrafficMatrix::for_each(const std::function<void(HostPair, double)>& visit) const {
  for (const Block& block : blocks_) {
    const double share = block.weight / blocks_.back().weight_up_to / static_cast<double>(block.pairs_up_to.back());
    for (std::size_t i = 0; i < block.sources.size(); ++i) {
      for (std::size_t k = 0; k < block.choices[i].size(); ++k) {
        visit({block.sources[i], block.destinations.at(block.choices[i], k)}, share);
      }
    }
  }
}

void TrafficMatrix::for_each_run(const std::function<void(const TrafficRun&)>& visit) const {
  for (const Block& block : blocks_) {
    const double share = block.weight / blocks_.back().weight_up_to / static_cast<double>(block.pairs_up_to.back());
    for (std::size_t i = 0; i < block.sources.size(); ++i) {
      const HostsByRack::Choice& choice = block.choices[i];
      const std::span<const HostId> hosts = block.destinations.hosts();
      visit({block.sources[i], hosts.subspan(choice.begin, choice.end - choice.begin),
             hosts.subspan(choice.gap_begin, choice.gap_end - choice.gap_begin), share});
    }
  }
}

double TrafficMatrix::inter_rack_share(const Racks& racks) const {
  double share = 0.0;
  for_each([&](HostPair pair, double of_flows) {
    if (!racks.same(pair.source, pair.destination)) share += of_flows;
  });
  return share;
}

}  // namespace weir
