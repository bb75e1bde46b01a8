// SPDX-License-Identifier: Apache-2.0
#include "apps/progress_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace weir::apps {
namespace {

/// Three significant digits in a unit suited to the end of the run.
std::string simulated_of(const RunProgress& run) {
  struct Unit {
    const char* name;
    double seconds;
  };
  constexpr Unit kUnits[] = {{"s", 1.0}, {"ms", 1e-3}, {"us", 1e-6}};
  const bool bounded = run.stop != Time::never();
  const double reference = bounded ? run.stop.seconds() : run.simulated.seconds();
  const Unit* unit = &kUnits[2];
  for (const Unit& candidate : kUnits) {
    if (reference >= candidate.seconds) {
      unit = &candidate;
      break;
    }
  }
  const double now = run.simulated.seconds() / unit->seconds;
  if (!bounded) return fmt::format("{:.3g} {}", now, unit->name);
  if (run.simulated >= run.stop.since_start()) return fmt::format("{:.3g} {}, draining", now, unit->name);
  return fmt::format("{:.3g} of {:.3g} {}", now, run.stop.seconds() / unit->seconds, unit->name);
}

std::string left_of(const RunProgress& run) {
  if (run.stop == Time::never() || run.stop == Time() || run.simulated >= run.stop.since_start()) return {};
  const double part = run.simulated.seconds() / run.stop.seconds();
  // Before 1 % is done the estimate would fluctuate.
  if (part < 0.01) return {};
  return fmt::format(", {} left", duration_text(run.wall_seconds * (1 - part) / part));
}

/// "pfc 12 %, 3 s left", for narrow terminals.
std::string short_progress_of(const RunProgress& run) {
  if (run.stop == Time::never() || run.stop == Time()) return run.name;
  if (run.simulated >= run.stop.since_start()) return fmt::format("{} draining", run.name);
  return fmt::format("{} {:.0f} %{}", run.name, 100 * run.simulated.seconds() / run.stop.seconds(), left_of(run));
}

using ProgressOf = std::string (*)(const RunProgress&);

std::string joined(std::string line, const std::vector<RunProgress>& running, ProgressOf text) {
  for (const RunProgress& run : running) {
    if (!line.empty()) line += " | ";
    line += text(run);
  }
  return line;
}

}  // namespace

std::string duration_text(double seconds) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3600;
  if (seconds < kMinute) return fmt::format("{:.0f} s", seconds);
  if (seconds < kHour) return fmt::format("{:.0f} min", seconds / kMinute);
  return fmt::format("{:.1f} h", seconds / kHour);
}

RunProgress progress_of(const RunUnderway& run, const std::string& name) {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - run.began;
  return {.name = name,
          .simulated = Duration::picoseconds(run.progress->simulated_picoseconds),
          .stop = run.stop,
          .packet_hops = run.progress->packet_hops,
          .flows_started = run.progress->flows_started,
          .flows_completed = run.progress->flows_completed,
          .wall_seconds = elapsed.count()};
}

std::string progress_of(const RunProgress& run) {
  const double hops_per_second = run.wall_seconds > 0 ? static_cast<double>(run.packet_hops) / run.wall_seconds : 0.0;
  return fmt::format("{}{}{}, {} of {} flows, {:.1f} M hops/s{}", run.name, run.name.empty() ? "" : ": ",
                     simulated_of(run), run.flows_completed, run.flows_started, hops_per_second * 1e-6, left_of(run));
}

std::optional<double> seconds_left(std::size_t done, std::size_t all, const std::vector<RunProgress>& running,
                                   double elapsed_seconds) {
  auto work = static_cast<double>(done);
  for (const RunProgress& run : running) {
    if (run.stop == Time::never() || run.stop == Time()) continue;
    work += std::min(1.0, run.simulated.seconds() / run.stop.seconds());
  }
  constexpr double kLeastWork = 0.2;  // of one run: below it the estimate would fluctuate
  if (work < kLeastWork) return std::nullopt;
  return elapsed_seconds * (static_cast<double>(all) - work) / work;
}

std::string done_text(std::size_t done, std::size_t all, std::optional<double> seconds_left) {
  return fmt::format("{} of {} done{}", done, all,
                     seconds_left ? fmt::format(", {} left", duration_text(*seconds_left)) : std::string());
}

std::string progress_line(std::size_t done, std::size_t all, const std::vector<RunProgress>& running, std::size_t width,
                          std::optional<double> seconds_left) {
  const std::string head = all > 1 ? done_text(done, all, seconds_left) : std::string();
  std::string line = joined(head, running, progress_of);
  if (line.size() <= width) return line;
  line = joined(head, running, short_progress_of);
  if (line.size() <= width) return line;
  constexpr std::string_view kMore = "...";
  // A cut inside a multi-byte character would produce invalid text.
  std::size_t end = width > kMore.size() ? width - kMore.size() : 0;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U) --end;
  return line.substr(0, end) + std::string(kMore.substr(0, width));
}

}  // namespace weir::apps
