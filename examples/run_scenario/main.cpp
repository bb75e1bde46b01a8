// SPDX-License-Identifier: Apache-2.0
// Runs all variants of a scenario file and prints one line of results for each.
#include <weir/simulation.h>

#include <exception>
#include <iostream>

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: run_scenario FILE [KEY=VALUE]...\n";
    return 2;
  }
  try {
    for (const weir::RunRecord& run : weir::run_scenario(argv[1], {.set = {argv + 2, argv + argc}})) {
      const weir::RunSummary summary = weir::summarise(run);
      const weir::FctSummary& flows = summary.of(weir::FlowGroup::all);
      std::cout << run.variant << ": " << flows.completed << "/" << flows.due() << " flows, p99 slowdown "
                << flows.slowdown.p99 << ", " << summary.pauses << " pauses, digest " << run.digest << "\n";
    }
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
