// The schemes that are built in. To add one: a folder src/schemes/<name>/ with an `extern const Scheme scheme` in
// namespace weir::<name>, and one line here.
#include <array>

#include "policy/scheme.h"

// clang-format off
#define WEIR_SCHEMES(X)     \
  X(ecmp)                   \
  X(spray)                  \
  X(dynamic_threshold)      \
  X(static_threshold)       \
  X(spfc)                   \
  X(red)                    \
  X(pi)                     \
  X(qcn)                    \
  X(pfc)                    \
  X(bfc)                    \
  X(sfq)                    \
  X(dqa)                    \
  X(ideal_fq)               \
  X(dcqcn)                  \
  X(hpcc)                   \
  X(dctcp)                  \
  X(timely)                 \
  X(rocc)                   \
  X(bfc_window)             \
  X(line_rate)              \
  X(go_back_n)              \
  X(irn)                    \
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

// Addresses are known before anything is initialised; the schemes themselves may be used from main() on.
#define WEIR_ENTRY(name) &name::scheme,
constexpr std::array kSchemes = {WEIR_SCHEMES(WEIR_ENTRY)};
#undef WEIR_ENTRY

}  // namespace

std::span<const Scheme* const> all_schemes() {
  return kSchemes;
}

const Scheme* find_scheme(std::string_view name) {
  for (const Scheme* scheme : kSchemes) {
    if (scheme->name == name) return scheme;
  }
  return nullptr;
}

}  // namespace weir
