// SPDX-License-Identifier: Apache-2.0
// Unrelated schemes do not disturb each other: every congestion point besides every other scheme with which it can be
// combined, and every scheme with garbage in the bytes that it does not claim.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "config/diagnostics.h"
#include "config/effective.h"
#include "fabric/roles.h"
#include "net/builders.h"
#include "scenario/combination.h"
#include "whole_network.h"

namespace weir::whole::combined_schemes_test {
namespace {

// ---- policies of the tests, placed among a switch's congestion points ----

/// Requests every hook that has a frame, and does nothing.
class Witness : public CongestionPoint {
 public:
  [[nodiscard]] Hooks hooks() const override {
    return {.arrival = true,
            .enter = true,
            .depart = true,
            .drop = false,
            .enter_if_crowded = true,
            .depart_if_queued = true,
            .depart_if_paused = true};
  }
};

/// The parts of a frame that congestion points can write. Not the length: bytes that are added stay added.
struct Written {
  std::uint8_t flags = 0;
  std::uint8_t protocol = 0;
  Priority priority = 0;
  std::uint16_t tag = 0;
  std::uint32_t tag_value = 0;
  std::uint64_t own = 0;
  std::vector<std::byte> extension;

  static Written of(const FramePool& pool, const Frame& frame) {
    Written out{frame.flags, frame.protocol, frame.priority, frame.tag, frame.tag_value, frame.own, {}};
    const auto block = pool.extension(frame);
    out.extension.assign(block.begin(), block.end());
    return out;
  }
  void put_into(FramePool& pool, Frame& frame) const {
    frame.flags = flags;
    frame.protocol = protocol;
    frame.priority = priority;
    frame.tag = tag;
    frame.tag_value = tag_value;
    frame.own = own;
    if (frame.extension.exists() && extension.empty()) {
      const FrameId bin = pool.allocate();
      FramePool::move_extension(frame, pool[bin]);
      pool.release(bin);
    }
    if (!extension.empty())
      std::memcpy(pool.extend(frame, extension.size()).data(), extension.data(), extension.size());
  }
};

/// Saves the content of frames before the following congestion points see them.
class Saver final : public Witness {
 public:
  void on_arrival(SwitchContext& context, Frame& frame) override { save(context, frame); }
  void on_enter(SwitchContext& context, QueueId, Frame& frame) override { save(context, frame); }
  void on_depart(SwitchContext& context, QueueId, Frame& frame) override { save(context, frame); }

  /// By frame: if a congestion point sends a frame from a hook, hooks are called within hooks.
  static std::map<const Frame*, Written>& saved() {
    static std::map<const Frame*, Written> saved;
    return saved;
  }

 private:
  static void save(SwitchContext& context, const Frame& frame) {
    saved()[&frame] = Written::of(context.frames(), frame);
  }
};

/// Restores the content saved by the Saver, and blanks control frames of one protocol that this switch has made, so
/// that only their length shows what the congestion point in between has done.
class Restorer final : public Witness {
 public:
  void on_arrival(SwitchContext& context, Frame& frame) override { restore(context, frame); }
  void on_enter(SwitchContext& context, QueueId, Frame& frame) override {
    restore(context, frame);
    if (frame.ingress.exists() || frame.kind != FrameKind::host_control || frame.protocol != protocol) return;
    frame.protocol = kNobodys;
    frame.tag = 0;
    frame.tag_value = 0;
    const auto block = context.frames().extension(frame);
    std::fill(block.begin(), block.end(), std::byte{});
  }
  void on_depart(SwitchContext& context, QueueId, Frame& frame) override { restore(context, frame); }

  static inline std::uint8_t protocol = 0;  ///< of the frames to be blanked

