// SPDX-License-Identifier: Apache-2.0
// What was found of a run beside what it measured: by weir check before it, or by the run itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

enum class FindingKind : std::uint8_t { warning, note, cyclic_buffer_dependency, deadlock, lossless_drops, watchdog };
/// By FindingKind; never to change, as stores have them.
inline constexpr std::array<std::string_view, 6> kFindingKindNames{
    "warning", "note", "cyclic buffer dependency", "deadlock", "drops of a lossless priority", "pause watchdog"};

/// One of several ports that a finding is of: those that wait for each other in a cycle, or whose frames were dropped
/// at the other end of their link, or that were paused for too long.
struct FoundPort {
  std::size_t link = 0;  ///< of RunRecord::links: the port is at its `from`
  std::string what;      ///< what of the port: "priority 3", "queue 17"; empty: whatever can be paused
};

struct RunFinding {
  FindingKind kind = FindingKind::note;
  std::string text;    ///< a sentence without its stop; `ports` and `failed` are not told again
  std::string failed;  ///< the links without which it holds: "a - b and c - d"; empty: none is missing
  /// Of a cycle each waits for the next, the last for the first. Of drops and storms those with the most of them,
  /// most first.
  std::vector<FoundPort> ports;
};

}  // namespace weir
