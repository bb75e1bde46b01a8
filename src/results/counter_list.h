// SPDX-License-Identifier: Apache-2.0
// Every counter of a run, once. A line here is a member of the record, a column of the CSV files, a column of the store
// and, if it has a name for it, a measure of criteria; docs/results_schema.md gives its meaning in the same words.
#pragma once

// X(member, type, column of CSV, column of the store, measure, meaning). `type` is an integer or a Duration. An empty
// name means that the counter does not exist there, or is handled separately (for example, a measure over time spans).
// Names end with their unit, which is the same in CSV and in the store: "_ps" for times. The order here is the order of
// columns.

/// Per direction of a link: LinkRecord, links.csv, table links. The measure is the sum over links.
#define WEIR_LINK_COUNTERS(X)                                                                                       \
  X(frames, std::uint64_t, "frames", "frames", "", "frames carried")                                                \
  X(bytes, std::int64_t, "bytes", "carried_bytes", "", "frame bytes carried")                                       \
  X(lost, std::uint64_t, "lost_frames", "lost_frames", "", "frames in flight when the link failed")                 \
  X(pauses, std::uint64_t, "pauses", "pauses", "",                                                                  \
    "number of pauses (changes from resumed to paused) that the receiving end decided for the sending end, for a "  \
    "priority or by ID; refreshes are not counted. `frame_kinds` counts the pause frames sent")                     \
  X(held_at_pauses, std::int64_t, "held_at_pauses_bytes", "held_at_pauses_bytes", "held_at_pauses",                 \
    "bytes received over this link that the receiving end held when it decided on each pause, summed; divided by "  \
    "`pauses`, their mean")                                                                                         \
  X(paused, Duration, "paused_ps", "paused_ps", "",                                                                 \
    "time for which a pause blocked at least one priority of the sending end, from when the pause took effect")     \
  X(held, Duration, "held_ps", "held_ps", "link_held_time",                                                         \
    "time for which frames waited for the link at the sending end and all of them were blocked, by pauses, closed " \
    "gates or missing credit; requires `measure.held_links`")

/// Per switch: SwitchRecord, switches.csv, table switches. The measure is the sum over switches. In the CSV file the
/// first counter precedes the distributions, the others follow them.
#define WEIR_SWITCH_COUNTERS(X)                                                                                       \
  X(buffer_maximum, std::int64_t, "buffer_maximum_bytes", "buffer_maximum_bytes", "", "maximum buffer use")           \
  X(pauses_sent, std::uint64_t, "pauses_sent", "pauses_sent", "",                                                     \
    "number of pauses (changes from resumed to paused); refreshes are not counted. A pause that is cancelled before " \
    "its frame leaves is counted")                                                                                    \
  X(trimmed, std::uint64_t, "trimmed_frames", "trimmed_frames", "trimmed", "frames trimmed (payload removed)")        \
  X(returned, std::uint64_t, "returned_frames", "returned_frames", "returned",                                        \
    "trimmed frames returned to their senders")

/// Per flow: FlowRecord, flows.csv, table flows. The measure is the sum over flows.
#define WEIR_FLOW_COUNTERS(X)                                                                                    \
  X(retransmitted, std::uint32_t, "retransmitted_packets", "retransmitted_packets", "", "packets retransmitted") \
  X(out_of_order, std::uint32_t, "out_of_order_packets", "out_of_order_packets", "",                             \
    "packets received ahead of a packet with a lower sequence number")

/// Per run: RunRecord, table runs. In summary.csv and the report, counters with a CSV name appear under this name,
/// followed by the unit and only if they are not 0; the others are handled separately.
#define WEIR_RUN_COUNTERS(X)                                                                                        \
  X(packet_hops, std::uint64_t, "", "packet_hops", "",                                                              \
    "packet-hops: frames that crossed a link, including control frames")                                            \
  X(events, std::uint64_t, "", "events", "", "events processed by the simulator")                                   \
  X(data_frames, std::uint64_t, "", "data_frames", "", "data frames sent by NICs")                                  \
  X(retransmitted_frames, std::uint64_t, "", "retransmitted_frames", "", "data frames retransmitted")               \
  X(out_of_order_frames, std::uint64_t, "", "out_of_order_frames", "out_of_order",                                  \
    "data frames received ahead of one with a lower sequence number")                                               \
  X(strays, std::uint64_t, "stray", "stray_frames", "strays",                                                       \
    "frames that NICs received but could not assign: of closed queue pairs, or trimmed frames without a transport") \
  X(receive_overflows, std::uint64_t, "receive_overflow", "receive_overflow_frames", "receive_overflows",           \
    "frames dropped because the receive buffer of a NIC was full")                                                  \
  X(datagrams_dropped, std::uint64_t, "dropped_datagram", "dropped_datagram_frames", "datagrams_dropped",           \
    "datagrams dropped because the datagram queue of a NIC was full")

/// A member of a record.
#define WEIR_COUNTER_MEMBER(member, type, csv, column, measure, meaning) type member{};
