// SPDX-License-Identifier: Apache-2.0
// Ctrl-C: the first asks for the end at the next safe point, the second ends at once.
#pragma once

namespace weir::apps {

/// Catches SIGINT and SIGTERM from now on.
void catch_interrupts();
/// Whether one has come.
bool interrupted();

}  // namespace weir::apps
