// SPDX-License-Identifier: Apache-2.0
#include "apps/command_line.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "apps/analyze.h"
#include "apps/command_table.h"
#include "apps/commands.h"
#include "apps/console.h"
#include "apps/nic_command.h"
#include "apps/reproduce.h"
#include "apps/switch_command.h"
#include "apps/testbed_command.h"
#include "config/nearest_name.h"
#include "config/value.h"
#include "scenario/seeds.h"
#include "sim/version.h"

namespace weir::apps {
namespace {

/// Parses "2/8" into a shard; returns the error, if any.
std::string read_shard(const std::string& text, Shard& shard) {
  Shard read;
  const char* const end = text.data() + text.size();
  const auto [slash, bad_index] = std::from_chars(text.data(), end, read.index);
  const bool good = bad_index == std::errc() && slash != end && *slash == '/';
  const auto [rest, bad_count] =
      good ? std::from_chars(slash + 1, end, read.count) : std::from_chars(end, end, read.count);
  if (!good || bad_count != std::errc() || rest != end || read.index < 1 || read.index > read.count) {
    return fmt::format("is \"{}\", expected I/N with I from 1 to N, such as 2/8", text);
  }
  shard = read;
  return {};
}

/// Parses "5" or "3,7,9" into seeds; returns the error, if any.
std::string read_seeds(const std::string& text, std::vector<std::uint64_t>& seeds) {
  Value value(Value::List(), {});
  bool good = !text.empty();
  for (std::size_t at = 0; good && at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(text.data() + at, text.data() + end, number);
    good = error == std::errc() && stop == text.data() + end;
    value.list()->emplace_back(number, Origin());
    at = end + 1;
  }
  if (good && value.list()->size() == 1) {
    const Value number = value.list()->front();
    value = number;
  }
  const auto read = good ? seeds_of(value) : std::nullopt;
  if (!read)
    return fmt::format("is \"{}\", expected N from 1 to {} for the seeds 1 to N, or seeds such as 3,7,9", text,
                       kMostSeeds);
  seeds = *read;
  return {};
}

/// An empty folder name indicates an unset variable in a script; the results would be lost.
CLI::Validator not_empty(const std::string& expected = "a folder") {
  return {[expected](const std::string& text) { return text.empty() ? "is empty, expected " + expected : ""; }, ""};
}

void add_scenario_options(CLI::App& app, ScenarioCommand& command) {
  app.add_option("FILE", command.file, "Scenario (TOML)")->required();
  app.add_option("--variant", command.options.variants, "Only this variant (may be repeated)")
      ->allow_extra_args(false)
      ->type_name("NAME");
  app.add_option("--set", command.options.set,
                 "Set key.path of the scenario, or variants.NAME.key.path of one variant (may be repeated)")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  CLI::Option* seed =
      app.add_option("--seed", command.options.seed, "Seed of all random numbers, instead of run.seed")
          ->check(CLI::Range(std::uint64_t{0}, static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())))
          ->type_name("N");
  app.add_option_function<std::string>(
         "--seeds",
         [&command](const std::string& text) {
           if (const std::string wrong = read_seeds(text, command.options.seeds); !wrong.empty()) {
             throw CLI::ValidationError("--seeds", wrong);
           }
         },
         "Seeds of replicates, instead of run.seeds: N for the seeds 1 to N, or a list such as 3,7,9")
      ->excludes(seed)
      ->type_name("N");
  app.add_flag("--print-config", command.print_config,
               "Show every key with its effective value and origin; run nothing");
}

void add_run_options(CLI::App& app, RunCommand& command) {
  add_scenario_options(app, command.scenario);
  CLI::Option* out =
      app.add_option("--out", command.out, "Store results in this folder: results.sqlite, and files per run")
          ->check(not_empty())
          ->type_name("DIR");
  CLI::Option* resume =
      app.add_flag("--continue", command.resume, "Continue the campaign in --out: run only the missing runs")
          ->needs(out);
  app.add_flag(
         "--set-aside", command.set_aside,
         "With --continue: move results of another version or configuration to a folder beside --out, and start again")
      ->needs(resume);
  app.add_option_function<std::string>(
         "--shard",
         [&command](const std::string& text) {
           if (const std::string wrong = read_shard(text, command.shard); !wrong.empty()) {
             throw CLI::ValidationError("--shard", wrong);
           }
         },
         "Run only the I-th of N parts of the runs; give each part its own --out, and combine them with weir merge")
      ->needs(out)
      ->type_name("I/N");
  app.add_flag("--json", command.json, "Print one JSON object instead of tables");
  constexpr std::size_t kMostJobs = 4096;
  app.add_option("--jobs,--threads", command.jobs, "Number of parallel runs (0: one per core)")
      ->check(CLI::Range(std::size_t{0}, kMostJobs))
      ->type_name("N");
}

void add_export_options(CLI::App& app, ExportCommand& command) {
  app.add_option("DIR", command.results, "Results folder, or a results store")->required();
  app.add_flag("--csv", command.csv, "Write flows.csv, switches.csv, links.csv, series.csv and summary.csv");
  app.add_flag("--fct", command.fct, "Write fct.txt in the format of the HPCC simulator");
  app.add_flag("--pfc", command.pfc, "Write pfc.txt in the format of the HPCC simulator; requires measure.timeline");
  app.add_flag("--perfetto", command.perfetto,
               "Write perfetto.json: pauses and queues over time, for ui.perfetto.dev; requires measure.timeline");
  app.add_option("--into", command.into, "Write into this folder instead of DIR")->check(not_empty())->type_name("DIR");
}

void add_reproduce_options(CLI::App& app, ReproduceCommand& command) {
  app.add_option("ID", command.ids, "Rows, such as bfc/fig9")->type_name("");
  app.add_flag("--all", command.all, "All rows without a verdict in --out; continues an interrupted row");
  app.add_flag("--list", command.list, "List the given rows (default: all) with their recorded verdicts; run nothing");
  app.add_flag("--check", command.check, "Check the scenarios, offered loads and criteria of both forms; run nothing");
  app.add_flag("--full", command.full, "Use the paper's scale instead of the quick form");
  const auto number_of_choices = [](std::string& text) -> std::string {
    if (text != "all" && text != "undecided") return fmt::format("is \"{}\", expected all or undecided", text);
    text = fmt::format("{}", static_cast<int>(text == "all" ? OtherChoices::all : OtherChoices::undecided));
    return {};
  };
  CLI::Option* assumptions = app.add_flag("--assumptions{all}", command.choices,
                                          "Also evaluate the alternatives of each row's assumptions, one at a time; "
                                          "--assumptions=undecided: only for rows that do not hold")
                                 ->transform(CLI::Validator(number_of_choices, ""));
  app.add_option("--assumption", command.assumption,
                 "With --assumptions: only assumptions whose value contains TEXT, such as \"frame sizes\"")
      ->check(not_empty("part of the value of an assumption"))
      ->needs(assumptions)
      ->type_name("TEXT");
  app.add_flag("--again", command.again,
               "Repeat runs that are stored in --out; with --all also rows that have a verdict");
  constexpr std::size_t kMostJobs = 4096;
  app.add_option("--jobs", command.jobs, "Number of parallel runs (0: one per core)")
      ->check(CLI::Range(std::size_t{0}, kMostJobs))
      ->type_name("N");
  app.add_option("--out", command.out,
                 "Store verdicts in this folder; those in the default folder are also recorded in reproduction/record")
      ->check(not_empty())
      ->type_name("DIR")
      ->capture_default_str();
  app.add_option("--rows", command.rows, "Folder of the rows")->type_name("DIR")->capture_default_str();
  app.add_option("--report", command.report,
                 "Write the report of all rows to this file (default: docs/reproduction.md, from the record; with "
                 "another --out or --rows: reproduction.md in --out)")
      ->type_name("FILE");
}

void add_analyze_options(CLI::App& app, AnalyzeCommand& command) {
  app.add_option("NAME", command.name, "Name of an analysis; if omitted, all are listed");
  app.add_option("--set", command.set, "Set a parameter (may be repeated)")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
  app.add_option("--out", command.out, "Write each table as CSV and each chart as a picture into this folder")
      ->check(not_empty())
      ->type_name("DIR");
  app.add_flag("--list", command.list, "Show the parameters of NAME; compute nothing");
}

std::string suggestion(const std::string& name, const std::vector<std::string>& names) {
  const std::string nearest = nearest_name(name, names);
  return nearest.empty() ? std::string() : fmt::format(" (did you mean \"{}\"?)", nearest);
}

/// The error about an unknown command or option; nullopt if all are known.
std::optional<std::string> unknown_name(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  std::vector<std::string> names;
  if (chosen.empty()) {
    for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
    for (const std::string& argument : app.remaining()) {
      if (argument.starts_with('-')) continue;
      return fmt::format("weir: unknown command \"{}\"{}", argument, suggestion(argument, names));
    }
    return std::nullopt;
  }
  const CLI::App& command = *chosen.front();
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (const std::string& argument : command.remaining()) {
    if (!argument.starts_with("--")) continue;
    const std::string name = argument.substr(0, argument.find('='));
    return fmt::format("weir {}: unknown option \"{}\"{}", command.get_name(), name, suggestion(name, names));
  }
  return std::nullopt;
}

int refuse(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::Success)) {
    if (const auto unknown = unknown_name(app)) {
      print_diagnostic(fmt::format("{}\nRun with --help for more information.", *unknown));
      return kWrongInput;
    }
  }
  std::ostringstream help;
  std::ostringstream wrong;
  const bool good = app.exit(error, help, wrong) == 0;
  // The error may repeat an argument with control characters in it.
  std::string line = std::move(wrong).str();
  while (line.ends_with('\n')) line.pop_back();
  if (!line.empty()) print_diagnostic(line);
  if (!print(help.str())) return kFailed;
  return good ? kDone : kWrongInput;
}

}  // namespace

