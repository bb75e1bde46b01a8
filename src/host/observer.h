// SPDX-License-Identifier: Apache-2.0
// What a driver may observe of a NIC: for measurement, never for decisions.
#pragma once

#include "policy/nic_policy.h"

namespace weir {

class Nic;

/// Called synchronously; may call only reading functions of the NIC. A NIC without an observer pays one test per gate
/// change and pause.
class NicObserver {
 public:
  virtual ~NicObserver() = default;
  /// A flow control has closed a priority, or no flow control closes it any more.
  virtual void on_priority_gate(Nic&, Priority, bool /*open*/) {}
  /// The NIC paused or resumed a priority of its switch (not called for repetitions).
  virtual void on_pause(Nic&, Priority, bool /*paused*/) {}
  /// The same for pauses with a scheme's own IDs.
  virtual void on_hop_pause(Nic&, std::uint64_t /*name*/, bool /*paused*/) {}
  /// A gate that can be assigned to queue pairs has closed, or is about to open.
  virtual void on_gate(Nic&, GateId, bool /*open*/) {}
  /// The individual gates of a queue pair, over all owners together, have closed or are about to open.
  virtual void on_sender_gate(Nic&, const SendState&, bool /*open*/) {}
};

}  // namespace weir
