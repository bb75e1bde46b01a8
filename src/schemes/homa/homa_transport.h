// SPDX-License-Identifier: Apache-2.0
// Homa's transport: the sender and receiver halves of a NIC, and what it offers to send.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "policy/transport.h"
#include "schemes/declared_needs.h"
#include "schemes/homa/receiver.h"
#include "schemes/homa/sender.h"
#include "schemes/homa/settings.h"

namespace weir::homa {

class HomaTransport final : public Transport, public DeclaresNeeds {
 public:
  explicit HomaTransport(const Settings& settings) : settings_(settings), sender_(settings), receiver_(settings) {}

  [[nodiscard]] std::size_t sender_bytes() const override { return sizeof(Sending); }
  [[nodiscard]] std::size_t receiver_bytes() const override { return sizeof(Receiving); }
  void attach(TransportContext& context) override;

  void open(TransportContext&, SendState& sender) override { sender_.open(sender); }
  void open(TransportContext&, ReceiveState& receiver) override { receiver_.open(receiver); }
  void on_close(TransportContext& context, SendState& sender) override;
  void on_close(TransportContext& context, ReceiveState& receiver) override { receiver_.on_close(context, receiver); }
  void on_post(TransportContext& context, SendState& sender, const MessageView&) override;
  void on_stop(TransportContext& context, SendState& sender) override;

  ChosenPacket choose(TransportContext& context, Priority priority) override;
  void on_sent(TransportContext& context, SendState& sender, Frame& frame) override;

  void on_data(TransportContext& context, ReceiveState& receiver, const Frame& data) override {
    receiver_.on_data(context, receiver, data);
  }
  bool on_feedback(TransportContext& context, const Frame& frame) override;

  void on_sender_timer(TransportContext& context, SendState& sender) override;
  void on_receiver_timer(TransportContext& context, ReceiveState& receiver) override {
    receiver_.on_timer(context, receiver);
  }
  void on_gates(TransportContext& context) override { offer_first(context); }

  [[nodiscard]] std::span<const StatisticSpec> statistics() const override;
  [[nodiscard]] Statistic statistic(std::size_t which, std::size_t group) const override;

  [[nodiscard]] bool has_control_cost() const override { return true; }
  [[nodiscard]] ControlCost control_cost(const Framing& framing, std::int64_t payload) const override;
  [[nodiscard]] bool chooses_priorities() const override { return true; }
  [[nodiscard]] std::vector<std::string> notes(const PartPlace& place) const override;
  [[nodiscard]] std::vector<std::string> warnings(const PartPlace& place) const override;

 private:
  void offer_first(TransportContext& context);

  Settings settings_;
  Sender sender_;
  Receiver receiver_;
  std::optional<Priority> offered_;
};

}  // namespace weir::homa
