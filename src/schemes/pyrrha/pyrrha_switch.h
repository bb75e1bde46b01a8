// SPDX-License-Identifier: Apache-2.0
// Pyrrha in a switch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "policy/switch_policy.h"
#include "schemes/pyrrha/active_table.h"
#include "schemes/pyrrha/isolation_queues.h"
#include "schemes/pyrrha/message.h"
#include "schemes/pyrrha/settings.h"
#include "schemes/pyrrha/upstream.h"
#include "units/random.h"

namespace weir::pyrrha {

/// Finds congestion roots, knows those further downstream, and pauses its neighbours by root. How packets that meet a
/// downstream root wait is the derived class's: HierarchicalSwitch or SingleTierSwitch.
class PyrrhaSwitch : public Classifier {
 public:
  /// The state of a downstream root at a port, and of its isolation queue (figure 6).
  enum class State : std::uint8_t { paused, resumed, merging };

  /// A switch with the tiers of the settings.
  static std::unique_ptr<PyrrhaSwitch> make(const Settings& settings);

  explicit PyrrhaSwitch(const Settings& settings) : settings_(settings), queues_(settings_) {}
  PyrrhaSwitch(const PyrrhaSwitch&) = delete;
  PyrrhaSwitch& operator=(const PyrrhaSwitch&) = delete;

  [[nodiscard]] Hooks hooks() const override {
    Hooks hooks;
    hooks.enter = hooks.depart = hooks.drop = hooks.withdraw = true;
    return hooks;
  }
  void attach(SwitchContext& context) override;
  QueueId classify(QueueContext& context, Frame& frame) override {
    if (!settings_.manages(frame)) return context.default_queue(frame.egress, frame.priority);
    if (known_[frame.egress.index()] == 0) [[likely]] {
      frame.own = 0;
      return context.default_queue(frame.egress, frame.priority);
    }
    return arrive(context, frame);
  }
  void on_enter(SwitchContext& context, QueueId queue, Frame& frame) override;
  void on_depart(SwitchContext& context, QueueId queue, Frame& frame) override;
  void on_withdraw(SwitchContext& context, QueueId queue, Frame& frame) override;
  void on_drop(SwitchContext& context, QueueId, const Frame& frame, DropReason reason) override;
  bool on_control(SwitchContext& context, PortId port, const Frame& frame) override;
  [[nodiscard]] std::optional<ControlVerdict> judge(const SwitchContext& context, PortId port,
                                                    const Frame& frame) const override;
  void on_link(SwitchContext& context, PortId port, bool up) override;

  void keeps(const SwitchContext& context, QueueId queue, const Frame& frame,
             std::vector<HopPause>& out) const override;
  [[nodiscard]] std::optional<CongestionRoot> root_of_pause(std::uint64_t name) const override {
    if (is_host(name)) return CongestionRoot{.host = host_in(name)};
    return CongestionRoot{.port = {SwitchId(switch_in(name)), PortId(port_in(name))}};
  }
  [[nodiscard]] std::string pause_text(std::uint64_t name) const override { return text_of(name); }
  [[nodiscard]] std::span<const StatisticSpec> statistics() const override;
  [[nodiscard]] Statistic statistic(std::size_t which, PortId port, std::size_t group) const override;

  // ---- for tests ----
  /// The state of a downstream root at a port; none: it is not known there.
  [[nodiscard]] std::optional<State> state_of(PortId port, Root root) const;
  /// The isolation queue of packets that meet this root only; none(): it has none.
  [[nodiscard]] virtual QueueId queue_of(PortId port, Root root) const = 0;
  [[nodiscard]] const IsolationQueues& queues() const { return queues_; }
  /// Whether the output queue of the port is a congestion root: it holds a neighbour paused.
  [[nodiscard]] bool is_root(PortId port) const { return upstream_.has_paused_any(port.index()); }
  [[nodiscard]] std::size_t known_roots() const { return table_.in_use(); }
  /// Inconsistencies of the tables; empty: none.
  [[nodiscard]] std::string audit(const SwitchContext& context) const;

 protected:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  /// [PYRRHA-TABLE-1] A root that is known at a port.
  struct Record {
    struct Key {
      PortId port;
      Root root = 0;
      bool operator==(const Key&) const = default;
    };
    static std::uint64_t hash(const Key& key) { return mix(key.root, key.port.value); }
    Key key;
    State state = State::paused;
    bool in_use = false;
    std::uint32_t queue = kNone;  // of the derived class: its isolation queue, or the first set that contains it
    std::uint32_t next = kNone;   // of the derived class
  };

