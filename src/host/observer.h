// SPDX-License-Identifier: Apache-2.0
// What a driver may watch of a NIC: for measurement, never for decisions.
#pragma once

#include "policy/nic_policy.h"

namespace weir {

class Nic;

/// Called synchronously; must not call the NIC but to look. A NIC without an observer pays a test at each gate.
class NicObserver {
 public:
  virtual ~NicObserver() = default;
  /// A priority has been closed by a flow control, or no flow control closes it any more.
  virtual void on_priority_gate(Nic&, Priority, bool /*open*/) {}
  /// A gate that queue pairs stand behind has closed, or is about to open.
  virtual void on_gate(Nic&, GateId, bool /*open*/) {}
  /// The gates of a queue pair of its own, over all owners together, have closed or are about to open.
  virtual void on_sender_gate(Nic&, const SendState&, bool /*open*/) {}
};

}  // namespace weir
