// SPDX-License-Identifier: Apache-2.0
#include "schemes/floodgate/accounts.h"

#include <algorithm>
#include <span>

namespace weir::floodgate {

void Accounts::attach(SwitchContext& context, SwitchPolicy& policy, std::vector<bool> upstream) {
  ports_.resize(context.ports());
  for (std::size_t port = 0; port < ports_.size(); ++port) {
    ports_[port].upstream = upstream[port];
    if (!upstream[port]) continue;
    ports_[port].timer = context.new_timer(policy);
    if (port_of_timer_.empty()) first_timer_ = ports_[port].timer.value;
    port_of_timer_.push_back(static_cast<std::uint16_t>(port));
    // [FLOODGATE-C-3] Ticks of different ingresses do not coincide.
    const auto interval = static_cast<std::uint64_t>(settings_.credit_timer.picoseconds());
    ports_[port].phase = Duration::picoseconds(static_cast<std::int64_t>(context.random().below(interval)));
  }
  accounts_ = RecordTable<Account>(table_size(settings_, context, port_of_timer_.size()));
}

// ---- packets ----

std::uint32_t Accounts::account_of(std::uint64_t key) {
  const std::uint32_t found = accounts_.find(key);
  return found != kNone ? found : accounts_.insert(key, [](std::uint32_t) {});
}

void Accounts::enter(SwitchContext& context, const Frame& frame, std::uint32_t field, Note& note) {
  if (!is_charged(field) || !is_upstream(frame.ingress)) return;
  const std::uint32_t name = settings_.name_of(frame.destination);
  const std::uint32_t number = account_of(key_of(frame.ingress.index(), name));
  if (number == kNone) {
    // [FLOODGATE-T-3] There is no room to owe it: its credit is given at once.
    ++counts_.untracked;
    send(context, frame.ingress, {name, note.weight(), psn_in(field)});
    return;
  }
  Account& account = accounts_[number];
  account.last = psn_in(field);
  account.held += note.weight();
  note.set_account(number);
}

void Accounts::earn(SwitchContext& context, const Delays& delays, Note& note, std::int64_t bytes) {
  const std::uint32_t number = note.account();
  if (number == kNone) return;
  note.set_account(kNone);
  Account& account = accounts_[number];
  account.held -= note.weight();
  if (account.dead) return forget_if_dead(number);
  account.owed += note.weight();
  const std::size_t at = port_in(account.key);
  Port& port = ports_[at];
  if (settings_.per_packet) {  // [FLOODGATE-C-5]
    if (send(context, PortId(at), {name_in(account.key), account.owed, psn_of(account, 0)})) account.owed = 0;
    if (account.owed == 0) return;
  }
  list(context, port, number);
  port.bytes += bytes;
  // [FLOODGATE-C-6]
  if (settings_.credit_bytes > Bytes() && port.bytes >= settings_.credit_bytes.count()) flush(context, delays, at);
}

void Accounts::lose(SwitchContext& context, Note& note) {
  const std::uint32_t number = note.account();
  if (number == kNone) return;
  note.set_account(kNone);
  Account& account = accounts_[number];
  account.held -= note.weight();
  if (account.dead) return forget_if_dead(number);
  // [FLOODGATE-R-3] The PSN credits it; a credit frame must say so.
  if (settings_.recovers) list(context, ports_[port_in(account.key)], number);
}

void Accounts::refuse(SwitchContext& context, const Frame& frame, std::uint32_t field) {
  if (!settings_.recovers || !is_charged(field) || !is_upstream(frame.ingress)) return;
  const std::uint32_t number = account_of(key_of(frame.ingress.index(), settings_.name_of(frame.destination)));
  if (number == kNone) return;  // a switchSYN will tell
  accounts_[number].last = psn_in(field);
  list(context, ports_[frame.ingress.index()], number);
}

void Accounts::answer(SwitchContext& context, const Delays& delays, PortId port, std::uint32_t name,
                      std::uint32_t psn) {
  if (!is_upstream(port) || !settings_.recovers) return;
  const std::uint32_t number = accounts_.find(key_of(port.index(), name));
  if (number == kNone) {
    send(context, port, {name, 0, psn});  // whatever came has been credited
    return;
  }
  // All that was sent before the SYN has come, or will never come.
  Account& account = accounts_[number];
  account.last = psn;
  const bool keeps = delays.delays(context, port, name);
  const std::uint32_t units = keeps ? 0 : account.owed;
  if (send(context, port, {name, units, psn_of(account, keeps ? account.owed : 0)})) account.owed -= units;
}

// ---- saying it ----

void Accounts::list(SwitchContext& context, Port& port, std::uint32_t number) {
  Account& account = accounts_[number];
  if (!account.listed) {
    account.listed = true;
    account.next = kNone;
    (port.first == kNone ? port.first : accounts_[port.last].next) = number;
    port.last = number;
  }
  if (!port.armed) arm(context, port);
}

/// [FLOODGATE-C-3] At the next tick of the ingress.
void Accounts::arm(SwitchContext& context, Port& port) {
  const std::int64_t interval = settings_.credit_timer.picoseconds();
  const std::int64_t since = context.now().picoseconds() - port.phase.picoseconds();
  const std::int64_t ticks = since < 0 ? 0 : since / interval + 1;
  context.arm(port.timer, Time() + port.phase + Duration::picoseconds(ticks * interval));
  port.armed = true;
}

bool Accounts::on_timer(SwitchContext& context, const Delays& delays, TimerId timer) {
  const std::uint32_t number = timer.value - first_timer_;
  if (number >= port_of_timer_.size()) return false;
  const std::size_t port = port_of_timer_[number];
  ports_[port].armed = false;
  flush(context, delays, port);
  return true;
}

void Accounts::flush(SwitchContext& context, const Delays& delays, std::size_t at) {
  Port& port = ports_[at];
  std::uint32_t next = port.first;
  port.first = port.last = kNone;
  port.bytes = 0;
  while (next != kNone) {
    const std::uint32_t number = next;
    Account& account = accounts_[number];
    next = account.next;
    account.listed = false;
    const std::uint32_t name = name_in(account.key);
    const bool keeps = account.owed > 0 && delays.delays(context, PortId(at), name);  // [FLOODGATE-C-8]
    counts_.delayed += keeps ? 1 : 0;
    if (keeps || !append(context, PortId(at), {name, account.owed, psn_of(account, 0)})) {
      list(context, port, number);
    } else {
      account.owed = 0;
    }
  }
  if (listed_count_ > 0) send_list(context, PortId(at));
}

bool Accounts::send(SwitchContext& context, PortId port, const Credit& credit) {
  const FrameId id = make_message(context.frames(), context.framing(), Say::credit, credit);
  if (!id.exists()) return false;
  ++counts_.frames;
  ++counts_.credits;
  counts_.units += credit.units;
  context.send(port, id);
  return true;
}

/// Sends it, or has the list that is being written send it.
bool Accounts::append(SwitchContext& context, PortId port, const Credit& credit) {
  if (!settings_.lists) return send(context, port, credit);
  if (context.frames().in_use() == context.frames().capacity()) return false;
  listed_[listed_count_++] = credit;  // [FLOODGATE-C-4]
  ++counts_.credits;
  counts_.units += credit.units;
  if (listed_count_ == listed_.size()) send_list(context, port);
  return true;
}

void Accounts::send_list(SwitchContext& context, PortId port) {
  const FrameId id = make_list(context.frames(), context.framing(), std::span(listed_.data(), listed_count_));
  listed_count_ = 0;
  if (!id.exists()) return;  // as if it had been lost on the link
  ++counts_.frames;
  context.send(port, id);
}

// ---- links ----

void Accounts::forget_if_dead(std::uint32_t number) {
  if (accounts_[number].held == 0) accounts_.release(number);
}

void Accounts::reset(SwitchContext& context, PortId of) {
  Port& port = ports_[of.index()];
  if (!port.upstream) return;
  context.cancel(port.timer);
  port.armed = false;
  port.first = port.last = kNone;
  port.bytes = 0;
  for (std::uint32_t number = 0; number < accounts_.touched(); ++number) {
    Account& account = accounts_[number];
    if (!account.in_use || account.dead || port_in(account.key) != of.index()) continue;
    account.owed = 0;
    account.listed = false;
    accounts_.detach(number);
    account.dead = true;
    forget_if_dead(number);
  }
}

std::uint32_t Accounts::outstanding(PortId port, std::uint32_t name) const {
  const std::uint32_t number = accounts_.find(key_of(port.index(), name));
  return number == kNone ? 0 : accounts_[number].held + accounts_[number].owed;
}

std::string Accounts::audit() const {
  std::size_t in_use = 0;
  for (std::uint32_t number = 0; number < accounts_.touched(); ++number) {
    const Account& account = accounts_[number];
    if (!account.in_use) continue;
    ++in_use;
    if (!account.dead && accounts_.find(account.key) != number) return "an account is not found";
    if (account.owed > 0 && !account.listed) return "a credit is owed and will not be given";
  }
  if (in_use != accounts_.size()) return "accounts are miscounted";
  for (const Port& port : ports_) {
    if (port.first != kNone && !port.armed) return "credits are owed, and no timer runs";
  }
  return {};
}

}  // namespace weir::floodgate
