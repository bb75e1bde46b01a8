// SPDX-License-Identifier: Apache-2.0
// A network whose nodes are divided among partitions, which share no frames: one after the other on one thread, or one
// thread each. It has only what a driver with threads needs: no measurement, no failures, flows that all start at once.
// Its rules of order are those of the event loop (sim/engine.h), so it gives the event loop's digest.
#pragma once

#include <algorithm>
#include <barrier>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fabric/connections.h"
#include "sim/agenda.h"
#include "sim/channels.h"
#include "sim/ranked_set.h"
#include "traffic/merged_traffic.h"
#include "wire/mailbox.h"

namespace weir::whole {

class PartitionedNetwork {
 public:
  PartitionedNetwork(const Settings& settings, const std::vector<std::uint32_t>& partition_of_node)
      : settings_(settings),
        fabric_(settings_, partition_of_node),
        traffic_(settings_.traffic(settings_.run.seed)),
        connections_(fabric_, settings_, traffic_, [](const FlowSpec&, const FlowRecord&, Time) {}) {
    for (const ChannelSpec& spec : fabric_.channels()) {
      ranks_.push_back(mix(settings_.run.seed, ranks_.size()));
      outgoing_.push_back({SerialisationTime(spec.rate), spec.delay, {}, false});
      incoming_.emplace_back();
      reach_ = std::min(reach_, spec.delay);
    }
    build_partitions();
    build_nodes();
  }

