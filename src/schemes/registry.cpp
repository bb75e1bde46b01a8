// SPDX-License-Identifier: Apache-2.0
// The built-in schemes. To add one: a folder src/schemes/<name>/ with an `extern const Scheme scheme` in namespace
// weir::<name>, and one line here. Programs add others by register_scheme().
#include <algorithm>
#include <array>
#include <deque>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>

#include "policy/scheme.h"

// clang-format off
#define WEIR_SCHEMES(X)     \
  X(ecmp)                   \
  X(spray)                  \
  X(drill)                  \
  X(dynamic_threshold)      \
  X(static_threshold)       \
  X(spfc)                   \
  X(red)                    \
  X(pi)                     \
  X(qcn)                    \
  X(pfc)                    \
  X(bfc)                    \
  X(floodgate)              \
  X(pyrrha)                 \
  X(sfq)                    \
  X(dqa)                    \
  X(ideal_fq)               \
  X(ideal_srf)              \
  X(dcqcn)                  \
  X(hpcc)                   \
  X(dctcp)                  \
  X(timely)                 \
  X(rocc)                   \
  X(expresspass)            \
  X(homa)                   \
  X(bfc_window)             \
  X(line_rate)              \
  X(go_back_n)              \
  X(irn)                    \
  X(ndp)                    \
  X(perfect_retransmission)
// clang-format on

namespace weir {

#define WEIR_DECLARE(name)    \
  namespace name {            \
  extern const Scheme scheme; \
  }
WEIR_SCHEMES(WEIR_DECLARE)
#undef WEIR_DECLARE

namespace {

// The addresses are constant-initialised; the schemes themselves may be used from main() on.
#define WEIR_ENTRY(name) &name::scheme,
constexpr std::array kSchemes = {WEIR_SCHEMES(WEIR_ENTRY)};
#undef WEIR_ENTRY

using List = std::vector<const Scheme*>;

/// The current list, and the lists before each registration: these are kept because callers may hold spans of them.
std::deque<List>& lists() {
  static std::deque<List> all = {List(kSchemes.begin(), kSchemes.end())};
  return all;
}

/// Conflicts of the scheme with the registered ones, one line each.
std::vector<std::string> conflicts_of(const Scheme& scheme) {
  std::vector<std::string> out;
  for (const Scheme* other : all_schemes()) {
    if (other->name == scheme.name) out.emplace_back("a scheme of this name already exists");
    if (scheme.traits.protocol != 0 && other->traits.protocol == scheme.traits.protocol) {
      out.push_back("its protocol " + std::to_string(scheme.traits.protocol) + " is that of the scheme \"" +
                    std::string(other->name) + "\"");
    }
  }
  return out;
}

}  // namespace

std::span<const Scheme* const> all_schemes() {
  return lists().back();
}

const Scheme* find_scheme(std::string_view name) {
  for (const Scheme* scheme : all_schemes()) {
    if (scheme->name == name) return scheme;
  }
  return nullptr;
}

void register_scheme(const Scheme& scheme) {
  std::vector<std::string> wrong = mistakes_in(scheme);
  std::ranges::move(conflicts_of(scheme), std::back_inserter(wrong));
  if (!wrong.empty()) {
    std::string message = "scheme \"" + std::string(scheme.name) + "\" cannot be registered";
    for (const std::string& line : wrong) message += (&line == &wrong.front() ? ": " : "; ") + line;
    throw std::invalid_argument(message);
  }
  List list = lists().back();
  list.push_back(&scheme);
  lists().push_back(std::move(list));
}

}  // namespace weir
