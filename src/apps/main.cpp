// The command line.
#include <CLI/CLI.hpp>

#include <cstdint>
#include <exception>
#include <limits>
#include <string>

#include "apps/commands.h"
#include "apps/console.h"
#include "sim/version.h"

namespace weir::apps {
namespace {

void add_scenario_options(CLI::App& app, ScenarioCommand& command) {
  app.add_option("FILE", command.file, "Scenario (TOML)")->required();
  app.add_option("--variant", command.options.variants, "Only this variant (may be repeated)")
      ->allow_extra_args(false)
      ->type_name("NAME");
  app.add_option("--set", command.options.set, "Lay key.path=value over the scenario (may be repeated)")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  app.add_option("--seed", command.options.seed, "Of all random numbers, instead of run.seed")
      ->check(CLI::Range(std::uint64_t{0}, static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())))
      ->type_name("N");
  app.add_flag("--print-config", command.print_config, "Show what takes effect and where it came from, run nothing");
}

void add_run_options(CLI::App& app, RunCommand& command) {
  add_scenario_options(app, command.scenario);
  app.add_option("--out", command.out, "Write CSV files, fct.txt and configuration.toml into this folder")
      ->type_name("DIR");
  constexpr std::size_t kMostJobs = 4096;
  app.add_option("--jobs,--threads", command.jobs, "Runs side by side (0: one a core)")
      ->check(CLI::Range(std::size_t{0}, kMostJobs))
      ->type_name("N");
}

int dispatch(int argc, char** argv) {
  CLI::App app("Weir: lossless data-centre Ethernet", "weir");
  app.set_version_flag("--version", std::string("weir ") + kVersion);
  app.require_subcommand(1);
  int status = kDone;

  RunCommand run_command;
  CLI::App* run_app = app.add_subcommand("run", "Run the variants of a scenario and show each one's results");
  add_run_options(*run_app, run_command);
  run_app->callback([&] { status = run(run_command); });

  RunCommand compare_command;
  CLI::App* compare_app = app.add_subcommand("compare", "Run all variants side by side and compare them");
  add_run_options(*compare_app, compare_command);
  compare_app->callback([&] { status = compare(compare_command); });

  ScenarioCommand check_command;
  bool links = false;
  CLI::App* check_app = app.add_subcommand("check", "Round trips, buffer arithmetic and offered load; runs nothing");
  add_scenario_options(*check_app, check_command);
  check_app->add_flag("--links", links, "List every link that is offered anything");
  check_app->callback([&] { status = check(check_command, links); });

  std::string scheme;
  CLI::App* list_app = app.add_subcommand("list", "What scenarios can be made of");
  list_app->add_option("SCHEME", scheme, "Show the parameters of this scheme");
  list_app->callback([&] { status = list(scheme); });

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kWrongInput;
  }
  return status;
}

}  // namespace
}  // namespace weir::apps

int main(int argc, char** argv) {
  try {
    return weir::apps::dispatch(argc, argv);
  } catch (const std::exception& exception) {
    weir::apps::complain(std::string("weir: ") + exception.what());
    return weir::apps::kFailed;
  }
}
