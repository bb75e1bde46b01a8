#include "sim/pause_roots.h"

#include <algorithm>

namespace weir {

PauseRoots::PauseRoots(Fabric& fabric, ClassOf class_of) : fabric_(fabric), class_of_(std::move(class_of)) {
  std::size_t cells = 0;
  for (std::size_t i = 0; i < fabric.switches(); ++i) {
    first_cell_.push_back(cells);
    ports_.push_back(fabric.switch_by(SwitchId(i)).ports());
    cells += ports_.back() * ports_.back();
  }
  held_.resize(cells * kPriorities);
  pauses_.resize(fabric.channels().size() * kPriorities);
}

void PauseRoots::on_gate(NodeId node, PortId port, Priority priority, bool open, Time now) {
  const std::uint32_t channel = fabric_.channel(node, port);
  Pause& pause = pauses_[channel * kPriorities + priority];
  if (open) {
    if (pause.in_force) close_segment(channel, priority, pause, now);
    pause.in_force = false;
  } else if (!pause.in_force) {
    pause.in_force = true;
    pause.fresh = true;
    pause.since = now;
    find_roots(node, port, priority, pause.roots);
  }
}

void PauseRoots::end(Time now) {
  for (std::uint32_t channel = 0; channel < fabric_.channels().size(); ++channel) {
    for (std::size_t priority = 0; priority < kPriorities; ++priority) {
      Pause& pause = pauses_[channel * kPriorities + priority];
      if (pause.in_force) close_segment(channel, static_cast<Priority>(priority), pause, now);
    }
  }
}

void PauseRoots::sample(Time now) {
  for (std::uint32_t channel = 0; channel < fabric_.channels().size(); ++channel) {
    for (std::size_t priority = 0; priority < kPriorities; ++priority) {
      Pause& pause = pauses_[channel * kPriorities + priority];
      if (!pause.in_force) continue;
      // While the roots stay the same the segment goes on: its frames are looked at once, when it ends.
      const ChannelSpec& spec = fabric_.channels()[channel];
      find_roots(spec.from, spec.from_port, static_cast<Priority>(priority), found_);
      if (found_.empty() || found_ == pause.roots) continue;
      close_segment(channel, static_cast<Priority>(priority), pause, now);
      std::swap(found_, pause.roots);
    }
  }
}

void PauseRoots::find_roots(NodeId node, PortId port, Priority priority, std::vector<Hop>& roots) {
  roots.clear();
  const ChannelSpec& channel = fabric_.channels()[fabric_.channel(node, port)];
  follow(channel.to, channel.to_port, priority, roots, 0);
  std::sort(roots.begin(), roots.end());
  roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
}

void PauseRoots::follow(NodeId node, PortId ingress, Priority priority, std::vector<Hop>& roots, int depth) {
  const Switch* paused_by = fabric_.switch_at(node);
  if (paused_by == nullptr || depth > static_cast<int>(kMaximumHops)) return;  // a host, or a cycle of pauses
  const std::size_t index = paused_by->id().index();
  for (std::size_t egress = 0; egress < ports_[index]; ++egress) {
    if (held_[cell(paused_by->id(), ingress.index() * ports_[index] + egress, priority)] == 0) continue;
    const PortId port(egress);
    if (paused_by->priority_gate_open(port, priority)) {
      roots.push_back({paused_by->id(), port});
    } else {
      const ChannelSpec& onward = fabric_.channels()[fabric_.channel(node, port)];
      follow(onward.to, onward.to_port, priority, roots, depth + 1);
    }
  }
}

template <class Judge>
PauseRoots::Verdict PauseRoots::verdict_on(const Frame& frame, Judge judge) {
  const std::uint64_t key = mix(frame.destination.value, frame.queue_pair.value);
  Verdict& verdict = verdicts_[key % verdicts_.size()];
  if (verdict.segment != segment_ || verdict.key != key) {
    verdict = {key, segment_, class_of_(frame.source, frame.destination, frame.queue_pair), judge()};
  }
  return verdict;
}

void PauseRoots::close_segment(std::uint32_t channel, Priority priority, Pause& pause, Time now) {
  ++segment_;
  const ChannelSpec& spec = fabric_.channels()[channel];
  const auto on_path = [&](std::span<const Hop> path) {
    return pause.roots.empty() || std::any_of(path.begin(), path.end(), [&](const Hop& hop) {
             return std::binary_search(pause.roots.begin(), pause.roots.end(), hop);
           });
  };
  std::array<Hop, kMaximumHops> path;
  if (const Switch* node = fabric_.switch_at(spec.from); node != nullptr) {
    const FramePool& frames = node->frames();
    for (std::size_t i = 0; i < node->queues(); ++i) {
      const QueueState& queue = node->queue(QueueId(i));
      if (queue.port != spec.from_port || queue.priority != priority || queue.service != Service::scheduled) continue;
      for (FrameId id = queue.head; id.exists(); id = frames[id].next) {
        const Frame& frame = frames[id];
        if (frame.kind != FrameKind::data) continue;
        const Time from = std::max(pause.since, frame.arrival);
        const Verdict verdict = verdict_on(frame, [&] {
          const std::size_t hops = fabric_.paths().beyond(node->id(), spec.from_port, FlowKey::of(frame), path);
          return !on_path(std::span<const Hop>(path).first(hops));
        });
        account(verdict.flow_class, now - from, verdict.innocent, pause.fresh || frame.arrival > pause.since);
      }
    }
  } else if (Nic* nic = fabric_.nic_at(spec.from); nic != nullptr) {
    nic->watch_senders([&](const SendState& sender) {
      if (sender.priority != priority) return;
      // What is sent again needs no window: it is in flight already.
      if (!sender.resend && (sender.next == sender.end || !sender.has_window())) return;
      const Time ready = std::max(sender.ready_at, sender.next_send);
      if (ready > now) return;  // its rate holds it, not the pause
      const FlowKey key{nic->host(), sender.remote, sender.entropy};
      const std::size_t hops = fabric_.paths().from_host(nic->host(), key, path);
      account(class_of_(nic->host(), sender.remote, sender.remote_number), now - std::max(pause.since, ready),
              !on_path(std::span<const Hop>(path).first(hops)), pause.fresh || ready > pause.since);
    });
  }
  pause.since = now;
  pause.fresh = false;
}

void PauseRoots::account(FlowClass flow_class, Duration held, bool innocent, bool first) {
  PauseHold& hold = hold_[static_cast<std::size_t>(flow_class)];
  hold.held += held;
  if (innocent) hold.innocent += held;
  if (first) ++hold.packets;
}

}  // namespace weir