int command_line(int argc, const char* const* argv) {
  CLI::App app("Weir: lossless data-centre Ethernet", "weir");
  app.set_version_flag("--version", std::string("weir ") + kVersion);
  app.require_subcommand(1);
  int status = kDone;

  RunCommand run_command;
  CLI::App* run_app = app.add_subcommand("run", "Run the variants of a scenario and show the results of each");
  add_run_options(*run_app, run_command);
  run_app->callback([&] { status = run(run_command); });

  RunCommand compare_command;
  CLI::App* compare_app = app.add_subcommand("compare", "Run the variants of a scenario in parallel and compare them");
  add_run_options(*compare_app, compare_command);
  compare_app->callback([&] { status = compare(compare_command); });

  std::string results;
  CLI::App* runs_app = app.add_subcommand("runs", "List the stored and the missing runs of a results folder");
  runs_app->add_option("DIR", results, "Results folder, or a results store")->required();
  bool runs_json = false;
  runs_app->add_flag("--json", runs_json, "Print one JSON object instead of a table");
  runs_app->callback([&] { status = runs(results, runs_json); });

  MergeCommand merge_command;
  CLI::App* merge_app =
      app.add_subcommand("merge", "Merge the results of several folders, such as shards, into a new one");
  merge_app->add_option("DIR", merge_command.results, "Results folders, or results stores")->required();
  merge_app->add_option("--into", merge_command.into, "New results folder")
      ->required()
      ->check(not_empty())
      ->type_name("DIR");
  merge_app->callback([&] { status = merge(merge_command); });

  ExportCommand export_command;
  CLI::App* export_app = app.add_subcommand("export", "Write stored runs as CSV, HPCC or Perfetto files");
  add_export_options(*export_app, export_command);
  export_app->callback([&] { status = export_runs(export_command); });

  ReportCommand report_command;
  CLI::App* report_app = app.add_subcommand("report", "Write stored runs as an HTML report");
  report_app->add_option("DIR", report_command.results, "Results folder")->required();
  report_app->add_option("-o,--output", report_command.page, "Write this file (default: report.html in DIR)")
      ->type_name("FILE");
  report_app->callback([&] { status = report(report_command); });

  ReproduceCommand reproduce_command;
  CLI::App* reproduce_app = app.add_subcommand("reproduce", "Evaluate claims of the papers");
  add_reproduce_options(*reproduce_app, reproduce_command);
  reproduce_app->callback([&] { status = reproduce(reproduce_command); });

  ScenarioCommand check_command;
  bool links = false;
  bool entries = false;
  CLI::App* check_app = app.add_subcommand(
      "check", "Analyse a scenario without running it: deadlocks, headroom, load, recommended thresholds");
  add_scenario_options(*check_app, check_command);
  check_app->add_flag("--links", links, "List every link with offered load");
  check_app->add_flag("--entries", entries, "List the match-action entries that suppress pauses, as CSV");
  bool check_json = false;
  check_app->add_flag("--json", check_json, "Print one JSON object instead of text");
  check_app->callback([&] { status = check(check_command, links, entries, check_json); });

  AnalyzeCommand analyze_command;
  CLI::App* analyze_app = app.add_subcommand("analyze", "Compute results from a paper's formulas without a run");
  add_analyze_options(*analyze_app, analyze_command);
  analyze_app->callback([&] { status = analyze(analyze_command); });

  SwitchCommand real_switch;
  CLI::App* switch_app = app.add_subcommand("switch", "Forward real frames between real ports (DPDK)");
  switch_app->add_option("--config", real_switch.config, "Network, switch and ports (TOML)")
      ->required()
      ->type_name("FILE");
  switch_app->add_flag("--check", real_switch.check, "Check the file; start nothing");
  constexpr double kMostSeconds = 1e6;
  switch_app
      ->add_option("--duration", real_switch.duration, "Stop after this time; if omitted, stop at SIGINT or SIGTERM")
      ->check(CLI::Range(0.0, kMostSeconds))
      ->type_name("SECONDS");
  switch_app->add_flag("--json", real_switch.json, "Print the counters as one JSON object instead of text");
  switch_app
      ->add_option("--samples", real_switch.samples,
                   "Write the queue length and the gauges of each port to this CSV file every 10 ms")
      ->type_name("FILE");
  switch_app->add_option("--out", real_switch.out, "Folder for a results store, as that of weir run")->type_name("DIR");
  switch_app->callback([&] { status = switch_command(real_switch); });

  NicCommand real_nic;
  CLI::App* nic_app = app.add_subcommand("nic", "Run NICs between real ports and Linux hosts (DPDK)");
  nic_app->add_option("--config", real_nic.config, "Network, hosts and devices (TOML)")->required()->type_name("FILE");
  nic_app->add_flag("--check", real_nic.check, "Check the file; start nothing");
  nic_app->add_option("--duration", real_nic.duration, "Stop after this time; if omitted, stop at SIGINT or SIGTERM")
      ->check(CLI::Range(0.0, kMostSeconds))
      ->type_name("SECONDS");
  nic_app->add_flag("--json", real_nic.json, "Print counters and messages as one JSON object instead of text");
  nic_app->add_option("--out", real_nic.out, "Folder for a results store, as that of weir run")->type_name("DIR");
  nic_app->callback([&] { status = nic_command(real_nic); });

  TestbedCommand real_network;
  CLI::App* testbed_app =
      app.add_subcommand("testbed", "Run real switches, NICs and iperf3 in network namespaces of this machine");
  testbed_app->add_option("FILE", real_network.file, "Network, clients and duration (TOML)")->required();
  testbed_app->add_option("--out", real_network.out, "Folder for the results; default: results/NAME-testbed")
      ->type_name("DIR");
  testbed_app->add_flag("--check", real_network.check, "Check the file; start nothing");
  testbed_app->add_flag("--print-scenario", real_network.print_scenario,
                        "Print the scenario with which the simulator runs the same network and traffic");
  testbed_app->callback([&] { status = testbed_command(real_network); });

  std::string listed;
  bool reference = false;
  CLI::App* list_app = app.add_subcommand("list", "List schemes, presets, and the keys of scenarios");
  list_app->add_option("NAME", listed,
                       "Scheme or table to show, such as pfc, switch, leaf_spine or incast; presets: switch chips; "
                       "expressions: measures and functions for pictures");
  list_app->add_flag("--reference", reference, "Write the complete reference of the scenario language as Markdown");
  bool list_json = false;
  list_app->add_flag("--json", list_json, "Print one JSON object instead of text");
  list_app->callback([&] { status = list(listed, reference, list_json); });

  std::string shell;
  CLI::App* completion_app = app.add_subcommand("completion", "Print a completion script for a shell");
  completion_app->add_option("SHELL", shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->type_name("");
  completion_app->callback([&] {
    const Shell chosen = shell == "bash" ? Shell::bash : shell == "zsh" ? Shell::zsh : Shell::fish;
    status = print(completion_script(command_table(app), chosen)) ? kDone : kFailed;
  });

  CLI::App* man_app = app.add_subcommand("man", "Print the manual page weir(1); read it with: weir man | man -l -");
  man_app->callback([&] { status = print(man_page(command_table(app), kVersion)) ? kDone : kFailed; });

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return refuse(app, error);
  }
  return status;
}

}  // namespace weir::apps
