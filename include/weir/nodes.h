// SPDX-License-Identifier: Apache-2.0
// The switch and the NIC without a simulator, for your own driver; topologies and routes; encoding of frames.
#pragma once

#include <weir/host/nic.h>
#include <weir/net/builders.h>
#include <weir/net/path_table.h>
#include <weir/net/routing.h>
#include <weir/net/topology.h>
#include <weir/switch/switch.h>
#include <weir/wire/emit.h>
#include <weir/wire/mailbox.h>
#include <weir/wire/parse.h>
