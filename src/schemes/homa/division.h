// SPDX-License-Identifier: Apache-2.0
// The division of Homa's priorities by the sizes of the messages that are offered.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "units/bytes.h"
#include "units/size_segment.h"

namespace weir::homa {

/// [HOMA-PRIO-4] The share of all bytes that are among the first `round_trip` bytes of their message.
double unscheduled_share(std::span<const SizeSegment> sizes, Bytes round_trip);

/// [HOMA-PRIO-4] The unscheduled ones of this number of levels, in proportion to the bytes. At least one level is left
/// for scheduled bytes, and there is at least one.
std::size_t unscheduled_levels(std::span<const SizeSegment> sizes, Bytes round_trip, std::size_t levels);

/// [HOMA-PRIO-3] The largest message of each unscheduled level except the last, so that all of these levels carry the
/// same number of unscheduled bytes. Ascending. If many messages have one size, there are fewer levels.
std::vector<Bytes> cutoffs_for(std::span<const SizeSegment> sizes, Bytes round_trip, std::size_t levels);

}  // namespace weir::homa
