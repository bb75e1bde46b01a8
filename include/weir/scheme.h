// SPDX-License-Identifier: Apache-2.0
// Everything needed to write a scheme outside the tree: its possible roles, the interfaces of nodes, and registration.
#pragma once

#include <weir/policy/first_round_trip.h>
#include <weir/policy/hashed_forwarding.h>
#include <weir/policy/nic_policy.h>
#include <weir/policy/scheme.h>
#include <weir/policy/switch_policy.h>
#include <weir/policy/transport.h>
#include <weir/schemes/declared_needs.h>
