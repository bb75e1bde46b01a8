// SPDX-License-Identifier: Apache-2.0
#include "sim/hop_statistics.h"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <map>
#include <utility>

namespace weir {
namespace {

/// An index of kHopDirections.
std::uint8_t direction_of(const Topology& topology, SwitchId from, const Peer& peer) {
  const int tier = topology.node(topology.node_of(from)).tier;
  if (peer.is_host()) return 1;
  const int other = topology.node(topology.node_of(peer.neighbour)).tier;
  return other > tier ? 0 : other < tier ? 1 : 2;
}

}  // namespace

HopStatistics::HopStatistics(Fabric& fabric, ClassOf class_of) : fabric_(fabric), class_of_(std::move(class_of)) {
  std::map<std::pair<int, std::uint8_t>, Row*> row_of;
  for (std::size_t i = 0; i < fabric.switches(); ++i) {
    const Switch& at = fabric.switch_by(SwitchId(i));
    const int tier = fabric.topology().node(fabric.topology().node_of(SwitchId(i))).tier;
    std::map<std::uint8_t, Held*> way_of;
    first_.push_back(static_cast<std::uint32_t>(ports_.size()));
    for (std::size_t port = 0; port < at.ports(); ++port) {
      const Peer& peer = at.port(PortId(port)).peer;
      const std::uint8_t direction = direction_of(fabric.topology(), SwitchId(i), peer);
      Held*& way = way_of[direction];
      if (way == nullptr) way = &ways_.emplace_back();
      Row*& row = row_of[{tier, direction}];
      if (row == nullptr) {
        row = &rows_.emplace_back();
        row->tier = tier;
        row->direction = direction;
      }
      const auto from_switch = static_cast<std::uint16_t>(peer.is_host() ? 0 : ~0u);
      ports_.push_back({way, row, peer.is_host(), from_switch, {}});
    }
  }
}

void HopStatistics::grow_notes(std::size_t number) {
  notes_.resize(std::max(number + 1, 2 * notes_.size()));
  if (!classes_differ_) quick_notes_ = static_cast<std::uint32_t>(notes_.size());
}

HopStatistics::Kind HopStatistics::kind_of_flow(const Frame& frame) const {
  switch (class_of_(frame.returned() ? frame.source : frame.destination, frame.queue_pair)) {
    case FlowClass::incast:
      return incast;
    case FlowClass::victim:
      return victim;
    case FlowClass::background:
      break;
  }
  return background;
}

void HopStatistics::look_closer(const Port& port, std::size_t cell, std::int64_t passing) {
  Row& row = *port.row;
  if (port.held.all + passing > row.of_port.least[cell]) look_closer(row.of_port, port.held, cell, passing);
  if (port.way->all + passing > row.of_switch.least[cell]) look_closer(row.of_switch, *port.way, cell, passing);
}

/// Needs no stack frame if there is nothing to raise: this is often called for the acknowledgements of a switch that
/// holds data.
inline void HopStatistics::look_closer(Most& most, const Held& held, std::size_t cell, std::int64_t passing) {
  const std::size_t any_hop = cell % kKinds;
  const bool nothing = held.bytes[any_hop] + passing <= most.of_kind[any_hop] &&
                       held.bytes[cell] + passing <= most.of_kind[cell] && held.all + passing <= most.least_union[cell];
  if (!nothing) raise(most, held, cell, passing);
}

[[gnu::noinline]] void HopStatistics::raise(Most& most, const Held& held, std::size_t cell, std::int64_t passing) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const std::size_t each : {cell % kKinds, cell}) {
    most.of_kind[each] = std::max(most.of_kind[each], held.bytes[each] + passing);
    least = std::min(least, most.of_kind[each]);
  }
  if (held.all + passing > most.least_union[cell]) raise_unions(most, held, cell, passing);
  most.least[cell] = std::min(least, most.least_union[cell]);
}