 private:
  static constexpr std::uint8_t kNobodys = 255;
  static void restore(SwitchContext& context, Frame& frame) {
    Saver::saved().at(&frame).put_into(context.frames(), frame);
  }
};

/// Fills the unclaimed bytes of data, acknowledgements and notifications, and finds out whether they have been written
/// since: a host leaves them zero, and a switch leaves what the Poisoner of that switch has put there.
class Poisoner final : public Witness {
 public:
  void on_arrival(SwitchContext& context, Frame& frame) override {
    if (frame.kind == FrameKind::host_control) return;  // its content belongs to its scheme
    const bool is_new = context.port(frame.ingress).peer.is_host();
    const std::uint64_t bits = mix(garbage, frame.sequence);
    const HeaderLayout& headers = context.headers();
    auto* bytes = reinterpret_cast<std::byte*>(&frame);
    for (std::size_t at = offsetof(Frame, tag); at < offsetof(Frame, extension); ++at) {
      if (!headers.is_free(frame.kind, at)) continue;
      const auto poison = static_cast<std::byte>(bits >> (at % 8 * 8));
      if (bytes[at] != (is_new ? std::byte{} : poison)) ++written;
      bytes[at] = poison;
    }
    if (!own_is_claimed) frame.own = bits;
    const auto block = context.frames().extend(frame, FramePool::kShortExtension);
    for (std::size_t at = 0; at < block.size(); ++at) {
      if (!headers.is_free_in_extension(frame.kind, at)) continue;
      // An acknowledgement takes over the extension of the packet that it answers.
      if (block[at] != static_cast<std::byte>(bits) && !is_new) ++written;
      block[at] = static_cast<std::byte>(bits);
    }
  }

