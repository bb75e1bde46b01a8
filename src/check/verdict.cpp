// SPDX-License-Identifier: Apache-2.0
#include "check/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>

#include "check/check_text.h"
#include "config/quantity.h"
#include "fabric/exempt_turns.h"
#include "units/words.h"

namespace weir {
namespace {

bool same_network(const Topology& a, const Topology& b) {
  const auto ends = [](const Link& link) { return std::tie(link.a, link.b, link.a_port, link.b_port); };
  return a.hosts() == b.hosts() && a.switches() == b.switches() &&
         std::equal(a.links().begin(), a.links().end(), b.links().begin(), b.links().end(),
                    [&](const Link& x, const Link& y) { return ends(x) == ends(y); }) &&
         std::equal(a.nodes().begin(), a.nodes().end(), b.nodes().begin(), b.nodes().end(),
                    [](const Node& x, const Node& y) { return x.kind == y.kind; });
}

bool same_weights(const std::vector<PortWeight>& a, const std::vector<PortWeight>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const PortWeight& x, const PortWeight& y) {
    return std::tie(x.node, x.port, x.weight) == std::tie(y.node, y.port, y.weight);
  });
}

/// Lines with the variants to which they apply, in order of first occurrence.
class Lines {
 public:
  void add(const std::string& line, std::size_t variant) {
    auto known = std::find_if(lines.begin(), lines.end(), [&](const auto& other) { return other.text == line; });
    if (known == lines.end()) known = lines.insert(known, {line, {}});
    if (known->variants.empty() || known->variants.back() != variant) known->variants.push_back(variant);
  }
  std::vector<VerdictLine> lines;
};

/// The variants, those of which all points of the sweeps are meant by their names alone; empty: all.
std::string whose(const std::vector<ScenarioVariant>& variants, const std::vector<std::size_t>& meant) {
  constexpr std::size_t kMostNamed = 6;
  if (meant.size() == variants.size()) return {};
  const auto of_name = [&](const std::string& name) {
    return std::count_if(variants.begin(), variants.end(),
                         [&](const ScenarioVariant& other) { return other.name == name; });
  };
  std::vector<std::string> names;
  for (const std::size_t variant : meant) {
    const std::string& name = variants[variant].name;
    const auto said =
        std::count_if(meant.begin(), meant.end(), [&](std::size_t i) { return variants[i].name == name; });
    const std::string label = said == of_name(name) && !name.empty() ? name : variants[variant].label();
    if (std::find(names.begin(), names.end(), label) == names.end()) names.push_back(label);
  }
  if (names.size() > kMostNamed) {
    const std::size_t more = names.size() - kMostNamed + 1;
    names.resize(kMostNamed - 1);
    names.push_back(fmt::format("{} more", more));
  }
  return fmt::format(" ({})", join_words(names));
}

std::string text_of(const std::vector<VerdictLine>& lines, const std::vector<ScenarioVariant>& variants,
                    std::string_view what) {
  std::string out;
  for (const VerdictLine& line : lines) {
    out += fmt::format("  {}{}: {}\n", what, whose(variants, line.variants), line.text);
  }
  return out;
}

/// "tor0 - spine0", "switch spine0"
std::string element_name(const Topology& topology, const FailedElement& element) {
  if (element.link.exists()) return fmt::format("the link {}", links_name(topology, {element.link}));
  return fmt::format("the switch {}", topology.node(topology.node_of(element.node)).name);
}

std::string cycle_line(const Topology& topology, const BufferCycles& cycles, const std::string& when) {
  std::string way;
  for (const Hop& direction : cycles.shortest) way += direction_name(topology, direction) + " waits for ";
  return fmt::format("{}: {}{}; {} link directions lie on such cycles, where pauses can deadlock", when, way,
                     direction_name(topology, cycles.shortest.front()), cycles.directions);
}

/// The conclusion of one variant.
std::pair<std::string, bool> failures_line(const Topology& topology, const CheckedFailures& failures, bool elided) {
  const std::string with = elided ? ", with the match-action entries above" : "";
  if (!failures.examined) return {"no switch pauses another, so there are no cyclic buffer dependencies", true};
  const BufferCycles& found = failures.cycles.found;
  if (found.shortest.empty()) {
    return {
        fmt::format("free of cyclic buffer dependencies with all links up, and with any one of {} or {} down{}",
                    counted(topology.links().size(), "link"), counted(topology.switches(), "switch", "switches"), with),
        true};
  }
  if (!failures.cycles.failed) {
    return {cycle_line(topology, found, "cyclic buffer dependency with all links up" + with), false};
  }
  return {
      cycle_line(topology, found,
                 fmt::format("free of cyclic buffer dependencies with all links up, but not with one link or switch "
                             "down{}: cyclic buffer dependency without {}",
                             with, element_name(topology, *failures.cycles.failed))),
      false};
}

