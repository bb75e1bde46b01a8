// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes with corrected checksums and CRCs, so that the fuzzer gets past them: the first byte determines
// whether they end with an FCS.
#include <cstdint>
#include <cstdlib>

#include "wire/testing/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static weir::FramePool pool(4);
  if (size == 0) return 0;
  const auto fcs = (data[0] & 1u) != 0 ? weir::Fcs::present : weir::Fcs::absent;
  auto bytes = weir::testing::to_bytes({data + 1, size - 1});
  weir::testing::Repair(bytes, fcs, weir::testing::Repair::Zero::nothing);
  if (!weir::testing::check_received(pool, bytes, fcs).empty()) std::abort();
  return 0;
}
