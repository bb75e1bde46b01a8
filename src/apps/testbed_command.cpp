// SPDX-License-Identifier: Apache-2.0
#include "apps/testbed_command.h"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "apps/commands.h"
#include "apps/console.h"
#include "apps/interrupt.h"
#include "apps/testbed_run.h"
#include "testbed/testbed.h"

namespace weir::apps {

int testbed_command(const TestbedCommand& command) {
  const TestbedFile file = load_testbed(command.file);
  for (const std::string& error : file.errors) print_diagnostic(error);
  if (!file.errors.empty()) return kWrongInput;
  for (const std::string& note : file.notes) print_diagnostic(fmt::format("note: {}", note));
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
    return run_testbed(file.testbed, plan, out);
  } catch (const std::runtime_error& failure) {
    print_diagnostic(fmt::format("weir testbed: {}", failure.what()));
    return interrupted() ? kInterrupted : kFailed;
  }
}

}  // namespace weir::apps
