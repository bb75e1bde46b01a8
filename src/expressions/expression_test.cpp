// SPDX-License-Identifier: Apache-2.0
#include "expressions/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "expressions/evaluation.h"

namespace weir::expression_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// Artificial measures for the tests: `load_of` depends on load, variant and seed, `pair` a list of two.
const Signature kLoadOf = {"load_of", "made up", kPlain, false, {{"over", false, kSize, false, "what counts"}}};
const Signature kQueue = {"queue", "made up", kSize, false, {{"class", true, kPlain, true, "which flows"}}};
const Signature kPair = {"pair", "made up", kPlain, true, {}};
const Signature kShare = {"share", "made up", kPlain, false, {{"workload", true, kPlain, true, "whose"}}};

class MadeUp : public ResultSource {
 public:
  Figure of_run(const Signature& measure, const MeasureArguments& arguments, const RunPoint& run) override {
    asked.insert(run);
    const double load = run.values.empty() ? 0 : static_cast<double>(run.values[0]);
    if (&measure == &kPair) return Figure::numbers({load, static_cast<double>(run.seed)});
    if (&measure == &kQueue) {
      if (*arguments.at("class").as_text() == "nothing") throw Unavailable("no scheme \"bfc\"");
      return Figure::number(1000 * (static_cast<double>(run.variant) + 1), kSize);
    }
    return Figure::number(10 * load + static_cast<double>(run.variant) + 100 * static_cast<double>(run.seed));
  }
  Figure of_analysis(const Signature&, const MeasureArguments& arguments) override {
    return Figure::number(*arguments.at("workload").as_text() == "google" ? 0.47 : 0.1);
  }
  std::set<RunPoint> asked;
};

const RunSpace kSpace = {
    {"a", "b"}, {{"load", {Figure::number(0.5), Figure::number(0.8), Figure::number(0.9)}}}, {1, 2}};
const Vocabulary kVocabulary = {{&kLoadOf, &kQueue, &kPair}, {&kShare}};

struct Outcome {
  Figure figure;
  std::vector<Finding> findings;
  std::set<RunPoint> asked;
  std::string error;  ///< "offset: message (did you mean ...)"
  std::string unavailable;
};

Outcome evaluated(const std::string& text) {
  Outcome out;
  auto parsed = parse_expression(text);
  const auto told = [](const ExpressionError& error) {
    return std::to_string(error.offset) + ": " + error.message +
           (error.suggestion.empty() ? "" : " (did you mean \"" + error.suggestion + "\"?)");
  };
  if (const auto* error = std::get_if<ExpressionError>(&parsed)) {
    out.error = told(*error);
    return out;
  }
  MadeUp source;
  Evaluation evaluation(kSpace, kVocabulary, source);
  try {
    out.figure = evaluation.evaluate(*std::get<ExpressionPointer>(parsed));
  } catch (const ExpressionError& error) {
    out.error = told(error);
  } catch (const Unavailable& unavailable) {
    out.unavailable = unavailable.what();
  }
  out.findings = evaluation.findings();
  out.asked = source.asked;
  return out;
}

double number(const std::string& text) {
  const Outcome out = evaluated(text);
  EXPECT_EQ(out.error, "") << text;
  const double* value = out.figure.as_number();
  EXPECT_NE(value, nullptr) << text;
  return value == nullptr ? std::nan("") : *value;
}

bool truth(const std::string& text) {
  const Outcome out = evaluated(text);
  EXPECT_EQ(out.error, "") << text;
  EXPECT_EQ(out.unavailable, "") << text;
  const bool* value = out.figure.as_truth();
  EXPECT_NE(value, nullptr) << text;
  return value != nullptr && *value;
}

std::string error(const std::string& text) {
  return evaluated(text).error;
}

TEST(Expression, HasTheUsualPrecedence) {
  EXPECT_EQ(number("1 + 2 * 3"), 7);
  EXPECT_EQ(number("(1 + 2) * 3"), 9);
  EXPECT_EQ(number("2 - 3 - 4"), -5);
  EXPECT_EQ(number("12 / 2 / 3"), 2);
  EXPECT_EQ(number("-2 * -3"), 6);
  EXPECT_TRUE(truth("1 < 2 or 1 < 0 and 1 < 0"));
  EXPECT_FALSE(truth("not 1 < 2 and 1 < 2"));
  EXPECT_TRUE(truth("not (1 < 2 and 2 < 1)"));
}

