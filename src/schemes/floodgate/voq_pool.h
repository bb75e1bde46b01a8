// SPDX-License-Identifier: Apache-2.0
// The VOQs of a switch, and who has which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "policy/statistics.h"
#include "policy/switch_policy.h"
#include "schemes/floodgate/settings.h"

namespace weir::floodgate {

/// Queues of the whole switch, in groups. A user (a destination; in the port pipeline a destination at a port) takes
/// one that is free, and shares one by hash when none is. [FLOODGATE-V-1] [FLOODGATE-V-3]
class VoqPool {
 public:
  static constexpr std::uint16_t kNone = 0xffff;
  static constexpr std::int64_t kMostQueues = 10'000;

  struct Voq {
    QueueId queue;
    PortId port;  ///< it is bound to; none: the egress pipeline, or free
    std::uint16_t group = 0;
    std::uint32_t users = 0;
  };

  /// Asks for `settings.queues` VOQs. In the port pipeline each of `ports` always has one or can get one, so there are
  /// at least as many. `groups` is 1 or 2. [FLOODGATE-V-4] [FLOODGATE-V-6]
  void attach(QueueContext& context, const Settings& settings, std::size_t groups, std::size_t ports);

  /// One for a user of this name, of the group, and in the port pipeline at `port`.
  std::uint16_t take(QueueContext& context, std::size_t group, std::uint32_t name, PortId port);
  /// A user has no packets any more. In the port pipeline the VOQ is unbound when it was the last: it must be empty.
  void leave(QueueContext& context, std::uint16_t number);

  [[nodiscard]] const Voq& operator[](std::uint16_t number) const { return voqs_[number]; }
  Voq& operator[](std::uint16_t number) { return voqs_[number]; }
  [[nodiscard]] std::size_t size() const { return voqs_.size(); }
  [[nodiscard]] std::size_t in_use() const { return in_use_; }
  /// The VOQ whose queue this is; kNone: none.
  [[nodiscard]] std::uint16_t of(QueueId queue) const;

  [[nodiscard]] const Gauge& used() const { return used_; }
  [[nodiscard]] const Gauge& users() const { return users_; }
  /// How often a user had to share one.
  [[nodiscard]] std::uint64_t shared() const { return shared_; }

 private:
  [[nodiscard]] bool may_take(std::size_t group, PortId port) const;
  std::uint16_t share(std::size_t group, std::uint32_t name, PortId port) const;

  Pipeline pipeline_ = Pipeline::egress;
  Priority priority_ = 0;
  std::vector<Voq> voqs_;
  std::vector<std::vector<std::uint16_t>> free_;     // by group
  std::vector<std::vector<std::uint16_t>> members_;  // by group
  std::vector<std::vector<std::uint16_t>> bound_;    // by port
  std::size_t ports_without_ = 0;                    // a VOQ, of those that may need one
  std::size_t in_use_ = 0;
  std::uint32_t first_queue_ = 0;
  Gauge used_;
  Gauge users_;
  std::uint64_t shared_ = 0;
};

}  // namespace weir::floodgate
