// SPDX-License-Identifier: Apache-2.0
#include "schemes/expresspass/credit_rate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "schemes/expresspass/expresspass.h"
#include "schemes/test_parameters.h"

namespace weir::expresspass::credit_rate_test {
namespace {

using namespace literals;
using testing::DoubleNear;
using testing::Pointwise;
using testing_scheme::Values;
using testing_scheme::with;

constexpr Duration kRoundTrip = 8_us;
constexpr Duration kGap = 100_ns;  // 80 credits per round trip at the maximum rate

/// A rate under updates of one round trip each.
class Course {
 public:
  explicit Course(const Values& values = {}, std::uint32_t backlog = 1'000) : settings_(with(scheme, values)) {
    rate_.start(settings_, backlog, now_);
  }
  /// In a round trip this number of credits return, and as many are missing. Returns the new rate.
  double round(std::uint32_t returned, std::uint32_t missing = 0) {
    for (std::uint32_t i = 0; i < returned; ++i) rate_.count(i == 0 ? missing : 0);
    now_ += kRoundTrip;
    if (returned > 0) heard_ = now_;
    rate_.update(settings_, now_, kRoundTrip, kGap, heard_);
    return rate_.rate();
  }
  void wait(Duration time) { now_ += time; }
  /// Data arrive that return no credit of this request.
  void hear() { heard_ = now_; }
  void start_again() { rate_.start(settings_, 1'000, now_); }
  CreditRate& rate() { return rate_; }
  void update() { rate_.update(settings_, now_, kRoundTrip, kGap, heard_); }

 private:
  Settings settings_;
  CreditRate rate_;
  Time now_ = Time() + 1_ms;
  Time heard_ = Time() + 1_ms;
};

TEST(CreditRate, StartsAtAlphaAndInProportionForSmallFlows) {
  EXPECT_EQ(Course().rate().rate(), 0.5);  // [XPASS-F-1]
  EXPECT_EQ(Course({}, 40).rate().rate(), 0.5);
  EXPECT_EQ(Course({}, 39).rate().rate(), 0.5 * 39 / 40);
  EXPECT_EQ(Course({}, 1).rate().rate(), 0.0125);
  EXPECT_EQ(Course({}, 0).rate().rate(), 0.0125) << "a rate of zero would never end";
  EXPECT_EQ(Course({{"small_flow", std::int64_t{0}}}, 1).rate().rate(), 0.5);
  EXPECT_EQ(Course({{"alpha", 0.25}}).rate().rate(), 0.25);
  EXPECT_EQ(Course({{"initial_weight", 0.25}}).rate().weight(), 0.25);
}

TEST(CreditRate, ForgetsTheCourseBeforeItStarts) {
  Course course;
  course.round(40);
  course.rate().count(1'000);
  course.start_again();
  EXPECT_NEAR(course.round(40), 0.53125, 1e-12) << "without loss";
  EXPECT_EQ(course.rate().weight(), 0.0625) << "[XPASS-F-5] the first increase";
}

TEST(CreditRate, RisesWithoutLossAsTheFormulaSays) {
  Course course;
  std::vector<double> rates;
  for (int i = 0; i < 10; ++i) rates.push_back(course.round(40));
  // [XPASS-F-3] w starts at 1/16 and grows by 0.05 from the second increase on, up to 0.5.
  const std::vector<double> expected = {.5312, .5840, .6516, .7256, .7976, .8609, .9113, .9479, .9720, .9860};
  EXPECT_THAT(rates, Pointwise(DoubleNear(5e-5), expected));
  EXPECT_EQ(course.rate().weight(), 0.5);
  for (int i = 0; i < 100; ++i) course.round(40);
  EXPECT_LE(course.rate().rate(), 1.0);
}

TEST(CreditRate, ChangesOncePerRoundTrip) {
  Course course;
  course.rate().count(0);
  course.wait(kRoundTrip - 1_ns);
  course.update();
  EXPECT_EQ(course.rate().rate(), 0.5);  // [XPASS-F-2]
  course.wait(1_ns);
  course.update();
  EXPECT_GT(course.rate().rate(), 0.5);
}

TEST(CreditRate, FallsToWhatReturned) {
  Course two({{"alpha", 1.0}});
  // [XPASS-F-4] Two flows at the maximum: half of the credits are lost, the target is zero.
  EXPECT_NEAR(two.round(40, 40), 0.5, 1e-12);
  EXPECT_EQ(two.rate().weight(), 0.03125) << "[XPASS-F-5]";
  // At half the rate the target is 0.0625.
  Course one;
  EXPECT_NEAR(one.round(30, 10), 30 / 80.0 * 1.0625, 1e-12);
  Course never_up;
  EXPECT_EQ(never_up.round(60, 20), 0.5) << "more returned than is sent at this rate: the queue was emptied";
}

TEST(CreditRate, ToleratesTheTargetLoss) {
  Course at;  // at half the rate: 1 of 16
  EXPECT_GT(at.round(15, 1), 0.5);
  Course above;
  EXPECT_LE(above.round(14, 1), 0.5);
  Course none({{"target_loss", 0.0}});
  EXPECT_LT(none.round(39, 1), 0.5);
}

TEST(CreditRate, HalvesItsWeightDownToTheMinimum) {
  Course course;
  course.round(20, 20);
  EXPECT_EQ(course.rate().weight(), 0.03125);
  course.round(10, 10);
  course.round(5, 5);
  EXPECT_EQ(course.rate().weight(), 0.01);  // [XPASS-F-5]
  const double low = course.rate().rate();
  EXPECT_NEAR(course.round(5), 0.01 + 0.99 * low, 1e-12) << "the first increase leaves w as it is";
  course.round(5);
  EXPECT_NEAR(course.rate().weight(), 0.06, 1e-12);
  course.round(20, 20);
  EXPECT_NEAR(course.rate().weight(), 0.03, 1e-12);
  course.round(20);
  EXPECT_NEAR(course.rate().weight(), 0.03, 1e-12) << "the first increase after a decrease";
}

TEST(CreditRate, NeverFallsBelowOneCreditPerRoundTrip) {
  Course course;
  EXPECT_NEAR(course.round(1, 200), 1 / 80.0 * 1.0625, 1e-12);
  course.wait(20 * kRoundTrip);
  course.round(1, 200);
  EXPECT_EQ(course.rate().rate(), 1 / 80.0);  // [XPASS-F-6]
}

TEST(CreditRate, IsAtMostTheMaximumIfARoundTripIsShorterThanAGap) {
  const Settings settings(with(scheme, {}));
  CreditRate rate;
  rate.start(settings, 1'000, Time());
  rate.count(0);
  rate.update(settings, Time() + 50_ns, 50_ns, kGap, Time());
  EXPECT_EQ(rate.rate(), 1.0);  // [XPASS-F-6]
}

TEST(CreditRate, TakesSilenceForTheLossOfAllCredits) {
  Course course;
  course.round(0);
  course.round(0);
  EXPECT_EQ(course.rate().rate(), 0.5);
  EXPECT_EQ(course.round(0), 1 / 80.0);  // [XPASS-F-7] after three round trips
  EXPECT_EQ(course.rate().weight(), 0.03125);
  course.round(0);
  EXPECT_EQ(course.rate().weight(), 0.03125) << "once in three round trips";
  Course heard;
  heard.round(0);
  heard.hear();
  heard.round(0);
  EXPECT_EQ(heard.round(0), 0.5) << "data arrived";
}

TEST(CreditRate, CountsRoundTripsBeforeTheFirstIsMeasured) {
  const Settings settings(with(scheme, {{"initial_round_trip", Duration(20_us)}}));
  const Time start = Time() + 1_ms;
  CreditRate rate;
  rate.start(settings, 1'000, start);
  rate.update(settings, start + 60_us - 1_ns, Duration(), kGap, start);
  EXPECT_EQ(rate.rate(), 0.5);
  rate.update(settings, start + 60_us, Duration(), kGap, start);
  EXPECT_EQ(rate.rate(), 1 / 200.0) << "[XPASS-F-7] after three, one credit per round trip";
}

TEST(CreditRate, FollowsThePaperOnRequest) {
  const Values paper = {{"feedback", std::string("paper")}, {"target_loss", 0.1}};
  Course rising(paper);
  EXPECT_NEAR(rising.round(40), 0.9375 * 0.5 + 0.0625 * 1.1, 1e-12);  // [XPASS-F-8]
  EXPECT_EQ(rising.rate().weight(), 0.0625);
  rising.round(40);
  EXPECT_EQ(rising.rate().weight(), (0.0625 + 0.5) / 2);
  for (int i = 0; i < 60; ++i) rising.round(40);
  EXPECT_NEAR(rising.rate().rate(), 1.1, 1e-6);
  Course falling(paper);
  EXPECT_NEAR(falling.round(20, 20), 0.5 * 0.5 * 1.1, 1e-12);
  EXPECT_EQ(falling.rate().weight(), 0.03125);
  Course steady(paper);
  EXPECT_GT(steady.round(36, 4), 0.5) << "a loss of 0.1 is the target";
}

}  // namespace
}  // namespace weir::expresspass::credit_rate_test
