// SPDX-License-Identifier: Apache-2.0
// A switch and a NIC whose state is set by a test, for the unit tests of schemes. They need no test framework.
#pragma once

#include <weir/policy/testing/fake_nic.h>
#include <weir/policy/testing/fake_switch.h>
