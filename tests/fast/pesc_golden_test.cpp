// SPDX-License-Identifier: MIT
// Expectation propagation and acquisition of PESC against the vectors in tests/data/pesc_ep_fixtures.json.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "zeroth/solvers/pesc/pesc_conditioning.hpp"

namespace zeroth {
namespace {

using Json = nlohmann::json;

Vector vector_of(const Json& j) {
  Vector v(static_cast<Index>(j.size()));
  for (Index i = 0; i < v.size(); ++i) v[i] = j[static_cast<std::size_t>(i)].get<double>();
  return v;
}

Matrix columns_of(const Json& rows) {
  Matrix m(static_cast<Index>(rows[0].size()), static_cast<Index>(rows.size()));
  for (Index i = 0; i < m.cols(); ++i) m.col(i) = vector_of(rows[static_cast<std::size_t>(i)]);
  return m;
}

PescFunction function_of(const Json& j, const char* x, const char* y) {
  return {{Kernel::Form::matern52, vector_of(j["ls"]), j["amp2"].get<double>()},
          j["noise"].get<double>(),
          {columns_of(j[x]), vector_of(j[y]), {}}};
}

class PescCase : public testing::TestWithParam<int> {};

TEST_P(PescCase, SitesMomentsAndAcquisition) {
  const Json all = Json::parse(std::ifstream(std::string(ZEROTH_SOURCE_DIR) + "/tests/data/pesc_ep_fixtures.json"));
  const Json& fixture = all["cases"][static_cast<std::size_t>(GetParam())];
  const Json &given = fixture["case"], &expected = fixture["expected"];
  std::vector<PescFunction> constraints;
  for (const auto& c : given["cons"]) constraints.push_back(function_of(c, "x", "y"));
  const PescConditioning ep(function_of(given, "xo", "yo"), constraints, vector_of(given["xs"][0]));

  // Both sides stop when nothing moves by more than 1e-4 any more.
  const auto close = [](const Matrix& ours, const Matrix& theirs, double tolerance, const char* what) {
    ASSERT_EQ(ours.size(), theirs.size()) << what;
    EXPECT_LT((ours - theirs).cwiseAbs().maxCoeff(), tolerance) << what;
  };
  close(ep.objective_mean(), vector_of(expected["m_obj"]), 1e-4, "m_f");
  close(ep.objective_covariance(), columns_of(expected["V_obj"]), 1e-4, "V_f");
  const Matrix acquisition = ep.acquisition(columns_of(given["T"]));
  close(acquisition.row(0).transpose(), vector_of(expected["acq_obj"]), 1e-4, "alpha_f");
  for (std::size_t k = 0; k < constraints.size(); ++k) {
    close(ep.constraint_mean(k), vector_of(expected["m_con"][k]), 1e-4, "m_k");
    close(ep.constraint_covariance(k), columns_of(expected["V_con"][k]), 1e-4, "V_k");
    close(acquisition.row(static_cast<Index>(k) + 1).transpose(), vector_of(expected["acq_con"][k]), 1e-4, "alpha_k");
    const double a = expected["a_g"][k].get<double>(), b = expected["b_g"][k].get<double>();
    EXPECT_NEAR(ep.sites().a_g[static_cast<Index>(k)], a, 1e-4 * (1 + a));
    EXPECT_NEAR(ep.sites().b_g[static_cast<Index>(k)], b, 1e-4 * (1 + b));
  }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, PescCase, testing::Values(0, 1, 2));

}  // namespace
}  // namespace zeroth
