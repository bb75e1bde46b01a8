// SPDX-License-Identifier: Apache-2.0
#include "results/statements.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "results/labels.h"
#include "results/replicates.h"
#include "results/text.h"
#include "units/words.h"

namespace weir {
namespace {

/// A run that can be compared.
struct Labelled {
  std::string label;
  const RunSummary* run = nullptr;
};

struct Value {
  std::string label;
  double value = 0;
  std::string of = {};  ///< the subset that the value covers, unless it covers everything
};

/// Smaller ratios are reported as no difference.
constexpr double kSame = 1.05;
/// With more runs than this, only the extremes are reported.
constexpr std::size_t kAllTold = 4;

std::string with_unit(double value, std::string_view unit) {
  const std::string number = format_number(value);
  return unit.empty() ? number : fmt::format("{} {}", number, unit);
}

std::string amount(const Value& value, std::string_view unit) {
  const std::string text = with_unit(value.value, unit);
  return value.of.empty() ? text : fmt::format("{}, {}", text, value.of);
}

/// "a", or "a (of 3 of 4 flows)".
std::string label_of(const Value& value) {
  return value.of.empty() ? value.label : fmt::format("{} ({})", value.label, value.of);
}

/// "S is lowest with a: 1.50; with b it is 26.7 times that (40.1)."
std::vector<std::string> compare(std::string_view subject, std::string_view unit, std::vector<Value> values) {
  if (values.size() < 2) return {};
  std::stable_sort(values.begin(), values.end(), [](const Value& a, const Value& b) { return a.value < b.value; });
  const double lowest = values.front().value;
  const double highest = values.back().value;
  std::vector<std::string> labels;
  for (const Value& value : values) labels.push_back(label_of(value));
  if (highest == lowest) {
    return {fmt::format("{} is the same with {}: {}.", subject, join_words(labels), with_unit(lowest, unit))};
  }
  if (highest < lowest * kSame) {
    return {fmt::format("{} differs by less than 5 % between {}: {} to {}.", subject, join_words(labels),
                        format_number(lowest), with_unit(highest, unit))};
  }
  std::vector<std::string> best;
  std::vector<std::string> others;
  for (const Value& value : values) {
    if (value.value == lowest) {
      best.push_back(label_of(value));
    } else if (values.size() <= kAllTold || value.value == highest) {
      const std::string_view it = others.empty() ? " it is" : "";
      others.push_back(lowest > 0 ? fmt::format("with {}{} {} times that ({})", value.label, it,
                                                format_number(value.value / lowest), amount(value, unit))
                                  : fmt::format("with {}{} {}", value.label, it, amount(value, unit)));
    }
  }
  return {fmt::format("{} is lowest with {}: {}; {}.", subject, join_words(best), with_unit(lowest, unit),
                      join_words(others))};
}

void append(std::vector<std::string>& sentences, std::vector<std::string> more) {
  for (std::string& sentence : more) sentences.push_back(std::move(sentence));
}

std::vector<std::string> on_unusable(const std::vector<RunSummary>& runs, const std::vector<std::string>& labels) {
  std::vector<std::string> failed;
  std::vector<std::string> interrupted;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!runs[i].failure.empty()) {
      failed.push_back(labels[i]);
    } else if (runs[i].interrupted) {
      interrupted.push_back(labels[i]);
    }
  }
  std::vector<std::string> sentences;
  if (!failed.empty()) sentences.push_back(fmt::format("Failed and therefore not compared: {}.", join_words(failed)));
  if (!interrupted.empty()) {
    sentences.push_back(fmt::format("Interrupted and therefore not compared: {}.", join_words(interrupted)));
  }
  return sentences;
}

std::vector<std::string> on_slowdown(const std::vector<Labelled>& runs, FlowGroup group, std::string_view subject) {
  std::vector<Value> values;
  std::vector<std::string> without;
  for (const auto& [label, run] : runs) {
    const FctSummary& flows = run->of(group);
    if (!flows.slowdown.empty()) {
      const bool all = flows.slowdown.count == flows.due();
      const std::string of = all ? "" : fmt::format("of {} of {} flows", flows.slowdown.count, flows.due());
      values.push_back({label, flows.slowdown.p99, of});
    }
    if (flows.due() > 0 && flows.completed == 0) without.push_back(label);
  }
  std::vector<std::string> sentences = compare(subject, "", std::move(values));
  if (!without.empty()) {
    sentences.push_back(fmt::format("No {} flow completed with {}.", kFlowGroupNames[static_cast<std::size_t>(group)],
                                    join_words(without)));
  }
  return sentences;
}

