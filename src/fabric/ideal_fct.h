// SPDX-License-Identifier: Apache-2.0
// The completion time of a message without other traffic in the network: the reference for slowdown.
#pragma once

#include <cstdint>
#include <span>

#include "fabric/added_headers.h"
#include "units/bit_rate.h"
#include "units/bytes.h"
#include "units/time.h"
#include "wire/framing.h"

namespace weir {

/// One link of a path, starting at the source.
struct PathLink {
  BitRate rate;
  Duration delay;
};

/// From the start of the first packet until the last byte is at the receiver, and until its acknowledgement is back at
/// the sender. Store and forward at every node, full packets of `payload` bytes, line rate (or `limit`, if that is
/// above zero and lower). The sender requests an acknowledgement with every `acknowledge_every`-th packet and the last.
/// Frame lengths include the schemes' headers.
struct IdealFct {
  Duration receiver;
  Duration sender;
};
IdealFct ideal_fct(std::span<const PathLink> path, Bytes size, std::int64_t payload, const Framing& framing,
                   BitRate limit = BitRate(), std::uint32_t acknowledge_every = 1, const AddedHeaders& headers = {});

/// Round trip of one full packet and its acknowledgement.
Duration base_round_trip(std::span<const PathLink> path, std::int64_t payload, const Framing& framing,
                         const AddedHeaders& headers = {});

}  // namespace weir
