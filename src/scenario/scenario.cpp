// SPDX-License-Identifier: Apache-2.0
#include "scenario/scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "config/diagnostics.h"
#include "config/nearest_name.h"
#include "config/overlay.h"
#include "config/reader.h"
#include "config/toml_file.h"
#include "config/value.h"
#include "scenario/capture_section.h"
#include "scenario/combination.h"
#include "scenario/network_defaults.h"
#include "scenario/node_names.h"
#include "scenario/node_sections.h"
#include "scenario/run_sections.h"
#include "scenario/scheme_slot.h"
#include "scenario/section_meanings.h"
#include "scenario/sweep.h"
#include "scenario/topology_section.h"
#include "scenario/traffic_defaults.h"
#include "scenario/traffic_keys.h"
#include "scenario/traffic_section.h"

namespace weir {
namespace {

Racks racks_of(const Topology& topology) {
  // A host without a rack gets a rack of its own, distinct from all numbered ones.
  std::vector<std::uint32_t> racks;
  constexpr std::uint32_t kFirstOwnRack = 0x8000'0000U;
  for (std::size_t host = 0; host < topology.hosts(); ++host) {
    const int rack = topology.node(topology.node_of(HostId(host))).rack;
    racks.push_back(rack == Node::kNowhere ? kFirstOwnRack + static_cast<std::uint32_t>(host)
                                           : static_cast<std::uint32_t>(rack));
  }
  return Racks(std::move(racks));
}

/// The hosts that the results treat as destinations of an incast.
std::vector<HostId> incast_destinations(const std::vector<TrafficEntry>& traffic) {
  std::vector<HostId> out;
  for (const TrafficEntry& entry : traffic) {
    out.insert(out.end(), entry.incast_destinations.begin(), entry.incast_destinations.end());
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// Reads one variant, already merged with the base.
class VariantReader {
 public:
  /// none: real hosts send it; sections of a simulation are refused. optional: sent by real NICs, if there is any; of
  /// the sections of a simulation, only [run] is read.
  enum class Traffic : std::uint8_t { read, none, optional };

  VariantReader(Diagnostics& diagnostics, const std::filesystem::path& directory, std::vector<std::string>& notes,
                Traffic traffic = Traffic::read)
      : diagnostics_(diagnostics), directory_(directory), notes_(notes), traffic_(traffic) {}

  ScenarioVariant read(const Value& root_value, std::string name, About& about) {
    ScenarioVariant variant;
    variant.name = std::move(name);
    Settings& settings = variant.settings;
    Reader root(diagnostics_, &root_value, root_value.origin, {}, variant.effective);
    if (traffic_ == Traffic::read) root.ignore("variants");
    if (traffic_ == Traffic::read) about = read_about_section(root.table("scenario", kAboutMeaning));
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
    settings.hosts =
        read_host_section(root.table("host", kHostMeaning), names, settings.network.framing, settings.host_groups);
    if (diagnostics_.empty()) settle_network_defaults(settings, variant.effective, diagnostics_);
    check_combination(settings.switches, settings.switch_groups, settings.hosts, root);
    if (traffic_ == Traffic::read) {
      settings.measurement = read_measure_section(root.table("measure", kMeasureMeaning), names);
      settings.capture = read_capture_section(root.table("capture", kCaptureMeaning), names);
    }
    if (traffic_ != Traffic::none) settings.run = read_run_section(root.table("run", kRunMeaning), variant.seeds);
    const TrafficContext context = {
        names,
        directory_,
        settings.hosts.payload,
        settings.network.framing,
        numbered_by_node,
        topology ? racks_of(settings.network.topology) : Racks(),
        notes_,
        settings.run.stop,
        settings.hosts.transport.scheme == nullptr ? std::string_view() : settings.hosts.transport.scheme->name};
    FlowLabels labels;
    if (traffic_ != Traffic::none) variant.traffic = read_traffic_section(root, context, labels);
    if (diagnostics_.empty()) {
      settle_traffic_defaults(settings, variant.traffic, variant.effective, diagnostics_);
    }
    root.finish();
    if (traffic_ == Traffic::read) check_ends(root, settings.run, variant.traffic);

    settings.scenario = about.title;
    settings.variant = variant.name;
    settings.traffic = factory(variant.traffic);
    settings.incast_destinations = incast_destinations(variant.traffic);
    settings.labels = labels.names();
    settings.effective_configuration = to_toml(variant.effective, Annotation::none, diagnostics_.file());
    return variant;
  }

 private:
  /// Refuses a run without an end, and one without traffic.
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
  Traffic traffic_;
};

/// A change from the command line.
struct Assignment {
  std::optional<std::string> variant;  ///< which variant; nullopt: all
  Value over;
};

std::string no_such_variant(const std::vector<std::string>& names) {
  std::string listed;
  for (const std::string& name : names) {
    if (!name.empty()) listed += (listed.empty() ? "" : ", ") + in_quotes(name);
  }
  return listed.empty() ? "unknown variant; the scenario has no variants"
                        : fmt::format("unknown variant, expected one of {}", listed);
}

/// The changes of `over`, which has a key `variants`, to each variant. The variants must exist, because a new one would
/// be a typo.
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
      diagnostics.add(over.origin, key, no_such_variant(names), nearest_name(member.key, names));
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
  const auto give = [&out](std::string_view key, Value value) {
    const Origin origin = value.origin;
    Value run(Value::Table{{std::string(key), origin, std::move(value)}}, origin);
    out.push_back({std::nullopt, Value(Value::Table{{"run", origin, std::move(run)}}, origin)});
  };
  if (options.seed) {
    const Origin origin = {Origin::Kind::command_line, 0, 0, {}, fmt::format("--seed {}", *options.seed)};
    give("seed", Value(static_cast<std::int64_t>(*options.seed), origin));
  } else if (!options.seeds.empty()) {
    const Origin origin = {Origin::Kind::command_line, 0, 0, {}, "--seeds"};
    Value::List list;
    for (const std::uint64_t seed : options.seeds) list.emplace_back(static_cast<std::int64_t>(seed), origin);
    give("seeds", Value(std::move(list), origin));
  }
  for (Assignment& assignment : out) expand_scheme_slots(assignment.over);
  return out;
}

/// The requested variants of the file, in this order and each once; all of them if none was requested. If the file has
/// no variants, one empty variant.
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
      diagnostics.add({Origin::Kind::command_line, 0, 0, {}, fmt::format("--variant {}", name)}, {},
                      no_such_variant(names), nearest_name(name, names));
    } else if (seen.insert(name).second) {
      out.push_back(all[static_cast<std::size_t>(found - names.begin())]);
    }
  }
  // Other errors are reported along with a typo.
  if (out.empty()) out.push_back(all.front());
  return out;
}

