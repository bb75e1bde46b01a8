// SPDX-License-Identifier: Apache-2.0
#include "sim/hop_statistics.h"

#include <algorithm>
#include <initializer_list>

namespace weir {
namespace {

/// By kHopDirections.
std::uint8_t direction_of(const Topology& topology, SwitchId from, const Peer& peer) {
  const int tier = topology.node(topology.node_of(from)).tier;
  if (peer.is_host()) return 1;
  const int other = topology.node(topology.node_of(peer.neighbour)).tier;
  return other > tier ? 0 : other < tier ? 1 : 2;
}

}  // namespace

HopStatistics::HopStatistics(Fabric& fabric, ClassOf class_of) : fabric_(fabric), class_of_(std::move(class_of)) {
  std::map<std::pair<int, std::uint8_t>, std::uint32_t> row_of;
  for (std::size_t i = 0; i < fabric.switches(); ++i) {
    const Switch& at = fabric.switch_by(SwitchId(i));
    const int tier = fabric.topology().node(fabric.topology().node_of(SwitchId(i))).tier;
    std::map<std::uint8_t, std::uint32_t> way_of;
    first_.push_back(static_cast<std::uint32_t>(ports_.size()));
    for (std::size_t port = 0; port < at.ports(); ++port) {
      const std::uint8_t direction = direction_of(fabric.topology(), SwitchId(i), at.port(PortId(port)).peer);
      const auto [way, new_way] = way_of.try_emplace(direction, static_cast<std::uint32_t>(of_switch_.size()));
      if (new_way) of_switch_.emplace_back();
      const auto [row, new_row] = row_of.try_emplace({tier, direction}, static_cast<std::uint32_t>(rows_.size()));
      if (new_row) rows_.push_back({tier, direction, {}});
      ports_.push_back({way->second, row->second, {}});
    }
  }
}

HopStatistics::Note& HopStatistics::note_of(const SwitchContext& at, const Frame& frame) {
  const std::size_t number = at.frames().id_of(frame).index();
  if (number >= notes_.size()) notes_.resize(std::max(number + 1, 2 * notes_.size()));
  return notes_[number];
}

HopClass HopStatistics::class_of(const Frame& frame) const {
  if (frame.kind != FrameKind::data) return HopClass::control;
  switch (class_of_(frame.destination, frame.queue_pair)) {
    case FlowClass::incast:
      return HopClass::incast;
    case FlowClass::victim:
      return HopClass::victim;
    case FlowClass::background:
      break;
  }
  return HopClass::background;
}

/// Calls visit(class, hop) for all that a frame counts as.
template <class Visit>
void HopStatistics::for_each_cell(const Note& note, Visit visit) {
  const auto visit_class = [&](HopClass is) {
    visit(static_cast<std::size_t>(is), std::size_t{0});
    visit(static_cast<std::size_t>(is), std::size_t{note.hop});
  };
  visit_class(note.is);
  visit_class(HopClass::everything);
  if (note.is == HopClass::control) return;
  visit_class(HopClass::all);
  if (note.is != HopClass::incast) visit_class(HopClass::not_incast);
}

void HopStatistics::take(Note& note, const SwitchContext& at, const Frame& frame) {
  note.place = first_[at.id().index()] + frame.egress.value;
  note.bytes = frame.charged_bytes;
  note.is = class_of(frame);
  note.held = true;
  Port& port = ports_[note.place];
  Held& of_switch = of_switch_[port.of_switch].held;
  Row& row = rows_[port.row];
  for_each_cell(note, [&](std::size_t is, std::size_t hop) {
    Cell& cell = row.cells[is][hop];
    cell.port_most = std::max(cell.port_most, port.held[is][hop] += note.bytes);
    cell.switch_most = std::max(cell.switch_most, of_switch[is][hop] += note.bytes);
  });
}

void HopStatistics::on_admit(const SwitchContext& at, const Frame& frame) {
  Note& note = note_of(at, frame);
  // The reserve for control frames leaves no ingress.
  const bool first = frame.ingress.exists() && at.port(frame.ingress).peer.is_host();
  note.hop = static_cast<std::uint8_t>(first ? 1 : std::min<std::size_t>(note.hop + 1u, kHops - 1));
  take(note, at, frame);
}

void HopStatistics::on_enter(const SwitchContext& at, const Frame& frame) {
  Note& note = note_of(at, frame);
  if (note.held && note.bytes == frame.charged_bytes) return;
  if (note.held) {
    // Its payload has been cut off: that has waited until now, and the rest counts from its arrival when it leaves.
    const std::int64_t cut = note.bytes - frame.charged_bytes;
    const std::int64_t waited = (at.now() - frame.arrival).picoseconds();
    for_each_cell(note, [&](std::size_t is, std::size_t hop) {
      rows_[ports_[note.place].row].cells[is][hop].byte_time +=
          UnsignedInt128{static_cast<std::uint64_t>(cut)} * static_cast<std::uint64_t>(waited);
    });
    leave(note, at.now(), at.now(), false);
  } else {
    note.hop = 1;  // made here
  }
  take(note, at, frame);
}

void HopStatistics::leave(Note& note, Time arrival, Time now, bool counts) {
  Port& port = ports_[note.place];
  Held& of_switch = of_switch_[port.of_switch].held;
  Row& row = rows_[port.row];
  const std::int64_t delay = (now - arrival).picoseconds();
  for_each_cell(note, [&](std::size_t is, std::size_t hop) {
    Cell& cell = row.cells[is][hop];
    port.held[is][hop] -= note.bytes;
    of_switch[is][hop] -= note.bytes;
    cell.byte_time += UnsignedInt128{note.bytes} * static_cast<std::uint64_t>(delay);
    if (counts) cell.delay.add(delay);
  });
  note.held = false;
}

void HopStatistics::on_depart(const SwitchContext& at, const Frame& frame) {
  Note& note = note_of(at, frame);
  if (!note.held) return;  // it was there before anybody looked
  leave(note, frame.arrival, at.now(), true);
  if (at.port(frame.egress).peer.is_host()) note.hop = 0;  // its way is over
}

void HopStatistics::on_drop(const SwitchContext& at, const Frame& frame) {
  Note& note = note_of(at, frame);
  if (note.held) leave(note, frame.arrival, at.now(), false);
  note.hop = 0;
}

std::vector<HopRecord> HopStatistics::finish(Time now) {
  const FramePool& frames = fabric_.frames();
  for (std::size_t i = 0; i < notes_.size(); ++i) {
    if (notes_[i].held) leave(notes_[i], frames[FrameId(i)].arrival, now, false);
  }
  std::vector<HopRecord> out;
  const auto length = static_cast<double>(now.picoseconds());
  for (std::size_t is = 0; is < kClasses; ++is) {
    for (std::size_t hop = 0; hop < kHops; ++hop) {
      for (Row& row : rows_) {
        Cell& cell = row.cells[is][hop];
        if (cell.port_most == 0) continue;
        HopRecord record;
        record.flow_class = kHopClasses[is];
        record.hop = static_cast<std::int64_t>(hop);
        record.tier = row.tier;
        record.direction = kHopDirections[row.direction];
        record.port_most = cell.port_most;
        record.switch_most = cell.switch_most;
        record.mean = length > 0 ? static_cast<double>(cell.byte_time) / length : 0;
        record.delay = std::move(cell.delay);
        out.push_back(std::move(record));
      }
    }
  }
  return out;
}

}  // namespace weir
