// SPDX-License-Identifier: Apache-2.0
#include "criteria/measures.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "criteria/measure_tables.h"

namespace weir {
namespace {

const std::vector<RunMeasure>& all_measures() {
  static const std::vector<RunMeasure> made = [] {
    std::vector<RunMeasure> out;
    for (const auto part : {measures::of_flows, measures::of_links, measures::of_switches, measures::of_frames,
                            measures::of_series, measures::of_counters, measures::of_statistics}) {
      std::vector<RunMeasure> more = part();
      std::move(more.begin(), more.end(), std::back_inserter(out));
    }
    std::sort(out.begin(), out.end(),
              [](const RunMeasure& a, const RunMeasure& b) { return a.signature.name < b.signature.name; });
    return out;
  }();
  return made;
}

}  // namespace

std::span<const RunMeasure> all_run_measures() {
  return all_measures();
}

const RunMeasure& run_measure(const Signature& signature) {
  const auto found = std::find_if(all_measures().begin(), all_measures().end(),
                                  [&](const RunMeasure& measure) { return measure.signature.name == signature.name; });
  if (found == all_measures().end()) throw std::logic_error("a measure that is not in the table");
  return *found;
}

std::vector<const Signature*> run_signatures() {
  std::vector<const Signature*> out;
  for (const RunMeasure& measure : all_measures()) out.push_back(&measure.signature);
  return out;
}

}  // namespace weir
