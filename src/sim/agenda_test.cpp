// SPDX-License-Identifier: Apache-2.0
#include "sim/agenda.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <utility>
#include <vector>

namespace weir::agenda_test {
namespace {

TEST(Agenda, HasNothingAtFirst) {
  const Agenda agenda(3);
  EXPECT_EQ(agenda.next(), agenda.limit());
}

TEST(Agenda, PutsArrivalsBeforeTheDeadlineAndThatBeforeWires) {
  Agenda agenda(2);
  const Time now = Time::picoseconds(7);
  agenda.set_wire(0, now);
  agenda.set_deadline(now);
  agenda.set_arrival(1, now);
  EXPECT_EQ(agenda.first(), 1u);
  agenda.clear_arrival(1);
  EXPECT_EQ(agenda.first(), agenda.deadline());
  agenda.clear_deadline();
  EXPECT_EQ(agenda.first(), agenda.wire(0));
  EXPECT_EQ(agenda.next(), now);
}

TEST(Agenda, OfOnePortGoesByTime) {
  Agenda agenda(1);
  agenda.set_arrival(0, Time::picoseconds(9));
  agenda.set_wire(0, Time::picoseconds(3));
  EXPECT_EQ(agenda.first(), agenda.wire(0));
  agenda.set_wire(0, Time::picoseconds(12));
  EXPECT_EQ(agenda.first(), 0u);
}

RC_GTEST_PROP(Agenda, AgreesWithAnOrderedSet, ()) {
  const auto ports = *rc::gen::inRange<std::uint32_t>(1, 100);
  const std::uint32_t events = 2 * ports + 1;
  Agenda agenda(ports);
  std::vector<std::int64_t> times(events, -1);
  const auto steps = *rc::gen::container<std::vector<std::pair<std::uint32_t, std::int64_t>>>(
      rc::gen::pair(rc::gen::inRange<std::uint32_t>(0, events), rc::gen::inRange<std::int64_t>(-20, 50)));
  for (const auto& [event, drawn] : steps) {
    times[event] = std::max<std::int64_t>(drawn, -1);
    const Time time = Time::picoseconds(times[event]);
    if (event < ports) {
      times[event] < 0 ? agenda.clear_arrival(event) : agenda.set_arrival(event, time);
    } else if (event == ports) {
      times[event] < 0 ? agenda.clear_deadline() : agenda.set_deadline(time);
    } else {
      times[event] < 0 ? agenda.clear_wire(event - ports - 1) : agenda.set_wire(event - ports - 1, time);
    }
    std::set<std::pair<std::int64_t, std::uint32_t>> pending;
    for (std::uint32_t i = 0; i < events; ++i) {
      if (times[i] >= 0) pending.emplace(times[i], i);
    }
    RC_ASSERT((agenda.next() == agenda.limit()) == pending.empty());
    if (pending.empty()) continue;
    RC_ASSERT(agenda.next() == Time::picoseconds(pending.begin()->first));
    RC_ASSERT(agenda.first() == pending.begin()->second);
  }
}

TEST(NodeAgenda, GivesTheNodeThatIsNext) {
  NodeAgenda nodes(1344);
  EXPECT_EQ(nodes.next(), nodes.limit());
  nodes.set(1343, Time::picoseconds(5));
  nodes.set(7, Time::picoseconds(5));
  nodes.set(0, Time::picoseconds(6));
  EXPECT_EQ(nodes.first(), 7u);
  nodes.clear(7);
  EXPECT_EQ(nodes.first(), 1343u);
  EXPECT_EQ(nodes.time_of(0), Time::picoseconds(6));
  EXPECT_EQ(nodes.time_of(7), nodes.limit());
}

}  // namespace
}  // namespace weir::agenda_test
