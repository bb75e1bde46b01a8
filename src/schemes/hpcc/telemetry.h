// SPDX-License-Identifier: Apache-2.0
// The switches' records of the links on a frame's path, stored in the frame's extension.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "units/bit_rate.h"
#include "units/ids.h"
#include "units/time.h"
#include "wire/byte_order.h"
#include "wire/frame_pool.h"

namespace weir::hpcc {

/// One link at the time a frame began to leave onto it (figure 7 of the paper: B, TS, txBytes, qLen). Times and sent
/// bytes are counters that wrap.
struct LinkRecord {
  static constexpr int kTimeBits = 44;   ///< of picoseconds: 17 s
  static constexpr int kRateBits = 20;   ///< of Mbit/s below 2^19 Mbit/s (524 Gbit/s), of Gbit/s above
  static constexpr int kQueueBits = 28;  ///< of bytes: 268 MB; longer queues are reported as this
  static constexpr int kSentBits = 36;   ///< of bytes: 69 GB

  std::uint64_t time = 0;
  std::uint64_t rate = 0;  ///< Mbit/s
  std::uint64_t queue = 0;
  std::uint64_t sent = 0;
  bool operator==(const LinkRecord&) const = default;

  static LinkRecord of(Time now, BitRate rate, std::int64_t queue, std::int64_t sent) {
    constexpr std::int64_t kMegabit = 1'000'000;
    return {static_cast<std::uint64_t>(now.picoseconds()) & mask(kTimeBits),
            rate_of(code_of(static_cast<std::uint64_t>(rate.bits_per_second() / kMegabit))),
            std::min(static_cast<std::uint64_t>(std::max<std::int64_t>(0, queue)), mask(kQueueBits)),
            static_cast<std::uint64_t>(sent) & mask(kSentBits)};
  }
  /// The code of a rate in Mbit/s in kRateBits; rates beyond the range get the largest code.
  static constexpr std::uint64_t code_of(std::uint64_t megabits) {
    return megabits < kCoarse ? megabits : kCoarse | std::min(megabits / kMegabitsPerGigabit, kCoarse - 1);
  }
  static constexpr std::uint64_t rate_of(std::uint64_t code) {
    return code < kCoarse ? code : (code - kCoarse) * kMegabitsPerGigabit;
  }
  /// Picoseconds since `before`, if below half the counter's range; otherwise a larger value.
  [[nodiscard]] std::uint64_t time_since(const LinkRecord& before) const {
    return (time - before.time) & mask(kTimeBits);
  }
  [[nodiscard]] std::uint64_t sent_since(const LinkRecord& before) const {
    return (sent - before.sent) & mask(kSentBits);
  }
  static constexpr std::uint64_t mask(int bits) { return (std::uint64_t{1} << bits) - 1; }

 private:
  static constexpr std::uint64_t kCoarse = std::uint64_t{1} << (kRateBits - 1);
  static constexpr std::uint64_t kMegabitsPerGigabit = 1'000;
};

/// The records of a frame, first link first: a view of that field, which may contain anything. One byte is the number
/// of records, two are the exclusive or of the switch numbers, and the records begin at byte 8.
class Telemetry {
 public:
  static constexpr std::size_t kMostLinks = 7;
  static constexpr std::size_t kBytes = 8 + 16 * kMostLinks;
  static_assert(kBytes <= FramePool::kShortExtension);

  /// `block` has at least kBytes bytes.
  explicit Telemetry(std::span<std::byte> block) : block_(block.first<kBytes>()) {}

  /// [HPCC-INT-4] Limited to the capacity.
  [[nodiscard]] std::size_t links() const { return std::min<std::size_t>(load_8<0>(read_head()), kMostLinks); }
  [[nodiscard]] std::uint16_t path() const { return load_be16<2>(read_head()); }

  [[nodiscard]] LinkRecord link(std::size_t number) const {
    const std::span<const std::byte, 16> record = at(number);
    const std::uint64_t first = std::uint64_t{load_be32<0>(record)} << 32 | load_be32<4>(record);
    const std::uint64_t second = std::uint64_t{load_be32<8>(record)} << 32 | load_be32<12>(record);
    return {first >> LinkRecord::kRateBits, LinkRecord::rate_of(first & LinkRecord::mask(LinkRecord::kRateBits)),
            second >> LinkRecord::kSentBits, second & LinkRecord::mask(LinkRecord::kSentBits)};
  }

  /// Adds the record of a link of `node`. A frame that already has kMostLinks records is not changed.
  void add(SwitchId node, const LinkRecord& record) {
    const std::size_t number = links();
    if (number == kMostLinks) return;
    const std::uint64_t first = record.time << LinkRecord::kRateBits | LinkRecord::code_of(record.rate);
    const std::uint64_t second = record.queue << LinkRecord::kSentBits | record.sent;
    const std::span<std::byte, 16> room = at(number);
    store_be32<0>(room, static_cast<std::uint32_t>(first >> 32));
    store_be32<4>(room, static_cast<std::uint32_t>(first));
    store_be32<8>(room, static_cast<std::uint32_t>(second >> 32));
    store_be32<12>(room, static_cast<std::uint32_t>(second));
    store_8<0>(head(), static_cast<std::uint8_t>(number + 1));
    store_be16<2>(head(), static_cast<std::uint16_t>(path() ^ (node.value + 1)));
  }

 private:
  [[nodiscard]] std::span<const std::byte, 8> read_head() const { return block_.first<8>(); }
  [[nodiscard]] std::span<std::byte, 8> head() { return block_.first<8>(); }
  [[nodiscard]] std::span<std::byte, 16> at(std::size_t number) const {
    return block_.subspan(8 + 16 * number).first<16>();
  }

  std::span<std::byte, kBytes> block_;
};

}  // namespace weir::hpcc
