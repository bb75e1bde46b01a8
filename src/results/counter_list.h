// SPDX-License-Identifier: Apache-2.0
// Every counter of a run, once. A line here is a member of the record, a column of the CSV files, a column of the store
// and, if it has a name for it, a measure of criteria; docs/results_schema.md gives its meaning in the same words.
#pragma once

// X(member, type, column of CSV, column of the store, measure, meaning). `type` is an integer or a Duration. An empty
// name means that the counter does not exist there, or is handled separately (for example, a measure over time spans).
// Names end with their unit, which is the same in CSV and in the store: "_ps" for times. The order here is the order of
// columns.

/// Per direction of a link: LinkRecord, links.csv, table links. The measure is the sum over links.
#define WEIR_LINK_COUNTERS(X)                                                                                        \
  X(frames, std::uint64_t, "frames", "frames", "", "that it carried")                                                \
  X(bytes, std::int64_t, "bytes", "carried_bytes", "", "frame bytes that it carried")                                \
  X(lost, std::uint64_t, "lost_frames", "lost_frames", "", "that were in flight when the link failed")               \
  X(pauses, std::uint64_t, "pauses", "pauses", "",                                                                   \
    "times that the far end decided to pause the near end, as in `pauses_sent`, by priority or name; refreshes not " \
    "counted. `frame_kinds` has the frames that left")                                                               \
  X(held_at_pauses, std::int64_t, "held_at_pauses_bytes", "held_at_pauses_bytes", "held_at_pauses",                  \
    "that the far end held of what came over this link when it decided on each of them, summed: by `pauses`, its "   \
    "mean")                                                                                                          \
  X(paused, Duration, "paused_ps", "paused_ps", "",                                                                  \
    "how long any priority of the near end was held by a pause, from when it obeyed it")                             \
  X(held, Duration, "held_ps", "held_ps", "link_held_time",                                                          \
    "how long frames waited for it at the near end and none of them might go, whatever held them: pauses, gates of " \
    "queues, want of credit; with `measure.held_links`")

/// Per switch: SwitchRecord, switches.csv, table switches. The measure is the sum over switches. In the CSV file the
/// first counter precedes the distributions, the others follow them.
#define WEIR_SWITCH_COUNTERS(X)                                                                                     \
  X(buffer_maximum, std::int64_t, "buffer_maximum_bytes", "buffer_maximum_bytes", "",                               \
    "most that its buffer ever held")                                                                               \
  X(pauses_sent, std::uint64_t, "pauses_sent", "pauses_sent", "",                                                   \
    "decisions to pause: changes from resumed to paused; refreshes not counted. One that is taken back before its " \
    "frame leaves counts too")                                                                                      \
  X(trimmed, std::uint64_t, "trimmed_frames", "trimmed_frames", "trimmed", "whose payload it cut off")              \
  X(returned, std::uint64_t, "returned_frames", "returned_frames", "returned",                                      \
    "trimmed ones that it sent back to their senders")

/// Per flow: FlowRecord, flows.csv, table flows. The measure is the sum over flows.
#define WEIR_FLOW_COUNTERS(X)                                                                                   \
  X(retransmitted, std::uint32_t, "retransmitted_packets", "retransmitted_packets", "", "that were sent again") \
  X(out_of_order, std::uint32_t, "out_of_order_packets", "out_of_order_packets", "", "that came before an earlier one")

/// Per run: RunRecord, table runs. In summary.csv and the report, counters with a CSV name appear under this name,
/// followed by the unit and only if they are not 0; the others are handled separately.
#define WEIR_RUN_COUNTERS(X)                                                                                        \
  X(packet_hops, std::uint64_t, "", "packet_hops", "", "frames that crossed a link, control frames included")       \
  X(events, std::uint64_t, "", "events", "", "that the simulator processed")                                        \
  X(data_frames, std::uint64_t, "", "data_frames", "", "sent by NICs")                                              \
  X(retransmitted_frames, std::uint64_t, "", "retransmitted_frames", "", "data frames that were sent again")        \
  X(out_of_order_frames, std::uint64_t, "", "out_of_order_frames", "out_of_order",                                  \
    "data frames that came before an earlier one")                                                                  \
  X(strays, std::uint64_t, "stray", "stray_frames", "strays",                                                       \
    "that came to NICs where nobody knows what they mean: of queue pairs that have closed, trimmed ones without a " \
    "transport")                                                                                                    \
  X(receive_overflows, std::uint64_t, "receive_overflow", "receive_overflow_frames", "receive_overflows",           \
    "that found no room in the receive buffers of NICs")                                                            \
  X(datagrams_dropped, std::uint64_t, "dropped_datagram", "dropped_datagram_frames", "datagrams_dropped",           \
    "that found no room in the datagram queues of NICs")

/// A member of a record.
#define WEIR_COUNTER_MEMBER(member, type, csv, column, measure, meaning) type member{};