/// Seeds given on the command line replace all seeds of the file.
void drop_other_seeds(const ScenarioOptions& options, Value& root) {
  Value::Member* run = root.find("run");
  if (run == nullptr || run->value.table() == nullptr) return;
  const std::string_view other = options.seed ? "seeds" : !options.seeds.empty() ? "seed" : "";
  std::erase_if(*run->value.table(), [other](const Value::Member& member) { return member.key == other; });
}

/// One variant of the file merged with the base, then the values of the sweeps, then the command line.
Value laid_out(const Value& base, const Value::Member* variant, const std::vector<Sweep>& sweeps,
               const std::vector<std::size_t>& point, const std::vector<Assignment>& assignments,
               Diagnostics& diagnostics) {
  Value root = base;
  const std::string name = variant == nullptr ? std::string() : variant->key;
  if (variant != nullptr) {
    Value marked = variant->value;
    mark_variant(marked, name);
    expand_scheme_slots(marked);
    lay_over(root, marked, {}, diagnostics);
  }
  lay_sweeps(root, sweeps, point, diagnostics);
  for (const Assignment& assignment : assignments) {
    if (!assignment.variant || *assignment.variant == name) lay_over(root, assignment.over, {}, diagnostics);
  }
  if (const Value::Member* inner = root.find("variants")) {
    diagnostics.add(inner->origin, "variants", "is inside a variant, expected variants only at the top level");
  }
  return root;
}

