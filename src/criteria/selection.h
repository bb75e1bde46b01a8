// SPDX-License-Identifier: Apache-2.0
// Selects flows, links and switches by the arguments of a measure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "criteria/measures.h"
#include "results/summary.h"

namespace weir::selection {

/// The value of this numeric argument, or `otherwise`.
double number(const MeasureArguments& arguments, std::string_view name, double otherwise);
/// The value of this text argument, or nullptr.
const std::string* text(const MeasureArguments& arguments, std::string_view name);

/// Nodes by name: "h3", "h1..h29", or several separated by commas. Throws Unavailable for an unknown name.
class Nodes {
 public:
  Nodes(const RunView& run, const std::string& term);
  [[nodiscard]] bool contains(std::string_view name) const;

 private:
  std::vector<std::string> names_;
};

/// Throws Unavailable if an argument names a node, class, label or reason that the run does not have.
void check_names(const RunView& run, const MeasureArguments& arguments);

/// The arguments that select flows.
const std::vector<Signature::Argument>& flow_arguments();
/// The selected flows.
std::vector<const FlowRecord*> flows(const RunView& run, const MeasureArguments& arguments);

/// The arguments that select directions of links, with a time span.
const std::vector<Signature::Argument>& link_arguments();
/// Indices of the selected directions. Throws Unavailable if there are none.
std::vector<std::size_t> links(const RunView& run, const MeasureArguments& arguments);

/// The arguments that select switches.
const std::vector<Signature::Argument>& switch_arguments();
std::vector<const SwitchRecord*> switches(const RunView& run, const MeasureArguments& arguments);

/// The part of the run selected by `since` and `until`, in picoseconds; by default the whole run.
struct Span {
  double begin;
  double end;
  bool whole;  ///< the whole run
};
Span span(const RunView& run, const MeasureArguments& arguments);

}  // namespace weir::selection
