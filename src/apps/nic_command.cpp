// SPDX-License-Identifier: Apache-2.0
#include "apps/nic_command.h"

#include <fmt/format.h>

#include <stdexcept>

#include "apps/commands.h"
#include "apps/console.h"
#include "apps/nic_run.h"
#include "scenario/real_nic.h"

namespace weir::apps {

int nic_command(const NicCommand& command) {
  const RealNicFile file = load_real_nics(command.config);
  for (const std::string& error : file.errors) print_diagnostic(error);
  if (!file.errors.empty()) return kWrongInput;
  for (const std::string& note : file.notes) print_diagnostic(fmt::format("note: {}", note));
  if (command.check) {
    return print(fmt::format("{}: {} NICs\n", command.config, file.real.nics.size())) ? kDone : kFailed;
  }
  try {
    return run_real_nics(file.real, command);
  } catch (const std::invalid_argument& error) {
    print_diagnostic(fmt::format("{}: {}", command.config, error.what()));
    return kWrongInput;
  }
}

}  // namespace weir::apps
