// SPDX-License-Identifier: Apache-2.0
// Ctrl-C: the first requests termination at the next safe point, the second terminates immediately.
#pragma once

namespace weir::apps {

/// Catches SIGINT and SIGTERM from this call on.
void catch_interrupts();
/// Whether a signal has been received.
bool interrupted();

}  // namespace weir::apps
