// SPDX-License-Identifier: Apache-2.0
// A network whose nodes are divided among partitions, which share no frames: one after the other on one thread, or a
// thread each. It has what a driver for threads needs and no more: no measurement, no failures, flows that all start at
// once. Rules of order are those of the event loop (sim/engine.h), so that it gives the event loop's digest.
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
    build_machines();
  }

  /// Until the settings' stop time.
  void run(bool on_threads) {
    start_flows();
    const auto count = static_cast<std::ptrdiff_t>(partitions_.size());
    begin_round();
    if (!on_threads) {
      for (; !done_; begin_round()) {
        for (Partition& partition : partitions_) run_round(partition);
        for (Partition& partition : partitions_) take_letters(partition);
      }
      return;
    }
    std::barrier sent(count);
    std::barrier taken(count, [this]() noexcept { begin_round(); });
    std::vector<std::thread> threads;
    for (Partition& partition : partitions_) {
      threads.emplace_back([&] {
        while (!done_) {
          run_round(partition);
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
  /// Frames that went from one partition to another.
  [[nodiscard]] std::uint64_t crossed() const {
    std::uint64_t sum = 0;
    for (const Partition& partition : partitions_) sum += partition.crossed;
    return sum;
  }
  [[nodiscard]] Fabric& fabric() { return fabric_; }
  /// What is wrong with the accounts of frames; empty: nothing.
  [[nodiscard]] std::string lost_frames() const {
    std::string out;
    for (const Partition& partition : partitions_) {
      std::size_t held = 0;
      for (const std::uint32_t node : partition.nodes) {
        const Machine& machine = machines_[node];
        held += machine.at != nullptr ? machine.at->frames_held() : machine.nic->frames_held();
        if (machine.at == nullptr) continue;
        for (std::size_t queue = 0; queue < machine.at->queues(); ++queue)
          held += machine.at->queue(QueueId(queue)).marks;
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
  /// A wire as the node at its beginning has it.
  struct alignas(64) Outgoing {
    SerialisationTime serialisation;
    Duration delay;
    Time free_at;
    bool waits = false;
  };
  /// And as the node at its end has it.
  struct alignas(64) Incoming {
    FrameId head;
    FrameId tail;
    std::uint64_t digest = 0x9e3779b97f4a7c15u;
    std::uint32_t number = 0;  // among the arrivals of that node
  };
  struct Machine {
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
    // No more frames are sent in a round than the smallest fill it, and one that had begun.
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

  void build_machines() {
    for (std::uint32_t node = 0; node < fabric_.nodes(); ++node) {
      Machine& machine = machines_.emplace_back();
      machine.at = fabric_.switch_at(NodeId(node));
      machine.nic = fabric_.nic_at(NodeId(node));
      machine.first_channel = fabric_.channel(NodeId(node), PortId(0));
      std::vector<std::uint32_t>& of_partition = partitions_[fabric_.partition_of(NodeId(node))].nodes;
      machine.number = static_cast<std::uint32_t>(of_partition.size());
      of_partition.push_back(node);
      make_agenda(machine);
    }
    for (Partition& partition : partitions_)
      partition.agenda = std::make_unique<NodeAgenda>(static_cast<std::uint32_t>(partition.nodes.size()));
  }

  void make_agenda(Machine& machine) {
    const auto ports = static_cast<std::uint32_t>(machine.at != nullptr ? machine.at->ports() : 1);
    const auto rank = [this](std::uint32_t channel) { return std::pair(ranks_[channel], channel); };
    for (std::uint32_t port = 0; port < ports; ++port) {
      machine.incoming.emplace_back(fabric_.channels()[machine.first_channel + port].reverse, PortId(port));
      machine.outgoing.emplace_back(port);
    }
    std::ranges::sort(machine.incoming, {}, [&](const auto& in) { return rank(in.first); });
    std::ranges::sort(machine.outgoing, {}, [&](PortId port) { return rank(machine.first_channel + port.value); });
    machine.wire_of.resize(ports);
    for (std::uint32_t i = 0; i < ports; ++i) {
      incoming_[machine.incoming[i].first].number = i;
      machine.wire_of[machine.outgoing[i].index()] = i;
    }
    machine.agenda = Agenda(ports);
  }

  void start_flows() {
    while (traffic_.next_start() == Time()) {
      const HostId source = connections_.start_next(Time());
      const NodeId node = fabric_.topology().node_of(source);
      Partition& partition = partitions_[fabric_.partition_of(node)];
      Machine& machine = machines_[node.index()];
      after(partition, machine);
      while (!partition.due.empty()) {
        const std::uint32_t channel = partition.due.take_first();
        outgoing_[channel].free_at = Time();
        wait_for_wire(machine, PortId(channel - machine.first_channel));
      }
      partition.agenda->set(machine.number, machine.agenda.next());
    }
    if (traffic_.next_start() != Time::never()) throw std::logic_error("flows start at zero here");
  }

  // Run by one thread, while the others wait.
  void begin_round() {
    Time next = Time::never();
    for (const Partition& partition : partitions_) next = std::min(next, partition.agenda->next());
    done_ = next > settings_.run.stop;
    end_ = std::min(next + reach_, settings_.run.stop + Duration::picoseconds(1));
  }

  void run_round(Partition& partition) {
    while (partition.agenda->next() < end_) {
      Machine& machine = machines_[partition.nodes[partition.agenda->first()]];
      run_node(partition, machine);
      const Time next = machine.agenda.next();
      if (next < machine.agenda.limit()) {
        partition.agenda->set(machine.number, next);
      } else {
        partition.agenda->clear(machine.number);
      }
    }
  }

  void run_node(Partition& partition, Machine& machine) {
    Agenda& agenda = machine.agenda;
    for (;;) {
      const std::uint64_t key = agenda.first_key();
      const Time next = agenda.time_of(key);
      if (!partition.due.empty() && next > partition.now) {
        transmit(partition, machine, PortId(partition.due.take_first() - machine.first_channel));
        continue;
      }
      if (next >= end_) return;
      partition.now = next;
      const std::uint32_t event = agenda.event_of(key);
      if (event < agenda.deadline()) {
        arrive(partition, machine, event);
      } else if (event == agenda.deadline()) {
        machine.deadline = Time::never();
        agenda.clear_deadline();
        if (machine.at != nullptr) {
          machine.at->advance(next);
        } else {
          machine.nic->advance(next);
        }
        after(partition, machine);
      } else {
        wire_free(partition, machine, event - agenda.wire(0));
      }
    }
  }

  void arrive(Partition& partition, Machine& machine, std::uint32_t number) {
    const auto [channel, port] = machine.incoming[number];
    Incoming& in = incoming_[channel];
    const FrameId id = in.head;
    const Frame& frame = partition.frames[id];
    in.head = frame.next;
    add_to_digest(in.digest, frame);
    if (in.head.exists()) {
      machine.agenda.set_arrival(number, next_arrival(frame));
    } else {
      machine.agenda.clear_arrival(number);
    }
    if (machine.nic != nullptr) {
      machine.nic->receive(partition.now, id);
    } else if (const FrameId passed = machine.at->pass(partition.now, port, id); passed.exists()) {
      send(partition, machine, partition.frames[passed].egress, passed);
    }
    after(partition, machine);
  }

  void wire_free(Partition& partition, Machine& machine, std::uint32_t number) {
    const PortId port = machine.outgoing[number];
    Outgoing& out = outgoing_[machine.first_channel + port.value];
    out.waits = false;
    if (machine.nic != nullptr || partition.due.empty()) {
      transmit(partition, machine, port);
    } else {
      partition.due.insert(machine.first_channel + port.value);
    }
    if (!out.waits) machine.agenda.clear_wire(number);
  }

  void after(Partition& partition, Machine& machine) {
    Time deadline;
    if (machine.at != nullptr) {
      machine.at->take_kicked([&](PortId port) { request(partition, machine, port); });
      deadline = machine.at->next_deadline();
    } else {
      machine.nic->clear_completions();
      if (machine.nic->kicked()) {
        machine.nic->clear_kicked();
        request(partition, machine, PortId(0));
      }
      deadline = machine.nic->next_deadline();
    }
    if (deadline == machine.deadline) return;
    machine.deadline = deadline;
    const Time at = std::max(partition.now, deadline);
    if (at < machine.agenda.limit()) {
      machine.agenda.set_deadline(at);
    } else {
      machine.agenda.clear_deadline();
    }
  }

  void request(Partition& partition, Machine& machine, PortId port) {
    const Outgoing& out = outgoing_[machine.first_channel + port.value];
    if (out.waits) return;
    if (out.free_at > partition.now) {
      wait_for_wire(machine, port);
    } else {
      partition.due.insert(machine.first_channel + port.value);
    }
  }

  void wait_for_wire(Machine& machine, PortId port) {
    Outgoing& out = outgoing_[machine.first_channel + port.value];
    out.waits = true;
    machine.agenda.set_wire(machine.wire_of[port.index()], out.free_at);
  }

  void transmit(Partition& partition, Machine& machine, PortId port) {
    if (outgoing_[machine.first_channel + port.value].free_at > partition.now) return request(partition, machine, port);
    const FrameId id =
        machine.at != nullptr ? machine.at->transmit(partition.now, port) : machine.nic->transmit(partition.now);
    if (id.exists()) send(partition, machine, port, id);
    after(partition, machine);
  }

  void send(Partition& partition, Machine& machine, PortId port, FrameId id) {
    const std::uint32_t channel = machine.first_channel + port.value;
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
    const bool more = machine.at != nullptr ? machine.at->occupy(port, out.free_at) : machine.nic->has_ready();
    if (more && !out.waits) wait_for_wire(machine, port);
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
      Machine& machine = machines_[fabric_.channels()[channel].to.index()];
      machine.agenda.set_arrival(in.number, frame.arrival);
      if (frame.arrival < partition.agenda->time_of(machine.number))
        partition.agenda->set(machine.number, frame.arrival);
    }
    in.tail = id;
  }

  /// What other partitions sent in this round, in the order of time, then of ranks: the order in which they ran does
  /// not matter.
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
  std::vector<Machine> machines_;     // by node
  std::vector<Partition> partitions_;
  Time end_;  // of the round
  bool done_ = false;
};

}  // namespace weir::whole