/// Tables that belong to the campaign and not to a run.
constexpr std::array<std::string_view, 2> kOfCampaign = {"sweep", "picture"};

bool is_of_campaign(const Value::Member& member) {
  return std::find(kOfCampaign.begin(), kOfCampaign.end(), member.key) != kOfCampaign.end();
}

/// Removes the tables of the campaign from a file, and their changes from the assignments.
Value take_campaign(Value& file, std::vector<Assignment>& assignments, Diagnostics& diagnostics) {
  Value campaign(Value::Table{}, file.origin);
  for (const Value::Member& member : *file.table()) {
    if (is_of_campaign(member)) campaign.table()->push_back(member);
  }
  std::erase_if(*file.table(), is_of_campaign);
  name_sweeps(campaign);
  for (Assignment& assignment : assignments) {
    if (assignment.variant) continue;
    Value own(Value::Table{}, assignment.over.origin);
    for (const Value::Member& member : *assignment.over.table()) {
      if (is_of_campaign(member)) own.table()->push_back(member);
    }
    if (own.table()->empty()) continue;
    lay_over(campaign, own, {}, diagnostics);
    std::erase_if(*assignment.over.table(), is_of_campaign);
  }
  return campaign;
}

/// The points of a grid; the last sweep varies fastest. One empty point if there are no sweeps.
std::vector<std::vector<std::size_t>> points_of(const std::vector<Sweep>& sweeps) {
  std::vector<std::vector<std::size_t>> out = {{}};
  for (const Sweep& sweep : sweeps) {
    std::vector<std::vector<std::size_t>> wider;
    for (const std::vector<std::size_t>& point : out) {
      for (std::size_t i = 0; i < sweep.values.size(); ++i) {
        wider.push_back(point);
        wider.back().push_back(i);
      }
    }
    out = std::move(wider);
  }
  return out;
}

/// In the units of RunParameter.
std::optional<double> number_of(const Figure& figure) {
  const double* number = figure.as_number();
  if (number == nullptr) return std::nullopt;
  constexpr double kPicosecondsAMicrosecond = 1e6;
  constexpr double kBitPerSecond = 8e12;
  if (figure.dimension == kTime) return *number / kPicosecondsAMicrosecond;
  if (figure.dimension == kRate) return *number * kBitPerSecond;
  return *number;
}

/// "pfc, load 0.8".
std::string label_of(const std::string& name, const std::vector<RunParameter>& parameters) {
  std::string out = name;
  for (const RunParameter& parameter : parameters) {
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", parameter.name, parameter.value);
  }
  return out;
}

std::vector<RunParameter> parameters_of(const std::vector<Sweep>& sweeps, const std::vector<std::size_t>& point) {
  std::vector<RunParameter> out;
  for (std::size_t i = 0; i < sweeps.size(); ++i) {
    out.push_back({sweeps[i].name, value_text(sweeps[i], point[i]), number_of(sweeps[i].values[point[i]])});
  }
  return out;
}

/// False, with an error, if there would be more than kMostRuns. The number of seeds is known only after the variants
/// have been read.
bool is_small_enough(std::size_t variants, const std::vector<Sweep>& sweeps, std::size_t seeds,
                     Diagnostics& diagnostics) {
  std::size_t runs = variants * seeds;
  std::string product = fmt::format("{} variants", variants);
  for (const Sweep& sweep : sweeps) {
    runs = std::min(runs, kMostRuns + 1) * sweep.values.size();
    product += fmt::format(" x {} values of {}", sweep.values.size(), sweep.name);
  }
  if (runs <= kMostRuns) return true;
  if (seeds > 1) product += fmt::format(" x {} seeds", seeds);
  const Origin origin = sweeps.empty() ? Origin() : sweeps.back().origin;
  diagnostics.add(origin, sweeps.empty() ? "run.seeds" : "sweep",
                  fmt::format("results in more than {} runs ({})", kMostRuns, product));
  return false;
}

