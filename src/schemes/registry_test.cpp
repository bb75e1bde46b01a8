// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "policy/scheme.h"

namespace weir::registry_test {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

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
  for (const Scheme* scheme : all_schemes()) EXPECT_THAT(mistakes_in(*scheme), IsEmpty()) << scheme->name;
}

// A folder without a line in the registry would be compiled but never found.
TEST(Registry, HasALineForEachFolder) {
  for (const auto& entry : std::filesystem::directory_iterator("src/schemes")) {
    if (!entry.is_directory()) continue;
    const std::string name = entry.path().filename().string();
    EXPECT_NE(find_scheme(name), nullptr)
        << "src/schemes/" << name << "/ has no line in src/schemes/registry.cpp, or its scheme has another name";
  }
}

/// A factory that is set makes an object.
template <class Factory>
bool works(Factory factory, const Parameters& parameters) {
  return factory == nullptr || factory(parameters) != nullptr;
}

/// A policy that follows a frame from its entry to its end must also learn that the frame is withdrawn to be trimmed.
bool follows_withdrawals(const SwitchPolicy& policy, bool classifies) {
  const Hooks hooks = policy.hooks();
  const bool counts = (classifies || hooks.enter) && hooks.depart && hooks.drop;
  return !counts || hooks.withdraw;
}

