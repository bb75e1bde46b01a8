// SPDX-License-Identifier: Apache-2.0
// What frames in a switch keep in force, for any instant of a window.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "fabric/fabric.h"
#include "sim/flow_controls.h"

namespace weir {

/// The changes of a window that are visible to a query: all before `at`, and at that instant those of nodes of lower
/// order.
struct RoundMoment {
  Time at = Time::never();
  std::uint32_t order = ~std::uint32_t{0};  // no node has this order: such a query sees everything
  std::uint32_t own = 0;                    // visible changes of the node with that order
};

/// For each pause and debt of a switch, identified by its ingress and its ID or priority: the number of frames that
/// keep it in force, per queue and egress. What a frame keeps in force is determined when it enters its queue.
class KeptRows {
 public:
  /// A pause of a priority, or one with a flow control's own ID.
  struct Key {
    PortId ingress;
    bool named = false;
    std::uint64_t name = 0;  // ID or priority
    auto operator<=>(const Key&) const = default;
  };
  /// Frames in one queue for one egress.
  struct Cell {
    QueueId queue;
    PortId egress;
    std::uint32_t frames = 0;
  };

  KeptRows(const Fabric& fabric, const FlowControls& controls);

  /// Starts to follow a switch, including the frames in it.
  void watch(SwitchId node);
  [[nodiscard]] bool watches(SwitchId node) const { return switches_[node.index()].watched; }

  // Called for one watched switch, in time order.
  void on_enter(const SwitchContext& at, QueueId queue, const Frame& frame);
  /// The frame leaves its queue, or the switch.
  void on_leave(const SwitchContext& at, const Frame& frame);

  /// When a frame of a watched switch entered its queue.
  [[nodiscard]] Time entered(FrameId frame) const { return notes_[frame.index()].entered; }
  /// Number of changes of a switch in this window.
  [[nodiscard]] std::uint32_t changes(SwitchId node) const {
    return static_cast<std::uint32_t>(switches_[node.index()].changes.size());
  }
  /// Replaces the content of `out`; cells without frames are omitted.
  void look(SwitchId node, const Key& key, const RoundMoment& moment, std::vector<Cell>& out) const;
  void end_window();

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Row {
    Key key;
    std::vector<Cell> cells;
  };
  struct Change {
    Time at;
    std::uint32_t row = 0;
    QueueId queue;
    PortId egress;
    int by = 0;
  };
  struct Kept {
    std::uint32_t row = 0;
    std::uint32_t next = kNone;  // of the same frame
  };
  struct Note {
    Time entered;
    QueueId queue;
    PortId egress;
    std::uint32_t kept = kNone;
    bool in_queue = false;
  };
  struct Watched {
    bool watched = false;
    std::map<Key, std::uint32_t> row_of;
    std::vector<Row> rows;
    std::vector<std::uint32_t> free;
    std::vector<Change> changes;
  };

  Note& note_of(const SwitchContext& at, const Frame& frame);
  void enter(const SwitchContext& at, QueueId queue, const Frame& frame, Time since);
  void add(const SwitchContext& at, Note& note, const Key& key);
  void change(const SwitchContext& at, std::uint32_t row, QueueId queue, PortId egress, int by);
  static Cell& cell_of(std::vector<Cell>& cells, QueueId queue, PortId egress);

  const Fabric& fabric_;
  const FlowControls& controls_;
  std::vector<Watched> switches_;
  std::vector<SwitchId> changed_;
  std::vector<Note> notes_;  // by frame
  std::vector<Kept> kept_;
  std::uint32_t free_kept_ = kNone;
  std::vector<HopPause> found_;  // scratch
};

}  // namespace weir
