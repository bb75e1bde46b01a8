// SPDX-License-Identifier: Apache-2.0
// Occupancy and delays of switches, by class of flow, hop and direction.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "fabric/fabric.h"
#include "results/run_record.h"
#include "units/hot_path.h"

namespace weir {

/// Follows every frame through switches. A frame counts at its egress port (Frame::egress) from its admission to the
/// buffer on, wherever in the switch it waits: in a queue of the port, of a stage, or of the whole switch. A frame that
/// passes an idle port counts there with zero time.
///
/// Maxima cover every instant; at one instant frames arrive and leave in the order in which the switch handles them.
/// The class of a frame's flow is its class when the frame reaches the switch.
class HopStatistics {
 public:
  using ClassOf = std::function<FlowClass(HostId destination, QueuePairId receiver)>;
  HopStatistics(Fabric& fabric, ClassOf class_of);

  /// From now on there may be incasts and victims; until then all flows are background flows.
  void tell_classes_apart() {
    classes_differ_ = true;
    quick_notes_ = 0;
  }

  struct Port;
  /// The ports of a switch.
  struct At {
    Port* ports = nullptr;
    std::uint32_t first = 0;  // number of the first, among those of all switches
  };
  [[nodiscard]] At ports_of(SwitchId at);
  /// Whether the frame with this number has a note, and flows need not be looked up: the condition for the quick calls.
  [[nodiscard]] bool is_quick(FrameId frame) const { return frame.value < quick_notes_; }

  // on_admit(), on_depart() and on_pass() for frames with an ingress, in the present case. They call other functions
  // last, so that no registers need be saved.
  WEIR_HOT_INLINE void quick_admit(const At& at, FrameId id, const Frame& frame);
  WEIR_HOT_INLINE void quick_depart(FrameId id, const Frame& frame, Time now);
  WEIR_HOT_INLINE void quick_pass(const At& at, FrameId id, const Frame& frame);

  // Called for one switch in time order, like the switch's observer.
  void on_admit(const SwitchContext& at, const Frame& frame);
  /// To be called for frames made in the switch, and for trimmed frames: their egress may have changed.
  void on_enter(const SwitchContext& at, const Frame& frame);
  /// A frame in the buffer has been trimmed.
  void on_trim(const SwitchContext& at, const Frame& frame);
  void on_depart(const SwitchContext& at, const Frame& frame);
  /// on_admit() and on_depart() at one instant.
  void on_pass(const SwitchContext& at, const Frame& frame);
  void on_drop(const SwitchContext& at, const Frame& frame);

  /// One row per class, hop, tier and direction with frames. To be called at the end of the run: frames still in
  /// buffers count until `now`.
  [[nodiscard]] std::vector<HopRecord> finish(Time now);
  /// Adds the delays of data frames in switches of a tier, with 7 and above together.
  void add_delays_of_data(std::array<Histogram, 8>& by_tier) const;

 private:
  static constexpr std::size_t kClasses = kHopClasses.size();
  static constexpr std::size_t kHops = 8;  // including 0 for any; longer paths count as the last
  /// The kind of a frame: one of HopClass::incast, victim, background and control. The other classes are unions of
  /// these.
  enum Kind : std::uint8_t { incast, victim, background, control };
  static constexpr std::size_t kKinds = 4;

  /// Frames of a kind at a hop: hop * kKinds + kind.
  static constexpr std::size_t kCells = kHops * kKinds;

  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
  struct Note {
    std::uint32_t place = kNowhere;  // of its port, while it is in a buffer
    std::uint16_t bytes = 0;
    std::uint16_t cell = 0;  // at the last switch
    [[nodiscard]] bool held() const { return place != kNowhere; }
    [[nodiscard]] std::size_t kind() const { return cell % kKinds; }
    [[nodiscard]] std::size_t hop() const { return cell / kKinds; }
  };
  /// Bytes currently held by one port, or by the ports of one switch in one direction.
  struct Held {
    std::int64_t all = 0;                      // of all hops and kinds
    std::array<std::int64_t, kCells> bytes{};  // hop 0 stands for any hop
  };
  /// The maximum over all ports, or all switches, of a row.
  struct Most {
    std::array<std::int64_t, kCells> of_kind{};
    std::array<std::array<std::int64_t, kClasses>, kHops> of_union{};  // for the classes that are unions
    /// The smallest of the maxima that a frame of this cell can raise, and that of unions, when last computed. Maxima
    /// only increase: while a place holds at most this in total, none of them changes.
    std::array<std::int64_t, kCells> least{};
    std::array<std::int64_t, kCells> least_union{};
  };
  struct Row {
    int tier = 0;
    std::uint8_t direction = 0;
    Most of_port;
    Most of_switch;
    std::array<std::uint64_t, kCells> passed{};      // frames with zero time
    std::array<UnsignedInt128, kCells> byte_time{};  // byte picoseconds, modulo 2^128
    std::array<Histogram, kCells> delay;             // of the frames with non-zero time
  };