/// Adds the links that traffic overloads intentionally.
void add_intended_overloads(const CheckedVariant& checked, const Topology& topology, std::size_t variant,
                            Lines& warnings) {
  const CheckedLink* most = nullptr;
  std::size_t number = 0;
  for (const CheckedState& state : checked.states) {
    for (const CheckedLink& link : state.links) {
      if (!link.overloaded()) break;  // they are sorted, highest first
      if (!link.intended) continue;
      ++number;
      if (most == nullptr || link.demand() > most->demand()) most = &link;
    }
  }
  if (most == nullptr) return;
  const bool of_credits = most->credits > most->offered();
  warnings.add(fmt::format("load beyond capacity, as intended: link {} is offered {:.3f} times its {} by {}{}",
                           direction_name(topology, most->from, most->port), most->demand(),
                           of_credits ? "share for credits" : "rate", join_words(most->sources),
                           number > 1 ? fmt::format("; {} more links are overloaded", number - 1) : ""),
               variant);
}

}  // namespace

std::vector<CheckedFailures> check_failures(const std::vector<ScenarioVariant>& variants,
                                            const std::vector<CheckedVariant>& checked) {
  std::vector<CheckedFailures> out;
  std::vector<std::optional<std::vector<Turn>>> exempt;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const Settings& settings = variants[i].settings;
    exempt.push_back(exempt_turns(settings, checked[i].exempt_turns));
    CheckedFailures& failures = out.emplace_back();
    if (!exempt.back()) continue;
    failures.examined = true;
    bool known = false;
    for (std::size_t j = 0; j < i && !known; ++j) {
      const NetworkSettings& other = variants[j].settings.network;
      known = exempt[j] == exempt[i] && same_weights(other.weights, settings.network.weights) &&
              same_network(other.topology, settings.network.topology);
      if (known) failures.cycles = out[j].cycles;
    }
    if (!known) {
      failures.cycles =
          find_cycles_with_one_failure(settings.network.topology, settings.network.weights, *exempt.back());
    }
  }
  return out;
}

Verdict verdict_of(const Scenario& scenario, const std::vector<CheckedVariant>& checked,
                   const std::vector<CheckedFailures>& failures) {
  Lines errors;
  Lines warnings;
  Lines free;
  for (std::size_t i = 0; i < checked.size(); ++i) {
    const Topology& topology = scenario.variants[i].settings.network.topology;
    for (const CheckedError& error : checked[i].errors) errors.add(fmt::format("{}: {}", error.key, error.message), i);
    for (const std::string& warning : checked[i].warnings) warnings.add(warning, i);
    add_intended_overloads(checked[i], topology, i, warnings);
    const auto [line, good] = failures_line(topology, failures[i], !checked[i].exempt_turns.empty());
    (good ? free : warnings).add(line, i);
    for (const CheckedCycle& cycle : checked[i].cycles) {
      // The cycle with all links up is reported above.
      if (!cycle.failed.empty()) warnings.add(cycle_text(topology, cycle), i);
    }
  }
  return {std::move(errors.lines), std::move(warnings.lines), std::move(free.lines)};
}

std::string verdict_text(const Scenario& scenario, const Verdict& verdict) {
  std::string out = "VERDICT: ";
  if (verdict.errors.empty() && verdict.warnings.empty()) {
    out += "no problems found\n";
  } else {
    std::vector<std::string> parts;
    if (!verdict.errors.empty()) parts.push_back(counted(verdict.errors.size(), "error"));
    if (!verdict.warnings.empty()) parts.push_back(counted(verdict.warnings.size(), "warning"));
    out += join_words(parts) + "\n";
  }
  out += text_of(verdict.errors, scenario.variants, "error");
  out += text_of(verdict.warnings, scenario.variants, "warning");
  out += text_of(verdict.free_of_cycles, scenario.variants, "deadlock");
  out +=
      "  Each of these states has its final routes. Frames that are in buffers while routes change are considered only "
      "for the failures of the scenario.\n";
  return out;
}

}  // namespace weir
