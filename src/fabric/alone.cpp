#include "fabric/alone.h"

#include <algorithm>

namespace weir {

AloneCompletion alone_completion(std::span<const PathLink> path, Bytes size, std::int64_t payload,
                                 const Framing& framing, BitRate limit, std::uint32_t acknowledge_every) {
  const std::int64_t packets = std::max<std::int64_t>(1, (size.count() + payload - 1) / payload);
  const std::int64_t last_payload = size.count() - (packets - 1) * payload;
  const Bytes full(framing.data(static_cast<std::uint32_t>(payload)) + framing.wire_overhead);
  const Bytes last(framing.data(static_cast<std::uint32_t>(last_payload)) + framing.wire_overhead);
  const Bytes ack(framing.padded(framing.ack) + framing.wire_overhead);

  // `before`: when packet n-1 has left the node; `now`: when the last packet, the n-th, has arrived there. Full packets
  // leave every link as far apart as the slowest link so far takes to send one.
  Duration before;
  Duration now;
  Duration slowest;
  Duration first;
  bool at_source = true;
  for (const PathLink& link : path) {
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
    at_source = false;
  }
  // Acknowledgements of packets before the last come evenly, and leave every link as far apart as they come or as the
  // slowest link so far takes to send one. That of the last waits for the one ahead where it comes too soon.
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

Duration base_round_trip(std::span<const PathLink> path, std::int64_t payload, const Framing& framing) {
  return alone_completion(path, Bytes(payload), payload, framing).sender;
}

}  // namespace weir
