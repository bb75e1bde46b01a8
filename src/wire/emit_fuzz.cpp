// SPDX-License-Identifier: Apache-2.0
// Arbitrary frames that can cross a link, with arbitrary buffers.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "wire/testing/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static weir::FramePool pool(4);
  weir::testing::ByteSource source({data, size});
  const auto fcs = source.flip() ? weir::Fcs::present : weir::Fcs::absent;
  const std::size_t room = source.below(2'000);
  const weir::testing::FrameToSend sent = weir::testing::ArbitraryFrames(pool, source).make();
  if (!weir::testing::check_sent(pool, sent, fcs).empty()) std::abort();
  std::vector<std::byte> buffer(room);
  const auto length = emit(pool, pool[sent.id], sent.envelope, sent.payload, fcs, buffer);
  if (length ? *length > room : length.error() != weir::WireError::buffer_too_small) std::abort();
  pool.release(sent.id);
  return 0;
}
