// SPDX-License-Identifier: Apache-2.0
#include "apps/interrupt.h"

#include <unistd.h>

#include <atomic>
#include <csignal>

#include "apps/commands.h"

namespace weir::apps {
namespace {

std::atomic<bool> g_interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may touch nothing else");

void on_signal(int /*signal*/) {
  if (g_interrupted.exchange(true)) _exit(kInterrupted);
}

}  // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() {
  return g_interrupted.load();
}

}  // namespace weir::apps
