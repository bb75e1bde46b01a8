// SPDX-License-Identifier: Apache-2.0
#include "apps/switch_command.h"

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "apps/commands.h"
#include "apps/console.h"
#include "apps/real_run.h"
#include "check/check.h"
#include "scenario/real_switch.h"

namespace weir::apps {

int switch_command(const SwitchCommand& command) {
  const RealSwitchFile file = load_real_switch(command.config);
  for (const std::string& error : file.errors) print_diagnostic(error);
  if (!file.errors.empty()) return kWrongInput;
  for (const std::string& note : file.notes) print_diagnostic(fmt::format("note: {}", note));
  const CheckedVariant checked = check_variant(file.real.settings, {});  // what weir check says of this network
  for (const CheckedError& error : checked.errors) {
    print_diagnostic(fmt::format("{}: {}: {}", command.config, error.key, error.message));
  }
  if (!checked.errors.empty()) return kWrongInput;
  if (command.check) {
    for (const std::string& warning : checked.warnings) print_diagnostic(fmt::format("warning: {}", warning));
  }
  const std::vector<RealSwitch> switches = file.switches();
  try {
    for (const RealSwitch& real : switches) {
      const RealNodes nodes(real);
      const bool printed = !command.check || print(fmt::format("{}: switch {} with {} ports\n", command.config,
                                                               nodes.name(), nodes.ports()));
      if (!printed) return kFailed;
    }
    if (command.check) return kDone;
  } catch (const std::invalid_argument& error) {
    print_diagnostic(fmt::format("{}: {}", command.config, error.what()));
    return kWrongInput;
  }
  return run_real_switches(switches, command);
}

}  // namespace weir::apps
