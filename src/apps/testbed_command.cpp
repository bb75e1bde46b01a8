// SPDX-License-Identifier: Apache-2.0
#include "apps/testbed_command.h"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "apps/commands.h"
#include "apps/console.h"
#include "apps/interrupt.h"
#include "apps/testbed_run.h"
#include "pictures/scenario_pictures.h"
#include "scenario/scenario.h"
#include "testbed/testbed.h"

namespace weir::apps {
namespace {

/// Whether the simulator accepts the same, and the pictures of the file are good; says why not.
bool can_be_compared(const Testbed& testbed, const std::string& file) {
  const Scenario scenario = read_scenario(comparison_of(testbed, file), file + " as a scenario", {});
  std::vector<std::string> errors = scenario.errors;
  if (errors.empty()) errors = ScenarioPictures(scenario).errors();
  for (const std::string& error : errors) print_diagnostic(error);
  return errors.empty();
}

}  // namespace

int testbed_command(const TestbedCommand& command) {
  const TestbedFile file = load_testbed(command.file);
  for (const std::string& error : file.errors) print_diagnostic(error);
  if (!file.errors.empty()) return kWrongInput;
  for (const std::string& note : file.notes) print_diagnostic(fmt::format("note: {}", note));
  if (!can_be_compared(file.testbed, command.file)) return kWrongInput;
  const TestbedPlan plan = plan_of(file.testbed);
  if (command.print_scenario) return print(scenario_of(file.testbed)) ? kDone : kFailed;
  if (command.check) {
    return print(fmt::format("{}: {} processes, {} hosts, {} cables, {} clients\n", command.file, plan.nodes.size(),
                             plan.hosts.size(), plan.cables.size(), file.testbed.clients.size()))
               ? kDone
               : kFailed;
  }
  if (const std::string lacking = means_lacking(file.testbed); !lacking.empty()) {
    print_diagnostic(fmt::format("weir testbed: this machine lacks {}", lacking));
    return kFailed;
  }
  const std::filesystem::path out =
      command.out.empty() ? "results/" + std::filesystem::path(command.file).stem().string() + "-testbed" : command.out;
  std::error_code error;
  std::filesystem::create_directories(out, error);
  if (error) {
    print_diagnostic(fmt::format("weir: {}: {}", out.string(), error.message()));
    return kWrongInput;
  }
  catch_interrupts();
  try {
    return run_testbed(file.testbed, plan, out, command.file);
  } catch (const std::runtime_error& failure) {
    print_diagnostic(fmt::format("weir testbed: {}", failure.what()));
    return interrupted() ? kInterrupted : kFailed;
  }
}

}  // namespace weir::apps
