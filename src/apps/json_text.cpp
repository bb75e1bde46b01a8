// SPDX-License-Identifier: Apache-2.0
#include "apps/json_text.h"

#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "check/check_text.h"
#include "config/effective.h"
#include "pictures/picture_reference.h"
#include "results/campaign_csv.h"
#include "results/quantities.h"
#include "results/replicates.h"
#include "results/statements.h"
#include "scenario/network_defaults.h"
#include "scenario/parameter_words.h"
#include "scenario/scheme_slot.h"
#include "scenario/switch_presets.h"
#include "scenario/topology_section.h"
#include "scenario/traffic_section.h"
#include "sim/version.h"
#include "traffic/built_in_sizes.h"

namespace weir::apps {
namespace {

/// JSON cannot represent infinity.
Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json values_of(const RunSummary& run) {
  Json out = Json::array();
  for_each_value(run, [&out](const SummaryValue& value) {
    if (!value.number) return;
    out.push_back({{"of", value.of},
                   {"size", value.size},
                   {"quantity", value.quantity},
                   {"unit", value.unit},
                   {"value", number(*value.number)}});
  });
  return out;
}

Json run_of(const RunSummary& run) {
  return {{"scenario", run.scenario},
          {"variant", run.variant},
          {"parameters", json_of(run.parameters)},
          {"seed", run.seed},
          {"digest", run.digest},
          {"interrupted", run.interrupted},
          {"failure", run.failure},
          {"simulated_us", run.simulated.microseconds()},
          {"values", values_of(run)}};
}

Json seeds_of_runs(const std::vector<std::size_t>& numbers, const std::vector<RunSummary>& runs) {
  Json out = Json::array();
  for (const std::size_t run : numbers) out.push_back(runs[run].seed);
  return out;
}

Json mean_of(const ReplicateGroup& group, const std::vector<RunSummary>& runs) {
  Json values = Json::array();
  for (const MeanValue& value : means_of(group, runs)) {
    const Estimate& is = value.estimate;
    values.push_back({{"of", value.of},
                      {"size", value.size},
                      {"quantity", value.quantity},
                      {"unit", value.unit},
                      {"seeds", is.n},
                      {"mean", number(is.mean)},
                      {"low", is.has_interval() ? number(is.low) : Json(nullptr)},
                      {"high", is.has_interval() ? number(is.high) : Json(nullptr)}});
  }
  return {{"variant", group.variant},
          {"parameters", json_of(group.parameters)},
          {"seeds", seeds_of_runs(group.whole, runs)},
          {"left_out", seeds_of_runs(group.left_out, runs)},
          {"values", std::move(values)}};
}

Json load_of(const CheckedLink& link, const Topology& topology) {
  return {{"link", direction_name(topology, link.from, link.port)},
          {"data", number(link.data)},
          {"acknowledgements", number(link.acknowledgements)},
          {"offered", number(link.offered())},
          {"credits", number(link.credits)},
          {"overloaded", link.overloaded()},
          {"intended", link.intended},
          {"from_us", link.at.since_start().microseconds()},
          {"by", link.sources}};
}

/// Of all links with offered load, or the one with the highest demand from each tier to each other.
Json loads_of(const CheckedState& state, const Topology& topology, bool all) {
  Json links = Json::array();
  std::set<std::pair<int, int>> seen;
  for (const CheckedLink& link : state.links) {  // the highest demand first
    if (link.offered() <= 0) continue;
    const int to = topology.node(topology.port(link.from, link.port).peer).tier;
    if (all || seen.emplace(topology.node(link.from).tier, to).second) links.push_back(load_of(link, topology));
  }
  Json failed = Json::array();
  for (const LinkId link : state.failed) failed.push_back(links_name(topology, {link}));
  return {{"from_us", state.from.since_start().microseconds()},
          {"failed", std::move(failed)},
          {"undelivered_gbps", number(state.undelivered * 1e-9)},
          {"links", std::move(links)}};
}

Json finding_of(const CheckedVariant& checked, const ScenarioVariant& variant, bool links) {
  Json errors = Json::array();
  for (const CheckedError& error : checked.errors) errors.push_back({{"key", error.key}, {"message", error.message}});
  Json switches = Json::array();
  for (const CheckedSwitches& alike : checked.switches) {
    switches.push_back({{"tier", alike.tier},
                        {"switches", alike.switches.size()},
                        {"ports", alike.ports},
                        {"buffer_bytes", alike.buffer.count()},
                        {"reserve_bytes", alike.reserve.count()},
                        {"headroom_bytes", alike.headroom.count()},
                        {"shared_bytes", alike.shared.count()}});
  }
  Json loads = Json::array();
  for (const CheckedState& state : checked.states) {
    loads.push_back(loads_of(state, variant.settings.network.topology, links));
  }
  return {{"shortest_round_trip_us", checked.shortest_round_trip.microseconds()},
          {"longest_round_trip_us", checked.longest_round_trip.microseconds()},
          {"bandwidth_delay_product_bytes", checked.bandwidth_delay_product.count()},
          {"switches", std::move(switches)},
          {"loads", std::move(loads)},
          {"errors", std::move(errors)},
          {"warnings", checked.warnings},
          {"computed", network_default_lines(variant.effective)},
          {"derived", checked.derived},
          {"notes", checked.notes},
          {"cyclic_buffer_dependencies", checked.cycles.size()}};
}

Json scheme_of(const Scheme& scheme) {
  Json parameters = Json::array();
  for (const ParameterSpec& spec : scheme.parameters) {
    parameters.push_back({{"name", spec.name},
                          {"tables", tables_of(scheme, spec)},
                          {"kind", kind_noun(spec)},
                          {"default", default_text(spec)},
                          {"meaning", spec.meaning},
                          {"source", spec.source}});
  }
  return {{"name", scheme.name},
          {"roles", roles_of(scheme)},
          {"summary", scheme.summary},
          {"ideal", scheme.traits.ideal},
          {"parameters", std::move(parameters)}};
}

Json keys_of(const EffectiveTable& table) {
  Json out = Json::array();
  for (const EffectiveEntry& entry : table.entries) {
    Json key = {{"key", entry.key}, {"meaning", entry.meaning}};
    if (entry.shape == EffectiveEntry::Shape::value) {
      key["kind"] = entry.kind;
      key["required"] = entry.required;
      key["default"] = entry.default_value.empty() ? Json(nullptr) : Json(entry.default_value);
      key["range"] = entry.range;
    } else {
      key["kind"] = entry.shape == EffectiveEntry::Shape::table ? "a table" : "a list of tables";
      key["keys"] = entry.tables.empty() ? Json::array() : keys_of(*entry.tables.front());
    }
    out.push_back(std::move(key));
  }
  return out;
}

Json table_of(const ReferenceTable& table) {
  return {{"name", table.name}, {"heading", table.heading}, {"summary", table.summary}, {"keys", keys_of(table.keys)}};
}

template <class Kind>
Json kinds_of(const std::vector<Kind>& kinds) {
  Json out = Json::array();
  for (const Kind& kind : kinds) out.push_back({{"name", kind.name}, {"summary", kind.summary}});
  return out;
}

Json presets() {
  Json out = Json::array();
  for (const SwitchPreset& preset : switch_presets()) {
    out.push_back({{"name", preset.name},
                   {"chip", preset.chip},
                   {"buffer_bytes", preset.buffer.count()},
                   {"ports", preset.ports},
                   {"port_bits_per_second", preset.rate.bits_per_second()},
                   {"source", preset.source}});
  }
  return out;
}

Json lines_of(const Scenario& scenario, const std::vector<VerdictLine>& lines) {
  Json out = Json::array();
  for (const VerdictLine& line : lines) {
    Json variants = Json::array();
    for (const std::size_t variant : line.variants) variants.push_back(scenario.variants[variant].label());
    out.push_back({{"text", line.text}, {"variants", std::move(variants)}});
  }
  return out;
}

}  // namespace

std::string json_text(const Json& value) {
  return value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json json_of(const std::vector<RunParameter>& parameters) {
  Json out = Json::object();
  for (const RunParameter& parameter : parameters) {
    out[parameter.name] = parameter.number ? Json(*parameter.number) : Json(parameter.value);
  }
  return out;
}

Json json_of_runs(const Scenario& scenario, const std::vector<RunSummary>& runs) {
  Json all = Json::array();
  for (const RunSummary& run : runs) all.push_back(run_of(run));
  Json means = Json::array();
  if (!runs.empty()) {
    for (const ReplicateGroup& group : group_replicates(runs)) means.push_back(mean_of(group, runs));
  }
  return {{"weir", kVersion},
          {"file", scenario.file},
          {"title", scenario.title},
          {"question", scenario.question},
          {"runs", std::move(all)},
          {"means", std::move(means)},
          {"statements", statements_on(runs)}};
}

Json json_of_store(const Store& store) {
  std::map<RunKey, StoredRun> there;
  for (StoredRun& run : store.runs()) {
    const RunKey key = run.key;
    there.emplace(key, std::move(run));
  }
  Json runs = Json::array();
  for (const PlanEntry& entry : store.entries()) {
    Json run = {{"scenario", entry.key.scenario},
                {"variant", entry.key.variant},
                {"parameters", json_of(entry.parameters)},
                {"seed", entry.key.seed},
                {"configuration_digest", entry.key.configuration_digest}};
    const auto at = there.find(entry.key);
    if (at == there.end()) {
      run["state"] = "missing";
    } else {
      const StoredRun& is = at->second;
      run["state"] = !is.failure.empty() ? "failed" : is.interrupted ? "interrupted" : "done";
      run["failure"] = is.failure;
      run["simulated_us"] = is.simulated.microseconds();
      run["flows"] = is.flows;
      run["wall_seconds"] = number(is.wall_seconds);
      run["digest"] = is.interrupted ? Json(nullptr) : Json(is.digest);
    }
    runs.push_back(std::move(run));
  }
  return {{"weir", store.version()}, {"missing", store.missing().size()}, {"runs", std::move(runs)}};
}

Json json_of_check(const Scenario& scenario, const std::vector<CheckedVariant>& checked,
                   const std::vector<std::string>& errors, const Verdict& verdict, const std::string& recommended,
                   bool links) {
  Json variants = Json::array();
  for (std::size_t i = 0; i < checked.size(); ++i) {
    const ScenarioVariant& variant = scenario.variants[i];
    Json found = {{"variant", variant.name}, {"parameters", json_of(variant.parameters)}, {"seeds", variant.seeds}};
    found.update(finding_of(checked[i], variant, links));
    variants.push_back(std::move(found));
  }
  return {{"weir", kVersion},
          {"file", scenario.file},
          {"title", scenario.title},
          {"question", scenario.question},
          {"runs", runs_of(scenario).size()},
          {"variants", std::move(variants)},
          {"verdict",
           {{"good", verdict.errors.empty() && verdict.warnings.empty()},
            {"errors", lines_of(scenario, verdict.errors)},
            {"warnings", lines_of(scenario, verdict.warnings)},
            {"deadlock", lines_of(scenario, verdict.free_of_cycles)}}},
          {"recommended", recommended},
          {"errors", errors}};
}

Json json_of_language(const std::string& name) {
  if (name == "presets") return {{"presets", presets()}};
  if (!name.empty()) {
    Json tables = Json::array();
    for (const ReferenceTable& table : language_reference()) {
      if (is_meant(table, name)) tables.push_back(table_of(table));
    }
    if (!tables.empty()) return {{"tables", std::move(tables)}};
    const Scheme* scheme = find_scheme(name);
    return scheme == nullptr ? Json(nullptr) : Json{{"schemes", Json::array({scheme_of(*scheme)})}};
  }
  Json schemes = Json::array();
  for (const Scheme* scheme : all_schemes()) schemes.push_back(scheme_of(*scheme));
  Json sizes = Json::array();
  for (const BuiltInSizes& built_in : built_in_sizes()) {
    sizes.push_back({{"name", built_in.name},
                     {"mean_bytes", built_in_size_table(built_in.name)->mean()},
                     {"source", built_in.source}});
  }
  Json tables = Json::array();
  for (const ReferenceTable& table : language_reference()) tables.push_back(table_of(table));
  return {{"weir", kVersion},
          {"schemes", std::move(schemes)},
          {"topologies", kinds_of(topology_kinds())},
          {"traffic", kinds_of(traffic_kinds())},
          {"sizes", std::move(sizes)},
          {"presets", presets()},
          {"tables", std::move(tables)}};
}

}  // namespace weir::apps