/// Two identical points indicate an error: a sweep of a value that has no effect.
void check_points_differ(const Scenario& scenario, Diagnostics& diagnostics) {
  std::map<std::pair<std::string, std::string>, const ScenarioVariant*> known;
  for (const ScenarioVariant& variant : scenario.variants) {
    const auto [at, is_new] = known.try_emplace({variant.name, variant.settings.effective_configuration}, &variant);
    if (is_new) continue;
    std::size_t sweep = 0;
    while (sweep + 1 < variant.point.size() && variant.point[sweep] == at->second->point[sweep]) ++sweep;
    diagnostics.add(scenario.sweeps[sweep].origin, fmt::format("sweep.{}", scenario.sweeps[sweep].name),
                    fmt::format("\"{}\" and \"{}\" are the same configuration: the sweep changes nothing there",
                                at->second->label(), variant.label()));
    return;
  }
}

/// Names are printed on terminals, and folders are named after them.
void refuse_name(const Value::Member& variant, Diagnostics& diagnostics) {
  constexpr std::size_t kLongestName = 100;
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  std::string wrong;
  if (variant.key.size() > kLongestName) {
    wrong = fmt::format("has a name of {} bytes, expected at most {}", variant.key.size(), kLongestName);
  } else if (std::any_of(variant.key.begin(), variant.key.end(), is_control)) {
    wrong = "has a name with a control character, expected printable characters";
  }
  if (!wrong.empty()) diagnostics.add(variant.origin, fmt::format("variants.{}", written_key(variant.key)), wrong);
}

/// Each variant is a complete scenario with its own network.
constexpr std::size_t kMostVariants = 10'000;

void read_all(Value file, const std::filesystem::path& directory, const ScenarioOptions& options,
              Diagnostics& diagnostics, Scenario& scenario) {
  std::vector<Assignment> assignments = assignments_of(options, file, diagnostics);
  const Value campaign = take_campaign(file, assignments, diagnostics);
  if (const Value::Member* pictures = campaign.find("picture")) scenario.pictures = {*pictures};
  EffectiveTable unwritten;
  Reader of_campaign(diagnostics, &campaign, campaign.origin, {}, unwritten);
  scenario.sweeps = read_sweeps(of_campaign);
  const Value::Member* variants = file.find("variants");
  check_sweeps_apart(scenario.sweeps, variants == nullptr ? nullptr : &variants->value, diagnostics);

  VariantReader reader(diagnostics, directory, scenario.notes);
  Value base = file;
  std::erase_if(*base.table(), [](const Value::Member& member) { return member.key == "variants"; });
  expand_scheme_slots(base);
  const std::vector<const Value::Member*> chosen = chosen_variants(file, options.variants, diagnostics);
  if (chosen.size() > kMostVariants) {
    diagnostics.add(chosen[kMostVariants]->origin, "variants",
                    fmt::format("are {}, expected at most {} at once; --variant selects some of them", chosen.size(),
                                kMostVariants));
    return;
  }
  if (!is_small_enough(chosen.size(), scenario.sweeps, 1, diagnostics)) return;
  const std::vector<std::vector<std::size_t>> points = points_of(scenario.sweeps);
  std::size_t most_seeds = 1;
  for (const Value::Member* variant : chosen) {
    if (variant != nullptr) refuse_name(*variant, diagnostics);
    if (variant != nullptr && variant->value.table() == nullptr) {
      diagnostics.add(variant->origin, fmt::format("variants.{}", written_key(variant->key)),
                      fmt::format("is {}, expected a table", description(variant->value)));
      continue;
    }
    for (const std::vector<std::size_t>& point : points) {
      if (variant != nullptr || !point.empty()) {
        diagnostics.begin_variant(
            label_of(variant == nullptr ? std::string() : variant->key, parameters_of(scenario.sweeps, point)));
      }
      Value root = laid_out(base, variant, scenario.sweeps, point, assignments, diagnostics);
      drop_other_seeds(options, root);
      About about;
      ScenarioVariant read = reader.read(root, variant == nullptr ? std::string() : variant->key, about);
      read.parameters = parameters_of(scenario.sweeps, point);
      read.point = point;
      most_seeds = std::max(most_seeds, read.seeds.size());
      scenario.variants.push_back(std::move(read));
      scenario.title = about.title;
      scenario.question = about.question;
    }
  }
  diagnostics.end_variants();
  if (is_small_enough(chosen.size(), scenario.sweeps, most_seeds, diagnostics) && diagnostics.empty() &&
      !scenario.sweeps.empty()) {
    check_points_differ(scenario, diagnostics);
  }
  std::sort(scenario.notes.begin(), scenario.notes.end());
  scenario.notes.erase(std::unique(scenario.notes.begin(), scenario.notes.end()), scenario.notes.end());
}

