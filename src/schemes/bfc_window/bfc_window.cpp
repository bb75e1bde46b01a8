// SPDX-License-Identifier: Apache-2.0
#include "schemes/bfc_window/bfc_window.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>

#include "units/int128.h"
#include "wire/byte_order.h"

namespace weir::bfc_window {
namespace {

/// When a data frame was sent, in picoseconds; in the frame and in its acknowledgement.
constexpr std::size_t kStampBytes = 8;
constexpr HeaderField kStamp{"time_stamp", kStampBytes, FrameKinds(FrameKind::data, FrameKind::ack, FrameKind::nack),
                             HeaderField::Reach::end_to_end};

void write_stamp(std::span<std::byte> field, Time now) {
  if (field.empty()) return;
  const std::span<std::byte, kStampBytes> stamp = field.first<kStampBytes>();
  const auto sent = static_cast<std::uint64_t>(now.picoseconds());
  store_be32<0>(stamp, static_cast<std::uint32_t>(sent >> 32));
  store_be32<4>(stamp, static_cast<std::uint32_t>(sent));
}

/// The time since then; zero if the frame carries no valid time.
Duration age_of(std::span<const std::byte> field, Time now) {
  if (field.empty()) return {};
  const std::span<const std::byte, kStampBytes> stamp = field.first<kStampBytes>();
  const auto sent = static_cast<std::int64_t>(std::uint64_t{load_be32<0>(stamp)} << 32 | load_be32<4>(stamp));
  return sent < 0 || sent >= now.picoseconds() ? Duration() : now - Time::picoseconds(sent);
}

class BfcWindow final : public CongestionControl {
 public:
  explicit BfcWindow(double target) : target_(target) {}

  [[nodiscard]] CongestionHooks hooks() const override { return {.sent = true, .ack = true, .data = true}; }
  [[nodiscard]] std::size_t sender_bytes() const override { return sizeof(Sender); }

  void attach(NicContext& context) override { stamp_ = context.headers().extension_place(kStamp); }
  void open(NicContext&, SendState& sender) override {
    auto& state = sender.congestion.emplace<Sender>();
    state.target = Duration::picoseconds(
        static_cast<std::int64_t>(target_ * static_cast<double>(sender.base_round_trip.picoseconds())));
    state.most = bytes_in(state.target, sender.line_rate).count();
    sender.window = bytes_in(sender.base_round_trip, sender.line_rate).count();  // [BFCW-1]
  }
  void on_sent(NicContext& context, SendState&, Frame& frame) override {
    write_stamp(stamp_.add(context.frames(), frame), context.now());
  }
  void on_data(NicContext&, ReceiveState&, Frame& data, Frame* reply) override {
    if (reply != nullptr && !reply->extension.exists()) FramePool::move_extension(data, *reply);
  }
  void on_ack(NicContext& context, SendState& sender, const Acknowledgement& acknowledgement) override {
    const auto& state = sender.congestion.as<Sender>();
    const Duration round_trip = age_of(stamp_.of(context.frames(), acknowledgement.frame), context.now());
    if (round_trip == Duration()) return;
    const Duration missed = state.target - round_trip;  // [BFCW-2]
    const auto change =
        static_cast<Int128>(acknowledgement.newly_acknowledged) * missed.picoseconds() / round_trip.picoseconds();
    const Int128 least = context.maximum_payload();
    const auto most = std::max<Int128>(least, state.most);
    sender.window = static_cast<std::int64_t>(std::clamp(sender.window + change, least, most));  // [BFCW-3]
  }

 private:
  struct Sender {
    Duration target;
    std::int64_t most = 0;  // bytes
  };
  double target_;
  ExtensionPlace stamp_;
};

}  // namespace

const Scheme scheme = {
    .name = "bfc_window",
    .summary = "a window that keeps the round-trip time near a multiple of the base round-trip time (BFC's +CC)",
    .traits = {.sets_window = true},
    .fields = {&kStamp},
    .parameters = {{.name = "target",
                    .default_value = 2.5,
                    .meaning = "target round-trip time, as a multiple of the base round-trip time",
                    .source = "bfc A.1, algorithm 1",
                    .minimum = 1,
                    .maximum = 1'000}},
    .congestion_control = [](const Parameters& parameters) -> std::unique_ptr<CongestionControl> {
      return std::make_unique<BfcWindow>(parameters.get<double>("target"));
    },
};

}  // namespace weir::bfc_window
