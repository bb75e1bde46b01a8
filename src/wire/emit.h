// SPDX-License-Identifier: Apache-2.0
// From a Frame to bytes.
#pragma once

#include <cstddef>
#include <span>

#include "wire/envelope.h"
#include "wire/ethernet.h"
#include "wire/frame_pool.h"
#include "wire/wire_error.h"

namespace weir {

/// Writes the Ethernet frame that stands for `frame` to the start of `out`, and says how many bytes that is. Payload:
/// Frame::payload_bytes bytes of the message, or none for zeros (simulated frames have no content).
///
/// The length follows from the headers, the payload and the extension, not from Frame::frame_bytes, which may count
/// frames as another simulator does (Framing). A corrupt frame is given a wrong FCS, the complement of the right one,
/// as cut-through switches do.
///
/// WireError::not_representable: an order marker; a corrupt frame without FCS; a host without an address (none may be
/// the source, and is sent as kUnnamedIpv4Address); a field wider than its bits on the wire (queue pair and the
/// envelope's fields; of sequence numbers the low 24 bits are sent); payload on anything but data, or on data that was
/// trimmed; flags that the kind has no bit for: trimmed on anything but data, ends_message on acknowledgements and
/// CNPs, echoes_congestion on CNPs, ECN and, if untagged, a priority on frames to the neighbour. A PFC frame sends what
/// read_pfc() reads, untagged and to kMacControlAddress, and nothing else.
[[nodiscard]] WireResult<std::size_t> emit(const FramePool& pool, const Frame& frame, const Envelope& envelope,
                                           std::span<const std::byte> payload, Fcs fcs, std::span<std::byte> out);

}  // namespace weir