void HopStatistics::raise_unions(Most& most, const Held& held, std::size_t cell, std::int64_t passing) {
  const std::size_t kind = cell % kKinds;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const std::size_t hop : {std::size_t{0}, cell / kKinds}) {
    const auto bytes = [&](Kind of) { return held.bytes[hop * kKinds + of]; };
    const auto follow_union = [&](HopClass is, std::int64_t to) {
      std::int64_t& of_union = most.of_union[hop][static_cast<std::size_t>(is)];
      of_union = std::max(of_union, to + passing);
      least = std::min(least, of_union);
    };
    const std::int64_t not_incast = bytes(victim) + bytes(background);
    follow_union(HopClass::everything, not_incast + bytes(incast) + bytes(control));
    if (kind == control) continue;
    follow_union(HopClass::all, not_incast + bytes(incast));
    if (kind != incast) follow_union(HopClass::not_incast, not_incast);
  }
  most.least_union[cell] = least;
}

std::uint16_t HopStatistics::cell_at(const Note& note, const SwitchContext& at, const Frame& frame) const {
  // Frames in the control reserve have no ingress.
  const bool first = frame.ingress.exists() && ports_[place_of(at, frame.ingress)].from_switch == 0;
  return static_cast<std::uint16_t>(next_cell(first ? std::uint16_t{0} : note.cell) + kind_of(frame));
}

void HopStatistics::take(Note& note, std::uint32_t place, std::int64_t bytes) {
  note.place = place;
  note.bytes = static_cast<std::uint16_t>(bytes);
  Port& port = ports_[place];
  add(port.held, note.kind(), note.cell, bytes);
  add(*port.way, note.kind(), note.cell, bytes);
  follow(port, note.cell, 0);
}

void HopStatistics::give_back(const Note& note) {
  Port& port = ports_[note.place];
  add(port.held, note.kind(), note.cell, -std::int64_t{note.bytes});
  add(*port.way, note.kind(), note.cell, -std::int64_t{note.bytes});
}

void HopStatistics::on_admit(const SwitchContext& at, const Frame& frame) {
  Note& note = note_of(at, frame);
  note.cell = cell_at(note, at, frame);
  take(note, place_of(at, frame.egress), frame.charged_bytes);
}

void HopStatistics::on_pass(const SwitchContext& at, const Frame& frame) {
  Note& note = note_of(at, frame);
  const Port& port = ports_[place_of(at, frame.egress)];
  const std::size_t cell = cell_at(note, at, frame);
  note.cell = port.to_host ? std::uint16_t{0} : static_cast<std::uint16_t>(cell);  // zero: its path ends here
  ++port.row->passed[cell];
  follow(port, cell, frame.charged_bytes);
}

void HopStatistics::on_depart(const SwitchContext& at, const Frame& frame) {
  note_of(at, frame);  // so that it has a note
  quick_depart(at.frames().id_of(frame), frame, at.now());
}

void HopStatistics::on_enter(const SwitchContext& at, const Frame& frame) {
  Note& note = note_of(at, frame);
  const std::uint32_t place = place_of(at, frame.egress);
  if (!note.held()) {
    note.cell = static_cast<std::uint16_t>(kKinds + kind_of(frame));  // its first hop
    return take(note, place, frame.charged_bytes);
  }
  if (note.place == place) return;
  // Its waiting time so far counts for the old port. It is subtracted from the sum of the new port, which will include
  // the time from its arrival on.
  const auto waited = static_cast<std::uint64_t>((at.now() - frame.arrival).picoseconds());
  const UnsignedInt128 byte_time = UnsignedInt128{note.bytes} * waited;
  ports_[note.place].row->byte_time[note.cell] += byte_time;
  give_back(note);
  take(note, place, note.bytes);
  ports_[note.place].row->byte_time[note.cell] -= byte_time;
}

