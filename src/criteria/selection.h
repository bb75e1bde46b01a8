// SPDX-License-Identifier: Apache-2.0
// Which flows, links and switches the arguments of a measure mean.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "criteria/measures.h"
#include "results/summary.h"

namespace weir::selection {

/// The number of this argument, or `otherwise`.
double number(const MeasureArguments& arguments, std::string_view name, double otherwise);
/// The text of this argument, or nullptr.
const std::string* text(const MeasureArguments& arguments, std::string_view name);

/// Nodes by name: "h3", "h1..h29", or several with commas. Throws Unavailable for a name that no node has.
class Nodes {
 public:
  Nodes(const RunView& run, const std::string& term);
  [[nodiscard]] bool contains(std::string_view name) const;

 private:
  std::vector<std::string> names_;
};

/// Throws Unavailable for a node, class or label that an argument names and that the run does not have.
void check_names(const RunView& run, const MeasureArguments& arguments);

/// The arguments that choose flows.
const std::vector<Signature::Argument>& flow_arguments();
/// The flows that they choose.
std::vector<const FlowRecord*> flows(const RunView& run, const MeasureArguments& arguments);

/// The arguments that choose directions of links, with a span of time.
const std::vector<Signature::Argument>& link_arguments();
/// Indices of the directions that they choose. Throws Unavailable when there is none.
std::vector<std::size_t> links(const RunView& run, const MeasureArguments& arguments);

/// The arguments that choose switches.
const std::vector<Signature::Argument>& switch_arguments();
std::vector<const SwitchRecord*> switches(const RunView& run, const MeasureArguments& arguments);

/// The part of the run that `since` and `until` choose, in picoseconds; by default all of it.
struct Span {
  double begin;
  double end;
  bool whole;  ///< all of the run
};
Span span(const RunView& run, const MeasureArguments& arguments);

}  // namespace weir::selection
