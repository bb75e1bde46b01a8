// SPDX-License-Identifier: Apache-2.0
// NDP's transport: the sender and receiver halves of a NIC, and whose turn it is to send.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "policy/transport.h"
#include "schemes/declared_needs.h"
#include "schemes/ndp/receiver.h"
#include "schemes/ndp/sender.h"
#include "schemes/ndp/settings.h"
#include "schemes/ndp/turn_list.h"

namespace weir::ndp {

class NdpTransport final : public Transport, public DeclaresNeeds {
 public:
  explicit NdpTransport(const Settings& settings) : settings_(settings), sender_(settings, 1), receiver_(settings) {}

  [[nodiscard]] std::size_t sender_bytes() const override { return sizeof(Sending); }
  [[nodiscard]] std::size_t receiver_bytes() const override { return sizeof(Receiving); }
  void attach(TransportContext& context) override;

  void open(TransportContext&, SendState& sender) override { sender_.open(sender); }
  void open(TransportContext&, ReceiveState& receiver) override { Receiver::open(receiver); }
  void on_close(TransportContext& context, SendState& sender) override;
  void on_close(TransportContext&, ReceiveState& receiver) override { receiver_.close(receiver); }
  void on_post(TransportContext& context, SendState& sender, const MessageView&) override;
  void on_stop(TransportContext& context, SendState& sender) override;

  ChosenPacket choose(TransportContext& context, Priority priority) override;
  void on_sent(TransportContext& context, SendState& sender, Frame& frame) override;

  void on_data(TransportContext& context, ReceiveState& receiver, const Frame& data) override {
    receiver_.on_data(context, receiver, data);
  }
  void on_returned(TransportContext& context, SendState& sender, const Frame& data) override;
  bool on_feedback(TransportContext& context, const Frame& frame) override;

  void on_sender_timer(TransportContext& context, SendState& sender) override;
  void on_timer(TransportContext& context, TimerId) override { receiver_.send_pulls(context); }
  void on_gates(TransportContext& context) override;

  [[nodiscard]] std::span<const StatisticSpec> statistics() const override;
  [[nodiscard]] Statistic statistic(std::size_t which, std::size_t group) const override;

  [[nodiscard]] bool has_control_cost() const override { return true; }
  [[nodiscard]] ControlCost control_cost(const Framing& framing, std::int64_t payload) const override;
  [[nodiscard]] std::vector<std::string> notes(const PartPlace& place) const override;
  [[nodiscard]] std::vector<std::string> warnings(const PartPlace& place) const override;

 private:
  void add_if_ready(TransportContext& context, SendState& sender);
  void remove(TransportContext& context, SendState& sender);

  Settings settings_;
  Sender sender_;
  Receiver receiver_;
  std::array<TurnList<SendState, Sending>, kPriorities> ready_;  // by priority
  bool any_held_ = false;  // a sender left its list because a flow control blocked it
  std::uint64_t trimmed_ = 0;
  std::uint64_t returned_ = 0;
  std::uint64_t timeouts_ = 0;
  std::uint64_t missing_pulls_ = 0;
};

}  // namespace weir::ndp