void HopStatistics::on_trim(const SwitchContext& at, const Frame& frame) {
  Note& note = note_of(at, frame);
  if (!note.held()) return;
  // The removed part has waited until now; the rest counts from its arrival when it leaves.
  give_back(note);
  const auto cut = static_cast<std::uint64_t>(note.bytes - frame.charged_bytes);
  const auto waited = static_cast<std::uint64_t>((at.now() - frame.arrival).picoseconds());
  ports_[note.place].row->byte_time[note.cell] += UnsignedInt128{cut} * waited;
  take(note, note.place, frame.charged_bytes);
}

void HopStatistics::on_drop(const SwitchContext& at, const Frame& frame) {
  Note& note = note_of(at, frame);
  if (note.held()) end_stay(note, static_cast<std::uint64_t>((at.now() - frame.arrival).picoseconds()));
  note.cell = 0;
}

// ---- the end ----

namespace {

/// Whether frames of class `of` count as class `is`.
bool counts_as(HopClass of, HopClass is) {
  if (of == is || is == HopClass::everything) return true;
  if (of == HopClass::control) return false;
  return is == HopClass::all || (is == HopClass::not_incast && of != HopClass::incast);
}

constexpr std::array kClassOfKind{HopClass::incast, HopClass::victim, HopClass::background, HopClass::control};

}  // namespace

HopRecord HopStatistics::record_of(const Row& row, HopClass is, std::size_t hop, Time now) const {
  HopRecord record;
  const auto kind = std::find(kClassOfKind.begin(), kClassOfKind.end(), is);
  const auto most = [&](const Most& of) {
    return kind != kClassOfKind.end() ? of.of_kind[hop * kKinds + static_cast<std::size_t>(kind - kClassOfKind.begin())]
                                      : of.of_union[hop][static_cast<std::size_t>(is)];
  };
  record.flow_class = kHopClasses[static_cast<std::size_t>(is)];
  record.hop = static_cast<std::int64_t>(hop);
  record.tier = row.tier;
  record.direction = kHopDirections[row.direction];
  record.port_most = most(row.of_port);
  record.switch_most = most(row.of_switch);
  UnsignedInt128 byte_time = 0;
  for (std::size_t of = 0; of < kKinds; ++of) {
    if (!counts_as(kClassOfKind[of], is)) continue;
    for (std::size_t at = hop == 0 ? 1 : hop; at <= (hop == 0 ? kHops - 1 : hop); ++at) {
      const std::size_t cell = at * kKinds + of;
      byte_time += row.byte_time[cell];
      record.delay.merge(row.delay[cell]);
      record.delay.add(0, row.passed[cell]);
    }
  }
  const auto length = static_cast<double>(now.picoseconds());
  record.mean = length > 0 ? static_cast<double>(byte_time) / length : 0;
  return record;
}

std::vector<HopRecord> HopStatistics::finish(Time now) {
  const FramePool& frames = fabric_.frames();
  for (std::size_t i = 0; i < notes_.size(); ++i) {
    if (!notes_[i].held()) continue;
    end_stay(notes_[i], static_cast<std::uint64_t>((now - frames[FrameId(i)].arrival).picoseconds()));
  }
  std::vector<HopRecord> out;
  for (std::size_t is = 0; is < kClasses; ++is) {
    for (std::size_t hop = 0; hop < kHops; ++hop) {
      for (const Row& row : rows_) {
        HopRecord record = record_of(row, static_cast<HopClass>(is), hop, now);
        if (record.port_most != 0) out.push_back(std::move(record));
      }
    }
  }
  return out;
}

void HopStatistics::add_delays_of_data(std::array<Histogram, 8>& by_tier) const {
  for (const Row& row : rows_) {
    Histogram& tier = by_tier[static_cast<std::size_t>(std::clamp(row.tier, 0, 7))];
    for (std::size_t cell = 0; cell < kCells; ++cell) {
      if (cell % kKinds == control) continue;
      tier.merge(row.delay[cell]);
      tier.add(0, row.passed[cell]);
    }
  }
}

}  // namespace weir
