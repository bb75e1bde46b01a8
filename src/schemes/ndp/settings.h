// SPDX-License-Identifier: Apache-2.0
// The parameters of NDP as typed values.
#pragma once

#include <cstdint>

#include "policy/parameters.h"
#include "units/bytes.h"
#include "units/time.h"

namespace weir::ndp {

struct Settings {
  explicit Settings(const Parameters& parameters);

  std::uint32_t queue;               ///< frames in a data queue
  std::uint32_t header_queue;        ///< frames in a header queue; zero: as many bytes as the data queue
  std::uint32_t headers_per_packet;  ///< frames of the header queue sent per frame of the data queue
  bool return_to_sender;             ///< a header that finds its queue full returns to its sender
  Bytes initial_window;              ///< payload that a transfer sends without a pull
  Duration timeout;                  ///< without an answer, a packet counts as lost
  std::uint32_t paths;               ///< numbers of paths that senders cycle through
  double pull_share;                 ///< the rate of pulled packets, relative to that of the receiver's link
};

}  // namespace weir::ndp
