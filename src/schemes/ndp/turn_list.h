// SPDX-License-Identifier: Apache-2.0
// Queue pairs that wait for their turn, each once.
#pragma once

namespace weir::ndp {

/// The neighbours of a half of a queue pair in a TurnList; part of the scheme's state of the half.
template <class Half>
struct Turn {
  Half* before = nullptr;
  Half* behind = nullptr;
  bool waits = false;
};

/// A queue of halves of queue pairs. Its links are in the state of the halves (`State::turn`), so that it has any
/// length without memory of its own.
template <class Half, class State>
class TurnList {
 public:
  [[nodiscard]] bool empty() const { return first_ == nullptr; }
  [[nodiscard]] Half* first() const { return first_; }

  /// At the end, unless it is in the list.
  void add(Half& half) {
    Turn<Half>& turn = turn_of(half);
    if (turn.waits) return;
    turn = {last_, nullptr, true};
    (last_ == nullptr ? first_ : turn_of(*last_).behind) = &half;
    last_ = &half;
  }
  /// Without effect if it is not in the list.
  void remove(Half& half) {
    Turn<Half>& turn = turn_of(half);
    if (!turn.waits) return;
    (turn.before == nullptr ? first_ : turn_of(*turn.before).behind) = turn.behind;
    (turn.behind == nullptr ? last_ : turn_of(*turn.behind).before) = turn.before;
    turn = {};
  }

 private:
  static Turn<Half>& turn_of(const Half& half) { return half.congestion.template as<State>().turn; }

  Half* first_ = nullptr;
  Half* last_ = nullptr;
};

}  // namespace weir::ndp
