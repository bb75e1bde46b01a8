// SPDX-License-Identifier: Apache-2.0
// Properties of parse() and emit() in either order. Each check returns a description of the violation, or nothing.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "wire/emit.h"
#include "wire/parse.h"
#include "wire/testing/arbitrary_frame.h"
#include "wire/testing/checksum_repair.h"

namespace weir::testing {

inline constexpr std::size_t kLargestFrame = 65'535;

/// A frame that was made is restored from its bytes.
inline std::string check_sent(FramePool& pool, const FrameToSend& sent, Fcs fcs) {
  std::vector<std::byte> bytes(kLargestFrame);
  const WireResult<std::size_t> length = emit(pool, pool[sent.id], sent.envelope, sent.payload, fcs, bytes);
  if (!length) return "not emitted: " + std::string(to_string(length.error()));
  bytes.resize(*length);
  const WireResult<ParsedFrame> received = parse(pool, bytes, fcs);
  if (!received) return "not parsed: " + std::string(to_string(received.error()));
  const Frame& frame = pool[received->id];
  Envelope envelope = sent.envelope;
  envelope.extension_bytes = received->envelope.extension_bytes;  // as sent, if no minimum was requested
  std::string wrong;
  if (!same_headers(pool, pool[sent.id], frame)) wrong = "another frame came back";
  if (received->envelope != envelope) wrong = "another envelope came back";
  if (!std::equal(received->payload.begin(), received->payload.end(), sent.payload.begin(), sent.payload.end())) {
    wrong = "another payload came back";
  }
  if (frame.frame_bytes != *length + (fcs == Fcs::present ? 0 : kFcsBytes)) wrong = "another length came back";
  pool.release(received->id);
  return wrong;
}

/// Bytes are either rejected without allocation from the pool; or the parsed frame is sent as the same bytes, with the
/// fields that receivers ignore set to zero.
inline std::string check_received(FramePool& pool, std::span<const std::byte> bytes, Fcs fcs) {
  const std::size_t before = pool.in_use();
  const WireResult<ParsedFrame> received = parse(pool, bytes, fcs);
  if (!received) return pool.in_use() == before ? "" : "a refused frame was kept";
  std::vector<std::byte> again(kLargestFrame);
  const WireResult<std::size_t> length =
      emit(pool, pool[received->id], received->envelope, received->payload, fcs, again);
  pool.release(received->id);
  if (!length) return "parsed but not emitted: " + std::string(to_string(length.error()));
  again.resize(*length);
  std::vector<std::byte> expected(bytes.begin(), bytes.end());
  Repair(expected, fcs, Repair::Zero::what_receivers_ignore);
  return again == expected ? "" : "other bytes were emitted than were parsed";
}

}  // namespace weir::testing
