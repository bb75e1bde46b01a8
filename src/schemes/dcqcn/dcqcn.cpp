// SPDX-License-Identifier: Apache-2.0
#include "schemes/dcqcn/dcqcn.h"

#include <memory>
#include <string>
#include <vector>

#include "schemes/dcqcn/polled_reaction_point.h"
#include "schemes/dcqcn/reaction_point.h"

namespace weir::dcqcn {

using namespace literals;

namespace {

bool is_marked(const Frame& data) {
  return data.ecn() == Ecn::congestion_experienced;
}

/// The variant of the paper: notification packets, paced by the receiver.
class Dcqcn final : public CongestionControl {
 public:
  Dcqcn(const Settings& settings, Duration cnp_interval) : settings_(settings), cnp_interval_(cnp_interval) {}

  [[nodiscard]] CongestionHooks hooks() const override { return {.sent = true, .data = true, .next_send = true}; }
  [[nodiscard]] std::size_t sender_bytes() const override { return sizeof(ReactionPoint); }
  [[nodiscard]] std::size_t receiver_bytes() const override { return sizeof(NotificationPoint); }

  void open(NicContext&, SendState& sender) override {
    sender.congestion.emplace<ReactionPoint>().open(settings_, sender.line_rate);
    publish(sender);
  }
  void open(NicContext&, ReceiveState& receiver) override { receiver.congestion.emplace<NotificationPoint>(); }

  void on_sent(NicContext& context, SendState& sender, Frame& frame) override {
    sender.congestion.as<ReactionPoint>().on_sent(settings_, context.now(), Bytes(frame.frame_bytes));
    publish(sender);
  }
  void on_cnp(NicContext& context, SendState& sender, const Frame&) override {
    sender.congestion.as<ReactionPoint>().on_cnp(settings_, context.now());
    publish(sender);
  }
  [[nodiscard]] Time next_send(const NicContext&, const SendState& sender, Time last,
                               std::int64_t wire_bytes) const override {
    return sender.congestion.as<ReactionPoint>().next_send(settings_, last, Bytes(wire_bytes));
  }

  void on_data(NicContext& context, ReceiveState& receiver, Frame& data, Frame*) override {
    auto& state = receiver.congestion.as<NotificationPoint>();
    if (!is_marked(data) || context.now() < state.next_cnp) return;
    if (send_cnp(context, receiver)) state.next_cnp = context.now() + cnp_interval_;  // [DCQCN-NP-1]
  }

 private:
  struct NotificationPoint {
    Time next_cnp;  // none sent yet
  };

  static void publish(SendState& sender) { sender.rate = sender.congestion.as<ReactionPoint>().rates().current; }

  // [DCQCN-NP-2] False if the pool has no frame: a later mark retries.
  static bool send_cnp(NicContext& context, const ReceiveState& receiver) {
    const FrameId id = context.frames().allocate();
    if (!id.exists()) return false;
    Frame& cnp = context.frames()[id];
    cnp.kind = FrameKind::cnp;
    cnp.priority = context.notification_priority();
    cnp.frame_bytes = context.framing().cnp;
    cnp.source = context.host();
    cnp.destination = receiver.remote;
    cnp.queue_pair = receiver.remote_number;
    cnp.entropy = receiver.entropy;
    cnp.set_ecn(Ecn::not_capable);
    context.send_to_host(id);
    return true;
  }

  Settings settings_;
  Duration cnp_interval_;
};

/// The variant of the public simulators: every acknowledgement echoes the mark, and the sender polls.
class PolledDcqcn final : public CongestionControl {
 public:
  explicit PolledDcqcn(const Settings& settings) : settings_(settings) {}

  [[nodiscard]] CongestionHooks hooks() const override {
    return {.sent = true, .ack = true, .data = true, .next_send = true};
  }
  [[nodiscard]] std::size_t sender_bytes() const override { return sizeof(PolledReactionPoint); }
  [[nodiscard]] std::size_t receiver_bytes() const override { return sizeof(EchoPoint); }

  void open(NicContext&, SendState& sender) override {
    sender.congestion.emplace<PolledReactionPoint>().open(settings_, sender.line_rate);
    publish(sender);
  }
  void open(NicContext&, ReceiveState& receiver) override { receiver.congestion.emplace<EchoPoint>(); }

  void on_sent(NicContext& context, SendState& sender, Frame&) override {
    sender.congestion.as<PolledReactionPoint>().on_sent(settings_, context.now());
    publish(sender);
  }
  void on_ack(NicContext& context, SendState& sender, const Acknowledgement& acknowledgement) override {
    auto& state = sender.congestion.as<PolledReactionPoint>();
    if (acknowledgement.frame.echoes_congestion()) {
      state.on_congestion(settings_, context.now());
    } else {
      state.advance(settings_, context.now());  // the NIC's window may follow the rate
    }
    publish(sender);
  }
  [[nodiscard]] Time next_send(const NicContext&, const SendState& sender, Time last,
                               std::int64_t wire_bytes) const override {
    return sender.congestion.as<PolledReactionPoint>().next_send(last, Bytes(wire_bytes));
  }

