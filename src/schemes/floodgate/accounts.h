// SPDX-License-Identifier: Apache-2.0
// The downstream half of a switch: what it owes its upstream neighbours, and when it says so.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "policy/statistics.h"
#include "policy/switch_policy.h"
#include "schemes/floodgate/message.h"
#include "schemes/floodgate/note.h"
#include "schemes/floodgate/record_table.h"
#include "schemes/floodgate/settings.h"

namespace weir::floodgate {

/// Credits owed, by ingress and destination. A packet that a neighbour charged to a window is *held* until it has
/// earned its credit, and then *owed* until the credit is sent. The PSN credited is that of the last packet received
/// less what is held and owed: packets lost on the link are credited by it, and those of a destination whose credit is
/// delayed are not. [FLOODGATE-C-1] [FLOODGATE-R-2]
class Accounts {
 public:
  /// Whose credit has to wait.
  class Delays {
   public:
    /// Of what has come from `ingress` for a destination.
    [[nodiscard]] virtual bool delays(const SwitchContext& context, PortId ingress, std::uint32_t name) const = 0;

   protected:
    ~Delays() = default;
  };

  explicit Accounts(const Settings& settings) : settings_(settings) {}

  /// `policy` has the timers. `upstream`: by port, whether the neighbour is a switch that takes part.
  void attach(SwitchContext& context, SwitchPolicy& policy, std::vector<bool> upstream);

  /// A packet has come in, of this weight: counts it if its sender has charged it.
  void enter(SwitchContext& context, const Frame& frame, std::uint32_t field, Note& note);
  /// One that is noted has earned its credit. `bytes` of it.
  void earn(SwitchContext& context, const Delays& delays, Note& note, std::int64_t bytes);
  /// One that is noted is lost here. With PSNs its credit is given, without them it leaks.
  void lose(SwitchContext& context, Note& note);
  /// A packet was refused before it was noted.
  void refuse(SwitchContext& context, const Frame& frame, std::uint32_t field);
  /// A switchSYN has come. [FLOODGATE-R-4]
  void answer(SwitchContext& context, const Delays& delays, PortId port, std::uint32_t name, std::uint32_t psn);
  /// True when the timer is one of its own.
  bool on_timer(SwitchContext& context, const Delays& delays, TimerId timer);
  /// The link has failed or come back: nothing is owed over it any more.
  void reset(SwitchContext& context, PortId port);

  /// Whether packets from this port may be owed for.
  [[nodiscard]] bool is_upstream(PortId port) const { return port.exists() && ports_[port.index()].upstream; }
  /// For measurement: the ingresses that are owed credit for destinations of which delayed(ingress, name) says so.
  template <class Delayed>
  void for_each_delayed(Delayed delayed, std::vector<HopPause>& out) const {
    for (std::size_t port = 0; port < ports_.size(); ++port) {
      for (std::uint32_t at = ports_[port].first; at != kNone; at = accounts_[at].next) {
        const std::uint32_t name = name_in(accounts_[at].key);
        if (accounts_[at].owed > 0 && delayed(PortId(port), name)) out.push_back({PortId(port), name, false});
      }
    }
  }

  struct Counts {
    std::uint64_t frames = 0;   ///< credit frames sent
    std::uint64_t credits = 0;  ///< in them, each of a destination
    std::uint64_t units = 0;    ///< credited
    std::uint64_t delayed = 0;  ///< credits that delayCredit skipped
    std::uint64_t untracked = 0;
  };
  [[nodiscard]] const Counts& counts() const { return counts_; }
  /// Units held and owed for packets of this ingress and destination. For tests.
  [[nodiscard]] std::uint32_t outstanding(PortId port, std::uint32_t name) const;
  /// What is wrong; empty: nothing. For tests.
  [[nodiscard]] std::string audit() const;

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Account {
    std::uint64_t key = 0;
    std::uint32_t last = 0;      // PSN received
    std::uint32_t held = 0;      // units
    std::uint32_t owed = 0;      // units
    std::uint32_t next = kNone;  // of those that its ingress owes
    bool in_use = false;
    bool listed = false;  // among those
    bool dead = false;    // its link has failed; packets are noted on it
    [[nodiscard]] bool idle() const { return held == 0 && owed == 0 && !listed; }
  };
  struct Port {
    bool upstream = false;
    bool armed = false;
    TimerId timer;
    Duration phase;               // of the ticks
    std::uint32_t first = kNone;  // that has something to say
    std::uint32_t last = kNone;
    std::int64_t bytes = 0;  // owed
  };

  std::uint32_t account_of(std::uint64_t key);
  void list(SwitchContext& context, Port& port, std::uint32_t number);
  void arm(SwitchContext& context, Port& port);
  void flush(SwitchContext& context, const Delays& delays, std::size_t port);
  bool send(SwitchContext& context, PortId port, const Credit& credit);
  bool append(SwitchContext& context, PortId port, const Credit& credit);
  void send_list(SwitchContext& context, PortId port);
  [[nodiscard]] static std::uint32_t psn_of(const Account& account, std::uint32_t owed) {
    return (account.last - account.held - owed) & kSequenceMask;
  }
  void forget_if_dead(std::uint32_t number);

  const Settings& settings_;
  RecordTable<Account> accounts_;
  std::vector<Port> ports_;
  std::vector<std::uint16_t> port_of_timer_;  // from first_timer_ on
  std::uint32_t first_timer_ = 0;
  // The list that is being written.
  std::array<Credit, kMostListed> listed_;
  std::size_t listed_count_ = 0;
  Counts counts_;
};

}  // namespace weir::floodgate