TEST(Registry, HasSchemesWhoseCountsOfFramesEndWhenFramesAreWithdrawn) {
  for (const Scheme* scheme : all_schemes()) {
    const Parameters parameters(scheme->parameters);
    if (scheme->congestion_point != nullptr) {
      EXPECT_TRUE(follows_withdrawals(*scheme->congestion_point(parameters), false)) << scheme->name;
    }
    if (scheme->flow_control == nullptr) continue;
    const auto policy = scheme->flow_control(parameters);
    EXPECT_TRUE(follows_withdrawals(*policy, policy->classifier() != nullptr)) << scheme->name;
  }
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

// Frames of different schemes are distinguished by protocol number.
TEST(Registry, GivesEachProtocolToOneScheme) {
  std::set<std::uint8_t> protocols;
  for (const Scheme* scheme : all_schemes()) {
    if (scheme->traits.protocol == 0) continue;
    EXPECT_TRUE(protocols.insert(scheme->traits.protocol).second) << scheme->name;
  }
}

class Unlimited final : public BufferPolicy {
 public:
  [[nodiscard]] std::int64_t xoff(const SwitchContext&, PortId, Priority) const override { return kUnlimited; }
  [[nodiscard]] std::int64_t xon(const SwitchContext&, PortId, Priority) const override { return kUnlimited; }
  [[nodiscard]] std::int64_t egress_limit(const SwitchContext&, PortId, Priority) const override { return kUnlimited; }
};

/// A scheme that can be registered.
Scheme outside(std::string_view name) {
  return {.name = name,
          .summary = "a scheme outside the tree",
          .traits = {},
          .parameters = {{.name = "size", .default_value = Bytes(10), .meaning = "a size", .source = "this test"}},
          .buffer = [](const Parameters&) -> std::unique_ptr<BufferPolicy> { return std::make_unique<Unlimited>(); }};
}

/// Why the scheme is rejected; empty: it is not.
std::string refusal(const Scheme& scheme) {
  try {
    register_scheme(scheme);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

// A registration is permanent: this test checks several things, so that other tests see as few of its schemes as
// possible.
TEST(RegisterScheme, AddsAtTheEndAndLeavesOldSpansAsTheyAre) {
  static const Scheme first = outside("outside_first");
  static const Scheme second = outside("outside_second");
  const auto before = all_schemes();
  const std::vector<const Scheme*> copied(before.begin(), before.end());

  register_scheme(first);
  register_scheme(second);

  std::vector<const Scheme*> expected = copied;
  expected.insert(expected.end(), {&first, &second});
  EXPECT_THAT(all_schemes(), ElementsAreArray(expected));
  EXPECT_THAT(before, ElementsAreArray(copied));
  EXPECT_EQ(find_scheme("outside_first"), &first);
  EXPECT_EQ(find_scheme("outside_second"), &second);

  EXPECT_EQ(refusal(first), "scheme \"outside_first\" cannot be registered: a scheme of this name already exists");
  EXPECT_THAT(all_schemes(), ElementsAreArray(expected));
}

TEST(RegisterScheme, RefusesTheNameAndTheProtocolOfAnother) {
  EXPECT_THAT(refusal(outside("pfc")), HasSubstr("\"pfc\" cannot be registered: a scheme of this name already exists"));
  const Scheme* owner = nullptr;
  for (const Scheme* scheme : all_schemes()) {
    if (scheme->traits.protocol != 0) owner = scheme;
  }
  ASSERT_NE(owner, nullptr);
  Scheme scheme = outside("outside_other");
  scheme.traits.protocol = owner->traits.protocol;
  EXPECT_THAT(refusal(scheme), HasSubstr("is that of the scheme \"" + std::string(owner->name) + "\""));
  EXPECT_EQ(find_scheme("outside_other"), nullptr);
}

TEST(RegisterScheme, RefusesMistakesAllAtOnce) {
  Scheme scheme = outside("Outside");
  scheme.buffer = nullptr;
  EXPECT_EQ(refusal(scheme),
            "scheme \"Outside\" cannot be registered: a name is lower-case letters, digits and underscores, a letter "
            "first; it plays no role");
}

TEST(MistakesInAScheme, AreFoundInItsName) {
  EXPECT_THAT(mistakes_in(outside("a_2")), IsEmpty());
  for (const char* name : {"", "2a", "_a", "a-b", "aB", "a b"}) {
    EXPECT_THAT(mistakes_in(outside(name)), ElementsAre(HasSubstr("a name is"))) << name;
  }
}

TEST(MistakesInAScheme, AreFoundInItsSummaryAndRoles) {
  Scheme scheme = outside("a");
  scheme.summary = "";
  scheme.buffer = nullptr;
  EXPECT_THAT(mistakes_in(scheme), ElementsAre("it has no summary", "it plays no role"));
  Scheme announces = outside("announces");
  announces.traits.protocol = 0;
  announces.announces = [](const Parameters&, bool) { return std::uint32_t{1}; };
  EXPECT_THAT(mistakes_in(announces), ElementsAre(HasSubstr("has no protocol to announce it with")));
}

TEST(MistakesInAScheme, AreFoundInItsParameters) {
  const auto with = [](auto change) {
    Scheme scheme = outside("a");
    change(scheme.parameters[0]);
    return mistakes_in(scheme);
  };
  EXPECT_THAT(with([](ParameterSpec& spec) { spec.name = "Size"; }), ElementsAre(HasSubstr("\"Size\": a name is")));
  EXPECT_THAT(with([](ParameterSpec& spec) { spec.name = "scheme"; }), ElementsAre(HasSubstr("the scheme's name")));
  EXPECT_THAT(with([](ParameterSpec& spec) { spec.meaning = ""; }), ElementsAre(HasSubstr("no meaning")));
  EXPECT_THAT(with([](ParameterSpec& spec) { spec.source = ""; }), ElementsAre(HasSubstr("no source")));
  EXPECT_THAT(with([](ParameterSpec& spec) { spec.maximum = 9; }), ElementsAre(HasSubstr("out of its range")));
  EXPECT_THAT(with([](ParameterSpec& spec) { spec.choices = {"x"}; }), ElementsAre(HasSubstr("only a string")));
  EXPECT_THAT(with([](ParameterSpec& spec) { spec.default_value = std::string("x"); }),
              ElementsAre(HasSubstr("none of its choices")));
  EXPECT_THAT(with([](ParameterSpec& spec) {
                spec.roles = {Role::buffer, Role::transport};
              }),
              ElementsAre("parameter \"size\": the scheme does not have one of its roles"));
  EXPECT_THAT(with([](ParameterSpec& spec) { spec.roles = {Role::buffer}; }), IsEmpty());
  Scheme idle = outside("a");
  idle.idle = [](const Parameters&) -> std::vector<IdleParameter> { return {{"sise", "always"}}; };
  EXPECT_THAT(mistakes_in(idle), ElementsAre("parameter \"sise\": it is said to have no effect, and does not exist"));
  Scheme twice = outside("a");
  twice.parameters.push_back(twice.parameters[0]);
  EXPECT_THAT(mistakes_in(twice), ElementsAre("parameter \"size\": it is there twice"));
  Scheme rejects = outside("a");
  rejects.errors = [](const Parameters&) -> std::vector<std::string> { return {"size: too small"}; };
  EXPECT_THAT(mistakes_in(rejects), ElementsAre("its defaults: size: too small"));
}

TEST(Registry, NamesTheMistakesOfHeaderFields) {
  static constexpr HeaderField kGood{"credits", 4, FrameKinds(FrameKind::data)};
  static constexpr HeaderField kOther{"more_credits", 4, FrameKinds(FrameKind::data)};
  static constexpr HeaderField kOdd{"three", 3, FrameKinds(FrameKind::data)};
  static constexpr HeaderField kOfNone{"nowhere", 2, FrameKinds()};
  const auto mistakes = [](std::vector<const HeaderField*> fields) {
    Scheme scheme = outside("a");
    scheme.fields = std::move(fields);
    return mistakes_in(scheme);
  };
  EXPECT_THAT(mistakes({&kGood}), IsEmpty());
  EXPECT_THAT(mistakes({&kGood, &kOther}), ElementsAre("its header fields do not fit into one frame"));
  EXPECT_THAT(mistakes({&kOdd, &kOfNone}), ElementsAre("header field \"three\": it has 2 bytes, or a multiple of 4",
                                                       "header field \"nowhere\": no frame carries it"));
}

}  // namespace
}  // namespace weir::registry_test
