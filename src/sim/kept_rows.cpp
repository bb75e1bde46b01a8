// SPDX-License-Identifier: Apache-2.0
#include "sim/kept_rows.h"

#include <algorithm>

namespace weir {

KeptRows::KeptRows(const Fabric& fabric, const FlowControls& controls)
    : fabric_(fabric), controls_(controls), switches_(fabric.switches()) {}

void KeptRows::watch(SwitchId node) {
  Watched& watched = switches_[node.index()];
  if (watched.watched) return;
  watched.watched = true;
  const Switch& at = *fabric_.switch_at(fabric_.topology().node_of(node));
  for (std::size_t queue = 0; queue < at.queues(); ++queue) {
    for (FrameId id = at.queue(QueueId(queue)).head; id.exists(); id = at.frames()[id].next) {
      const Frame& frame = at.frames()[id];
      if (frame.kind != FrameKind::marker) enter(at, QueueId(queue), frame, frame.arrival);
    }
  }
}

KeptRows::Note& KeptRows::note_of(const SwitchContext& at, const Frame& frame) {
  const std::size_t number = at.frames().id_of(frame).index();
  if (number >= notes_.size()) notes_.resize(std::max(number + 1, 2 * notes_.size()));
  return notes_[number];
}

void KeptRows::on_enter(const SwitchContext& at, QueueId queue, const Frame& frame) {
  enter(at, queue, frame, at.now());
}

void KeptRows::enter(const SwitchContext& at, QueueId queue, const Frame& frame, Time since) {
  if (note_of(at, frame).in_queue) on_leave(at, frame);  // it was taken from another queue
  Note& note = note_of(at, frame);
  note.entered = since;
  note.queue = queue;
  note.egress = frame.egress;
  note.in_queue = true;
  if (!frame.ingress.exists()) return;
  add(at, note, {frame.ingress, false, frame.ingress_priority});
  controls_.keeps(fabric_.topology().node_of(at.id()), at, queue, frame, found_);
  for (const HopPause& pause : found_) add(at, note, {pause.ingress, true, pause.name});
}

void KeptRows::add(const SwitchContext& at, Note& note, const Key& key) {
  Watched& watched = switches_[at.id().index()];
  const auto [place, is_new] = watched.row_of.try_emplace(key, 0);
  if (is_new) {
    if (watched.free.empty()) {
      place->second = static_cast<std::uint32_t>(watched.rows.size());
      watched.rows.push_back({key, {}});
    } else {
      place->second = watched.free.back();
      watched.free.pop_back();
      watched.rows[place->second].key = key;
    }
  }
  std::uint32_t kept = free_kept_;
  if (kept == kNone) {
    kept = static_cast<std::uint32_t>(kept_.size());
    kept_.emplace_back();
  } else {
    free_kept_ = kept_[kept].next;
  }
  kept_[kept] = {place->second, note.kept};
  note.kept = kept;
  change(at, place->second, note.queue, note.egress, 1);
}

void KeptRows::on_leave(const SwitchContext& at, const Frame& frame) {
  Note& note = note_of(at, frame);
  if (!note.in_queue) return;
  note.in_queue = false;
  while (note.kept != kNone) {
    Kept& kept = kept_[note.kept];
    change(at, kept.row, note.queue, note.egress, -1);
    const std::uint32_t next = kept.next;
    kept.next = free_kept_;
    free_kept_ = note.kept;
    note.kept = next;
  }
}

KeptRows::Cell& KeptRows::cell_of(std::vector<Cell>& cells, QueueId queue, PortId egress) {
  const auto found = std::find_if(cells.begin(), cells.end(),
                                  [&](const Cell& cell) { return cell.queue == queue && cell.egress == egress; });
  return found != cells.end() ? *found : cells.emplace_back(Cell{queue, egress, 0});
}

void KeptRows::change(const SwitchContext& at, std::uint32_t row, QueueId queue, PortId egress, int by) {
  Watched& watched = switches_[at.id().index()];
  cell_of(watched.rows[row].cells, queue, egress).frames += static_cast<std::uint32_t>(by);
  if (watched.changes.empty()) changed_.push_back(at.id());
  watched.changes.push_back({at.now(), row, queue, egress, by});
}

void KeptRows::look(SwitchId node, const Key& key, const RoundMoment& moment, std::vector<Cell>& out) const {
  out.clear();
  const Watched& watched = switches_[node.index()];
  const auto found = watched.row_of.find(key);
  if (found == watched.row_of.end()) return;
  out = watched.rows[found->second].cells;
  // Reverts later changes.
  for (std::size_t i = watched.changes.size(); i-- > 0;) {
    const Change& change = watched.changes[i];
    const bool seen = node.value == moment.order
                          ? i < moment.own
                          : change.at < moment.at || (change.at == moment.at && node.value < moment.order);
    if (seen) break;
    if (change.row == found->second) {
      cell_of(out, change.queue, change.egress).frames -= static_cast<std::uint32_t>(change.by);
    }
  }
  std::erase_if(out, [](const Cell& cell) { return cell.frames == 0; });
}

void KeptRows::end_window() {
  for (const SwitchId node : changed_) {
    Watched& watched = switches_[node.index()];
    for (const Change& change : watched.changes) {
      Row& row = watched.rows[change.row];
      if (row.cells.empty()) continue;  // it has been freed
      std::erase_if(row.cells, [](const Cell& cell) { return cell.frames == 0; });
      if (!row.cells.empty()) continue;
      watched.row_of.erase(row.key);
      watched.free.push_back(change.row);
    }
    watched.changes.clear();
  }
  changed_.clear();
}

}  // namespace weir
