// SPDX-License-Identifier: Apache-2.0
// Registers a scheme of its own, and compares the variants of a scenario that uses it.
#include <weir/simulation.h>

#include <exception>
#include <iostream>
#include <vector>

#include "fixed_window.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: outside_scheme FILE\n";
    return 2;
  }
  try {
    weir::register_scheme(fixed_window::scheme);
    std::vector<weir::RunSummary> runs;
    for (const weir::RunRecord& run : weir::run_scenario(argv[1])) runs.push_back(weir::summarise(run));
    std::cout << weir::format_comparison(runs, 100);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
