// SPDX-License-Identifier: MIT
//
// Probabilities and quantiles as constraints: reading, the binomial arithmetic, the solver's view, the checked answer.
#include "zeroth/adapters/statement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "scratch.hpp"
#include "zeroth/adapters/smoothed_indicator.hpp"
#include "zeroth/core/error.hpp"
#include "zeroth/core/statistics/binomial.hpp"
#include "zeroth/run/minimize.hpp"
#include "zeroth/store/store.hpp"

namespace zeroth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Statement read(const std::string& text) { return read_meaning({text}, 0, "").value().statements.at(0); }

TEST(Statement, SaysWhatIsBadAndHowOftenItMayBe) {
  struct Case {
    const char* text;
    double share;
    bool below, at, above;  // is a value below, at, above the limit 3 bad?
  };
  for (const Case& c : std::initializer_list<Case>{{"probability(wait <= 3) >= 0.75", 0.25, false, false, true},
                                                   {"probability( wait<3 )>=0.75", 0.25, false, true, true},
                                                   {"probability(wait >= 3) >= 0.75", 0.25, true, false, false},
                                                   {"probability(wait > 3) <= 0.25", 0.25, false, false, true},
                                                   {"probability(wait >= 3) <= 0.25", 0.25, false, true, true},
                                                   {"probability(wait < 3.0) <= 2.5e-1", 0.25, true, false, false},
                                                   {"quantile(wait, 0.75) <= 3", 0.25, false, false, true},
                                                   {"quantile(wait, 0.25) >= +3", 0.25, true, false, false}}) {
    const Statement s = read(c.text);
    EXPECT_EQ(s.about, "wait") << c.text;
    EXPECT_DOUBLE_EQ(s.share, c.share) << c.text;
    EXPECT_EQ(s.bad(2.9), c.below) << c.text;
    EXPECT_EQ(s.bad(3), c.at) << c.text;
    EXPECT_EQ(s.bad(3.1), c.above) << c.text;
    EXPECT_DOUBLE_EQ(s.of(2.9), c.below - c.share) << c.text;
  }
  EXPECT_DOUBLE_EQ(read("mean(wait) <= 3").of(3.5), 0.5);
  EXPECT_DOUBLE_EQ(read("mean(wait) >= 3").of(3.5), -0.5);
}

TEST(Statement, SeveralAboutOneValueMeasureItOnce) {
  const auto meaning =
      read_meaning({"cost", "probability(wait <= 3) >= 0.9", "wait", "quantile(cost, 0.5) <= 1"}, 1, "");
  ASSERT_TRUE(meaning);
  EXPECT_THAT(meaning->values, ElementsAre("cost", "wait"));
  EXPECT_EQ(meaning->measured(), 4);  // objective, cost, wait, one equality
  EXPECT_THAT(meaning->of(std::vector<double>{7, 2, 4, 0.5}),
              ElementsAre(7, 2, testing::DoubleNear(0.9, 1e-12), 4, 0.5, 0.5));
  EXPECT_FALSE(read_meaning({"cost", "wait"}, 0, ""));  // plain names need no layer
}

