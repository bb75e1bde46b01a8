// SPDX-License-Identifier: Apache-2.0
// The neighbours that a switch has told not to send to a destination.
#pragma once

#include <cstdint>
#include <vector>

#include "policy/switch_policy.h"
#include "schemes/floodgate/record_table.h"
#include "schemes/floodgate/settings.h"

namespace weir::floodgate {

/// Lengths of a queue in bytes: with more than `pause` the neighbour is paused, with less than `resume`, or nothing, it
/// is resumed.
struct PauseLimits {
  std::int64_t pause = 0;
  std::int64_t resume = 0;
};

/// By (port, destination). Each pause is of a queue, which is one of so many anchors: a VOQ, or an egress queue.
/// [FLOODGATE-D-1]
class HostPauses {
 public:
  explicit HostPauses(const Settings& settings) : settings_(settings) {}

  /// `pausable`: by port, whether the neighbour heeds pauses.
  void attach(const SwitchContext& context, std::vector<bool> pausable, std::size_t anchors);

  /// A packet has come into the queue, which holds so many bytes with it: pauses the neighbour for the packet's
  /// destination when that is too much. One that is paused already, and sends all the same, is told again, but once a
  /// round trip of its link at most. [FLOODGATE-D-2]
  void enter(SwitchContext& context, const Frame& frame, std::size_t anchor, const PauseLimits& limits,
             std::int64_t bytes) {
    if (bytes > limits.pause && !pausable_.empty() && pausable_[frame.ingress.index()]) pause(context, frame, anchor);
  }
  /// Packets have left the queue, which holds so many bytes now. [FLOODGATE-D-3]
  void leave(SwitchContext& context, std::size_t anchor, const PauseLimits& limits, std::int64_t bytes) {
    if (first_[anchor] != kNone && (bytes < limits.resume || bytes == 0)) resume(context, anchor);
  }
  /// The link of a neighbour has failed or come back.
  void reset(SwitchContext& context, PortId port);

  /// For measurement: the pauses that a queue keeps in force.
  void list(std::size_t anchor, std::vector<HopPause>& out) const {
    for (std::uint32_t at = first_[anchor]; at != kNone; at = pauses_[at].next) {
      out.push_back({PortId(port_in(pauses_[at].key)), name_in(pauses_[at].key), false});
    }
  }
  [[nodiscard]] std::uint64_t pauses() const { return sent_pauses_; }
  [[nodiscard]] std::uint64_t resumes() const { return sent_resumes_; }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Pause {
    std::uint64_t key = 0;
    std::uint32_t next = kNone;  // of the anchor
    bool in_use = false;
    Time said;
    [[nodiscard]] static bool idle() { return false; }
  };
  void pause(SwitchContext& context, const Frame& frame, std::size_t anchor);
  void resume(SwitchContext& context, std::size_t anchor);

  const Settings& settings_;
  std::vector<bool> pausable_;
  std::vector<std::uint32_t> first_;  // pause of an anchor
  RecordTable<Pause> pauses_;
  std::uint64_t sent_pauses_ = 0;
  std::uint64_t sent_resumes_ = 0;
};

}  // namespace weir::floodgate
