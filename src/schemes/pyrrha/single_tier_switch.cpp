// SPDX-License-Identifier: Apache-2.0
#include "schemes/pyrrha/single_tier_switch.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

#include "schemes/pyrrha/path_finder.h"

namespace weir::pyrrha {
namespace {

constexpr std::uint32_t kTokenBits = 2;  // of an order marker: where it stands; above them the set

}  // namespace

void SingleTierSwitch::attach_queues(QueueContext& context) {
  std::vector<std::uint8_t> levels;
  for (std::size_t port = 0; port < context.ports(); ++port) {
    const std::size_t longest = longest_path(context, PortId(port), settings_.last_hop_only);
    levels.push_back(static_cast<std::uint8_t>(std::clamp<std::size_t>(longest, 1, 2)));
  }
  queues_.attach(context, std::move(levels));
  first_set_.assign(queues_.size(), kNone);
  sets_ = ActiveTable<Set>(2 * settings_.roots);  // each root alone, and as many pairs
  order_ = FlowOrder(settings_.flows);
  routes_.assign(context.ports(), 0);
}

// ---- packets ----

// [PYRRHA-ONE-1]
SingleTierSwitch::Set::Key SingleTierSwitch::met_by(const SwitchContext& context, const Frame& frame) const {
  LastTwo hops;
  if (!for_each_hop(context, frame, settings_.last_hop_only, std::ref(hops))) return {};
  Set::Key key;
  if (hops.last.node.exists()) key.last = table_.find({frame.egress, root_of(hops.last)});
  if (hops.near.node.exists()) key.near = table_.find({frame.egress, root_of(hops.near)});
  return key;
}

QueueId SingleTierSwitch::arrive(QueueContext& context, Frame& frame) {
  order_.leave(frame);  // if it was trimmed in a queue
  frame.own = 0;
  if (const PathView* paths = context.paths()) {
    std::uint64_t& seen = routes_[frame.egress.index()];
    if (std::exchange(seen, paths->version()) != paths->version()) wait_for_output(context, frame.egress);
  }
  const Set::Key key = met_by(context, frame);
  std::uint32_t set = key == Set::Key() ? kNone : set_of(context, frame.egress, key);
  // [PYRRHA-ORDER-1] Not past its predecessors.
  const FlowOrder::Place before = order_.last(frame);
  if (before.queue != kNone && !follows(set, before)) set = before.queue;
  if (set == kNone) return context.default_queue(frame.egress, frame.priority);
  const std::size_t place = sets_[set].is_pair() ? 2 : sets_[set].key.last != kNone ? 1 : 0;
  order_.enter(frame, set, place, clock_);
  if (context.keeps_statistics()) note_held(context, frame, sets_[set].queue);
  return queues_[sets_[set].queue].queue;
}

void SingleTierSwitch::note_held(const SwitchContext& context, const Frame& frame, std::uint32_t queue) {
  for (std::uint32_t number = first_set_[queue]; number != kNone; number = sets_[number].next_of_queue) {
    for (const std::uint32_t record : {sets_[number].key.near, sets_[number].key.last}) {
      if (record == kNone || meets(context, frame, table_[record].key.root)) continue;
      ++off_path_;
      return;
    }
  }
}

void SingleTierSwitch::note_held(const SwitchContext& context, QueueId queue, std::uint32_t record) {
  if (context.keeps_statistics()) off_path_ += packets_off_path(context, queue, table_[record].key.root);
}

// Whether packets in the queue of `set` leave after those of the flow that entered before: they are in the same queue,
// or ahead of the order marker of this set.
bool SingleTierSwitch::follows(std::uint32_t set, FlowOrder::Place before) const {
  if (set == kNone) return false;
  if (sets_[set].queue == sets_[before.queue].queue) return true;
  const Set::Key& now = sets_[set].key;
  const Set::Key& then = sets_[before.queue].key;
  const bool grown = (then.near == now.near || then.near == kNone) && (then.last == now.last || then.last == kNone);
  return grown && before.stamp < sets_[set].made;
}

std::uint32_t SingleTierSwitch::set_of(QueueContext& context, PortId port, Set::Key key) {
  const std::uint32_t number = sets_.find(key);
  if (number != kNone) return number;
  const bool is_pair = key.near != kNone && key.last != kNone;
  if (!is_pair || pairs_ < settings_.roots) return make_set(context, port, key);
  queues_.note_shared();  // [PYRRHA-ONE-6] The nearer root stands for both.
  return set_of(context, port, {key.near, kNone});
}

std::uint32_t SingleTierSwitch::make_set(QueueContext& context, PortId port, Set::Key key) {
  const std::uint32_t queue = assign_queue(context, port, key);
  const std::uint32_t number = sets_.insert(key);
  Set& set = sets_[number];
  set.queue = queue;
  set.next_of_queue = std::exchange(first_set_[queue], number);
  set.markers = 0;
  set.in_output = 0;
  set.made = ++clock_;
  pairs_ += set.is_pair() ? 1 : 0;
  for (const std::uint32_t record : {key.near, key.last}) {
    if (record == kNone) continue;
    next_of(set, record) = std::exchange(table_[record].queue, number);
    if (is_paused(record)) queues_.set_closed(context, queue, true);
    if (set.next_of_queue != kNone) note_held(context, queues_[queue].queue, record);
  }
  insert_markers(context, port, number);
  return number;
}

// [PYRRHA-ONE-6] A pair that finds no free queue shares that of its nearer root. Markers in queues of the same level
// thus only make a queue wait that was empty when its set was made, so queues never wait for each other in a circle.
std::uint32_t SingleTierSwitch::assign_queue(QueueContext& context, PortId port, Set::Key key) {
  const std::size_t level = key.near == kNone ? 1 : 0;
  if (key.near != kNone && key.last != kNone && !queues_.has_free(port, level)) {
    const std::uint32_t near = sets_.find({key.near, kNone});
    if (near != kNone) return queues_.share(sets_[near].queue);
  }
  const std::uint32_t record = key.near == kNone ? key.last : key.near;
  return queues_.assign(context, port, table_[record].key.root, level);
}

// [PYRRHA-ONE-4] Earlier packets of its flows may stand in the queues of parts of the set, and in the output queue.
// [PYRRHA-ONE-5] Those of a part wait for the other root, too.
void SingleTierSwitch::insert_markers(QueueContext& context, PortId port, std::uint32_t number) {
  insert_marker(context, number, in_output, context.default_queue(port, settings_.priority));
  for (const Marked where : {in_near, in_last}) {
    const std::uint32_t single = part(sets_[number], where);
    if (single == kNone || sets_[single].queue == sets_[number].queue) continue;
    const std::uint32_t queue = sets_[single].queue;
    if (!insert_marker(context, number, where, queues_[queue].queue)) continue;
    if (is_paused(other(sets_[number], where))) queues_.set_closed(context, queue, true);
    note_held(context, queues_[queue].queue, other(sets_[number], where));
  }
}

bool SingleTierSwitch::insert_marker(QueueContext& context, std::uint32_t number, Marked where, QueueId queue) {
  if (context.queue(queue).empty() || !context.insert_marker(queue, number << kTokenBits | where)) return false;
  ++markers_;
  sets_[number].markers |= static_cast<std::uint8_t>(1 << where);
  if (where == in_output) ++sets_[number].in_output;
  queues_.set_closed(context, sets_[number].queue, true);
  return true;
}

// [PYRRHA-ONE-10] After a change of routes, packets in the output queue can belong to the flows of any set.
void SingleTierSwitch::wait_for_output(QueueContext& context, PortId port) {
  const QueueId output = context.default_queue(port, settings_.priority);
  for (std::uint32_t queue = 0; queue < queues_.size(); ++queue) {
    if (queues_[queue].port != port) continue;
    for (std::uint32_t number = first_set_[queue]; number != kNone; number = sets_[number].next_of_queue) {
      insert_marker(context, number, in_output, output);
    }
  }
}

std::uint32_t SingleTierSwitch::part(const Set& set, Marked where) const {
  if (!set.is_pair()) return kNone;
  return sets_.find(where == in_near ? Set::Key{set.key.near, kNone} : Set::Key{kNone, set.key.last});
}

void SingleTierSwitch::on_marker(QueueContext& context, QueueId, std::uint32_t token) {
  const auto where = static_cast<Marked>(token & ((1u << kTokenBits) - 1));
  Set& set = sets_[token >> kTokenBits];
  if (where != in_output || --set.in_output == 0) set.markers &= static_cast<std::uint8_t>(~(1u << where));
  if (where != in_output && is_paused(other(set, where))) {
    queues_.set_closed(context, sets_[part(set, where)].queue, false);
  }
  queues_.set_closed(context, set.queue, false);
  // The roots may have waited for the marker only. (On a failed link, on_link forgets them.)
  const auto [near, last] = set.key;
  const QueueId waiting = queues_[set.queue].queue;
  if (!context.queue(waiting).empty() || !context.port(context.queue(waiting).port).up) return;
  if (near != kNone) forget_if_done(context, near);
  if (last != kNone && table_[last].in_use) forget_if_done(context, last);
}

void SingleTierSwitch::on_depart(SwitchContext& context, QueueId queue, Frame& frame) {
  const std::uint32_t number = queues_.number_of(queue);
  if (number == kNone) return PyrrhaSwitch::on_depart(context, queue, frame);
  ++isolated_;
  order_.leave(frame);
  shrank(context, number);
}

// ---- roots ----

// For the roots that are paused; if none is, for those that are not in soft merging.
bool SingleTierSwitch::is_due_to(const Set& set, std::uint32_t record) const {
  if (is_paused(set.key.near) || is_paused(set.key.last)) return is_paused(record);
  return table_[record].state != State::merging;
}

void SingleTierSwitch::grew_long(SwitchContext& context, std::uint32_t queue, PortId ingress) {
  for (std::uint32_t number = first_set_[queue]; number != kNone; number = sets_[number].next_of_queue) {
    const Set& set = sets_[number];
    for (const std::uint32_t record : {set.key.near, set.key.last}) {
      if (record == kNone || !is_due_to(set, record)) continue;
      grew(context, anchor_of(record), table_[record].key.root, ingress);
    }
  }
}

// [PYRRHA-ONE-7]
void SingleTierSwitch::resume(SwitchContext& context, std::uint32_t record) {
  if (!upstream_.has_paused_any(anchor_of(record))) return;
  std::int64_t longest = 0;
  for (std::uint32_t number = table_[record].queue; number != kNone; number = next_of(sets_[number], record)) {
    if (!is_due_to(sets_[number], record)) continue;
    longest = std::max(longest, context.queue(queues_[sets_[number].queue].queue).bytes);
  }
  shrank(context, anchor_of(record), table_[record].key.root, table_[record].key.port, longest);
}

void SingleTierSwitch::shrank(SwitchContext& context, std::uint32_t queue) {
  for (std::uint32_t number = first_set_[queue]; number != kNone; number = sets_[number].next_of_queue) {
    for (const std::uint32_t record : {sets_[number].key.near, sets_[number].key.last}) {
      if (record != kNone) resume(context, record);
    }
  }
  // A root that is forgotten takes its sets along, so the next visit starts anew.
  bool forgotten = context.queue(queues_[queue].queue).empty();
  while (forgotten) {
    forgotten = false;
    for (std::uint32_t number = first_set_[queue]; number != kNone; number = sets_[number].next_of_queue) {
      const Set::Key key = sets_[number].key;
      for (const std::uint32_t record : {key.near, key.last}) {
        if (record == kNone || !table_[record].in_use) continue;
        forget_if_done(queue_context(context), record);
        forgotten = forgotten || !table_[record].in_use;
      }
      if (forgotten) break;
    }
  }
}

void SingleTierSwitch::changed(QueueContext& context, std::uint32_t record, State before) {
  const bool paused = is_paused(record);
  const bool turned = paused != (before == State::paused);
  for (std::uint32_t number = table_[record].queue; number != kNone; number = next_of(sets_[number], record)) {
    const Set& set = sets_[number];
    if (turned) {
      queues_.set_closed(context, set.queue, paused);
      const Marked where = record == set.key.near ? in_last : in_near;  // what the other root alone has
      if (set.is_pair() && set.has_marker(where)) queues_.set_closed(context, sets_[part(set, where)].queue, paused);
    }
    if (set.is_pair()) resume(context, record == set.key.near ? set.key.last : set.key.near);
  }
  resume(context, record);
}

// [PYRRHA-ONE-8]
bool SingleTierSwitch::is_empty(const SwitchContext& context, const Record& record) const {
  const std::uint32_t self = table_.find(record.key);
  for (std::uint32_t number = record.queue; number != kNone; number = next_of(sets_[number], self)) {
    if (sets_[number].markers != 0 || !context.queue(queues_[sets_[number].queue].queue).empty()) return false;
  }
  return true;
}

void SingleTierSwitch::unassign(QueueContext& context, std::uint32_t record) {
  while (table_[record].queue != kNone) erase_set(context, table_[record].queue);
}

void SingleTierSwitch::erase_set(QueueContext& context, std::uint32_t number) {
  const Set& set = sets_[number];
  const auto unlink = [&](std::uint32_t* link, auto next) {
    while (*link != number) link = &next(sets_[*link]);
    *link = next(sets_[number]);
  };
  for (const std::uint32_t record : {set.key.near, set.key.last}) {
    if (record == kNone) continue;
    unlink(&table_[record].queue, [&](Set& at) -> std::uint32_t& { return next_of(at, record); });
    if (is_paused(record)) queues_.set_closed(context, set.queue, false);
  }
  unlink(&first_set_[set.queue], [](Set& at) -> std::uint32_t& { return at.next_of_queue; });
  pairs_ -= set.is_pair() ? 1 : 0;
  queues_.give_up(context, set.queue);
  sets_.erase(number);
}

// ---- measurement and tests ----

void SingleTierSwitch::list_pauses(std::uint32_t queue, std::vector<HopPause>& out) const {
  for (std::uint32_t number = first_set_[queue]; number != kNone; number = sets_[number].next_of_queue) {
    for (const std::uint32_t record : {sets_[number].key.near, sets_[number].key.last}) {
      if (record == kNone || !is_due_to(sets_[number], record)) continue;
      list_pauses_of(anchor_of(record), table_[record].key.root, out);
    }
  }
}

void SingleTierSwitch::held_by(const SwitchContext& context, QueueId queue, std::vector<HeldBy>& out) const {
  const std::uint32_t at = queues_.number_of(queue);
  if (at == kNone) return;
  const auto hold = [&](std::uint32_t record) {
    if (!is_paused(record)) return;
    const HeldBy reason{table_[record].key.port, table_[record].key.root, QueueId::none()};
    if (std::find(out.begin(), out.end(), reason) == out.end()) out.push_back(reason);
  };
  for (std::uint32_t number = first_set_[at]; number != kNone; number = sets_[number].next_of_queue) {
    const Set& set = sets_[number];
    hold(set.key.near);
    hold(set.key.last);
    if (set.has_marker(in_output)) {
      out.push_back({PortId::none(), 0, context.default_queue(queues_[at].port, settings_.priority)});
    }
    for (const Marked where : {in_near, in_last}) {
      if (!set.has_marker(where)) continue;
      out.push_back({PortId::none(), 0, queues_[sets_[part(set, where)].queue].queue});
    }
    if (set.is_pair()) continue;
    const Marked as_part = set.key.near != kNone ? in_near : in_last;
    const std::uint32_t record = as_part == in_near ? set.key.near : set.key.last;
    for (std::uint32_t pair = table_[record].queue; pair != kNone; pair = next_of(sets_[pair], record)) {
      if (sets_[pair].is_pair() && sets_[pair].has_marker(as_part)) hold(other(sets_[pair], as_part));
    }
  }
}

// [PYRRHA-SIGNAL-1]
std::int64_t SingleTierSwitch::signalled_length(const SwitchContext& context, QueueId queue, const Frame& frame) const {
  if (!settings_.signals_output || queues_.number_of(queue) == kNone) return context.queue(queue).bytes;
  return context.queue(context.default_queue(frame.egress, settings_.priority)).bytes;
}

QueueId SingleTierSwitch::queue_of(PortId port, Root root) const {
  const std::uint32_t record = table_.find({port, root});
  if (record == kNone) return QueueId::none();
  for (const Set::Key key : {Set::Key{record, kNone}, Set::Key{kNone, record}}) {
    const std::uint32_t set = sets_.find(key);
    if (set != kNone) return queues_[sets_[set].queue].queue;
  }
  return QueueId::none();
}

QueueId SingleTierSwitch::queue_of_both(PortId port, Root near, Root last) const {
  const Set::Key key{table_.find({port, near}), table_.find({port, last})};
  if (key.near == kNone || key.last == kNone) return QueueId::none();
  const std::uint32_t set = sets_.find(key);
  return set == kNone ? QueueId::none() : queues_[sets_[set].queue].queue;
}

bool SingleTierSwitch::has_marker(QueueId queue) const {
  for (std::uint32_t number = 0; number < sets_.size(); ++number) {
    for (const Marked where : {in_near, in_last}) {
      const Set& set = sets_[number];
      if (sets_.find(set.key) != number || !set.has_marker(where)) continue;
      if (queues_[sets_[part(set, where)].queue].queue == queue) return true;
    }
  }
  return false;
}

std::string SingleTierSwitch::audit_queue(const SwitchContext&, std::uint32_t queue) const {
  std::uint32_t users = 0;
  std::uint32_t closers = 0;
  for (std::uint32_t number = first_set_[queue]; number != kNone; number = sets_[number].next_of_queue) {
    const Set& set = sets_[number];
    ++users;
    if (sets_.find(set.key) != number) return "a set of roots is not found";
    closers += static_cast<std::uint32_t>(std::popcount(set.markers));
    if (set.has_marker(in_output)) closers += set.in_output - 1;
    for (const std::uint32_t record : {set.key.near, set.key.last}) {
      if (record == kNone) continue;
      if (table_[record].key.port != queues_[queue].port) return "a queue of another port";
      closers += is_paused(record) ? 1 : 0;
      if (set.is_pair()) continue;
      const Marked as_part = record == set.key.near ? in_near : in_last;
      for (std::uint32_t pair = table_[record].queue; pair != kNone; pair = next_of(sets_[pair], record)) {
        const bool waits = sets_[pair].is_pair() && sets_[pair].has_marker(as_part);
        closers += waits && is_paused(other(sets_[pair], as_part)) ? 1 : 0;
      }
    }
  }
  return users == queues_[queue].users && closers == queues_[queue].closers ? "" : "the sets of a queue are miscounted";
}

}  // namespace weir::pyrrha
