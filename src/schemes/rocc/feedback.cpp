// SPDX-License-Identifier: Apache-2.0
#include "schemes/rocc/feedback.h"

#include <cstddef>
#include <span>

#include "wire/byte_order.h"

namespace weir::rocc {
namespace {

// Words of the extension.
constexpr std::size_t kBytes = 40;
using Out = std::span<std::byte, kBytes>;
using In = std::span<const std::byte, kBytes>;

template <std::size_t Word>
void put(Out out, std::int64_t value) {
  store_be32<4 * Word>(out, static_cast<std::uint32_t>(value));
}
template <std::size_t Word>
std::int64_t get(In in) {
  return load_be32<4 * Word>(in);
}

bool read_state(In in, Feedback& feedback) {
  feedback.before = {get<0>(in), get<1>(in)};
  feedback.length = get<2>(in);
  return 0 < feedback.before.rate && feedback.before.rate <= kMostRate << kRateBits &&
         feedback.before.length <= kMostLength && feedback.length <= kMostLength;
}

bool read_port_rate(In in, Feedback& feedback) {
  const std::int64_t rate = get<3>(in) << 32 | get<4>(in);
  feedback.port_rate = BitRate(rate);
  return rate > 0;
}

bool read_settings(In in, Feedback& feedback) {
  feedback.settings = {.q_reference = get<4>(in),
                       .q_middle = get<5>(in),
                       .q_maximum = get<6>(in),
                       .f_minimum = get<7>(in),
                       .f_maximum = get<3>(in),
                       .alpha = get<8>(in),
                       .beta = get<9>(in)};
  return feedback.settings.valid() && feedback.before.rate <= feedback.settings.f_maximum << kRateBits;
}

}  // namespace

// [ROCC-CP-7] [ROCC-HOST-1]
bool write(const Feedback& feedback, FramePool& pool, Frame& frame) {
  frame.kind = FrameKind::host_control;
  frame.protocol = kProtocol;
  frame.frame_bytes = kFeedbackBytes;
  frame.tag = static_cast<std::uint16_t>(feedback.form);
  frame.sequence = feedback.point;
  if (feedback.form == Form::rate) {
    frame.tag_value = static_cast<std::uint32_t>(feedback.rate);
    return true;
  }
  const std::span<std::byte> block = pool.extend(frame, kBytes);
  if (block.empty()) return false;
  const Out out = block.first<kBytes>();
  put<0>(out, feedback.before.rate);
  put<1>(out, feedback.before.length);
  put<2>(out, feedback.length);
  if (feedback.form == Form::registry) {
    put<3>(out, feedback.port_rate.bits_per_second() >> 32);
    put<4>(out, feedback.port_rate.bits_per_second());
    return true;
  }
  put<3>(out, feedback.settings.f_maximum);
  put<4>(out, feedback.settings.q_reference);
  put<5>(out, feedback.settings.q_middle);
  put<6>(out, feedback.settings.q_maximum);
  put<7>(out, feedback.settings.f_minimum);
  put<8>(out, feedback.settings.alpha);
  put<9>(out, feedback.settings.beta);
  return true;
}

std::optional<Feedback> read(const FramePool& pool, const Frame& frame) {
  Feedback feedback;
  if (frame.tag > static_cast<std::uint16_t>(Form::registry)) return std::nullopt;
  feedback.form = static_cast<Form>(frame.tag);
  feedback.point = frame.sequence;
  if (feedback.form == Form::rate) {
    feedback.rate = frame.tag_value;
    return 0 < feedback.rate && feedback.rate <= kMostRate ? std::optional(feedback) : std::nullopt;
  }
  const std::span<const std::byte> block = pool.extension(frame);
  if (block.size() < kBytes) return std::nullopt;
  const In in = block.first<kBytes>();
  if (!read_state(in, feedback)) return std::nullopt;
  const bool good = feedback.form == Form::registry ? read_port_rate(in, feedback) : read_settings(in, feedback);
  return good ? std::optional(feedback) : std::nullopt;
}

}  // namespace weir::rocc
