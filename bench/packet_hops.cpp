// SPDX-License-Identifier: Apache-2.0
// Speed of runs: packet-hops per second of processor time, events per hop, resident memory. One line per scenario.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "scenario/scenario.h"
#include "sim/simulation.h"

namespace {

/// The cost of one run in its own process.
struct Cost {
  double hops = 0;
  double events = 0;
  double seconds = 0;    // of user time, in building and running the event loop
  double megabytes = 0;  // peak resident memory
};

Cost run_once(const weir::Settings& settings) {
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) std::exit(1);
  const pid_t child = fork();
  if (child == 0) {
    const weir::RunRecord record = weir::Simulation(settings).run();
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const Cost cost{static_cast<double>(record.packet_hops), static_cast<double>(record.events),
                    static_cast<double>(usage.ru_utime.tv_sec) + static_cast<double>(usage.ru_utime.tv_usec) * 1e-6,
                    static_cast<double>(usage.ru_maxrss) / 1024};
    _exit(write(pipe_ends[1], &cost, sizeof cost) == sizeof cost && record.failure.empty() ? 0 : 1);
  }
  close(pipe_ends[1]);
  Cost cost;
  const bool read_all = read(pipe_ends[0], &cost, sizeof cost) == sizeof cost;
  close(pipe_ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!read_all || status != 0) {
    fmt::print(stderr, "a run failed\n");
    std::exit(1);
  }
  return cost;
}

}  // namespace

// With RUNS = 0: one run of each variant in this process, printing only its packet-hops.
int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: packet_hops RUNS SCENARIO [VARIANT | KEY=VALUE]...\n");
    return 2;
  }
  const int runs = std::atoi(argv[1]);
  weir::ScenarioOptions options;
  for (int i = 3; i < argc; ++i) {
    const std::string argument = argv[i];
    (argument.find('=') == std::string::npos ? options.variants : options.set).push_back(argument);
  }
  const weir::Scenario scenario = weir::load_scenario(argv[2], options);
  for (const std::string& error : scenario.errors) fmt::print(stderr, "{}\n", error);
  if (!scenario.errors.empty()) return 2;
  for (const auto& variant : scenario.variants) {
    if (runs == 0) {
      fmt::print("{}\n", weir::Simulation(variant.settings).run().packet_hops);
      continue;
    }
    std::vector<Cost> costs;
    for (int i = 0; i < runs; ++i) costs.push_back(run_once(variant.settings));
    std::sort(costs.begin(), costs.end(), [](const Cost& a, const Cost& b) { return a.seconds < b.seconds; });
    const Cost& median = costs[costs.size() / 2];
    const std::string name = scenario.title + (variant.name.empty() ? "" : ", " + variant.name);
    fmt::print("{:<50} {:>12.0f} {:>10.2f} {:>14.2f} {:>10.0f}\n", name, median.hops, median.events / median.hops,
               median.hops / median.seconds * 1e-6, median.megabytes);
    std::fflush(stdout);
  }
  return 0;
}