/// The configuration's text with `seed` instead of the first seed.
std::string with_seed(std::string text, std::uint64_t first, std::uint64_t seed) {
  const std::size_t section = text.find("[run]\n");
  const std::string line = fmt::format("\nseed = {}\n", first);
  const std::size_t at = section == std::string::npos ? section : text.find(line, section);
  if (at == std::string::npos) throw std::logic_error("an effective configuration has no run.seed");
  return text.replace(at, line.size(), fmt::format("\nseed = {}\n", seed));
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

namespace {

std::optional<Settings> read_for_ports(Value root, const std::filesystem::path& directory, Diagnostics& diagnostics,
                                       std::vector<std::string>& notes, VariantReader::Traffic traffic) {
  if (root.table() == nullptr) return std::nullopt;
  expand_scheme_slots(root);
  About about;
  ScenarioVariant read = VariantReader(diagnostics, directory, notes, traffic).read(root, {}, about);
  if (!diagnostics.empty()) return std::nullopt;
  return std::move(read.settings);
}

}  // namespace

std::optional<Settings> read_nodes(Value root, const std::filesystem::path& directory, Diagnostics& diagnostics,
                                   std::vector<std::string>& notes) {
  return read_for_ports(std::move(root), directory, diagnostics, notes, VariantReader::Traffic::none);
}

std::optional<Settings> read_hosts(Value root, const std::filesystem::path& directory, Diagnostics& diagnostics,
                                   std::vector<std::string>& notes) {
  return read_for_ports(std::move(root), directory, diagnostics, notes, VariantReader::Traffic::optional);
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

std::string ScenarioVariant::label() const {
  return label_of(name, parameters);
}

bool Scenario::has_replicates() const {
  return !sweeps.empty() || std::any_of(variants.begin(), variants.end(),
                                        [](const ScenarioVariant& variant) { return variant.seeds.size() > 1; });
}

std::vector<ScenarioRun> runs_of(const Scenario& scenario) {
  std::vector<ScenarioRun> out;
  for (std::size_t i = 0; i < scenario.variants.size(); ++i) {
    for (const std::uint64_t seed : scenario.variants[i].seeds) out.push_back({i, seed});
  }
  return out;
}

Settings settings_of(const ScenarioVariant& variant, std::uint64_t seed) {
  Settings out = variant.settings;
  out.run.seed = seed;
  out.effective_configuration = configuration_of(variant, seed);
  return out;
}

std::string configuration_of(const ScenarioVariant& variant, std::uint64_t seed) {
  return with_seed(variant.settings.effective_configuration, variant.settings.run.seed, seed);
}

std::string run_name(const ScenarioVariant& variant, std::uint64_t seed) {
  std::string out = variant.label();
  if (variant.seeds.size() > 1) out += fmt::format("{}seed {}", out.empty() ? "" : ", ", seed);
  return out;
}

}  // namespace weir
