// SPDX-License-Identifier: Apache-2.0
#include "schemes/floodgate/host_pauses.h"

#include <algorithm>
#include <utility>

#include "schemes/floodgate/message.h"

namespace weir::floodgate {

void HostPauses::attach(const SwitchContext& context, std::vector<bool> pausable, std::size_t anchors) {
  const auto ports = static_cast<std::size_t>(std::count(pausable.begin(), pausable.end(), true));
  first_.assign(anchors, kNone);
  if (ports == 0) return;
  pausable_ = std::move(pausable);
  pauses_ = RecordTable<Pause>(table_size(settings_, context, ports));
}

void HostPauses::pause(SwitchContext& context, const Frame& frame, std::size_t anchor) {
  const std::uint32_t name = settings_.name_of(frame.destination);
  const std::uint64_t key = key_of(frame.ingress.index(), name);
  std::uint32_t number = pauses_.find(key);
  const bool is_new = number == kNone;
  if (!is_new && context.now() - pauses_[number].said <= context.hop_round_trip(frame.ingress)) return;
  if (is_new) {
    number = pauses_.insert(key, [](std::uint32_t) {});
    if (number == kNone) return;
    pauses_[number].next = first_[anchor];
    first_[anchor] = number;
    context.note_hop_pause(frame.ingress, name, true);
  }
  pauses_[number].said = context.now();
  const FrameId id = make_message(context.frames(), context.framing(), Say::pause, {name, 0, 0});
  if (!id.exists()) return;
  ++sent_pauses_;
  context.send(frame.ingress, id);
}

void HostPauses::resume(SwitchContext& context, std::size_t anchor) {
  while (first_[anchor] != kNone) {
    const std::uint32_t number = first_[anchor];
    const PortId port(port_in(pauses_[number].key));
    const std::uint32_t name = name_in(pauses_[number].key);
    first_[anchor] = pauses_[number].next;
    pauses_.erase(number);
    context.note_hop_pause(port, name, false);
    const FrameId id = make_message(context.frames(), context.framing(), Say::resume, {name, 0, 0});
    if (!id.exists()) continue;  // the neighbour's own time will release it
    ++sent_resumes_;
    context.send(port, id);
  }
}

void HostPauses::reset(SwitchContext& context, PortId port) {
  if (pausable_.empty() || !pausable_[port.index()]) return;
  for (std::uint32_t& first : first_) {
    std::uint32_t* at = &first;
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
