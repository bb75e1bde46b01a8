// SPDX-License-Identifier: Apache-2.0
#include "scenario/traffic_defaults.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "config/scalar.h"
#include "scenario/scheme_tables.h"

namespace weir {
namespace {

/// Collects distributions with their weights.
class Mixture {
 public:
  /// Ignores a size that is not known before the run.
  void add(const FlowSize& size, double weight) {
    if (!size.valid()) return;
    for (SizeSegment segment : size.segments()) {
      segment.share *= weight;
      segments_.push_back(segment);
    }
    total_ += weight;
  }
  [[nodiscard]] bool empty() const { return segments_.empty(); }
  [[nodiscard]] std::vector<SizeSegment> take() {
    for (SizeSegment& segment : segments_) segment.share /= total_;
    return std::move(segments_);
  }

 private:
  std::vector<SizeSegment> segments_;
  double total_ = 0;
};

/// The flows per second of a source, by their sizes; the key is their mean size.
std::map<double, std::pair<FlowSize, double>> rates_of(const TrafficEntry& entry, std::uint64_t seed) {
  std::map<double, std::pair<FlowSize, double>> out;
  entry.make(seed)->offered([&](HostId, HostId, double payload_rate) {
    const FlowSize size = entry.size(payload_rate);
    const auto [known, added] = out.try_emplace(size.mean(), size, 0.0);
    known->second.second += payload_rate / 8 / size.mean();
  });
  return out;
}

void add_list(const TrafficEntry& entry, std::uint64_t seed, Mixture& mixture) {
  for (const FlowSpec& flow : entry.list(seed)) {
    mixture.add(FlowSize::fixed(flow.size), 1);
  }
}

}  // namespace

std::vector<SizeSegment> offered_sizes(const std::vector<TrafficEntry>& traffic, std::uint64_t seed) {
  Mixture of_rates;
  Mixture others;
  for (const TrafficEntry& entry : traffic) {
    if (!entry.make) continue;
    if (entry.list) {
      add_list(entry, seed, others);
      continue;
    }
    const auto rates = rates_of(entry, seed);
    for (const auto& [mean, of] : rates) of_rates.add(of.first, of.second);
    if (rates.empty()) others.add(entry.size(0), 1);
  }
  return of_rates.empty() ? others.take() : of_rates.take();
}

void settle_traffic_defaults(Settings& settings, const std::vector<TrafficEntry>& traffic, EffectiveTable& effective,
                             Diagnostics& diagnostics) {
  std::optional<std::vector<SizeSegment>> sizes;
  for_each_scheme_table(settings, effective, [&](PolicyChoice& choice, EffectiveTable& table, const std::string& path) {
    if (choice.parameters.of_traffic().empty()) return;
    if (!sizes) sizes = offered_sizes(traffic, settings.run.seed);
    const std::vector<std::string_view> unset = choice.parameters.of_traffic();
    if (!sizes->empty()) {
      for (const auto& [name, value] : choice.scheme->from_traffic(choice.parameters, *sizes)) {
        if (std::ranges::count(unset, name) == 0) continue;
        choice.parameters.set_default(name, value);
        EffectiveEntry* const entry = entry_of(table, name);
        if (entry == nullptr) continue;  // it has no effect with the other values
        entry->value = std::visit([](const auto& v) { return written(v); }, value);
        entry->origin.kind = Origin::Kind::traffic;
      }
    }
    if (choice.scheme->errors == nullptr) return;
    for (const std::string& error : choice.scheme->errors(choice.parameters)) {
      diagnostics.add(entry_of(table, "scheme")->origin, path, error);
    }
  });
}

}  // namespace weir