TEST(Statement, ASlipIsNamedWithTheRemedy) {
  const auto complaint = [](const std::string& text) {
    try {
      read_meaning({text}, 0, "p.toml:3", {});
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(complaint("probability(wait <= 3) >= 95"),
              HasSubstr("the probability is 95, but must lie between 0 and 1"));
  EXPECT_THAT(complaint("probability(wait) >= 0.95"), HasSubstr("<= or >= is missing before ')"));
  EXPECT_THAT(complaint("quantile(wait) <= 3"), HasSubstr("',' is missing"));
  EXPECT_THAT(complaint("quantil(wait, 0.9) <= 3"), HasSubstr("there is no 'quantil(...)'"));
  EXPECT_THAT(complaint("wait <= 3"), HasSubstr("write a name, 'mean(NAME) <= 3'"));
  EXPECT_THAT(complaint("mean(wait) <= 3 or so"), HasSubstr("p.toml:3: the constraint 'mean(wait) <= 3 or so'"));
  EXPECT_THROW(read_meaning({"mean(wiat) <= 3"}, 0, "", {"wait"}), Error);
}

TEST(Binomial, IntervalsCoverAtLeastAsOftenAsTheySay) {
  // All outcomes, weighted by their exact probability: no simulation, no tolerance.
  for (const std::int64_t n : {5, 20, 60})
    for (const double p : {0.02, 0.05, 0.3, 0.5, 0.97}) {
      double covered = 0, claimed = 0;
      for (std::int64_t k = 0; k <= n; ++k) {
        const double weight = probability_of_at_most(k, n, p) - probability_of_at_most(k - 1, n, p);
        const auto [lower, upper] = probability_interval(k, n);
        covered += weight * (lower <= p && p <= upper);
        claimed += weight * (confidence_at_most(0.999 * p, k, n) >= 0.95);  // claims P <= 0.999 p, which is false
      }
      EXPECT_GE(covered, 0.95) << n << " " << p;
      EXPECT_LE(claimed, 0.05) << n << " " << p;
    }
  EXPECT_NEAR(confidence_at_most(0.05, 0, 59), 1 - std::pow(0.95, 59), 1e-12);
  EXPECT_EQ(most_bad(0.05, 58, 0.95), -1);
  EXPECT_EQ(most_bad(0.05, 59, 0.95), 0);
}

TEST(Binomial, QuantileIntervalsNeedNoDistribution) {
  int covered = 0;
  constexpr int runs = 2000;
  for (int run = 0; run < runs; ++run) {
    Rng rng(derive_key(7, 1, static_cast<std::uint64_t>(run)));
    std::vector<double> evaluations(80);
    for (double& v : evaluations) v = std::pow(rng.uniform(), 3);  // quantile q is q^3
    const auto [lower, upper] = quantile_interval(evaluations, 0.8);
    covered += lower <= 0.512 && 0.512 <= upper;
  }
  EXPECT_GE(covered, 0.95 * runs - 4 * std::sqrt(runs * 0.95 * 0.05));
  EXPECT_TRUE(std::isinf(quantile_interval({1, 2, 3, 4, 5}, 0.9).upper));
  EXPECT_EQ(sample_quantile({5, 1, 4, 2, 3}, 0.8), 4);
}

TEST(SmoothedIndicator, HasTheStatedBias) {
  const SmoothedIndicator smooth{1, 0.3, 1e9, 0, 1};
  // Excess with density 1 - e / 2 on (-1, 1) (up to scale): slope -1/4 of its normalised density at 0.
  double mean = 0;
  constexpr int cells = 200000;
  for (int i = 0; i < cells; ++i) {
    const double e = -1 + 2 * (i + 0.5) / cells;
    mean += smooth(e) * (1 - e / 2) / cells;
  }
  const double exact = 0.5 - 0.125;
  EXPECT_NEAR(mean - exact, 0.3 * 0.3 / 14 * 0.25, 1e-6);  // the density is linear, so first order is all there is
  EXPECT_EQ(smooth(-0.31), 0);
  EXPECT_EQ(smooth(0.31), 1);
}

// min |x - 1|^2 where x_0 + x_1 - 1 + 0.2 noise may exceed 0 once in ten evaluations.
Problem tenth(bool counts) {
  Problem p;
  p.spec.domain = Domain::box(2, -2, 2);
  p.spec.constraints = 1;
  p.spec.start = Vector::Zero(2);
  p.constraint_names = {"c"};
  p.oracle = [counts](std::span<const double> x, Rng& noise, std::span<double> values) {
    values[0] = std::pow(x[0] - 1, 2) + std::pow(x[1] - 1, 2) + 0.1 * noise.normal();
    const double c = x[0] + x[1] - 1 + 0.2 * noise.normal();
    values[1] = counts ? std::ceil(std::max(0.0, c)) : c;
  };
  return p;
}

double probability_at(const Vector& x) { return 0.5 * std::erfc((x.sum() - 1) / 0.2 / std::sqrt(2.0)); }

TEST(Chance, IsKeptAndCheckedByTheRealIndicator) {
  struct Case {
    const char *solver, *constraint;
    std::int64_t budget;
    bool counts;
  };
  for (const Case& c : {Case{"adaptive-conex", "probability(c <= 0) >= 0.9", 2000, false},
                        Case{"adaptive-conex", "quantile(c, 0.9) <= 0", 2000, false},
                        Case{"trust-bo", "probability(c > 0) <= 0.1", 200, false},
                        Case{"trust-bo", "probability(c > 0) <= 0.1", 200, true}}) {
    MinimizeOptions o;
    o.solver = c.solver;
    o.budget = c.budget;
    o.constraints = {c.constraint};
    const Result r = minimize(tenth(c.counts), o);
    ASSERT_EQ(r.constraints.size(), 1U);
    const ConstraintResult& result = r.constraints[0];
    ASSERT_TRUE(result.chance) << c.constraint;
    const double p = probability_at(r.x), cost = (r.x.array() - 1).square().sum();
    EXPECT_GE(p, 0.88) << c.solver << " " << c.constraint;
    EXPECT_LT(cost, 1.6) << c.solver << " " << c.constraint;  // optimum 0.789; without leaving the start 2
    if (result.chance->quantile) {
      const double quantile = r.x.sum() - 1 + 0.2 * 1.2815516;
      EXPECT_LE(result.chance->lower - 0.05, quantile);
      EXPECT_GE(result.chance->upper + 0.05, quantile);
    } else {
      const bool bad = std::string(c.constraint).find('>') == std::string("probability(c ").size();
      EXPECT_GE((bad ? 1 - p : p), result.chance->lower - 0.03);
      EXPECT_LE((bad ? 1 - p : p), result.chance->upper + 0.03);
    }
    EXPECT_GT(result.value.se, 0);
    EXPECT_EQ(r.feasibility == Feasibility::confirmed, result.probability_feasible >= 0.95);
  }
}

TEST(Chance, NothingBadInAFewEvaluationsIsNoProof) {
  MinimizeOptions o;
  o.solver = "sobol";
  o.budget = 40;  // the check has four evaluations
  Problem p = tenth(false);
  p.oracle = [](std::span<const double>, Rng& noise, std::span<double> values) {
    values[0] = 0;
    values[1] = noise.uniform() - 2;  // never bad
  };
  o.constraints = {"probability(c <= 0) >= 0.95"};
  const Result r = minimize(p, o);
  EXPECT_NE(r.feasibility, Feasibility::confirmed);
  EXPECT_NEAR(r.constraints[0].probability_feasible, 1 - std::pow(0.95, static_cast<double>(r.replicates)), 1e-12);
  o.budget = 1000;
  EXPECT_EQ(minimize(p, o).feasibility, Feasibility::confirmed);
}

TEST(Chance, WithoutNoiseTheValueItselfLeads) {
  Problem p = tenth(false);
  p.oracle = [](std::span<const double> x, Rng&, std::span<double> values) {
    values[0] = std::pow(x[0] - 1, 2) + std::pow(x[1] - 1, 2);
    values[1] = x[0] + x[1] - 1;
  };
  MinimizeOptions o;
  o.solver = "adaptive-conex";
  o.budget = 800;
  o.constraints = {"probability(c <= 0) >= 0.95"};
  const Result r = minimize(p, o);
  EXPECT_NEAR(r.x[0], 0.5, 0.05);
  EXPECT_NEAR(r.x[1], 0.5, 0.05);
}

using testing_support::Ran;
using testing_support::Scratch;

TEST(Chance, FromAProblemFileIsStoredAsMeasuredAndResumesToTheSameBits) {
  const Scratch scratch;
  scratch.write("p.toml", "[problem]\nname = \"p\"\ncommand = [\"" + testing_support::test_evaluator +
                              "\", \"ok\"]\nconstraints = [\"probability(a <= 0.01) >= 0.5\", \"b\", "
                              "\"quantile(a, 0.4) <= 0.02\"]\n[variables]\ncount = 2\nlower = 0\nupper = 1\n"
                              "[solver]\nname = \"adaptive-conex\"\nbudget = 60\n");
  const auto solve = [&](const std::string& store, bool resume) {
    std::vector<std::string> words{"solve", "p.toml", "--store", store, "--json", "-q"};
    if (resume) words.push_back("--resume");
    return testing_support::zeroth(scratch, words);
  };
  const Ran whole = solve("whole.db", false);
  ASSERT_TRUE(whole.code == 0 || whole.code == 3) << whole.error;
  const auto constraints = whole.json()["constraints"];
  ASSERT_EQ(constraints.size(), 3U);
  EXPECT_TRUE(constraints[0]["probability"].contains("lower"));
  EXPECT_TRUE(constraints[2]["quantile"].contains("upper"));
  EXPECT_FALSE(constraints[1].contains("probability"));
  for (const int kept : {3, 10, 40, 57}) {
    std::filesystem::copy_file(scratch.path("whole.db"), scratch.path("cut.db"),
                               std::filesystem::copy_options::overwrite_existing);
    {
      Store store(scratch.path("cut.db"), Store::Access::existing);
      store.connection().run(("DELETE FROM answers WHERE number >= " + std::to_string(kept)).c_str());
      store.connection().run("UPDATE runs SET status = 'running', result = NULL");
    }
    EXPECT_EQ(testing_support::bits_of(solve("cut.db", true)), testing_support::bits_of(whole)) << kept;
  }
  const Ran verified = testing_support::zeroth(scratch, {"verify", "whole.db"});
  EXPECT_EQ(verified.code, 0) << verified.out << verified.error;
  const Ran exported = testing_support::zeroth(scratch, {"export", "whole.db"});
  EXPECT_THAT(exported.out.substr(0, exported.out.find('\n')), HasSubstr("objective,a,b,failure"));
  const Ran report = testing_support::zeroth(scratch, {"report", "whole.db", "-o", "page.html"});
  EXPECT_EQ(report.code, 0) << report.error;
  EXPECT_THAT(scratch.read("page.html"), HasSubstr("quantile(a, 0.4)"));
}

}  // namespace
}  // namespace zeroth
