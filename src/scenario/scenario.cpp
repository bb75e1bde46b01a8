// SPDX-License-Identifier: Apache-2.0
#include "scenario/scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "config/diagnostics.h"
#include "config/nearest_name.h"
#include "config/overlay.h"
#include "config/reader.h"
#include "config/toml_file.h"
#include "config/value.h"
#include "scenario/capture_section.h"
#include "scenario/combination.h"
#include "scenario/machine_sections.h"
#include "scenario/network_defaults.h"
#include "scenario/node_names.h"
#include "scenario/run_sections.h"
#include "scenario/scheme_slot.h"
#include "scenario/section_meanings.h"
#include "scenario/topology_section.h"
#include "scenario/traffic_keys.h"
#include "scenario/traffic_section.h"

namespace weir {
namespace {

Racks racks_of(const Topology& topology) {
  // A host without a rack stands in one of its own, apart from all that have numbers.
  std::vector<std::uint32_t> racks;
  constexpr std::uint32_t kFirstOwnRack = 0x8000'0000U;
  for (std::size_t host = 0; host < topology.hosts(); ++host) {
    const int rack = topology.node(topology.node_of(HostId(host))).rack;
    racks.push_back(rack == Node::kNowhere ? kFirstOwnRack + static_cast<std::uint32_t>(host)
                                           : static_cast<std::uint32_t>(rack));
  }
  return Racks(std::move(racks));
}

/// The hosts that the results call the destinations of an incast.
std::vector<HostId> incast_destinations(const std::vector<TrafficEntry>& traffic) {
  std::vector<HostId> out;
  for (const TrafficEntry& entry : traffic) {
    out.insert(out.end(), entry.incast_destinations.begin(), entry.incast_destinations.end());
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// Reads one variant, laid over the base already.
class VariantReader {
 public:
  VariantReader(Diagnostics& diagnostics, const std::filesystem::path& directory, std::vector<std::string>& notes)
      : diagnostics_(diagnostics), directory_(directory), notes_(notes) {}

  ScenarioVariant read(const Value& root_value, std::string name, About& about) {
    ScenarioVariant variant;
    variant.name = std::move(name);
    Settings& settings = variant.settings;
    Reader root(diagnostics_, &root_value, root_value.origin, {}, variant.effective);
    root.ignore("variants");
    about = read_about_section(root.table("scenario", kAboutMeaning));
    const bool numbered_by_node = root_value.find("topology") != nullptr &&
                                  root_value.find("topology")->value.text_at("kind") != nullptr &&
                                  *root_value.find("topology")->value.text_at("kind") == "file";
    std::optional<Topology> topology =
        read_topology_section(root.table("topology", kTopologyMeaning), directory_, notes_);
    if (topology) settings.network.topology = std::move(*topology);
    const NodeNames names(topology ? &settings.network.topology : nullptr);
    settings.network.failures = read_failures(root, names);
    settings.network.weights = read_weights(root, names);
    settings.network.failure_detection = read_routing_section(root.table("routing", kRoutingMeaning));
    settings.switches = read_switch_section(root.table("switch", kSwitchMeaning), names, settings.switch_groups);
    settings.hosts = read_host_section(root.table("host", kHostMeaning), settings.network.framing);
    if (diagnostics_.empty()) settle_network_defaults(settings, variant.effective, diagnostics_);
    check_combination(settings.switches, settings.switch_groups, settings.hosts, root);
    settings.measurement = read_measure_section(root.table("measure", kMeasureMeaning), names);
    settings.capture = read_capture_section(root.table("capture", kCaptureMeaning), names);
    settings.run = read_run_section(root.table("run", kRunMeaning));
    const TrafficContext context = {names,
                                    directory_,
                                    settings.hosts.payload,
                                    settings.network.framing,
                                    numbered_by_node,
                                    topology ? racks_of(settings.network.topology) : Racks(),
                                    notes_,
                                    settings.run.stop};
    FlowLabels labels;
    variant.traffic = read_traffic_section(root, context, labels);
    root.finish();
    check_ends(root, settings.run, variant.traffic);

    settings.scenario = about.title;
    settings.variant = variant.name;
    settings.traffic = factory(variant.traffic);
    settings.incast_destinations = incast_destinations(variant.traffic);
    settings.labels = labels.names();
    settings.effective_configuration = to_toml(variant.effective, Annotation::none, diagnostics_.file());
    return variant;
  }

 private:
  /// A run that nothing ends is a mistake, and so is one without traffic.
  void check_ends(Reader& root, const RunSettings& run, const std::vector<TrafficEntry>& traffic) {
    if (!root.has("traffic")) root.refuse("has no traffic, expected [[traffic]] tables");
    if (run.stop != Time::never()) return;
    for (const TrafficEntry& entry : traffic) {
      if (!entry.endless) continue;
      root.refuse(
          fmt::format("{} never ends, expected run.stop, or a stop or limit of the traffic itself", entry.name));
    }
  }

  static std::function<std::vector<std::unique_ptr<TrafficSource>>(std::uint64_t)> factory(
      const std::vector<TrafficEntry>& traffic) {
    std::vector<std::function<std::unique_ptr<TrafficSource>(std::uint64_t)>> makers;
    for (const TrafficEntry& entry : traffic) {
      if (entry.make) makers.push_back(entry.make);
    }
    return [makers = std::move(makers)](std::uint64_t seed) {
      std::vector<std::unique_ptr<TrafficSource>> out;
      for (const auto& make : makers) out.push_back(make(seed));
      return out;
    };
  }

  Diagnostics& diagnostics_;
  const std::filesystem::path& directory_;
  std::vector<std::string>& notes_;
};

/// What the command line lays over the file.
struct Assignment {
  std::optional<std::string> variant;  ///< of which; none: of all
  Value over;
};

std::string no_such_variant() {
  return "the scenario has no such variant";
}

/// What `over`, which has a key `variants`, says of each of the variants. They must be there: a new one would be a slip
/// of the pen.
void add_assignments_to_variants(const Value& over, const Value& file, Diagnostics& diagnostics,
                                 std::vector<Assignment>& out) {
  const Value& variants = over.find("variants")->value;
  if (variants.table() == nullptr) {
    diagnostics.add(over.origin, "variants", fmt::format("is {}, expected variants.<name>", description(variants)));
    return;
  }
  std::vector<std::string> names;
  const Value::Member* there = file.find("variants");
  if (there != nullptr && there->value.table() != nullptr) {
    for (const Value::Member& member : *there->value.table()) names.push_back(member.key);
  }
  for (const Value::Member& member : *variants.table()) {
    const std::string key = fmt::format("variants.{}", written_key(member.key));
    if (std::find(names.begin(), names.end(), member.key) == names.end()) {
      diagnostics.add(over.origin, key, no_such_variant(), nearest_name(member.key, names));
    } else if (member.value.table() == nullptr) {
      diagnostics.add(over.origin, key, fmt::format("is {}, expected a table", description(member.value)));
    } else {
      out.push_back({member.key, member.value});
      mark_variant(out.back().over, member.key);
    }
  }
}

/// In the order of the command line.
std::vector<Assignment> assignments_of(const ScenarioOptions& options, const Value& file, Diagnostics& diagnostics) {
  std::vector<Assignment> out;
  for (const std::string& text : options.set) {
    auto over = parse_assignment(text, diagnostics);
    if (!over) continue;
    if (over->find("variants") != nullptr) {
      add_assignments_to_variants(*over, file, diagnostics, out);
    } else {
      out.push_back({std::nullopt, std::move(*over)});
    }
  }
  if (options.seed) {
    const Origin origin = {Origin::Kind::command_line, 0, 0, {}, fmt::format("--seed {}", *options.seed)};
    Value run(Value::Table{{"seed", origin, Value(static_cast<std::int64_t>(*options.seed), origin)}}, origin);
    out.push_back({std::nullopt, Value(Value::Table{{"run", origin, std::move(run)}}, origin)});
  }
  for (Assignment& assignment : out) expand_scheme_slots(assignment.over);
  return out;
}

/// The file's variants that were asked for, in that order and each once; all of them when none was named. Without any
/// variants, one that is nothing.
std::vector<const Value::Member*> chosen_variants(const Value& file, const std::vector<std::string>& wanted,
                                                  Diagnostics& diagnostics) {
  std::vector<const Value::Member*> all;
  std::vector<std::string> names;
  if (const Value::Member* variants = file.find("variants")) {
    const Value::Table* table = variants->value.table();
    if (table == nullptr || table->empty()) {
      diagnostics.add(variants->origin, "variants",
                      fmt::format("is {}, expected tables [variants.<name>]",
                                  table == nullptr ? description(variants->value) : "empty"));
      return {};
    }
    for (const Value::Member& member : *table) {
      all.push_back(&member);
      names.push_back(member.key);
    }
  } else {
    all.push_back(nullptr);
    names.emplace_back();
  }
  if (wanted.empty()) return all;
  std::vector<const Value::Member*> out;
  std::set<std::string> seen;
  for (const std::string& name : wanted) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      diagnostics.add({Origin::Kind::command_line, 0, 0, {}, fmt::format("--variant {}", name)}, {}, no_such_variant(),
                      nearest_name(name, names));
    } else if (seen.insert(name).second) {
      out.push_back(all[static_cast<std::size_t>(found - names.begin())]);
    }
  }
  // What else is wrong is said beside a slip of the pen.
  if (out.empty()) out.push_back(all.front());
  return out;
}

/// One variant of the file laid over the base, and what the command line says over that.
Value laid_out(const Value& base, const Value::Member* variant, const std::vector<Assignment>& assignments,
               Diagnostics& diagnostics) {
  Value root = base;
  const std::string name = variant == nullptr ? std::string() : variant->key;
  if (variant != nullptr) {
    Value marked = variant->value;
    mark_variant(marked, name);
    expand_scheme_slots(marked);
    lay_over(root, marked, {}, diagnostics);
  }
  for (const Assignment& assignment : assignments) {
    if (!assignment.variant || *assignment.variant == name) lay_over(root, assignment.over, {}, diagnostics);
  }
  if (const Value::Member* inner = root.find("variants")) {
    diagnostics.add(inner->origin, "variants", "stands in a variant, which has none of its own");
  }
  return root;
}

/// Names go to terminals, and folders are called by them beside what else tells runs apart.
void refuse_name(const Value::Member& variant, Diagnostics& diagnostics) {
  constexpr std::size_t kLongestName = 100;
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  std::string wrong;
  if (variant.key.size() > kLongestName) {
    wrong = fmt::format("has a name of {} bytes, expected at most {}", variant.key.size(), kLongestName);
  } else if (std::any_of(variant.key.begin(), variant.key.end(), is_control)) {
    wrong = "has a name with a control character, expected text";
  }
  if (!wrong.empty()) diagnostics.add(variant.origin, fmt::format("variants.{}", written_key(variant.key)), wrong);
}

/// Each variant is a whole scenario, with its network.
constexpr std::size_t kMostVariants = 10'000;

void read_all(const Value& file, const std::filesystem::path& directory, const ScenarioOptions& options,
              Diagnostics& diagnostics, Scenario& scenario) {
  const std::vector<Assignment> assignments = assignments_of(options, file, diagnostics);
  VariantReader reader(diagnostics, directory, scenario.notes);
  Value base = file;
  std::erase_if(*base.table(), [](const Value::Member& member) { return member.key == "variants"; });
  expand_scheme_slots(base);
  const std::vector<const Value::Member*> chosen = chosen_variants(file, options.variants, diagnostics);
  if (chosen.size() > kMostVariants) {
    diagnostics.add(
        chosen[kMostVariants]->origin, "variants",
        fmt::format("are {}, expected at most {} at once; --variant chooses some", chosen.size(), kMostVariants));
    return;
  }
  for (const Value::Member* variant : chosen) {
    if (variant != nullptr) refuse_name(*variant, diagnostics);
    if (variant != nullptr && variant->value.table() == nullptr) {
      diagnostics.add(variant->origin, fmt::format("variants.{}", written_key(variant->key)),
                      fmt::format("is {}, expected a table", description(variant->value)));
      continue;
    }
    if (variant != nullptr) diagnostics.begin_variant(variant->key);
    const Value root = laid_out(base, variant, assignments, diagnostics);
    About about;
    scenario.variants.push_back(reader.read(root, variant == nullptr ? std::string() : variant->key, about));
    scenario.title = about.title;
    scenario.question = about.question;
  }
  diagnostics.end_variants();
  std::sort(scenario.notes.begin(), scenario.notes.end());
  scenario.notes.erase(std::unique(scenario.notes.begin(), scenario.notes.end()), scenario.notes.end());
}

Scenario finished(Scenario scenario, const Diagnostics& diagnostics) {
  scenario.errors = diagnostics.lines();
  if (!scenario.errors.empty()) scenario.variants.clear();
  return scenario;
}

}  // namespace

Scenario read_scenario(std::string_view text, const std::string& file, const std::filesystem::path& directory,
                       const ScenarioOptions& options) {
  Scenario scenario;
  scenario.file = file;
  Diagnostics diagnostics(file);
  if (const auto value = parse_toml(text, diagnostics)) read_all(*value, directory, options, diagnostics, scenario);
  return finished(std::move(scenario), diagnostics);
}

Scenario read_scenario(const Value& root, const std::filesystem::path& directory, Diagnostics& diagnostics) {
  Scenario scenario;
  scenario.file = diagnostics.file();
  read_all(root, directory, {}, diagnostics, scenario);
  return finished(std::move(scenario), diagnostics);
}

Scenario load_scenario(const std::string& path, const ScenarioOptions& options) {
  Scenario scenario;
  scenario.file = path;
  Diagnostics diagnostics(path);
  if (const auto value = load_toml(path, diagnostics)) {
    read_all(*value, std::filesystem::path(path).parent_path(), options, diagnostics, scenario);
  }
  return finished(std::move(scenario), diagnostics);
}

}  // namespace weir
