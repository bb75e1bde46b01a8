// SPDX-License-Identifier: Apache-2.0
// What a scheme outside the tree is written with: the roles it can play, what it is told, and how it is registered.
#pragma once

#include <weir/policy/first_round_trip.h>
#include <weir/policy/hashed_forwarding.h>
#include <weir/policy/nic_policy.h>
#include <weir/policy/scheme.h>
#include <weir/policy/switch_policy.h>
#include <weir/policy/transport.h>
