// SPDX-License-Identifier: Apache-2.0
#include "schemes/floodgate/host_pauses.h"

#include <algorithm>

#include "schemes/floodgate/message.h"

namespace weir::floodgate {

void HostPauses::attach(const SwitchContext& context, std::uint32_t announced) {
  if (!settings_.pauses_hosts) return;
  hosts_.resize(context.ports());
  std::size_t hosts = 0;
  for (std::size_t port = 0; port < hosts_.size(); ++port) {
    hosts_[port] = context.port(PortId(port)).peer.is_host() && takes_part(context, PortId(port), announced);
    hosts += hosts_[port] ? 1 : 0;
  }
  const std::int64_t product = largest_hop_product(context);
  pause_ = settings_.pause_threshold > Bytes() ? settings_.pause_threshold.count() : product;
  resume_ = settings_.resume_threshold > Bytes() ? settings_.resume_threshold.count() : pause_;
  pauses_ = RecordTable<Pause>(table_size(settings_, context, hosts));
}

void HostPauses::enter(SwitchContext& context, const Frame& frame, VoqPool::Voq& voq, std::int64_t bytes) {
  if (hosts_.empty() || !hosts_[frame.ingress.index()] || bytes <= pause_) return;
  const std::uint32_t name = settings_.name_of(frame.destination);
  const std::uint64_t key = key_of(frame.ingress.index(), name);
  std::uint32_t number = pauses_.find(key);
  const bool is_new = number == kNone;
  if (!is_new && context.now() - pauses_[number].said <= context.hop_round_trip(frame.ingress)) return;
  if (is_new) {
    number = pauses_.insert(key, [](std::uint32_t) {});
    if (number == kNone) return;
    pauses_[number].next = voq.paused;
    voq.paused = number;
    context.note_hop_pause(frame.ingress, name, true);
  }
  pauses_[number].said = context.now();
  const FrameId id = make_message(context.frames(), context.framing(), Say::pause, {name, 0, 0});
  if (!id.exists()) return;
  ++sent_pauses_;
  context.send(frame.ingress, id);
}

void HostPauses::resume(SwitchContext& context, VoqPool::Voq& voq) {
  while (voq.paused != kNone) {
    const std::uint32_t number = voq.paused;
    const PortId port(port_in(pauses_[number].key));
    const std::uint32_t name = name_in(pauses_[number].key);
    voq.paused = pauses_[number].next;
    pauses_.erase(number);
    context.note_hop_pause(port, name, false);
    const FrameId id = make_message(context.frames(), context.framing(), Say::resume, {name, 0, 0});
    if (!id.exists()) continue;  // the host's own time will release it
    ++sent_resumes_;
    context.send(port, id);
  }
}

void HostPauses::reset(SwitchContext& context, VoqPool& voqs, PortId port) {
  if (hosts_.empty() || !hosts_[port.index()]) return;
  for (std::size_t number = 0; number < voqs.size(); ++number) {
    std::uint32_t* at = &voqs[static_cast<std::uint16_t>(number)].paused;
    while (*at != kNone) {
      const std::uint32_t pause = *at;
      if (port_in(pauses_[pause].key) != port.index()) {
        at = &pauses_[pause].next;
        continue;
      }
      *at = pauses_[pause].next;
      context.note_hop_pause(port, name_in(pauses_[pause].key), false);
      pauses_.erase(pause);
    }
  }
}

}  // namespace weir::floodgate
