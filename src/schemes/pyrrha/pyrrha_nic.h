// SPDX-License-Identifier: Apache-2.0
// Pyrrha in a NIC: it holds the queue pairs whose packets would meet a paused root, and pauses its switch when its own
// host is the root.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "policy/nic_policy.h"
#include "schemes/pyrrha/message.h"
#include "schemes/pyrrha/root.h"
#include "schemes/pyrrha/settings.h"

namespace weir::pyrrha {

/// [PYRRHA-HOST-1] A gate for each paused root, taken when it is paused. A queue pair is behind the gate of the nearest
/// paused root on its path. [PYRRHA-HOST-3] With a receive buffer, the host is a root itself while the buffer is long.
class PyrrhaNic final : public NicFlowControl {
 public:
  explicit PyrrhaNic(const Settings& settings) : settings_(settings) {}

  void attach(NicContext& context) override;
  bool on_control(NicContext& context, const Frame& frame) override;
  GateId gate_of(NicContext& context, SendState& sender) override;
  void on_close(NicContext& context, const SendState& sender, GateId gate) override;
  void on_link(NicContext& context, bool up) override;
  void held_by(const NicContext& context, GateId gate, std::vector<HeldBy>& out) const override;
  void on_timer(NicContext& context, TimerId timer) override;
  [[nodiscard]] bool watches_receive_buffer() const override { return !settings_.single_tier; }
  void on_receive_buffer(NicContext& context, Priority priority) override;
  [[nodiscard]] std::int64_t receive_need(BitRate drain, BitRate rate, Duration delay) const override;
  [[nodiscard]] std::string_view receive_refusal() const override;

  [[nodiscard]] std::span<const StatisticSpec> statistics() const override;
  [[nodiscard]] Statistic statistic(std::size_t which, std::size_t group) const override;

  /// Roots that can be paused at once; further pauses are not obeyed.
  static constexpr std::size_t kMostPaused = 256;

 private:
  struct Paused {
    Root root = 0;
    GateId gate;
  };
  [[nodiscard]] bool in_use() const { return settings_.pauses_hosts; }
  Paused* find(Root root);
  /// An open queue pair that may have to wait. 16 bytes, as a host with many queue pairs looks at all of them whenever
  /// a root is paused or resumed.
  struct Followed {
    std::uint64_t roots = 0;  // bit_of() each root that its packets may meet
    QueuePairId number;
    GateId gate;  // at which it is
  };
  /// The roots that packets of a queue pair may meet, from near to far, and the destination if it may be one.
  struct Roots {
    std::array<Root, 8> near{};  // more than most paths have
    std::size_t count = 0;       // if above 8, only the first ones are kept
  };
  static std::uint64_t bit_of(Root root) { return std::uint64_t{1} << (root * 0x9e37'79b9'7f4a'7c15 >> 58); }
  /// Calls visit(root) for each root that packets of a queue pair may meet, from near to far, until it returns true.
  template <class Visit>
  void for_each_root(const NicContext& context, const SendState& sender, Visit visit);
  /// Finds the roots of the queue pair at this place.
  void learn(NicContext& context, std::size_t place, const SendState& sender);
  /// The gate at which the queue pair at this place must wait; none(): it need not.
  [[nodiscard]] GateId gate_for(NicContext& context, std::size_t place);
  void move(NicContext& context, std::size_t place, GateId gate);
  /// Places all queue pairs anew if a route has changed.
  void follow_routes(NicContext& context);
  /// Opens the gate and returns it.
  void release(NicContext& context, GateId gate);
  void pause(NicContext& context, Root root);
  void resume(NicContext& context, Root root);
  static bool say(NicContext& context, Kind kind, Root root);

  Settings settings_;
  std::vector<Paused> paused_;      // in no order
  std::vector<Followed> followed_;  // by place_of()
  std::vector<Roots> roots_;        // by place_of()
  std::uint64_t version_ = 0;       // of the routes for which they are placed
  std::uint64_t obeyed_ = 0;
  std::uint64_t unheeded_ = 0;
  // With a receive buffer:
  const ReceiveBufferState* buffer_ = &kNoReceiveBuffer;
  TimerId retry_;
  std::int64_t pause_above_ = 0;   // K_pause
  std::int64_t resume_below_ = 0;  // K_resume
  bool is_root_ = false;           // the switch is paused for this host
  std::uint64_t root_pauses_ = 0;
  std::uint64_t root_resumes_ = 0;
};

}  // namespace weir::pyrrha
