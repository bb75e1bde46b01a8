// SPDX-License-Identifier: Apache-2.0
// The scheme alone, with a NIC whose state the test sets.
#include "fixed_window.h"

#include <weir/testing.h>

#include <iostream>

int main() {
  weir::FakeNic nic;
  weir::SendState sender;
  sender.line_rate = weir::BitRate(100'000'000'000);
  const weir::Parameters defaults(fixed_window::scheme.parameters);
  fixed_window::scheme.congestion_control(defaults)->open(nic, sender);
  const bool good = sender.window == 20'000 && sender.rate == sender.line_rate;
  std::cout << (good ? "passed\n" : "failed\n");
  return good ? 0 : 1;
}
