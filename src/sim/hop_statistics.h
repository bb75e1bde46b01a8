// SPDX-License-Identifier: Apache-2.0
// Occupancy and delays of switches, by class of flow, hop and direction.
#pragma once

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
  void tell_classes_apart() { classes_differ_ = true; }

  // Called for one switch in time order, like the switch's observer.
  WEIR_HOT_INLINE void on_admit(const SwitchContext& at, const Frame& frame);
  /// To be called for frames made in the switch, and for trimmed frames: their egress may have changed.
  void on_enter(const SwitchContext& at, const Frame& frame);
  /// A frame in the buffer has been trimmed.
  void on_trim(const SwitchContext& at, const Frame& frame);
  WEIR_HOT_INLINE void on_depart(const SwitchContext& at, const Frame& frame);
  /// on_admit() and on_depart() at one instant.
  WEIR_HOT_INLINE void on_pass(const SwitchContext& at, const Frame& frame);
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
  struct Port {
    Held* way = nullptr;  // in ways_
    Row* row = nullptr;   // in rows_
    bool to_host = false;
    Held held;
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
  [[nodiscard]] WEIR_HOT_INLINE std::uint16_t cell_at(const Note& note, const SwitchContext& at,
                                                      const Frame& frame) const;
  WEIR_HOT_INLINE void take(Note& note, std::uint32_t place, std::int64_t bytes);
  WEIR_HOT_INLINE void give_back(const Note& note);
  /// Its stay ends; returns the port where it was.
  WEIR_HOT_INLINE Port& end_stay(Note& note, std::uint64_t waited);
  static void add(Held& held, const Note& note, std::int64_t bytes) {
    held.all += bytes;
    held.bytes[note.kind()] += bytes;
    held.bytes[note.cell] += bytes;
  }
  /// A frame has increased the occupancy of a place, or a frame of `passing` bytes passes without being counted.
  static void follow(Most& most, const Held& held, std::size_t cell, std::int64_t passing) {
    if (held.all + passing > most.least[cell]) [[unlikely]]
      look_closer(most, held, cell, passing);
  }
  static void look_closer(Most& most, const Held& held, std::size_t cell, std::int64_t passing);
  static void raise(Most& most, const Held& held, std::size_t cell, std::int64_t passing);
  static void raise_unions(Most& most, const Held& held, std::size_t cell, std::int64_t passing);
  [[nodiscard]] HopRecord record_of(const Row& row, HopClass is, std::size_t hop, Time now) const;

  Fabric& fabric_;
  ClassOf class_of_;
  bool classes_differ_ = false;       // some flow may be a victim
  std::vector<Note> notes_;           // by frame
  std::vector<std::uint32_t> first_;  // by switch: of its ports in ports_
  std::vector<Port> ports_;
  std::vector<std::uint8_t> from_host_;  // by port: whether frames from there start their path
  std::deque<Held> ways_;
  std::deque<Row> rows_;
};

inline std::uint16_t HopStatistics::cell_at(const Note& note, const SwitchContext& at, const Frame& frame) const {
  // Frames in the control reserve have no ingress.
  const bool first = frame.ingress.exists() && from_host_[place_of(at, frame.ingress)] != 0;
  const std::size_t before = note.hop();
  const std::size_t hop = first ? 1 : before + (before + 1 < kHops ? 1 : 0);
  return static_cast<std::uint16_t>(hop * kKinds + kind_of(frame));
}

inline void HopStatistics::take(Note& note, std::uint32_t place, std::int64_t bytes) {
  note.place = place;
  note.bytes = static_cast<std::uint16_t>(bytes);
  Port& port = ports_[place];
  add(port.held, note, bytes);
  add(*port.way, note, bytes);
  follow(port.row->of_port, port.held, note.cell, 0);
  follow(port.row->of_switch, *port.way, note.cell, 0);
}

inline void HopStatistics::give_back(const Note& note) {
  Port& port = ports_[note.place];
  add(port.held, note, -std::int64_t{note.bytes});
  add(*port.way, note, -std::int64_t{note.bytes});
}

inline void HopStatistics::on_admit(const SwitchContext& at, const Frame& frame) {
  Note& note = note_of(at, frame);
  note.cell = cell_at(note, at, frame);
  take(note, place_of(at, frame.egress), frame.charged_bytes);
}

inline void HopStatistics::on_pass(const SwitchContext& at, const Frame& frame) {
  Note& note = note_of(at, frame);
  const Port& port = ports_[place_of(at, frame.egress)];
  const std::size_t cell = cell_at(note, at, frame);
  Row& row = *port.row;
  note.cell = port.to_host ? std::uint16_t{0} : static_cast<std::uint16_t>(cell);  // zero: its path ends here
  ++row.passed[cell];
  follow(row.of_port, port.held, cell, frame.charged_bytes);
  follow(row.of_switch, *port.way, cell, frame.charged_bytes);
}

inline HopStatistics::Port& HopStatistics::end_stay(Note& note, std::uint64_t waited) {
  Port& port = ports_[note.place];
  const std::int64_t bytes = note.bytes;
  add(port.held, note, -bytes);
  add(*port.way, note, -bytes);
  note.place = kNowhere;
  port.row->byte_time[note.cell] += UnsignedInt128{static_cast<std::uint64_t>(bytes)} * waited;
  return port;
}

inline void HopStatistics::on_depart(const SwitchContext& at, const Frame& frame) {
  Note& note = note_of(at, frame);
  if (!note.held()) [[unlikely]]
    return;  // it was admitted before measurement started
  const std::int64_t waited = (at.now() - frame.arrival).picoseconds();
  const Port& port = end_stay(note, static_cast<std::uint64_t>(waited));
  port.row->delay[note.cell].add(waited);
  if (port.to_host) note.cell = 0;  // its path ends here
}

}  // namespace weir
