// SPDX-License-Identifier: Apache-2.0
// The hosts that a first-hop ToR has told not to send to a destination (dstPause).
#pragma once

#include <cstdint>
#include <vector>

#include "policy/switch_policy.h"
#include "schemes/floodgate/record_table.h"
#include "schemes/floodgate/settings.h"
#include "schemes/floodgate/voq_pool.h"

namespace weir::floodgate {

/// By (port, destination). Those that a VOQ has paused are a list, which begins at the VOQ. [FLOODGATE-D-1]
class HostPauses {
 public:
  explicit HostPauses(const Settings& settings) : settings_(settings) {}

  void attach(const SwitchContext& context, std::uint32_t announced);

  /// A packet has come from a host into this VOQ, which holds so many bytes with it: pauses the host for the packet's
  /// destination when that is too much. One that is paused already, and sends all the same, is told again, but once a
  /// round trip of its link at most. [FLOODGATE-D-2]
  void enter(SwitchContext& context, const Frame& frame, VoqPool::Voq& voq, std::int64_t bytes);
  /// Packets have left the VOQ, which holds so many bytes now. [FLOODGATE-D-3]
  void leave(SwitchContext& context, VoqPool::Voq& voq, std::int64_t bytes) {
    if (voq.paused != kNone && (bytes < resume_ || bytes == 0)) resume(context, voq);
  }
  /// The link of a host has failed or come back.
  void reset(SwitchContext& context, VoqPool& voqs, PortId port);

  /// For measurement: the pauses that a VOQ keeps in force.
  void list(const VoqPool::Voq& voq, std::vector<HopPause>& out) const {
    for (std::uint32_t at = voq.paused; at != kNone; at = pauses_[at].next) {
      out.push_back({PortId(port_in(pauses_[at].key)), name_in(pauses_[at].key), false});
    }
  }
  [[nodiscard]] std::uint64_t pauses() const { return sent_pauses_; }
  [[nodiscard]] std::uint64_t resumes() const { return sent_resumes_; }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Pause {
    std::uint64_t key = 0;
    std::uint32_t next = kNone;
    bool in_use = false;
    Time said;
    [[nodiscard]] static bool idle() { return false; }
  };
  void resume(SwitchContext& context, VoqPool::Voq& voq);

  const Settings& settings_;
  std::vector<bool> hosts_;  // by port: a host that heeds pauses
  std::int64_t pause_ = 0;   // bytes
  std::int64_t resume_ = 0;
  RecordTable<Pause> pauses_;
  std::uint64_t sent_pauses_ = 0;
  std::uint64_t sent_resumes_ = 0;
};

}  // namespace weir::floodgate