  // [DCQCN-SIM-1] A coalesced acknowledgement echoes the mark if any packet that it acknowledges was marked.
  void on_data(NicContext&, ReceiveState& receiver, Frame& data, Frame* reply) override {
    auto& state = receiver.congestion.as<EchoPoint>();
    state.marked = state.marked || is_marked(data);
    if (reply == nullptr) return;
    reply->set_echoes_congestion(state.marked);
    state.marked = false;
  }

 private:
  struct EchoPoint {
    bool marked = false;  // since the last reply
  };

  static void publish(SendState& sender) { sender.rate = sender.congestion.as<PolledReactionPoint>().rates().current; }

  Settings settings_;
};

bool is_polled(const Parameters& parameters) {
  return parameters.get<std::string>("variant") == "hpcc_simulator";
}

Settings settings_of(const Parameters& parameters) {
  return {
      .g = parameters.get<double>("g"),
      .alpha_timer = parameters.get<Duration>("alpha_timer"),
      .increase_timer = parameters.get<Duration>("increase_timer"),
      .byte_counter = parameters.get<Bytes>("byte_counter"),
      .fast_recovery_steps = static_cast<std::uint32_t>(parameters.get<std::int64_t>("fast_recovery_steps")),
      .additive_increase = parameters.get<BitRate>("additive_increase"),
      .hyper_increase = parameters.get<BitRate>("hyper_increase"),
      .minimum_rate = parameters.get<BitRate>("minimum_rate"),
      .clamp_target_rate = parameters.get<bool>("clamp_target_rate"),
      .decrease_interval = parameters.get<Duration>("decrease_interval"),
      .initial_alpha = parameters.get<double>("initial_alpha"),
  };
}

std::vector<std::string> errors(const Parameters& parameters) {
  if (!is_polled(parameters) && parameters.get<Duration>("alpha_timer") <= parameters.get<Duration>("cnp_interval")) {
    return {
        "alpha_timer must be longer than cnp_interval; otherwise alpha decays between two CNPs of the same congestion"};
  }
  return {};
}

}  // namespace

const Scheme scheme = {
    .name = "dcqcn",
    .summary =
        "DCQCN: CE marks, congestion notification packets, rate decrease by alpha, increase by timer and byte counter",
    .traits = {.answers_marks = true},
    .parameters =
        {
            {"variant",
             std::string("paper"),
             "paper: CNPs and the reaction point of section 3.1; hpcc_simulator: marks echoed in acknowledgements, and "
             "a polling reaction point",
             "DCQCN section 3.1",
             0,
             0,
             {"paper", "hpcc_simulator"}},
            {"g", 1.0 / 256, "weight of the latest feedback in alpha", "DCQCN section 5", 1.0 / 65536, 1},
            {"cnp_interval", 50_us, "minimum interval between CNPs of a queue pair", "DCQCN section 3.1", 0, 1},
            {"alpha_timer", 55_us, "alpha decays after each such period without a CNP", "DCQCN section 3.1", 1e-7, 1},
            {"increase_timer", 55_us, "the rate increases after each such period without a CNP", "DCQCN section 5",
             1e-7, 1},
            {"byte_counter", 10_MB, "the rate increases each time this amount has been sent without a CNP; 0: never",
             "DCQCN section 5", 0, 1e15},
            {"fast_recovery_steps", std::int64_t{5},
             "number of increases halfway to the target rate before the target rate itself rises", "DCQCN section 3.1",
             0, 1000},
            {"additive_increase", 40_Mbps, "increment of the target rate per step of additive increase",
             "DCQCN section 5", 0, 1e12},
            {"hyper_increase", 200_Mbps, "additional increment per step of hyper increase",
             "the DCQCN authors' public simulator", 0, 1e12},
            {"minimum_rate", 100_Mbps, "minimum rate after a decrease", "public HPCC simulator", 1e4, 1e12},
            {"clamp_target_rate", true,
             "each decrease sets the target rate to the previous rate; false: only the first decrease after an "
             "increase does",
             "DCQCN section 3.1, equation 1"},
            {"initial_alpha", 1.0, "initial alpha of a queue pair",
             "DCQCN section 3.1; the DCQCN authors' and the HPCC simulators", 0, 1},
            {"decrease_interval", 4_us, "hpcc_simulator: interval at which a decrease is considered",
             "public HPCC simulator", 1e-7, 1},
        },
    .congestion_control = [](const Parameters& parameters) -> std::unique_ptr<CongestionControl> {
      if (is_polled(parameters)) return std::make_unique<PolledDcqcn>(settings_of(parameters));
      return std::make_unique<Dcqcn>(settings_of(parameters), parameters.get<Duration>("cnp_interval"));
    },
    .errors = errors,
    .idle = [](const Parameters& parameters) -> std::vector<IdleParameter> {
      if (is_polled(parameters)) return {{"cnp_interval", "variant = \"hpcc_simulator\""}};
      return {{"decrease_interval", "variant = \"paper\""}};
    },
};

}  // namespace weir::dcqcn
