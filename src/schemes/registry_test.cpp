#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "policy/scheme.h"

namespace weir {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::Not;

bool is_name(std::string_view text) {
  return !text.empty() && std::islower(static_cast<unsigned char>(text.front())) != 0 &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '_'; });
}

/// A value in the base unit in which a ParameterSpec states its range.
double number_of(const ParameterValue& value) {
  return std::visit(
      [](const auto& held) -> double {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, Duration>) return held.seconds();
        if constexpr (std::is_same_v<Held, Bytes>) return static_cast<double>(held.count());
        if constexpr (std::is_same_v<Held, BitRate>) return static_cast<double>(held.bits_per_second());
        if constexpr (std::is_arithmetic_v<Held>) return static_cast<double>(held);
        return 0;
      },
      value);
}

TEST(Registry, FindsSchemesByName) {
  ASSERT_THAT(all_schemes(), Not(IsEmpty()));
  std::set<std::string_view> names;
  for (const Scheme* scheme : all_schemes()) {
    EXPECT_EQ(find_scheme(scheme->name), scheme);
    EXPECT_TRUE(names.insert(scheme->name).second) << scheme->name << " is there twice";
  }
  EXPECT_EQ(find_scheme("no_such_scheme"), nullptr);
  EXPECT_EQ(find_scheme(""), nullptr);
}

TEST(Registry, HasSchemesThatSayWhatTheyAre) {
  for (const Scheme* scheme : all_schemes()) {
    SCOPED_TRACE(scheme->name);
    EXPECT_TRUE(is_name(scheme->name));
    EXPECT_THAT(scheme->summary, Not(IsEmpty()));
    EXPECT_TRUE(scheme->forwarding || scheme->buffer || scheme->flow_control || scheme->nic_flow_control ||
                scheme->congestion_point || scheme->congestion_control || scheme->loss_recovery);
  }
}

TEST(Registry, HasParametersWhoseDefaultsAreGoodValues) {
  for (const Scheme* scheme : all_schemes()) {
    std::set<std::string_view> names;
    for (const ParameterSpec& spec : scheme->parameters) {
      SCOPED_TRACE(std::string(scheme->name) + "." + std::string(spec.name));
      EXPECT_TRUE(is_name(spec.name));
      EXPECT_TRUE(names.insert(spec.name).second);
      EXPECT_THAT(spec.meaning, Not(IsEmpty()));
      EXPECT_THAT(spec.source, Not(IsEmpty()));
      if (const auto* choice = std::get_if<std::string>(&spec.default_value)) {
        EXPECT_THAT(spec.choices, Contains(*choice));
      } else {
        EXPECT_THAT(spec.choices, IsEmpty());
        EXPECT_GE(number_of(spec.default_value), spec.minimum);
        EXPECT_LE(number_of(spec.default_value), spec.maximum);
      }
    }
    if (scheme->complaints == nullptr) continue;
    EXPECT_THAT(scheme->complaints(Parameters(scheme->parameters)), IsEmpty()) << scheme->name;
  }
}

/// A factory that is there makes something.
template <class Factory>
bool works(Factory factory, const Parameters& parameters) {
  return factory == nullptr || factory(parameters) != nullptr;
}

TEST(Registry, MakesWhatItOffers) {
  for (const Scheme* scheme : all_schemes()) {
    SCOPED_TRACE(scheme->name);
    const Parameters parameters(scheme->parameters);
    EXPECT_TRUE(works(scheme->forwarding, parameters));
    EXPECT_TRUE(works(scheme->buffer, parameters));
    EXPECT_TRUE(works(scheme->flow_control, parameters));
    EXPECT_TRUE(works(scheme->nic_flow_control, parameters));
    EXPECT_TRUE(works(scheme->congestion_point, parameters));
    EXPECT_TRUE(works(scheme->congestion_control, parameters));
    EXPECT_TRUE(works(scheme->loss_recovery, parameters));
  }
}

// Frames of a scheme are told from those of others by its protocol number.
TEST(Registry, GivesEachProtocolToOneScheme) {
  std::set<std::uint8_t> protocols;
  for (const Scheme* scheme : all_schemes()) {
    if (scheme->traits.protocol == 0) continue;
    EXPECT_TRUE(protocols.insert(scheme->traits.protocol).second) << scheme->name;
  }
}

}  // namespace
}  // namespace weir
