// SPDX-License-Identifier: Apache-2.0
#include "apps/core_threads.h"

#include <pthread.h>
#include <sched.h>

#include <exception>
#include <mutex>
#include <thread>

namespace weir::apps {
namespace {

/// Without effect if the system refuses it.
void run_on(const std::vector<int>& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(core, &set);
  static_cast<void>(pthread_setaffinity_np(pthread_self(), sizeof set, &set));
}

}  // namespace

std::vector<int> allowed_cores() {
  std::vector<int> out;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    for (int core = 0; core < CPU_SETSIZE; ++core) {
      if (CPU_ISSET(core, &set)) out.push_back(core);
    }
  }
  return out.empty() ? std::vector<int>{0} : out;
}

void run_on_cores(std::size_t threads, const std::vector<int>& cores, const std::function<void(std::size_t)>& work,
                  const std::function<void()>& stop) {
  std::mutex mutex;
  std::exception_ptr failure;
  const auto run = [&](std::size_t number) {
    run_on(threads <= cores.size() ? std::vector<int>{cores[number]} : cores);
    try {
      work(number);
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (failure == nullptr) failure = std::current_exception();
      stop();
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back(run, i);
    run(0);
  }
  run_on(cores);
  if (failure != nullptr) std::rethrow_exception(failure);
}

}  // namespace weir::apps
