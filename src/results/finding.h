// What was found of a run beside what it measured: by weir check before it, or by the run itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

enum class FindingKind : std::uint8_t { warning, note, cyclic_buffer_dependency, deadlock };
/// By FindingKind; never to change, as stores have them.
inline constexpr std::array<std::string_view, 4> kFindingKindNames{"warning", "note", "cyclic buffer dependency",
                                                                   "deadlock"};

/// One of several ports that wait for each other in a circle.
struct WaitingPort {
  std::size_t link = 0;  ///< of RunRecord::links: the port is at its `from`
  std::string what;      ///< what of the port waits: "priority 3", "queue 17"; empty: whatever can be paused
};

struct RunFinding {
  FindingKind kind = FindingKind::note;
  std::string text;                ///< a sentence without its stop; `ports` and `failed` are not told again
  std::string failed;              ///< the links without which it holds: "a - b and c - d"; empty: none is missing
  std::vector<WaitingPort> ports;  ///< each waits for the next, the last for the first
};

}  // namespace weir