  // ---- the derived class ----
  /// Called once, at the end of attach().
  virtual void attach_queues(QueueContext& context) = 0;
  /// The queue for a packet of Pyrrha's at whose egress roots are known.
  virtual QueueId arrive(QueueContext& context, Frame& frame) = 0;
  /// A packet has entered an isolation queue that is longer than K_pause.
  virtual void grew_long(SwitchContext& context, std::uint32_t queue, PortId ingress) = 0;
  /// An isolation queue has become shorter.
  virtual void shrank(SwitchContext& context, std::uint32_t queue) = 0;
  /// The state of a root has changed from `before`.
  virtual void changed(QueueContext& context, std::uint32_t number, State before) = 0;
  /// Whether nothing waits for the root.
  [[nodiscard]] virtual bool is_empty(const SwitchContext& context, const Record& record) const = 0;
  /// The root is about to be forgotten: it gives up its queues.
  virtual void unassign(QueueContext& context, std::uint32_t number) = 0;
  /// A packet is lost.
  virtual void lost(const Frame& frame) = 0;
  /// Packets for whose flow the order is not kept; order markers.
  [[nodiscard]] virtual std::uint64_t untracked() const = 0;
  [[nodiscard]] virtual std::uint64_t markers() const { return 0; }
  /// keeps() for a packet in an isolation queue.
  virtual void list_pauses(std::uint32_t queue, std::vector<HopPause>& out) const = 0;
  /// An inconsistency of an assigned queue; empty: none.
  [[nodiscard]] virtual std::string audit_queue(const SwitchContext& context, std::uint32_t queue) const = 0;

  [[nodiscard]] std::size_t anchor_of(std::uint32_t record) const { return known_.size() + record; }
  [[nodiscard]] std::int64_t pause_above(PortId egress, PortId ingress) const {
    return thresholds(egress, ingress).pause_above;
  }
  [[nodiscard]] std::int64_t resume_below(PortId egress, PortId ingress) const {
    return thresholds(egress, ingress).resume_below;
  }
  /// Whether another anchor of this root holds the neighbour paused: it is told once, by all. [PYRRHA-TH-4]
  [[nodiscard]] bool paused_elsewhere(Root root, PortId ingress, std::size_t anchor) const;
  void list_pauses_of(std::size_t anchor, Root root, std::vector<HopPause>& out) const;
  void grew(SwitchContext& context, std::size_t anchor, Root root, PortId ingress);
  void shrank(SwitchContext& context, std::size_t anchor, Root root, PortId egress, std::int64_t bytes);
  /// Unassigns the root's queue and forgets the root, if it is done. [PYRRHA-IQ-4]
  void forget_if_done(QueueContext& context, std::uint32_t number);
  /// Whether the root is on the onward path of a packet.
  [[nodiscard]] bool meets(const SwitchContext& context, const Frame& frame, Root root) const;
  /// The packets of a queue, from now on held for this root, too, that do not meet it.
  [[nodiscard]] std::uint64_t packets_off_path(const SwitchContext& context, QueueId queue, Root root) const;

  Settings settings_;
  IsolationQueues queues_;
  ActiveTable<Record> table_;         // the congestion-root table
  std::vector<std::uint32_t> known_;  // by port, downstream roots
  Upstream upstream_;                 // anchors: ports, then records
  bool knows_hosts_ = false;          // some host drains slowly, and can be a root
  std::uint64_t isolated_ = 0;        // packets that have left an isolation queue
  std::uint64_t off_path_ = 0;        // packets that were held for a root that they do not meet, if statistics are kept

 private:
  /// Whether this neighbour sends such a message. [PYRRHA-FRAME-2]
  [[nodiscard]] bool may_send(const SwitchContext& context, const Peer& peer, const Message& message) const;
  /// Whether a root is a port of this switch, or a host behind one. [PYRRHA-ROOT-3]
  [[nodiscard]] static bool is_own(const SwitchContext& context, Root root);
  void heard_pause(QueueContext& context, PortId port, Root root);
  void heard_resume(QueueContext& context, PortId port, Root root);
  void heard_merge(QueueContext& context, PortId port, Root root, Root successor);
  void heard_deallocate(QueueContext& context, PortId port, Root root);
  void set_state(QueueContext& context, std::uint32_t number, State state);
  void give_up(SwitchContext& context, std::size_t anchor, Root root, Root successor);
  void forget(QueueContext& context, std::uint32_t number);

  /// K_pause and K_resume, in bytes.
  struct Thresholds {
    std::int64_t pause_above = 0;
    std::int64_t resume_below = 0;
  };
  [[nodiscard]] const Thresholds& thresholds(PortId egress, PortId ingress) const {
    return thresholds_[rate_class_[egress.index()] * delay_classes_ + delay_class_[ingress.index()]];
  }
  void note_thresholds(const SwitchContext& context);

  std::vector<bool> may_be_root_;  // by port
  std::vector<bool> pausable_;     // by port, whether its neighbour obeys pauses
  // Few ports differ in rate or delay, so the thresholds of a switch usually fit into one cache line.
  std::vector<std::uint16_t> rate_class_;   // by port
  std::vector<std::uint16_t> delay_class_;  // by port
  std::size_t delay_classes_ = 0;
  std::vector<Thresholds> thresholds_;  // by class of the egress's rate and of the ingress's delay
  Gauge roots_;                         // own ones
  Gauge records_;                       // downstream ones
  std::vector<Gauge> at_port_;          // the same by port
  std::uint64_t given_up_ = 0;          // own roots
  std::uint64_t unheeded_ = 0;          // pauses for which there was no record
  std::uint64_t looped_ = 0;            // pauses that returned to their root
  std::uint64_t refused_ = 0;           // control frames that their senders must not send
};

}  // namespace weir::pyrrha
