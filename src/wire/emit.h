// SPDX-License-Identifier: Apache-2.0
// Encoding of a Frame as bytes.
#pragma once

#include <cstddef>
#include <span>

#include "wire/envelope.h"
#include "wire/ethernet.h"
#include "wire/frame_pool.h"
#include "wire/wire_error.h"

namespace weir {

/// Writes `frame` as an Ethernet frame to the start of `out`, and returns its length in bytes. Payload:
/// Frame::payload_bytes bytes of the message, or empty for zeros (simulated frames have no content).
///
/// The length follows from the headers, the payload and the extension, not from Frame::frame_bytes, which may count
/// frames as another simulator does (Framing). A corrupt frame is given a wrong FCS, the complement of the right one,
/// as cut-through switches do.
///
/// WireError::not_representable: an order marker; a corrupt frame without FCS; a host without an address (the source
/// may be none, and is sent as kUnnamedIpv4Address); a field that exceeds its bits on the wire (queue pair and the
/// envelope's fields; of sequence numbers the low 24 bits are sent); payload on anything but data, or on data that was
/// trimmed; flags for which the kind has no bit: trimmed on anything but data, ends_message on acknowledgements and
/// CNPs, echoes_congestion on CNPs, ECN and, if untagged, a priority on frames to the neighbour. A PFC frame carries
/// only what read_pfc() reads, untagged and to kMacControlAddress.
[[nodiscard]] WireResult<std::size_t> emit(const FramePool& pool, const Frame& frame, const Envelope& envelope,
                                           std::span<const std::byte> payload, Fcs fcs, std::span<std::byte> out);

}  // namespace weir
