// SPDX-License-Identifier: Apache-2.0
#include "results/summary_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "results/any_run.h"
#include "results/text.h"

namespace weir {
namespace {

using Runs = std::vector<RunSummary>;
using Kind = SummaryFigure::Kind;

void add_slowdown(const Runs& runs, FlowGroup group, std::string_view subject, std::vector<SummaryFigure>& figures) {
  if (!any_run(runs, [group](const RunSummary& run) { return run.of(group).flows > 0; })) return;
  const std::string head = fmt::format("{} slowdown", kFlowGroupNames[static_cast<std::size_t>(group)]);
  const auto of = [group](double Distribution::*what) {
    return [group, what](const RunSummary& run) -> std::optional<double> {
      const Distribution& values = run.of(group).slowdown;
      if (values.empty()) return std::nullopt;
      return values.*what;
    };
  };
  figures.push_back({Kind::number, {head, "avg", ""}, {}, of(&Distribution::mean)});
  figures.push_back({Kind::number, {head, "p99", ""}, std::string(subject), of(&Distribution::p99)});
}

void add_buffers(const Runs& runs, std::vector<SummaryFigure>& figures) {
  std::map<int, std::string> tiers;
  for (const RunSummary& run : runs) {
    for (const TierSummary& tier : run.tiers) tiers.emplace(tier.tier, tier.name);
  }
  for (const auto& [number, name] : tiers) {
    figures.push_back({Kind::megabytes,
                       {"max buffer", name, "MB"},
                       fmt::format("The maximum buffer use of a {} switch, in MB", name),
                       [number = number](const RunSummary& run) -> std::optional<double> {
                         for (const TierSummary& tier : run.tiers) {
                           if (tier.tier == number) return static_cast<double>(tier.buffer_maximum);
                         }
                         return std::nullopt;
                       }});
  }
}

void add_pauses(const Runs& runs, std::vector<SummaryFigure>& figures) {
  figures.push_back({Kind::count, {"pauses", "sent", ""}, {}, [](const RunSummary& run) {
                       return std::optional(static_cast<double>(run.pauses));
                     }});
  figures.push_back({Kind::share,
                     {"pauses", "time", "%"},
                     "The percentage of time for which links were paused",
                     [](const RunSummary& run) { return std::optional(run.paused_share); }});
  const auto held = [](const RunSummary& run) { return run.hold_of(FlowGroup::not_incast).packets > 0; };
  if (!any_run(runs, held)) return;
  const auto of = [held](double PauseHoldSummary::*what) {
    return [held, what](const RunSummary& run) -> std::optional<double> {
      if (!held(run)) return std::nullopt;
      return run.hold_of(FlowGroup::not_incast).*what;
    };
  };
  figures.push_back({Kind::number, {"innocent pause", "mean", "µs"}, {}, of(&PauseHoldSummary::mean_innocent_us)});
  figures.push_back({Kind::share, {"innocent pause", "of held", "%"}, {}, of(&PauseHoldSummary::innocent_share)});
}

}  // namespace

std::string SummaryFigure::title() const {
  const std::string name = fmt::format("{}{}{}", column.group, column.group.empty() ? "" : " ", column.name);
  return column.unit.empty() ? name : fmt::format("{} ({})", name, column.unit);
}

double SummaryFigure::scale() const {
  return kind == Kind::share ? 100 : kind == Kind::megabytes ? 1e-6 : 1;
}

std::string SummaryFigure::text(const RunSummary& run) const {
  const std::optional<double> is = value(run);
  if (!is) return std::string(kNothing);
  switch (kind) {
    case Kind::count:
      return fmt::format("{:.0f}", *is);
    case Kind::share:
      return format_percent(*is);
    case Kind::megabytes:
      return format_megabytes(static_cast<std::int64_t>(*is));
    case Kind::number:
      break;
  }
  return format_number(*is);
}

std::string SummaryFigure::text(const std::optional<Estimate>& estimate) const {
  if (!estimate) return std::string(kNothing);
  if (kind == Kind::count && !estimate->has_interval()) return fmt::format("{:.0f}", estimate->mean);
  return estimate_text(*estimate, scale());
}

std::vector<SummaryFigure> summary_figures(const std::vector<RunSummary>& runs) {
  std::vector<SummaryFigure> figures;
  add_slowdown(runs, FlowGroup::victim, "Victims' p99 slowdown", figures);
  add_slowdown(runs, FlowGroup::background, "Background p99 slowdown", figures);
  add_slowdown(runs, FlowGroup::incast, "Incast p99 slowdown", figures);
  add_buffers(runs, figures);
  add_pauses(runs, figures);
  figures.push_back({Kind::count, {"", "drops", "frames"}, "The number of frames dropped", [](const RunSummary& run) {
                       return std::optional(static_cast<double>(run.dropped));
                     }});
  figures.push_back({Kind::share, {"", "resent", "%"}, {}, [](const RunSummary& run) {
                       return std::optional(run.retransmitted_share());
                     }});
  return figures;
}

}  // namespace weir