  static inline bool own_is_claimed = false;
  static inline std::uint64_t garbage = 0;
  static inline std::uint64_t written = 0;  ///< unclaimed bytes that something else has written
};

template <class Point>
const Scheme& test_point() {
  static const Scheme scheme = {
      .name = "of a test",
      .summary = "",
      .traits = {},
      .congestion_point = [](const Parameters&) -> std::unique_ptr<CongestionPoint> {
        return std::make_unique<Point>();
      },
  };
  return scheme;
}

template <class Point>
PolicyChoice point() {
  return {&test_point<Point>(), {}};
}

// ---- networks ----

PolicyChoice defaults_of(const Scheme& scheme) {
  return {&scheme, Parameters(scheme.parameters)};
}

/// Two switches, four hosts of 100 Gbit/s at the first, two of 40 Gbit/s at the second: four flows to one of these, and
/// others in the opposite direction. In the lossy network little data fits into the buffer.
Settings small_network(bool lossy) {
  const LinkSpec fast{BitRate(100'000'000'000), Duration(1_us)};
  const LinkSpec slow{BitRate(40'000'000'000), Duration(1_us)};
  BuiltTopology built = build_dumbbell({.left = {4, fast}, .right = {2, slow}, .middle = fast, .middle_links = 1});
  Settings settings = lossless_network(std::move(built.topology), 60_ms);
  settings.run.drain = true;
  settings.run.drain_limit = Duration();
  settings.run.frame_capacity = std::size_t{1} << 16;
  settings.switches.buffer = 1_MB;
  if (lossy) {
    settings.switches.lossless = {};
    settings.switches.flow_control = {};
    settings.switches.buffer = 120_KB;
    settings.hosts.loss_recovery = choose("go_back_n", {{"timeout", 300_us}, {"nack_interval", 50_us}});
  }
  std::vector<FlowSpec> flows;
  for (std::size_t host = 0; host < 4; ++host) flows.push_back(flow(host, 4, 200_KB, at(1_us)));
  flows.push_back(flow(0, 5, 100_KB));
  flows.push_back(flow(5, 0, 150_KB));
  flows.push_back(flow(4, 1, 100_KB, at(5_us)));
  offer(settings, flows);
  return settings;
}

/// A slot of a network for which schemes are chosen.
struct Slot {
  std::string_view name;
  bool (*plays)(const Scheme&);
  void (*put)(Settings&, const PolicyChoice&);
};

/// Together with the congestion points that it needs.
void put_congestion_control(Settings& settings, const PolicyChoice& choice) {
  settings.hosts.congestion_control = choice;
  if (choice.scheme->congestion_point != nullptr) settings.switches.congestion_point.push_back(choice);
  if (choice.scheme->traits.answers_marks) settings.switches.congestion_point.push_back(choose("red"));
}

void put_loss_recovery(Settings& settings, const PolicyChoice& choice) {
  // Parameters that suit the small network, for the schemes that have them.
  settings.hosts.loss_recovery =
      settings.hosts.loss_recovery.scheme == choice.scheme ? settings.hosts.loss_recovery : choice;
  if (choice.scheme->congestion_point != nullptr) settings.switches.congestion_point.push_back(choice);
}

/// In place of the congestion control and the loss recovery, together with the congestion points that it needs.
void put_transport(Settings& settings, const PolicyChoice& choice) {
  settings.hosts.transport = choice;
  settings.hosts.congestion_control = {};
  settings.hosts.loss_recovery = {};
  if (choice.scheme->congestion_point != nullptr) settings.switches.congestion_point.push_back(choice);
}

void put_flow_control(Settings& settings, const PolicyChoice& choice) {
  auto& flow_control = settings.switches.flow_control;
  std::erase_if(flow_control, [&](const PolicyChoice& other) { return other.scheme == choice.scheme; });
  flow_control.insert(flow_control.begin(), choice);
}

const std::vector<Slot>& slots() {
  static const std::vector<Slot> slots = {
      {"congestion control", [](const Scheme& scheme) { return scheme.congestion_control != nullptr; },
       put_congestion_control},
      {"loss recovery", [](const Scheme& scheme) { return scheme.loss_recovery != nullptr; }, put_loss_recovery},
      {"transport", [](const Scheme& scheme) { return scheme.transport != nullptr; }, put_transport},
      {"flow control", [](const Scheme& scheme) { return scheme.flow_control != nullptr; }, put_flow_control},
      {"buffer policy", [](const Scheme& scheme) { return scheme.buffer != nullptr; },
       [](Settings& settings, const PolicyChoice& choice) { settings.switches.buffer_policy = choice; }},
      {"forwarding", [](const Scheme& scheme) { return scheme.forwarding != nullptr; },
       [](Settings& settings, const PolicyChoice& choice) { settings.switches.forwarding = choice; }},
  };
  return slots;
}

std::vector<const Scheme*> schemes_for(const Slot& slot) {
  std::vector<const Scheme*> out;
  std::copy_if(all_schemes().begin(), all_schemes().end(), std::back_inserter(out),
               [&](const Scheme* scheme) { return slot.plays(*scheme); });
  return out;
}

std::vector<const Scheme*> congestion_points() {
  std::vector<const Scheme*> out;
  std::copy_if(all_schemes().begin(), all_schemes().end(), std::back_inserter(out),
               [](const Scheme* scheme) { return scheme->congestion_point != nullptr; });
  return out;
}

/// Whether a scenario with these schemes is accepted.
bool can_be_combined(const Settings& settings) {
  Diagnostics diagnostics("");
  const Value root;
  EffectiveTable effective;
  Reader reader(diagnostics, &root, root.origin, {}, effective);
  check_combination(settings.switches, settings.switch_groups, settings.hosts, reader);
  return diagnostics.lines().empty();
}

/// Whether the scheme has a role: a transport removes those that it replaces.
bool is_in(const Settings& settings, const Scheme& scheme) {
  bool found = false;
  const auto look = [&](const PolicyChoice& choice) { found |= choice.scheme == &scheme; };
  for_each_switch_role([&](const SchemeRole&, auto SwitchSettings::*of_all, auto SwitchGroup::*) {
    for_each_choice(settings.switches.*of_all, look);
  });
  for_each_host_role([&](const SchemeRole&, PolicyChoice HostSettings::*of) { look(settings.hosts.*of); });
  return found;
}

/// Whether hosts react to this congestion point.
bool is_heard(const Settings& settings, const Scheme& point) {
  const HostSettings& hosts = settings.hosts;
  const Scheme* control = hosts.transport.scheme != nullptr ? hosts.transport.scheme : hosts.congestion_control.scheme;
  return control == &point || hosts.loss_recovery.scheme == &point ||
         (point.traits.marks && control->traits.answers_marks);
}

bool has_point(const Settings& settings, const Scheme& point) {
  const auto& points = settings.switches.congestion_point;
  return std::any_of(points.begin(), points.end(), [&](const PolicyChoice& c) { return c.scheme == &point; });
}

// ---- runs ----

struct Outcome {
  std::vector<std::array<std::int64_t, 4>> flows;
  std::array<std::int64_t, 9> bytes_by_kind{};
  bool operator==(const Outcome&) const = default;
};

Outcome run(const Settings& settings) {
  Saver::saved().clear();
  const RunRecord record = Simulation(settings).run();
  EXPECT_EQ(record.failure, "");
  Outcome out;
  for (const FlowRecord& flow : record.flows) {
    EXPECT_TRUE(flow.completed()) << "flow " << flow.id.value;
    out.flows.push_back({flow.id.value, flow.sender_completion.picoseconds(), flow.receiver_completion.picoseconds(),
                         flow.retransmitted});
  }
  EXPECT_EQ(out.flows.size(), 7u);
  out.bytes_by_kind = record.bytes_by_kind;
  return out;
}

/// `point` as the last congestion point, between two others.
template <class Before, class After>
Settings with_point(Settings settings, const Scheme& added) {
  auto& points = settings.switches.congestion_point;
  points.insert(points.end(), {point<Before>(), defaults_of(added), point<After>()});
  return settings;
}

// In one run everything that the added congestion point writes is reverted at once, so that only the bytes that it adds
// remain; in the other it is not.
TEST(CombinedSchemes, AreDisturbedByAnUnusedCongestionPointOnlyByItsBytes) {
  std::size_t refused = 0;
  std::size_t compared = 0;
  for (const bool lossy : {false, true}) {
    for (const Slot& slot : slots()) {
      for (const Scheme* scheme : schemes_for(slot)) {
        Settings settings = small_network(lossy);
        slot.put(settings, defaults_of(*scheme));
        ASSERT_TRUE(can_be_combined(settings)) << scheme->name;
        for (const Scheme* added : congestion_points()) {
          if (is_heard(settings, *added) || has_point(settings, *added)) continue;
          SCOPED_TRACE(std::string(lossy ? "lossy, " : "lossless, ") + std::string(slot.name) + " " +
                       std::string(scheme->name) + " beside " + std::string(added->name));
          const Settings with = with_point<Witness, Witness>(settings, *added);
          if (!can_be_combined(with)) {
            ++refused;
            continue;
          }
          Restorer::protocol = added->traits.protocol;
          const Outcome outcome = run(with);
          EXPECT_EQ(outcome.flows, run(with_point<Saver, Restorer>(settings, *added)).flows);
          ++compared;
        }
      }
    }
  }
  EXPECT_GT(compared, refused);
}

// If it sends nothing, nothing changes. (Except by chance: schemes that draw random numbers share the switch's.)
TEST(CombinedSchemes, AreNotDisturbedByAnUnusedCongestionPointThatSendsNothing) {
  for (const bool lossy : {false, true}) {
    for (const Slot& slot : slots()) {
      if (slot.name == "forwarding") continue;
      for (const Scheme* scheme : schemes_for(slot)) {
        Settings settings = small_network(lossy);
        slot.put(settings, defaults_of(*scheme));
        const Outcome without = run(settings);
        for (const Scheme* added : congestion_points()) {
          if (is_heard(settings, *added) || has_point(settings, *added)) continue;
          SCOPED_TRACE(std::string(lossy ? "lossy, " : "lossless, ") + std::string(slot.name) + " " +
                       std::string(scheme->name) + " beside " + std::string(added->name));
          Settings with = settings;
          with.switches.congestion_point.push_back(defaults_of(*added));
          if (!can_be_combined(with)) continue;
          const Outcome outcome = run(with);
          const auto of_control = static_cast<std::size_t>(FrameKind::host_control);
          if (outcome.bytes_by_kind[of_control] != without.bytes_by_kind[of_control]) continue;
          EXPECT_EQ(outcome, without);
        }
      }
    }
  }
}

bool some_scheme_claims_own(const Settings& settings) {
  const auto claims = [](const PolicyChoice& choice) {
    return choice.scheme != nullptr && choice.scheme->traits.claims_own;
  };
  const auto& [flow_control, points] = std::tie(settings.switches.flow_control, settings.switches.congestion_point);
  return claims(settings.hosts.congestion_control) || claims(settings.hosts.loss_recovery) ||
         claims(settings.hosts.transport) || claims(settings.switches.forwarding) ||
         claims(settings.switches.buffer_policy) || std::any_of(flow_control.begin(), flow_control.end(), claims) ||
         std::any_of(points.begin(), points.end(), claims);
}

/// Runs it unchanged, and with garbage in all unclaimed bytes.
void expect_the_same_with_garbage(const Settings& settings) {
  Poisoner::own_is_claimed = some_scheme_claims_own(settings);
  Settings clean = settings;
  clean.switches.congestion_point.insert(clean.switches.congestion_point.begin(), point<Witness>());
  const Outcome expected = run(clean);
  Settings poisoned = settings;
  poisoned.switches.congestion_point.insert(poisoned.switches.congestion_point.begin(), point<Poisoner>());
  for (const std::uint64_t garbage : {1, 2}) {
    Poisoner::garbage = garbage;
    Poisoner::written = 0;
    EXPECT_EQ(run(poisoned), expected);
    EXPECT_EQ(Poisoner::written, 0u);
  }
}

// The garbage is written at every switch, and reaches hosts too.
TEST(CombinedSchemes, ReadAndWriteNoBytesThatTheyDoNotClaim) {
  std::vector<Slot> all = slots();
  all.push_back(
      {"congestion point", [](const Scheme& scheme) { return scheme.congestion_point != nullptr; },
       [](Settings& settings, const PolicyChoice& choice) { settings.switches.congestion_point.push_back(choice); }});
  for (const bool lossy : {false, true}) {
    for (const Slot& slot : all) {
      for (const Scheme* scheme : schemes_for(slot)) {
        SCOPED_TRACE(std::string(lossy ? "lossy, " : "lossless, ") + std::string(slot.name) + " " +
                     std::string(scheme->name));
        Settings settings = small_network(lossy);
        slot.put(settings, defaults_of(*scheme));
        expect_the_same_with_garbage(settings);
      }
    }
  }
}

// Each pair of schemes with header fields that can be combined: a field of one is garbage to the other, wherever the
// two are placed in a frame.
TEST(CombinedSchemes, ReadNoBytesOfEachOther) {
  std::vector<Slot> all = slots();
  all.push_back(
      {"congestion point", [](const Scheme& scheme) { return scheme.congestion_point != nullptr; },
       [](Settings& settings, const PolicyChoice& choice) { settings.switches.congestion_point.push_back(choice); }});
  std::set<std::set<std::string_view>> pairs;
  for (const Slot& slot : all) {
    for (const Slot& other_slot : all) {
      if (&other_slot <= &slot) continue;
      for (const Scheme* scheme : schemes_for(slot)) {
        for (const Scheme* other : schemes_for(other_slot)) {
          if (scheme == other || scheme->fields.empty() || other->fields.empty()) continue;
          Settings settings = small_network(true);
          slot.put(settings, defaults_of(*scheme));
          other_slot.put(settings, defaults_of(*other));
          if (!is_in(settings, *scheme) || !can_be_combined(settings)) continue;
          SCOPED_TRACE(std::string(scheme->name) + " beside " + std::string(other->name));
          pairs.insert({scheme->name, other->name});
          expect_the_same_with_garbage(settings);
        }
      }
    }
  }
  EXPECT_TRUE(pairs.contains({"timely", "hpcc"}));
  EXPECT_TRUE(pairs.contains({"irn", "bfc"}));
}

/// Stands for a scheme of which a network has the fields alone: it comes first, so that fields of others may move, and
/// fills its fields.
class Stranger final : public FlowControl {
 public:
  [[nodiscard]] Hooks hooks() const override { return {.arrival = true}; }
  void on_arrival(SwitchContext& context, Frame& frame) override {
    const std::uint64_t bits = mix(garbage, frame.sequence);
    for (const HeaderField* field : fields) {
      if (!field->kinds.has(frame.kind)) continue;
      if (field->bytes == 2) {
        context.headers().place<std::uint16_t>(*field).write(frame, static_cast<std::uint16_t>(bits));
      } else if (field->bytes == 4) {
        context.headers().place<std::uint32_t>(*field).write(frame, static_cast<std::uint32_t>(bits));
      } else {
        const auto block = context.headers().extension_place(*field).add(context.frames(), frame);
        std::fill(block.begin(), block.end(), static_cast<std::byte>(bits));
      }
    }
  }

  static inline std::vector<const HeaderField*> fields;
  static inline std::uint64_t garbage = 0;
};

// Wherever a scheme's fields are, and whatever is in the fields of another.
TEST(CombinedSchemes, ReadNoFieldsOfAScheme) {
  std::vector<Slot> all = slots();
  all.push_back(
      {"congestion point", [](const Scheme& scheme) { return scheme.congestion_point != nullptr; },
       [](Settings& settings, const PolicyChoice& choice) { settings.switches.congestion_point.push_back(choice); }});
  std::set<std::pair<std::string_view, std::string_view>> pairs;
  for (const Slot& slot : all) {
    for (const Scheme* scheme : schemes_for(slot)) {
      if (scheme->fields.empty()) continue;
      for (const Scheme* other : all_schemes()) {
        if (other == scheme || other->fields.empty()) continue;
        Scheme stranger = {
            .name = "stranger",
            .summary = "",
            .traits = {},
            .fields = other->fields,
            .flow_control = [](const Parameters&) -> std::unique_ptr<FlowControl> {
              return std::make_unique<Stranger>();
            },
        };
        Settings settings = small_network(true);
        slot.put(settings, defaults_of(*scheme));
        const Settings alone = settings;
        put_flow_control(settings, {&stranger, {}});
        if (!can_be_combined(settings)) continue;
        SCOPED_TRACE(std::string(scheme->name) + " beside the fields of " + std::string(other->name));
        pairs.insert({scheme->name, other->name});
        const Outcome expected = run(alone);
        Stranger::fields = {};
        EXPECT_EQ(run(settings), expected);
        Stranger::fields = other->fields;
        for (const std::uint64_t garbage : {1, 2}) {
          Stranger::garbage = garbage;
          EXPECT_EQ(run(settings), expected);
        }
      }
    }
  }
  EXPECT_TRUE(pairs.contains({"timely", "hpcc"}));
  EXPECT_TRUE(pairs.contains({"hpcc", "timely"}));
  EXPECT_TRUE(pairs.contains({"timely", "bfc_window"}));
  EXPECT_TRUE(pairs.contains({"irn", "bfc"}));
}

}  // namespace
}  // namespace weir::whole::combined_schemes_test
