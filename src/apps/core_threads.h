// SPDX-License-Identifier: Apache-2.0
// Threads that poll, each on a core of its own where there are enough.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace weir::apps {

/// The cores on which the calling thread may run, ascending; {0} if they are unknown.
std::vector<int> allowed_cores();

/// Calls work(i) for each i below `threads`, each in a thread, the first in the calling one, and returns when all have
/// returned. Thread i runs on cores[i] if there is a core for each of them; otherwise on any of them. If one throws,
/// `stop` is called, and the exception is thrown again when all have returned.
void run_on_cores(std::size_t threads, const std::vector<int>& cores, const std::function<void(std::size_t)>& work,
                  const std::function<void()>& stop);

}  // namespace weir::apps
