// SPDX-License-Identifier: Apache-2.0
// What switches hold and how long, by class of flow, hop and direction.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include "fabric/fabric.h"
#include "results/run_record.h"

namespace weir {

/// Follows every frame through switches. A frame counts at the egress port that it will leave by (Frame::egress) from
/// when the buffer takes it, wherever in the switch it waits: in a queue of the port, in one of a stage, in one of the
/// whole switch. One that passes an idle port counts there for no time at all.
///
/// Maxima are of every instant; at one instant frames come and go in the order in which the switch handles them. The
/// class of a frame's flow is what it has come to when the frame comes to the switch.
class HopStatistics {
 public:
  using ClassOf = std::function<FlowClass(HostId destination, QueuePairId receiver)>;
  HopStatistics(Fabric& fabric, ClassOf class_of);

  // Of one switch in the order of time, as the switch's observer is told.
  void on_admit(const SwitchContext& at, const Frame& frame);
  void on_enter(const SwitchContext& at, const Frame& frame);
  void on_depart(const SwitchContext& at, const Frame& frame);
  void on_drop(const SwitchContext& at, const Frame& frame);

  /// One row for each class, hop, tier and direction of which there were frames. At the end of the run: what is held
  /// then counts until `now`.
  [[nodiscard]] std::vector<HopRecord> finish(Time now);

 private:
  static constexpr std::size_t kClasses = kHopClasses.size();
  static constexpr std::size_t kHops = 8;  // with 0, any; longer ways count as the last

  struct Note {
    std::uint32_t place = 0;  // of its port
    std::uint16_t bytes = 0;
    std::uint8_t hop = 0;  // of the switch where it was seen last
    HopClass is = HopClass::control;
    bool held = false;
  };
  /// What one port, or the ports of one switch that lead one way, hold now.
  using Held = std::array<std::array<std::int64_t, kHops>, kClasses>;
  struct Port {
    std::uint32_t of_switch = 0;  // in of_switch_
    std::uint32_t row = 0;        // in rows_
    Held held{};
  };
  struct Way {
    Held held{};
  };
  struct Cell {
    std::int64_t port_most = 0;
    std::int64_t switch_most = 0;
    UnsignedInt128 byte_time = 0;  // byte picoseconds
    Histogram delay;
  };
  struct Row {
    int tier = 0;
    std::uint8_t direction = 0;
    std::array<std::array<Cell, kHops>, kClasses> cells;
  };

  Note& note_of(const SwitchContext& at, const Frame& frame);
  [[nodiscard]] HopClass class_of(const Frame& frame) const;
  void take(Note& note, const SwitchContext& at, const Frame& frame);
  void leave(Note& note, Time arrival, Time now, bool counts);
  template <class Visit>
  static void for_each_cell(const Note& note, Visit visit);

  Fabric& fabric_;
  ClassOf class_of_;
  std::vector<Note> notes_;           // by frame
  std::vector<std::uint32_t> first_;  // by switch: of its ports in ports_
  std::vector<Port> ports_;
  std::vector<Way> of_switch_;
  std::vector<Row> rows_;
};

}  // namespace weir
