// SPDX-License-Identifier: MIT
// The Gaussian process and the augmented-Lagrangian acquisitions against numbers produced by laGP 1.5-9
// (tests/data/lagp_fixtures.json), and Davies' distribution function against published tables.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "davies.hpp"
#include "zeroth/core/random.hpp"
#include "zeroth/model/acquisition.hpp"
#include "zeroth/model/fit.hpp"
#include "zeroth/model/likelihood.hpp"

namespace zeroth {
namespace {

using Json = nlohmann::json;

const Json& fixture() {
  static const Json json =
      Json::parse(std::ifstream(std::string(ZEROTH_SOURCE_DIR) + "/tests/data/lagp_fixtures.json"));
  return json;
}

Vector vector_of(const Json& j) {
  Vector v(static_cast<Index>(j.size()));
  for (Index i = 0; i < v.size(); ++i) v[i] = j[static_cast<std::size_t>(i)].get<double>();
  return v;
}

Matrix points_of(const Json& rows) {
  Matrix m(static_cast<Index>(rows[0].size()), static_cast<Index>(rows.size()));
  for (Index i = 0; i < m.cols(); ++i) m.col(i) = vector_of(rows[static_cast<std::size_t>(i)]);
  return m;
}

// The response named "f", "c1" or "c2", as laGP sees it: divided by its largest absolute value.
double norm_of(const std::string& name) {
  return name == "f" ? fixture()["fnorm"][0].get<double>() : fixture()["Cnorm"][name == "c1" ? 0 : 1].get<double>();
}
Evaluations evaluations_of(const std::string& name) {
  Evaluations evaluations{points_of(fixture()["X"]), {}, {}};
  if (name == "f") evaluations.values = vector_of(fixture()["f"]);
  else evaluations.values = points_of(fixture()["C"]).row(name == "c1" ? 0 : 1).transpose();
  evaluations.values /= norm_of(name);
  return evaluations;
}

constexpr double nugget = 1e-6;

class LagpResponse : public testing::TestWithParam<const char*> {};

TEST_P(LagpResponse, LogPosteriorAndMapLengths) {
  const Evaluations evaluations = evaluations_of(GetParam());
  const Json& fit = fixture()["fit"][GetParam()];
  const auto close = [](double ours, double theirs) { EXPECT_NEAR(ours, theirs, 1e-10 * std::abs(theirs)); };
  close(scale_free_log_posterior(evaluations, Vector::Constant(2, 0.1), nugget, {}, nullptr),
        fit["logpost_at_d0.1"][0].get<double>());
  const Vector d = vector_of(fit["d"]);
  close(scale_free_log_posterior(evaluations, d, nugget, {}, nullptr), fit["logpost"][0].get<double>());
  // Our own search must find a point at least as good; laGP's stops at its optimiser's tolerance.
  const Vector ours = fit_scale_free(evaluations, Vector::Constant(2, 0.1), nugget, {});
  EXPECT_GE(scale_free_log_posterior(evaluations, ours, nugget, {}, nullptr), fit["logpost"][0].get<double>() - 1e-9);
  EXPECT_LT((ours - d).norm(), 1e-3 * d.norm());
}

TEST_P(LagpResponse, Predictions) {
  const std::string name = GetParam();
  const Gp gp = scale_free_gp(evaluations_of(name), vector_of(fixture()["fit"][name]["d"]), nugget);
  const Vector means = vector_of(fixture()["pred"][name + "_mean"]), s2 = vector_of(fixture()["pred"][name + "_s2"]);
  const Matrix at = points_of(fixture()["XX"]);
  Vector all_means, all_variances;
  gp.at_all(at, all_means, all_variances);
  const double added = nugget * gp.kernel().amplitude;  // laGP's scale includes the nugget
  for (Index i = 0; i < at.cols(); ++i) {
    const Prediction p = gp.at(at.col(i));
    EXPECT_NEAR(p.mean, means[i], 1e-10 * std::abs(means[i]));
    // 1 - k'K^-1 k cancels by the factor 1e6, so what can agree is 1e-10 of the scale, not of the remainder.
    EXPECT_NEAR(p.variance + added, s2[i], 1e-10 * gp.kernel().amplitude);
    EXPECT_NEAR(all_means[i], p.mean, 1e-12);
    EXPECT_NEAR(all_variances[i], p.variance, 1e-13);
  }
}

INSTANTIATE_TEST_SUITE_P(Responses, LagpResponse, testing::Values("f", "c1", "c2"));

BeliefAt belief_at(Index i, bool known_objective) {
  const auto prediction = [&](const std::string& name) {
    const auto k = static_cast<std::size_t>(i);
    const double norm = norm_of(name);
    return Prediction{norm * fixture()["pred"][name + "_mean"][k].get<double>(),
                      norm * norm * fixture()["pred"][name + "_s2"][k].get<double>()};
  };
  BeliefAt belief{prediction("f"), {prediction("c1"), prediction("c2")}};
  if (known_objective) belief.objective = {points_of(fixture()["XX"]).col(i).sum(), 0};
  return belief;
}

AugmentedLagrangian lagrangian() { return {vector_of(fixture()["lambda"]), fixture()["rho"][0].get<double>(), 0}; }

TEST(LagpAcquisition, BestValuesOfTheData) {
  const AugmentedLagrangian al = lagrangian();
  const Vector f = vector_of(fixture()["f"]);
  const Matrix c = points_of(fixture()["C"]);
  double best_classic = 1e300, best_slack = 1e300;
  for (Index i = 0; i < f.size(); ++i) {
    best_classic = std::min(best_classic, al.classic(f[i], c.col(i)));
    best_slack = std::min(best_slack, al.with_slack(f[i], c.col(i)));
  }
  EXPECT_NEAR(best_classic, fixture()["ymin_classic"][0].get<double>(), 1e-12);
  EXPECT_NEAR(best_slack, fixture()["ymin_slack"][0].get<double>(), 1e-12);
}

TEST(LagpAcquisition, ExpectedLagrangians) {
  for (const bool known : {true, false})
    for (Index i = 0; i < 6; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const BeliefAt belief = belief_at(i, known);
      const double slack = fixture()[known ? "slack_known" : "slack_fhat"]["ey"][k].get<double>();
      EXPECT_NEAR(lagrangian().slack_mean(belief), slack, 1e-10 * slack);
      // laGP's classic column is a Monte Carlo mean of 2e6 draws of sd below 3.
      const double classic = fixture()[known ? "classic_known" : "classic_fhat"]["ey"][k].get<double>();
      EXPECT_NEAR(lagrangian().classic_mean(belief), classic, 4 * 3 / std::sqrt(2e6));
    }
}

// laGP integrates Davies' distribution function by 30 nodes of full weight; with ours in the same sum its number
// appears.
TEST(LagpAcquisition, SlackImprovementByDaviesAsCodedInLagp) {
  const AugmentedLagrangian al = lagrangian();
  const double best = fixture()["ymin_slack"][0].get<double>();
  for (Index i = 0; i < 6; ++i) {
    const BeliefAt belief = belief_at(i, true);
    double w = best - belief.objective.mean;
    std::vector<ChiSquareTerm> terms;
    for (Index j = 0; j < 2; ++j) {
      const Prediction& p = belief.constraints[static_cast<std::size_t>(j)];
      const double s = al.slack(j, p.mean), a = al.rho * al.lambda[j] + s;
      w -= al.lambda[j] * s + (s * s - a * a) / (2 * al.rho);
      terms.push_back({p.variance, std::pow(p.mean + a, 2) / p.variance, 1});
    }
    w *= 2 * al.rho;
    double sum = 0;
    if (w > 0)
      for (int k = 0; k < 30; ++k) sum += chi_square_mixture_cdf(terms, 0, w * k / 29);
    const double expected = fixture()["slack_known"]["ei"][static_cast<std::size_t>(i)].get<double>();
    // The accuracy asked of Davies' sum is 1e-4 at each of 30 nodes of weight w/29.
    EXPECT_NEAR(w > 0 ? sum * w / 29 / (2 * al.rho) : 0, expected, 1e-4 * std::max(0.0, w) / (2 * al.rho));
  }
}

TEST(LagpAcquisition, SlackImprovementOfAnUnknownObjective) {
  // By Monte Carlo, four decimals (laGP's own column carries an error of scale there).
  const double truth[] = {0.1373, 0.1378, 0, 0, 0, 0};
  const double best = fixture()["ymin_slack"][0].get<double>();
  for (Index i = 0; i < 6; ++i) EXPECT_NEAR(lagrangian().slack_improvement(belief_at(i, false), best), truth[i], 1e-4);
}

TEST(LagpAcquisition, ClassicImprovement) {
  const double best = fixture()["ymin_classic"][0].get<double>();
  constexpr Index draws = 200000;
  Matrix normals(draws, 3);
  fill_normal(7, {normals.data(), static_cast<std::size_t>(normals.size())});
  for (const bool known : {true, false})
    for (Index i = 0; i < 6; ++i) {
      const double expected =
          fixture()[known ? "classic_known" : "classic_fhat"]["ei"][static_cast<std::size_t>(i)].get<double>();
      const double ours = lagrangian().classic_improvement(belief_at(i, known), best, normals);
      // Improvements are at most 0.5 and rare: their sd is below sqrt(0.5 EI). Five standard errors of both sides.
      EXPECT_NEAR(ours, expected, 5 * std::sqrt(0.5 * (expected + 1e-6) / draws) * 1.2);
    }
}

// Imhof (1961), Table 1, P(Q > x), four decimals; also Davies (1980).
TEST(Davies, PublishedTable) {
  const auto tail = [](const std::vector<ChiSquareTerm>& terms, double x) {
    return 1 - chi_square_mixture_cdf(terms, 0, x, 1e-6, 100000);
  };
  const std::vector<ChiSquareTerm> q1{{0.6, 0, 1}, {0.3, 0, 1}, {0.1, 0, 1}};
  EXPECT_NEAR(tail(q1, 0.1), 0.9458, 5.1e-5);
  EXPECT_NEAR(tail(q1, 0.7), 0.5064, 5.1e-5);
  EXPECT_NEAR(tail(q1, 2), 0.1240, 5.1e-5);
  const std::vector<ChiSquareTerm> q3{{0.6, 0, 6}, {0.3, 0, 4}, {0.1, 0, 2}};
  EXPECT_NEAR(tail(q3, 1), 0.9973, 5.1e-5);
  EXPECT_NEAR(tail(q3, 5), 0.4353, 5.1e-5);
  EXPECT_NEAR(tail(q3, 12), 0.0088, 5.1e-5);
  const std::vector<ChiSquareTerm> q4{{0.6, 0, 2}, {0.3, 0, 4}, {0.1, 0, 6}};
  EXPECT_NEAR(tail(q4, 1), 0.9666, 5.1e-5);
  EXPECT_NEAR(tail(q4, 3), 0.4196, 5.1e-5);
  EXPECT_NEAR(tail(q4, 8), 0.0087, 5.1e-5);
  const std::vector<ChiSquareTerm> q5{{0.7, 6, 6}, {0.3, 2, 2}};
  EXPECT_NEAR(tail(q5, 2), 0.9939, 5.1e-5);
  EXPECT_NEAR(tail(q5, 10), 0.4087, 5.1e-5);
  EXPECT_NEAR(tail(q5, 20), 0.0221, 5.1e-5);
  const std::vector<ChiSquareTerm> q6{{0.7, 6, 1}, {0.3, 2, 1}};
  EXPECT_NEAR(tail(q6, 1), 0.9549, 5.1e-5);
  EXPECT_NEAR(tail(q6, 6), 0.4076, 5.1e-5);
  EXPECT_NEAR(tail(q6, 15), 0.0223, 5.1e-5);
}

TEST(Davies, SpecialCasesInClosedForm) {
  // chi^2 with 2 degrees is exponential; one degree is a folded normal; a lone normal term is the normal law.
  for (const double x : {0.1, 1.0, 4.0}) {
    EXPECT_NEAR(chi_square_mixture_cdf({{1, 0, 2}}, 0, x, 1e-6, 1000000), 1 - std::exp(-x / 2), 1e-6);
    EXPECT_NEAR(chi_square_mixture_cdf({{1, 0, 1}}, 0, x, 1e-5, 1000000), std::erf(std::sqrt(x / 2)), 1e-5);
    EXPECT_NEAR(chi_square_mixture_cdf({}, 2, x, 1e-7), 0.5 * std::erfc(-x / 2 / std::sqrt(2.0)), 1e-7);
  }
  // Far from the mean of a weight that dwarfs the other, as in the acquisitions.
  EXPECT_NEAR(chi_square_mixture_cdf({{1e-6, 3, 1}, {1, 0, 1}}, 1e-3, 0.5, 1e-5, 1000000), std::erf(0.5), 1e-4);
}

}  // namespace
}  // namespace zeroth