TEST(Expression, ChainsComparisons) {
  EXPECT_TRUE(truth("40 % <= 0.47 <= 55 %"));
  EXPECT_FALSE(truth("1 < 3 < 2"));
  EXPECT_TRUE(truth("3 > 2 >= 2 != 1 == 1"));
  EXPECT_TRUE(truth("\"a\" == \"a\" and \"a\" != 'b'"));
}

TEST(Expression, HoldsToUnits) {
  EXPECT_TRUE(truth("3 KB == 3000 B"));
  EXPECT_TRUE(truth("2us == 2000 ns"));
  EXPECT_EQ(number("100 Gbit/s * 8 us / 1 B"), 100'000);
  EXPECT_TRUE(truth("(100 Gbit/s) * 8 us == 100 KB"));
  EXPECT_EQ(number("1 MB / 1 KB"), 1000);
  EXPECT_EQ(error("3 KB < 3"), "0: compares a size with a number");
  EXPECT_EQ(error("1 us + 3 KB"), "0: a duration + a size: expected operands of the same kind");
  EXPECT_EQ(error("3 kB < 4 KB"), "2: \"kB\" is not a unit, expected one such as \"KB\", \"us\", \"Gbit/s\" or \"%\"");
}

TEST(Expression, HasFunctions) {
  EXPECT_EQ(number("max(1, 3, 2)"), 3);
  EXPECT_EQ(number("min([4, 3, 5])"), 3);
  EXPECT_EQ(number("mean([1, 2, 6])"), 3);
  EXPECT_EQ(number("sd([1, 2, 3])"), 1);
  EXPECT_EQ(number("quantile([5, 1, 4, 2, 3], 0.8)"), 4);
  EXPECT_EQ(number("slope([1, 3, 5])"), 2);
  EXPECT_EQ(number("slope([0, 10, 20], [1, 3, 5])"), 0.2);
  EXPECT_EQ(number("ks([1, 2, 3, 4], [1, 2, 3, 4])"), 0);
  EXPECT_EQ(number("ks([1, 2], [3, 4])"), 1);
  EXPECT_EQ(number("distance([0.5, 1], [0.25, 0.75])"), 0.25);
  EXPECT_EQ(number("round(2.34567, 2)"), 2.35);
  EXPECT_TRUE(truth("rising([1, 2, 3]) and not rising([1, 1]) and falling([2, 1])"));
  EXPECT_EQ(number("abs(-3)"), 3);
  EXPECT_EQ(number("slope(log([1, 2, 4]), log([3, 6, 12]))"), 1);
  EXPECT_EQ(error("max()"), "0: max has 0 arguments, expected max(list) or max(x, y, ...)");
  EXPECT_EQ(error("ks([1], 2)"), "0: ks: got a number, expected a list of numbers");
  EXPECT_EQ(error("max(1 KB, 2)"), "0: max: got a number and a size, expected the same kind");
}

TEST(Expression, AsksRunsBySweepVariantAndSeed) {
  EXPECT_EQ(number("load_of(variant=\"b\", load=0.8, seed=1)"), 11);
  EXPECT_EQ(number("load_of(variant=\"b\", load=0.8, seed=2)"), 111);
  EXPECT_EQ(number("load_of(variant=\"b\", load=0.8)"), 61);  // the mean over the seeds
  EXPECT_EQ(evaluated("load_of(variant=\"b\", load=0.8)").asked, (std::set<RunPoint>{{1, {1}, 0}, {1, {1}, 1}}));
  EXPECT_EQ(evaluated("pair(variant=\"a\", load=0.9)").figure, Figure::numbers({2, 0, 2, 1}));
  EXPECT_EQ(number("share(workload=\"google\")"), 0.47);
}

TEST(Expression, GoesOverSweeps) {
  EXPECT_TRUE(truth("for all load, variant: load_of() >= 50"));
  EXPECT_TRUE(truth("for all load where load <= 0.8: load_of(variant=\"a\") <= 60"));
  EXPECT_FALSE(truth("for all load: load_of(variant=\"a\") <= 60"));
  EXPECT_TRUE(truth("for some load: load_of(variant=\"a\") <= 50"));
  EXPECT_TRUE(truth("for all v in [\"a\", \"b\"]: load_of(variant=v, load=0.5) <= 51"));
  EXPECT_EQ(number("mean([load_of(variant=\"a\") for load])"), 60);
  EXPECT_EQ(number("mean([load_of(variant=\"a\") < 55 for load])"), 1.0 / 3);
  EXPECT_EQ(number("sd([load_of(variant=\"a\", load=0.5) for seed])"), std::sqrt(5000));
}

TEST(Expression, SaysWhichRunIsMeant) {
  EXPECT_EQ(error("load_of(load=0.5)"), "0: load_of does not specify the variant");
  EXPECT_EQ(error("load_of(variant=\"a\")"), "0: load_of does not specify the load");
  EXPECT_EQ(error("load_of(variant=\"a\", load=0.7)"),
            "0: there is no load 0.7 in this form of the row, expected one of 0.5, 0.8, 0.9");
  EXPECT_THAT(error("load_of(variant=\"c\", load=0.5)"), HasSubstr("0: there is no variant c"));
  EXPECT_EQ(error("load_of(varriant=\"a\", load=0.5)"),
            "8: load_of has no argument \"varriant\", and no sweep has that name (did you mean \"variant\"?)");
}

TEST(Expression, NamesWhatIsWrongAndWhere) {
  EXPECT_EQ(error("lod_of(variant=\"a\")"),
            "0: \"lod_of\" is neither a measure nor a function (did you mean \"load_of\"?)");
  EXPECT_EQ(error("1 + "), "4: found the end, expected a value");
  EXPECT_EQ(error("(1 + 2"), "6: found the end, expected \")\"");
  EXPECT_EQ(error("1 2"), "2: a number is unexpected, expected an operator or the end");
  EXPECT_EQ(error("1 & 2"), "2: \"&\" is not valid here");
  EXPECT_EQ(error("\"abc"), "0: a string begins here but does not end");
  EXPECT_EQ(error("for every load: 1 < 2"), "4: found \"every\", expected \"all\" or \"some\"");
  EXPECT_EQ(error("for all lod: 1 < 2"),
            "8: \"lod\" is not a sweep of the row, expected one, or \"in\" and a list (did you mean \"load\"?)");
  EXPECT_EQ(error("load < 1"), "0: unknown name \"load\", expected a measure, a function, or a name bound by a for");
  EXPECT_EQ(error("queue(variant=\"a\", load=0.5) < 3 KB"), "0: queue needs class: a string, which flows");
  EXPECT_EQ(error("load_of(over=3, variant=\"a\", load=0.5) < 3"),
            "0: over of load_of is a number, expected a size: what counts");
  EXPECT_EQ(error("for all load where load_of(variant=\"a\") < 1: 1 < 2"),
            "19: load_of: a condition after \"where\" cannot use results");
  EXPECT_EQ(error("for all load where load > 1: load_of(variant=\"a\") > 0"),
            "0: iterates over an empty list, so it states nothing");
  EXPECT_EQ(error("1 and 2 < 3"), "0: is a number, expected a comparison");
  EXPECT_EQ(error("load_of(\"a\")"), "8: the arguments of load_of need names, such as class=\"all\"");
  EXPECT_EQ(error(std::string(500, '(')), "50: is nested too deeply");
}

TEST(Expression, KeepsWhatItCompared) {
  const Outcome out = evaluated("for all variant: queue(class=\"x\", load=0.5) <= 1500 B");
  ASSERT_THAT(out.findings, SizeIs(2));
  EXPECT_EQ(out.findings[0].text, "1.00 KB <= 1.50 KB");
  EXPECT_EQ(out.findings[0].where, "variant a");
  EXPECT_TRUE(out.findings[0].holds);
  EXPECT_EQ(out.findings[1].text, "2.00 KB <= 1.50 KB");
  EXPECT_FALSE(out.findings[1].holds);
  EXPECT_EQ(out.findings[1].begin, 17U);
}

TEST(Expression, EvaluatesAllOfIt) {
  // The first part decides, but the report also requires the second.
  EXPECT_THAT(evaluated("1 < 2 or 3 < 4").findings, SizeIs(2));
  EXPECT_THAT(evaluated("2 < 1 and 3 < 4").findings, SizeIs(2));
}

TEST(Expression, SaysWhatIsNotThere) {
  EXPECT_EQ(evaluated("queue(class=\"nothing\", variant=\"a\", load=0.5) < 1 KB").unavailable, "no scheme \"bfc\"");
  EXPECT_EQ(evaluated("mean([]) < 1").unavailable, "a side of a comparison has no value: none < 1.00");
}

}  // namespace
}  // namespace weir::expression_test
