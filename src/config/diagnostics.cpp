// SPDX-License-Identifier: Apache-2.0
#include "config/diagnostics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

namespace weir {
namespace {

/// Longer lists are not read, and an error in one of many variants usually occurs in most of them.
constexpr std::size_t kMostLines = 100;

/// The identity of a diagnostic, in the order in which diagnostics are shown.
using Place = std::tuple<bool, std::uint32_t, std::uint32_t, std::string, std::string, std::string, std::string>;

Place place_of(const Diagnostic& d) {
  return {d.origin.kind == Origin::Kind::command_line,
          d.origin.line,
          d.origin.column,
          d.origin.command,
          d.key,
          d.message,
          d.suggestion};
}

std::string text_of(const Diagnostic& d, const std::string& file) {
  std::string out = file;
  if (d.origin.kind == Origin::Kind::command_line) {
    out = d.origin.command;
  } else if (d.origin.line > 0) {
    out += fmt::format(":{}", d.origin.line);
    if (d.origin.column > 0) out += fmt::format(":{}", d.origin.column);
  }
  if (!d.key.empty()) out += fmt::format(": {}", d.key);
  out += fmt::format(": {}", d.message);
  if (!d.suggestion.empty()) out += fmt::format(" (did you mean {}?)", in_quotes(d.suggestion));
  return out;
}

}  // namespace

void Diagnostics::add(Origin origin, std::string key, std::string message, std::string suggestion) {
  found_.push_back({std::move(origin), std::move(key), std::move(message), std::move(suggestion), current_});
}

void Diagnostics::begin_variant(std::string name) {
  variants_.insert(name);
  current_ = std::move(name);
}

std::vector<std::string> Diagnostics::lines() const {
  struct Shown {
    const Diagnostic* diagnostic;
    std::vector<std::string> variants;
    std::size_t number;  // in which order it was found first
  };
  std::map<Place, Shown> shown;
  for (const Diagnostic& d : found_) {
    Shown& entry = shown.try_emplace(place_of(d), Shown{&d, {}, shown.size()}).first->second;
    if (std::find(entry.variants.begin(), entry.variants.end(), d.variant) == entry.variants.end()) {
      entry.variants.push_back(d.variant);
    }
  }
  // Of one key in the order in which they were found, as the lines of a file that it names.
  std::vector<const Shown*> order;
  for (const auto& [place, entry] : shown) order.push_back(&entry);
  const auto position = [](const Shown* entry) {
    const Origin& origin = entry->diagnostic->origin;
    return std::tuple(origin.kind == Origin::Kind::command_line, origin.line, origin.column,
                      std::string_view(origin.command), std::string_view(entry->diagnostic->key), entry->number);
  };
  std::sort(order.begin(), order.end(), [&](const Shown* a, const Shown* b) { return position(a) < position(b); });
  std::vector<std::string> out;
  for (const Shown* each : order) {
    const Shown& entry = *each;
    if (out.size() == kMostLines) {
      out.push_back(fmt::format("{}: and {} more errors", file_, shown.size() - kMostLines));
      break;
    }
    std::string line = text_of(*entry.diagnostic, file_);
    const bool everywhere = entry.variants.size() >= variants_.size() || entry.variants.front().empty();
    // An error in the variant's own table needs no other hint.
    if (!everywhere && entry.diagnostic->origin.variant.empty()) {
      line += fmt::format(" [variant {}]", fmt::join(entry.variants, ", "));
    }
    out.push_back(std::move(line));
  }
  return out;
}

std::string where(const Origin& origin, std::string_view file) {
  switch (origin.kind) {
    case Origin::Kind::nowhere:
      return "default";
    case Origin::Kind::command_line:
      return origin.command;
    case Origin::Kind::network:
      return fmt::format("from the network: {}", origin.command);
    case Origin::Kind::traffic:
      return "from the traffic";
    case Origin::Kind::file:
      break;
  }
  const std::string at = fmt::format("{}:{}", file, origin.line);
  return origin.variant.empty() ? at : fmt::format("{} (variant {})", at, origin.variant);
}

}  // namespace weir