  [[nodiscard]] std::uint32_t place_of(const SwitchContext& at, PortId port) const {
    return first_[at.id().index()] + port.value;
  }
  Note& note_of(const SwitchContext& at, const Frame& frame) {
    const std::size_t number = at.frames().id_of(frame).index();
    if (number >= notes_.size()) [[unlikely]]
      grow_notes(number);
    return notes_[number];
  }
  void grow_notes(std::size_t number);
  [[nodiscard]] Kind kind_of(const Frame& frame) const {
    if (frame.kind != FrameKind::data) return control;
    return classes_differ_ ? kind_of_flow(frame) : background;
  }
  [[nodiscard]] Kind kind_of_flow(const Frame& frame) const;
  /// The cell of a frame that has reached a switch.
  [[nodiscard]] std::uint16_t cell_at(const Note& note, const SwitchContext& at, const Frame& frame) const;
  [[nodiscard]] WEIR_HOT_INLINE static std::uint16_t next_cell(std::uint16_t before);
  void take(Note& note, std::uint32_t place, std::int64_t bytes);
  void give_back(const Note& note);
  /// Its stay ends; returns the port where it was.
  WEIR_HOT_INLINE Port& end_stay(Note& note, std::uint64_t waited);
  WEIR_HOT_INLINE static void add(Held& held, std::size_t kind, std::size_t cell, std::int64_t bytes);
  /// A frame of this cell has come to a port and its switch, or passes with `passing` bytes without being counted: they
  /// may hold more than ever before.
  WEIR_HOT_INLINE static void follow(const Port& port, std::size_t cell, std::int64_t passing);
  static void look_closer(const Port& port, std::size_t cell, std::int64_t passing);
  static void look_closer(Most& most, const Held& held, std::size_t cell, std::int64_t passing);
  static void raise(Most& most, const Held& held, std::size_t cell, std::int64_t passing);
  static void raise_unions(Most& most, const Held& held, std::size_t cell, std::int64_t passing);
  [[nodiscard]] HopRecord record_of(const Row& row, HopClass is, std::size_t hop, Time now) const;

  Fabric& fabric_;
  ClassOf class_of_;
  bool classes_differ_ = false;       // some flow may be a victim
  std::vector<Note> notes_;           // by frame
  std::uint32_t quick_notes_ = 0;     // their number, or zero while classes_differ_
  std::vector<std::uint32_t> first_;  // by switch: of its ports in ports_
  std::vector<Port> ports_;
  std::deque<Held> ways_;
  std::deque<Row> rows_;
};

struct HopStatistics::Port {
  Held* way = nullptr;  // in ways_
  Row* row = nullptr;   // in rows_
  bool to_host = false;
  std::uint16_t from_switch = 0;  // all bits set, or none: a host is there, where the paths of its frames start
  Held held;
};

inline HopStatistics::At HopStatistics::ports_of(SwitchId at) {
  const std::uint32_t first = first_[at.index()];
  return {&ports_[first], first};
}

inline void HopStatistics::add(Held& held, std::size_t kind, std::size_t cell, std::int64_t bytes) {
  held.all += bytes;
  held.bytes[kind] += bytes;
  held.bytes[cell] += bytes;
}

inline HopStatistics::Port& HopStatistics::end_stay(Note& note, std::uint64_t waited) {
  Port& port = ports_[note.place];
  const std::int64_t bytes = note.bytes;
  add(port.held, note.kind(), note.cell, -bytes);
  add(*port.way, note.kind(), note.cell, -bytes);
  note.place = kNowhere;
  port.row->byte_time[note.cell] += UnsignedInt128{static_cast<std::uint64_t>(bytes)} * waited;
  return port;
}

inline std::uint16_t HopStatistics::next_cell(std::uint16_t before) {
  // The first cell of the next hop, but for the last one.
  const auto next = static_cast<std::uint16_t>((before | (kKinds - 1)) + 1);
  return std::min(next, std::uint16_t{(kHops - 1) * kKinds});
}

inline void HopStatistics::follow(const Port& port, std::size_t cell, std::int64_t passing) {
  const bool may_be_more = port.held.all + passing > port.row->of_port.least[cell] ||
                           port.way->all + passing > port.row->of_switch.least[cell];
  if (may_be_more) [[unlikely]]
    look_closer(port, cell, passing);
}

inline void HopStatistics::quick_admit(const At& at, FrameId id, const Frame& frame) {
  Note& note = notes_[id.index()];
  const std::uint16_t before = note.cell & at.ports[frame.ingress.index()].from_switch;
  const std::size_t kind = frame.kind == FrameKind::data ? background : control;
  const std::size_t cell = next_cell(before) + kind;
  const std::int64_t bytes = frame.charged_bytes;
  note = {at.first + frame.egress.value, frame.charged_bytes, static_cast<std::uint16_t>(cell)};
  Port& port = at.ports[frame.egress.index()];
  add(port.held, kind, cell, bytes);
  add(*port.way, kind, cell, bytes);
  follow(port, cell, 0);
}

inline void HopStatistics::quick_pass(const At& at, FrameId id, const Frame& frame) {
  Note& note = notes_[id.index()];
  const std::uint16_t before = note.cell & at.ports[frame.ingress.index()].from_switch;
  const std::size_t kind = frame.kind == FrameKind::data ? background : control;
  const std::size_t cell = next_cell(before) + kind;
  const std::int64_t bytes = frame.charged_bytes;
  const Port& port = at.ports[frame.egress.index()];
  note.cell = port.to_host ? std::uint16_t{0} : static_cast<std::uint16_t>(cell);  // zero: its path ends here
  ++port.row->passed[cell];
  follow(port, cell, bytes);
}

inline void HopStatistics::quick_depart(FrameId id, const Frame& frame, Time now) {
  Note& note = notes_[id.index()];
  if (!note.held()) [[unlikely]]
    return;  // it was admitted before measurement started
  const std::int64_t waited = (now - frame.arrival).picoseconds();
  const std::size_t cell = note.cell;
  const Port& port = end_stay(note, static_cast<std::uint64_t>(waited));
  if (port.to_host) note.cell = 0;  // its path ends here
  port.row->delay[cell].add(waited);
}

}  // namespace weir