std::vector<std::string> on_buffers(const std::vector<Labelled>& runs) {
  std::set<std::pair<int, std::string>> tiers;
  for (const auto& [label, run] : runs) {
    for (const TierSummary& tier : run->tiers) tiers.emplace(tier.tier, tier.name);
  }
  std::vector<std::string> sentences;
  for (const auto& [number, name] : tiers) {
    std::vector<Value> values;
    for (const auto& [label, run] : runs) {
      for (const TierSummary& tier : run->tiers) {
        if (tier.tier == number) values.push_back({label, static_cast<double>(tier.buffer_maximum) * 1e-6});
      }
    }
    append(sentences, compare(fmt::format("The maximum buffer use of a {} switch", name), "MB", std::move(values)));
  }
  return sentences;
}

std::vector<std::string> on_pauses(const std::vector<Labelled>& runs) {
  std::vector<std::string> with;
  std::vector<std::string> without;
  for (const auto& [label, run] : runs) {
    if (run->pauses == 0) {
      without.push_back(label);
    } else {
      with.push_back(fmt::format("{} ({})", label, run->pauses));
    }
  }
  if (with.empty()) return {fmt::format("No pause was sent with {}.", join_words(without))};
  if (without.empty()) return {fmt::format("Pauses were sent with {}.", join_words(with))};
  return {fmt::format("Pauses were sent with {}; none with {}.", join_words(with), join_words(without))};
}

std::vector<std::string> on_innocent_pause(const std::vector<Labelled>& runs) {
  std::vector<std::string> told;
  for (const auto& [label, run] : runs) {
    const PauseHoldSummary& hold = run->hold_of(FlowGroup::not_incast);
    if (hold.packets == 0) continue;
    told.push_back(fmt::format("{} % with {} (a mean of {} µs per blocked packet)", format_percent(hold.innocent_share),
                               label, format_number(hold.mean_innocent_us)));
  }
  if (told.empty()) return {};
  return {fmt::format(
      "For flows outside an incast, pause-induced waiting came from congestion that is not on the path for {}.",
      join_words(told))};
}

std::vector<std::string> on_drops(const std::vector<Labelled>& runs) {
  std::vector<std::string> with;
  std::vector<std::string> without;
  for (const auto& [label, run] : runs) {
    if (run->dropped == 0) {
      without.push_back(label);
      continue;
    }
    std::vector<std::string> reasons;
    for (std::size_t reason = 0; reason < run->drops.size(); ++reason) {
      if (reason == kDroppedOnPurpose) continue;
      if (run->drops[reason] > 0) reasons.push_back(fmt::format("{} {}", run->drops[reason], kDropReasonNames[reason]));
    }
    with.push_back(fmt::format("{} ({})", label, join_words(reasons)));
  }
  if (with.empty()) return {fmt::format("Switches dropped no frame with {}.", join_words(without))};
  if (without.empty()) return {fmt::format("Switches dropped frames with {}.", join_words(with))};
  return {fmt::format("Switches dropped frames with {}; none with {}.", join_words(with), join_words(without))};
}

std::vector<std::string> on_completion(const std::vector<Labelled>& runs) {
  std::vector<std::string> sentences;
  for (const auto& [label, run] : runs) {
    const FctSummary& flows = run->of(FlowGroup::all);
    if (flows.completed == flows.due()) continue;
    sentences.push_back(
        fmt::format("With {}, {} of {} flows had not completed at the end; its times refer to the others.", label,
                    flows.due() - flows.completed, flows.due()));
  }
  return sentences;
}

std::vector<std::string> on_traffic(const std::vector<Labelled>& runs) {
  const auto fewer = [](const Labelled& a, const Labelled& b) {
    return a.run->of(FlowGroup::all).flows < b.run->of(FlowGroup::all).flows;
  };
  const auto [least, most] = std::minmax_element(runs.begin(), runs.end(), fewer);
  const std::uint64_t low = least->run->of(FlowGroup::all).flows;
  const std::uint64_t high = most->run->of(FlowGroup::all).flows;
  if (low == high) return {};
  return {fmt::format("The runs had different numbers of flows: from {} with {} to {} with {}.", low, least->label,
                      high, most->label)};
}

}  // namespace

std::vector<std::string> statements_on(const std::vector<RunSummary>& runs) {
  if (runs.size() < 2) return {};
  if (are_replicates(runs)) return statements_on_replicates(runs);
  const std::vector<std::string> labels = run_labels(runs);
  std::vector<std::string> sentences = on_unusable(runs, labels);
  std::vector<Labelled> whole;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].whole()) whole.push_back({labels[i], &runs[i]});
  }
  if (whole.size() < 2) return sentences;
  append(sentences, on_slowdown(whole, FlowGroup::victim, "Victims' p99 slowdown"));
  append(sentences, on_slowdown(whole, FlowGroup::background, "Background p99 slowdown"));
  append(sentences, on_slowdown(whole, FlowGroup::incast, "Incast p99 slowdown"));
  append(sentences, on_buffers(whole));
  append(sentences, on_pauses(whole));
  append(sentences, on_innocent_pause(whole));
  append(sentences, on_drops(whole));
  append(sentences, on_completion(whole));
  append(sentences, on_traffic(whole));
  return sentences;
}

}  // namespace weir
