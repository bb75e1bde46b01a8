// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <string>

#include "apps/command_line.h"
#include "apps/commands.h"
#include "apps/console.h"

int main(int argc, char** argv) {
  try {
    return weir::apps::command_line(argc, argv);
  } catch (const std::exception& exception) {
    weir::apps::print_diagnostic(std::string("weir: ") + exception.what());
    return weir::apps::kFailed;
  }
}
