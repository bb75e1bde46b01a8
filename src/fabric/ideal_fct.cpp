// SPDX-License-Identifier: Apache-2.0
#include "fabric/ideal_fct.h"

#include <algorithm>

namespace weir {

IdealFct ideal_fct(std::span<const PathLink> path, Bytes size, std::int64_t payload, const Framing& framing,
                   BitRate limit, std::uint32_t acknowledge_every, const AddedHeaders& headers) {
  const std::int64_t packets = std::max<std::int64_t>(1, (size.count() + payload - 1) / payload);
  const std::int64_t last_payload = size.count() - (packets - 1) * payload;
  // Wire bytes after this number of switches.
  const auto data_bytes = [&](std::int64_t bytes, std::size_t switches) {
    const std::int64_t frame = framing.data(static_cast<std::uint32_t>(bytes)) + headers.data(switches);
    return Bytes(frame + framing.wire_overhead);
  };
  const Bytes ack(framing.acknowledge(headers.acknowledgement(path.size() - 1)) + framing.wire_overhead);

  // `before`: when packet n-1 has left the node; `now`: when the last packet, the n-th, has arrived there. On every
  // link, full packets are spaced by the time that the slowest link so far takes to send one.
  Duration before;
  Duration now;
  Duration slowest;
  Duration first;
  for (std::size_t switches = 0; switches < path.size(); ++switches) {
    const PathLink& link = path[switches];
    const bool at_source = switches == 0;
    const Bytes full = data_bytes(payload, switches);
    const Bytes last = data_bytes(last_payload, switches);
    Duration gap = time_to_send(full, link.rate);
    if (at_source && limit > BitRate() && limit < link.rate) gap = time_to_send(full, limit);
    const Duration serialise_full = time_to_send(full, link.rate);
    slowest = std::max(slowest, gap);
    if (packets > 1) {
      first += serialise_full;
      before = first + (packets - 2) * slowest;
      const Duration start = at_source ? (packets - 1) * gap : std::max(now, before);
      now = start + time_to_send(last, link.rate);
    } else {
      now += time_to_send(last, link.rate);
    }
    first += link.delay;
    now += link.delay;
  }
  // Acknowledgements of packets before the last arrive evenly. On every link they are spaced by the larger of their
  // present spacing and the time that the link takes to send one. The last acknowledgement waits for the previous one
  // if it arrives too early.
  const std::int64_t ahead = (packets - 1) / acknowledge_every;
  Duration first_ack = first + (acknowledge_every - 1) * slowest;
  Duration apart = acknowledge_every * slowest;
  Duration acknowledged = now;
  for (auto link = path.rbegin(); link != path.rend(); ++link) {
    const Duration serialise_ack = time_to_send(ack, link->rate);
    apart = std::max(apart, serialise_ack);
    first_ack += serialise_ack;
    if (ahead > 0) acknowledged = std::max(acknowledged, first_ack + (ahead - 1) * apart);
    first_ack += link->delay;
    acknowledged += serialise_ack + link->delay;
  }
  return {now, acknowledged};
}

Duration base_round_trip(std::span<const PathLink> path, std::int64_t payload, const Framing& framing,
                         const AddedHeaders& headers) {
  return ideal_fct(path, Bytes(payload), payload, framing, BitRate(), 1, headers).sender;
}

}  // namespace weir