  /// Until the settings' stop time.
  void run(bool on_threads) {
    start_flows();
    const auto count = static_cast<std::ptrdiff_t>(partitions_.size());
    begin_window();
    if (!on_threads) {
      for (; !done_; begin_window()) {
        for (Partition& partition : partitions_) run_window(partition);
        for (Partition& partition : partitions_) take_letters(partition);
      }
      return;
    }
    std::barrier sent(count);
    std::barrier taken(count, [this]() noexcept { begin_window(); });
    std::vector<std::thread> threads;
    for (Partition& partition : partitions_) {
      threads.emplace_back([&] {
        while (!done_) {
          run_window(partition);
          sent.arrive_and_wait();
          take_letters(partition);
          taken.arrive_and_wait();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  /// As RunRecord::digest.
  [[nodiscard]] std::string digest() const {
    std::uint64_t digest = mix(settings_.run.seed);
    for (const Incoming& channel : incoming_) digest = mix(digest, channel.digest);
    std::string text;
    for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[(digest >> shift) & 15];
    return text;
  }
  /// Frames that crossed from one partition to another.
  [[nodiscard]] std::uint64_t crossed() const {
    std::uint64_t sum = 0;
    for (const Partition& partition : partitions_) sum += partition.crossed;
    return sum;
  }
  [[nodiscard]] Fabric& fabric() { return fabric_; }
  /// Errors in the accounts of frames; empty: none.
  [[nodiscard]] std::string lost_frames() const {
    std::string out;
    for (const Partition& partition : partitions_) {
      std::size_t held = 0;
      for (const std::uint32_t id : partition.nodes) {
        const NodeState& node = nodes_[id];
        held += node.at != nullptr ? node.at->frames_held() : node.nic->frames_held();
        if (node.at == nullptr) continue;
        for (std::size_t queue = 0; queue < node.at->queues(); ++queue) held += node.at->queue(QueueId(queue)).markers;
      }
      for (std::uint32_t channel = 0; channel < incoming_.size(); ++channel) {
        if (fabric_.partition_of(fabric_.channels()[channel].to) != partition.number) continue;
        for (FrameId id = incoming_[channel].head; id.exists(); id = partition.frames[id].next) ++held;
      }
      if (held != partition.pool->in_use()) {
        out += std::to_string(partition.pool->in_use()) + " frames in use in partition " +
               std::to_string(partition.number) + ", " + std::to_string(held) + " held; ";
      }
      if (partition.pool->refused() > 0) out += "a pool was too small; ";
    }
    return out;
  }

 private:
  /// A wire as seen by the node at its beginning.
  struct alignas(64) Outgoing {
    SerialisationTime serialisation;
    Duration delay;
    Time free_at;
    bool waits = false;
  };
  /// A wire as seen by the node at its end.
  struct alignas(64) Incoming {
    FrameId head;
    FrameId tail;
    std::uint64_t digest = 0x9e3779b97f4a7c15u;
    std::uint32_t number = 0;  // among the arrivals of that node
  };
  struct NodeState {
    Switch* at = nullptr;  // one of the two
    Nic* nic = nullptr;
    std::uint32_t number = 0;  // among the nodes of its partition
    std::uint32_t first_channel = 0;
    Time deadline = Time::never();
    Agenda agenda{1};
    std::vector<std::pair<std::uint32_t, PortId>> incoming;  // channel and port, by number of the arrival
    std::vector<PortId> outgoing;                            // by number of the wire
    std::vector<std::uint32_t> wire_of;                      // by port
  };
  struct Letter {
    Time arrival;
    std::uint64_t rank;
    std::uint32_t from;
    std::uint32_t place;
  };
  struct Partition {
    Partition(std::uint32_t which, FramePool& of, const std::vector<std::uint64_t>& ranks)
        : number(which), pool(&of), frames(of), due(ranks) {}
    std::uint32_t number;
    FramePool* pool;
    FrameTable frames;
    RankedSet due;
    std::vector<std::uint32_t> nodes;
    std::unique_ptr<NodeAgenda> agenda;
    std::vector<std::unique_ptr<Mailbox>> from;  // by partition; empty: none
    std::vector<Letter> letters;                 // scratch
    Time now;
    std::uint64_t crossed = 0;
  };

  void build_partitions() {
    for (std::uint32_t i = 0; i < fabric_.partitions(); ++i)
      partitions_.emplace_back(i, fabric_.frames_of_partition(i), ranks_);
    // The frames sent in a window are bounded by the number of smallest frames that fill it, plus one that had begun.
    constexpr std::int64_t kSmallestFrame = 64;
    std::vector<std::size_t> room(partitions_.size() * partitions_.size());
    for (const ChannelSpec& spec : fabric_.channels()) {
      const std::uint32_t from = fabric_.partition_of(spec.from);
      const std::uint32_t to = fabric_.partition_of(spec.to);
      if (from == to) continue;
      const Duration least = time_to_send(Bytes(kSmallestFrame), spec.rate);
      room[from * partitions_.size() + to] += static_cast<std::size_t>(reach_ / least) + 2;
    }
    for (Partition& partition : partitions_) {
      std::size_t all = 0;
      for (std::size_t from = 0; from < partitions_.size(); ++from) {
        const std::size_t frames = room[from * partitions_.size() + partition.number];
        partition.from.push_back(frames > 0 ? std::make_unique<Mailbox>(frames) : nullptr);
        all += frames;
      }
      partition.letters.reserve(2 * all);
    }
  }

  void build_nodes() {
    for (std::uint32_t id = 0; id < fabric_.nodes(); ++id) {
      NodeState& node = nodes_.emplace_back();
      node.at = fabric_.switch_at(NodeId(id));
      node.nic = fabric_.nic_at(NodeId(id));
      node.first_channel = fabric_.channel(NodeId(id), PortId(0));
      std::vector<std::uint32_t>& of_partition = partitions_[fabric_.partition_of(NodeId(id))].nodes;
      node.number = static_cast<std::uint32_t>(of_partition.size());
      of_partition.push_back(id);
      make_agenda(node);
    }
    for (Partition& partition : partitions_)
      partition.agenda = std::make_unique<NodeAgenda>(static_cast<std::uint32_t>(partition.nodes.size()));
  }

  void make_agenda(NodeState& node) {
    const auto ports = static_cast<std::uint32_t>(node.at != nullptr ? node.at->ports() : 1);
    const auto rank = [this](std::uint32_t channel) { return std::pair(ranks_[channel], channel); };
    for (std::uint32_t port = 0; port < ports; ++port) {
      node.incoming.emplace_back(fabric_.channels()[node.first_channel + port].reverse, PortId(port));
      node.outgoing.emplace_back(port);
    }
    std::ranges::sort(node.incoming, {}, [&](const auto& in) { return rank(in.first); });
    std::ranges::sort(node.outgoing, {}, [&](PortId port) { return rank(node.first_channel + port.value); });
    node.wire_of.resize(ports);
    for (std::uint32_t i = 0; i < ports; ++i) {
      incoming_[node.incoming[i].first].number = i;
      node.wire_of[node.outgoing[i].index()] = i;
    }
    node.agenda = Agenda(ports);
  }

  void start_flows() {
    while (traffic_.next_start() == Time()) {
      const HostId source = connections_.start_next(Time());
      const NodeId id = fabric_.topology().node_of(source);
      Partition& partition = partitions_[fabric_.partition_of(id)];
      NodeState& node = nodes_[id.index()];
      after(partition, node);
      while (!partition.due.empty()) {
        const std::uint32_t channel = partition.due.take_first();
        outgoing_[channel].free_at = Time();
        wait_for_wire(node, PortId(channel - node.first_channel));
      }
      partition.agenda->set(node.number, node.agenda.next());
    }
    if (traffic_.next_start() != Time::never()) throw std::logic_error("flows start at zero here");
  }

  // Run by one thread while the others wait.
  void begin_window() {
    Time next = Time::never();
    for (const Partition& partition : partitions_) next = std::min(next, partition.agenda->next());
    done_ = next > settings_.run.stop;
    end_ = std::min(next + reach_, settings_.run.stop + Duration::picoseconds(1));
  }

  void run_window(Partition& partition) {
    while (partition.agenda->next() < end_) {
      NodeState& node = nodes_[partition.nodes[partition.agenda->first()]];
      run_node(partition, node);
      const Time next = node.agenda.next();
      if (next < node.agenda.limit()) {
        partition.agenda->set(node.number, next);
      } else {
        partition.agenda->clear(node.number);
      }
    }
  }

  void run_node(Partition& partition, NodeState& node) {
    Agenda& agenda = node.agenda;
    for (;;) {
      const std::uint64_t key = agenda.first_key();
      const Time next = agenda.time_of(key);
      if (!partition.due.empty() && next > partition.now) {
        transmit(partition, node, PortId(partition.due.take_first() - node.first_channel));
        continue;
      }
      if (next >= end_) return;
      partition.now = next;
      const std::uint32_t event = agenda.event_of(key);
      if (event < agenda.deadline()) {
        arrive(partition, node, event);
      } else if (event == agenda.deadline()) {
        node.deadline = Time::never();
        agenda.clear_deadline();
        if (node.at != nullptr) {
          node.at->advance(next);
        } else {
          node.nic->advance(next);
        }
        after(partition, node);
      } else {
        wire_free(partition, node, event - agenda.wire(0));
      }
    }
  }

  void arrive(Partition& partition, NodeState& node, std::uint32_t number) {
    const auto [channel, port] = node.incoming[number];
    Incoming& in = incoming_[channel];
    const FrameId id = in.head;
    const Frame& frame = partition.frames[id];
    in.head = frame.next;
    add_to_digest(in.digest, frame);
    if (in.head.exists()) {
      node.agenda.set_arrival(number, next_arrival(frame));
    } else {
      node.agenda.clear_arrival(number);
    }
    if (node.nic != nullptr) {
      node.nic->receive(partition.now, id);
    } else if (const FrameId passed = node.at->pass(partition.now, port, id); passed.exists()) {
      send(partition, node, partition.frames[passed].egress, passed);
    }
    after(partition, node);
  }

  void wire_free(Partition& partition, NodeState& node, std::uint32_t number) {
    const PortId port = node.outgoing[number];
    Outgoing& out = outgoing_[node.first_channel + port.value];
    out.waits = false;
    if (node.nic != nullptr || partition.due.empty()) {
      transmit(partition, node, port);
    } else {
      partition.due.insert(node.first_channel + port.value);
    }
    if (!out.waits) node.agenda.clear_wire(number);
  }

  void after(Partition& partition, NodeState& node) {
    Time deadline;
    if (node.at != nullptr) {
      node.at->take_ready([&](PortId port) { request(partition, node, port); });
      deadline = node.at->next_deadline();
    } else {
      node.nic->clear_completions();
      if (node.nic->became_ready()) {
        node.nic->clear_ready();
        request(partition, node, PortId(0));
      }
      deadline = node.nic->next_deadline();
    }
    if (deadline == node.deadline) return;
    node.deadline = deadline;
    const Time at = std::max(partition.now, deadline);
    if (at < node.agenda.limit()) {
      node.agenda.set_deadline(at);
    } else {
      node.agenda.clear_deadline();
    }
  }

  void request(Partition& partition, NodeState& node, PortId port) {
    const Outgoing& out = outgoing_[node.first_channel + port.value];
    if (out.waits) return;
    if (out.free_at > partition.now) {
      wait_for_wire(node, port);
    } else {
      partition.due.insert(node.first_channel + port.value);
    }
  }

  void wait_for_wire(NodeState& node, PortId port) {
    Outgoing& out = outgoing_[node.first_channel + port.value];
    out.waits = true;
    node.agenda.set_wire(node.wire_of[port.index()], out.free_at);
  }

  void transmit(Partition& partition, NodeState& node, PortId port) {
    if (outgoing_[node.first_channel + port.value].free_at > partition.now) return request(partition, node, port);
    const FrameId id = node.at != nullptr ? node.at->transmit(partition.now, port) : node.nic->transmit(partition.now);
    if (id.exists()) send(partition, node, port, id);
    after(partition, node);
  }

  void send(Partition& partition, NodeState& node, PortId port, FrameId id) {
    const std::uint32_t channel = node.first_channel + port.value;
    Outgoing& out = outgoing_[channel];
    Frame& frame = partition.frames[id];
    out.free_at = partition.now + out.serialisation(frame.frame_bytes + settings_.network.framing.wire_overhead);
    frame.arrival = out.free_at + out.delay;
    const std::uint32_t to = fabric_.partition_of(fabric_.channels()[channel].to);
    if (to == partition.number) {
      put_on_wire(partition, channel, id);
    } else {
      if (!partitions_[to].from[partition.number]->put(*partition.pool, frame, channel))
        throw std::logic_error("a mailbox is full");
      partition.pool->release(id);
      ++partition.crossed;
    }
    const bool more = node.at != nullptr ? node.at->occupy(port, out.free_at) : node.nic->has_ready();
    if (more && !out.waits) wait_for_wire(node, port);
  }

  /// At the end of the wire.
  void put_on_wire(Partition& partition, std::uint32_t channel, FrameId id) {
    Incoming& in = incoming_[channel];
    Frame& frame = partition.frames[id];
    frame.next = FrameId::none();
    if (in.head.exists()) {
      Frame& before = partition.frames[in.tail];
      before.next = id;
      note_next_arrival(before, frame.arrival);
    } else {
      in.head = id;
      NodeState& node = nodes_[fabric_.channels()[channel].to.index()];
      node.agenda.set_arrival(in.number, frame.arrival);
      if (frame.arrival < partition.agenda->time_of(node.number)) partition.agenda->set(node.number, frame.arrival);
    }
    in.tail = id;
  }

  /// Frames sent by other partitions in this window, ordered by time, then by rank: the order in which the partitions
  /// ran does not matter.
  void take_letters(Partition& partition) {
    partition.letters.clear();
    for (std::uint32_t from = 0; from < partition.from.size(); ++from) {
      if (!partition.from[from]) continue;
      const Mailbox& mailbox = *partition.from[from];
      for (std::uint32_t place = 0; place < mailbox.size(); ++place) {
        const Mailbox::Letter& letter = mailbox.letter(place);
        partition.letters.push_back({letter.frame.arrival, ranks_[letter.channel], from, place});
      }
    }
    std::ranges::sort(partition.letters, {},
                      [](const Letter& letter) { return std::pair(letter.arrival, letter.rank); });
    for (const Letter& letter : partition.letters) {
      const Mailbox& mailbox = *partition.from[letter.from];
      const FrameId id = mailbox.make(*partition.pool, letter.place);
      if (id.exists()) put_on_wire(partition, mailbox.letter(letter.place).channel, id);
    }
    for (const auto& mailbox : partition.from) {
      if (mailbox) mailbox->pop(mailbox->size());
    }
  }

  const Settings settings_;
  Fabric fabric_;
  MergedTraffic traffic_;
  Connections connections_;
  Duration reach_ = Duration::max();  // no node reaches another sooner
  std::vector<std::uint64_t> ranks_;  // by channel
  std::vector<Outgoing> outgoing_;    // by channel
  std::vector<Incoming> incoming_;    // by channel
  std::vector<NodeState> nodes_;      // by node
  std::vector<Partition> partitions_;
  Time end_;  // of the window
  bool done_ = false;
};

}  // namespace weir::whole
