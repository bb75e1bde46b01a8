// SPDX-License-Identifier: Apache-2.0
// How many flows share a link, and how fast a fair share changes (bfc 2.1, 2.3; fig. 3, fig. 4).
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "analysis/one_link.h"
#include "reproduce/analysis.h"
#include "traffic/built_in_sizes.h"
#include "units/random.h"

namespace weir {
namespace {

struct OneLinkOptions {
  double sigma = 2;
  Bytes packet = Bytes(1000);
  std::int64_t flows = 1'000'000;
  double warm_up = 0.1;
  std::vector<std::int64_t> seeds = {1};
};

class OneLink : public Analysis {
 public:
  explicit OneLink(OneLinkOptions options) : options_(std::move(options)) {}

  Figure compute(std::string_view measure, const MeasureArguments& arguments) override {
    if (measure == "fair_share_change") return Figure::number(fair_share_change(arguments));
    const std::vector<double>& share = active(arguments);
    if (measure == "active_mean") {
      double mean = 0;
      for (std::size_t n = 0; n < share.size(); ++n) mean += static_cast<double>(n) * share[n];
      return Figure::number(mean);
    }
    if (measure == "active_above") {
      const double count = number(arguments, "count");
      double above = 0;
      for (std::size_t n = 0; n < share.size(); ++n) above += static_cast<double>(n) > count ? share[n] : 0;
      return Figure::number(above);
    }
    std::vector<double> distribution(share.size());
    std::partial_sum(share.begin(), share.end(), distribution.begin());
    return Figure::numbers(std::move(distribution));
  }

 private:
  OneLinkSettings settings_for(const MeasureArguments& arguments, std::int64_t seed) const {
    OneLinkSettings settings;
    const std::string& workload = *arguments.at("workload").as_text();
    settings.sizes = built_in_size_table(workload);
    if (!settings.sizes) throw Unavailable(fmt::format("unknown size distribution \"{}\"", workload));
    constexpr double kBitsPerSecond = 8e12;
    settings.rate = BitRate(std::llround(number(arguments, "rate") * kBitsPerSecond));
    settings.load = number(arguments, "load");
    if (!(settings.load > 0 && settings.load < 1) || settings.rate <= BitRate()) {
      throw Unavailable("load is expected between 0 and 1, and rate above 0");
    }
    settings.sigma = options_.sigma;
    settings.packet = options_.packet.count();
    settings.flows = static_cast<std::uint64_t>(options_.flows);
    settings.warm_up = options_.warm_up;
    // Each rate has flows of its own: with the same flows, equal results would be trivial.
    settings.seed = mix(static_cast<std::uint64_t>(seed), static_cast<std::uint64_t>(settings.rate.bits_per_second()));
    return settings;
  }

  static LinkScheduling scheduling_of(const std::string& name) {
    if (name == "fair") return LinkScheduling::fair;
    if (name == "shortest_remaining") return LinkScheduling::shortest_remaining;
    if (name == "first_come") return LinkScheduling::first_come;
    throw Unavailable(fmt::format("unknown scheduling \"{}\", expected fair, shortest_remaining or first_come", name));
  }

  /// The share of time during which this number of flows was active, over all seeds.
  const std::vector<double>& active(const MeasureArguments& arguments) {
    const std::string& scheduling = *arguments.at("scheduling").as_text();
    const auto key = std::tuple(*arguments.at("workload").as_text(), scheduling, number(arguments, "rate"),
                                number(arguments, "load"));
    const auto known = active_.find(key);
    if (known != active_.end()) return known->second;
    std::vector<double> share;
    for (const std::int64_t seed : options_.seeds) {
      OneLinkSettings settings = settings_for(arguments, seed);
      settings.scheduling = scheduling_of(scheduling);
      const OneLinkResult result = run_one_link(settings);
      const auto total =
          static_cast<double>(std::accumulate(result.time_at.begin(), result.time_at.end(), std::int64_t{0}));
      if (share.size() < result.time_at.size()) share.resize(result.time_at.size());
      for (std::size_t n = 0; n < result.time_at.size(); ++n) {
        share[n] += static_cast<double>(result.time_at[n]) / total / static_cast<double>(options_.seeds.size());
      }
    }
    return active_[key] = std::move(share);
  }

  /// The mean of |f(t + I) - f(t)| / f(t) with f = C / N, where N flows share the link, one of them permanently.
  double fair_share_change(const MeasureArguments& arguments) const {
    const Duration interval = Duration::picoseconds(std::llround(number(arguments, "interval")));
    if (interval <= Duration()) throw Unavailable("interval is expected above 0");
    double sum = 0;
    std::uint64_t count = 0;
    for (const std::int64_t seed : options_.seeds) {
      OneLinkSettings settings = settings_for(arguments, seed);
      settings.permanent = true;
      const OneLinkResult result = run_one_link(settings, interval);
      for (std::size_t i = 0; i + 1 < result.sampled.size(); ++i) {
        sum += std::abs(static_cast<double>(result.sampled[i]) / static_cast<double>(result.sampled[i + 1]) - 1);
        ++count;
      }
    }
    return sum / static_cast<double>(count);
  }

  OneLinkOptions options_;
  std::map<std::tuple<std::string, std::string, double, double>, std::vector<double>> active_;
};

std::unique_ptr<Analysis> make_one_link(Reader& table) {
  OneLinkOptions options;
  constexpr std::int64_t kMostFlows = 1'000'000'000;
  table.optional("sigma", options.sigma, "of the logarithm of lognormal times between flows; 0: exponential",
                 between(0.0, 5.0));
  table.optional("packet", options.packet, "payload of a full packet", above(Bytes()));
  table.optional("flows", options.flows, "that arrive", between<std::int64_t>(1000, kMostFlows));
  table.optional("warm_up", options.warm_up, "the part of them before anything is counted", between(0.0, 0.9));
  table.list("seeds", options.seeds, "of random numbers", at_least<std::int64_t>(0));
  return std::make_unique<OneLink>(std::move(options));
}

}  // namespace

AnalysisKind one_link_analysis() {
  const std::vector<Signature::Argument> link = {
      {"workload", true, kPlain, true, "a size table"},
      {"rate", false, kRate, true, "of the link"},
      {"load", false, kPlain, true, "of the link, below 1"},
  };
  std::vector<Signature::Argument> scheduled = link;
  scheduled.push_back({"scheduling", true, kPlain, true, "fair, shortest_remaining or first_come"});
  std::vector<Signature::Argument> counted = scheduled;
  counted.push_back({"count", false, kPlain, true, "of flows"});
  std::vector<Signature::Argument> sampled = link;
  sampled.push_back({"interval", false, kTime, true, "between two looks"});
  return {
      "one_link",
      "flows that share one link",
      {{"active_mean", "flows that are active, over time", kPlain, false, scheduled},
       {"active_above", "the part of the time with more active flows than count", kPlain, false, counted},
       {"active_distribution", "the part of the time with at most 0, 1, 2, ... active flows", kPlain, true, scheduled},
       {"fair_share_change", "the mean relative change of a long flow's fair share", kPlain, false, sampled}},
      make_one_link};
}

}  // namespace weir
