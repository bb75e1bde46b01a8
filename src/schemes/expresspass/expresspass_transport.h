// SPDX-License-Identifier: Apache-2.0
// The transport of ExpressPass: dispatches to the halves of queue pairs.
#pragma once

#include <cstddef>
#include <span>

#include "schemes/declared_needs.h"
#include "schemes/expresspass/credit_receiver.h"
#include "schemes/expresspass/credit_sender.h"

namespace weir::expresspass {

class ExpressPassTransport final : public Transport, public DeclaresNeeds {
 public:
  explicit ExpressPassTransport(const Parameters& parameters)
      : sender_(Settings(parameters)), receiver_(Settings(parameters)) {}

  [[nodiscard]] std::size_t sender_bytes() const override { return sizeof(CreditSender::State); }
  [[nodiscard]] std::size_t receiver_bytes() const override { return sizeof(CreditReceiver::State); }
  void attach(TransportContext& context) override;

  void open(TransportContext& context, SendState& sender) override;
  void open(TransportContext& context, ReceiveState& receiver) override;
  void on_close(TransportContext& context, ReceiveState& receiver) override;
  void on_post(TransportContext& context, SendState& sender, const MessageView& message) override;
  void on_stop(TransportContext& context, SendState& sender) override;
  ChosenPacket choose(TransportContext& context, Priority priority) override;
  void on_sent(TransportContext& context, SendState& sender, Frame& frame) override;
  void on_data(TransportContext& context, ReceiveState& receiver, const Frame& data) override;
  void on_acknowledgement(TransportContext& context, SendState& sender, const Frame& frame) override;
  bool on_feedback(TransportContext& context, const Frame& frame) override;
  void on_sender_timer(TransportContext& context, SendState& sender) override;
  void on_receiver_timer(TransportContext& context, ReceiveState& receiver) override;
  void on_timer(TransportContext& context, TimerId timer) override;
  void on_gates(TransportContext& context) override;

  [[nodiscard]] std::span<const StatisticSpec> statistics() const override;
  [[nodiscard]] Statistic statistic(std::size_t which, std::size_t group) const override;

  [[nodiscard]] bool has_control_cost() const override { return true; }
  [[nodiscard]] ControlCost control_cost(const Framing& framing, std::int64_t payload) const override;

 private:
  CreditSender sender_;
  CreditReceiver receiver_;
};

}  // namespace weir::expresspass
