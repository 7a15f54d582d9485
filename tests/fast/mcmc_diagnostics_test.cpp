// SPDX-License-Identifier: MIT
//
// Diagnostics against R's coda, on the chains in tests/data/coda (or in the directory that ZEROTH_CODA_FIXTURES names).
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "zeroth/apps/mcmc/diagnostics.hpp"
#include "zeroth/apps/mcmc/spectrum.hpp"

namespace zeroth::mcmc {
namespace {

using Row = std::map<std::string, std::string>;

std::filesystem::path fixtures() {
  const char* other = std::getenv("ZEROTH_CODA_FIXTURES");
  return other ? std::filesystem::path(other) : std::filesystem::path(ZEROTH_SOURCE_DIR) / "tests/data/coda";
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
  return cells;
}

std::vector<Row> rows_of(const std::string& file) {
  std::ifstream in(fixtures() / file);
  EXPECT_TRUE(in) << file;
  std::string line;
  std::getline(in, line);
  const auto names = cells_of(line);
  std::vector<Row> rows;
  while (std::getline(in, line)) {
    const auto cells = cells_of(line);
    Row row;
    for (std::size_t i = 0; i < cells.size(); ++i) row[names[i]] = cells[i];
    rows.push_back(row);
  }
  return rows;
}

const Matrix& chain(const std::string& name, int number) {
  static std::map<std::string, Matrix> known;
  const std::string file = name + "_c" + std::to_string(number) + ".csv";
  const auto found = known.find(file);
  if (found != known.end()) return found->second;
  std::ifstream in(fixtures() / file);
  EXPECT_TRUE(in) << file;
  std::string line;
  std::getline(in, line);
  std::vector<std::vector<double>> draws;
  while (std::getline(in, line)) {
    draws.emplace_back();
    for (const auto& cell : cells_of(line)) draws.back().push_back(std::stod(cell));
  }
  Matrix m(static_cast<Index>(draws.size()), static_cast<Index>(draws.front().size()));
  for (Index i = 0; i < m.rows(); ++i)
    for (Index j = 0; j < m.cols(); ++j) m(i, j) = draws[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  return known.emplace(file, std::move(m)).first->second;
}

std::span<const double> column(const Matrix& m, int number) {
  return {m.col(number - 1).data(), static_cast<std::size_t>(m.rows())};
}

// R's own cancellation with an offset of 1e6 leaves it fewer digits.
double tolerance(const Row& row) { return row.at("case").starts_with("offset") ? 1e-5 : 1e-9; }

void expect_near(double got, const std::string& expected, const Row& row, const char* what) {
  if (expected == "NA") return;
  if (expected == "NaN" || expected == "Inf") {  // dead: ours is infinite, so that no maximum drops it
    EXPECT_EQ(std::abs(got), std::numeric_limits<double>::infinity()) << what << " of " << row.at("case");
    return;
  }
  const double value = std::stod(expected);
  EXPECT_NEAR(got, value, tolerance(row) * std::max(std::abs(value), 1e-12))
      << what << " of " << row.at("case") << " variable " << row.at("var");
}

TEST(McmcDiagnostics, EqualCodaOnEverySeries) {
  const auto rows = rows_of("expected_per_chain.csv");
  EXPECT_GE(rows.size(), 80u);
  for (const Row& row : rows) {
    const auto x = column(chain(row.at("case"), std::stoi(row.at("chain"))), std::stoi(row.at("var")));
    ASSERT_EQ(x.size(), std::stoul(row.at("n")));
    const Spectrum spectrum = spectrum_ar(x);
    EXPECT_EQ(spectrum.order, std::stoi(row.at("ar_order"))) << row.at("case");
    expect_near(spectrum.at_zero, row.at("spec0"), row, "spectrum at zero");
    expect_near(mean(x), row.at("mean"), row, "mean");
    expect_near(variance(x), row.at("var_unbiased"), row, "variance");
    expect_near(effective_size(x), row.at("ess"), row, "effective size");
    expect_near(geweke_coda(x), row.at("geweke_z"), row, "Geweke (coda)");
    const auto scores = geweke_pymc(x);
    if (row.at("pymc3_geweke_first") == "NA") {
      EXPECT_TRUE(scores.empty());
      EXPECT_TRUE(std::isinf(worst_geweke_pymc(x)));
      continue;
    }
    ASSERT_EQ(scores.size(), std::stoul(row.at("pymc3_n_intervals"))) << row.at("case");
    expect_near(scores.front(), row.at("pymc3_geweke_first"), row, "Geweke (PyMC3), first");
    expect_near(worst_geweke_pymc(x), row.at("pymc3_geweke_maxabs"), row, "Geweke (PyMC3), worst");
  }
}

TEST(McmcDiagnostics, EqualCodaOnSeveralChains) {
  const auto rows = rows_of("expected_multi_chain.csv");
  EXPECT_GE(rows.size(), 40u);
  int multivariate = 0;
  for (const Row& row : rows) {
    const int count = std::stoi(row.at("nchain")), var = std::stoi(row.at("var"));
    std::vector<std::span<const double>> whole, half;
    std::vector<Matrix> matrices;
    double size = 0;
    for (int j = 1; j <= count; ++j) {
      const Matrix& draws = chain(row.at("case"), j);
      whole.push_back(column(draws, var));
      half.push_back(whole.back().subspan((whole.back().size() + 1) / 2));
      matrices.push_back(draws);
      size += effective_size(whole.back());
    }
    expect_near(size, row.at("ess_total"), row, "effective size of all chains");
    expect_near(gelman_rubin_coda(whole).estimate, row.at("psrf"), row, "R-hat (coda)");
    expect_near(gelman_rubin_coda(whole).upper, row.at("psrf_upper"), row, "upper limit of R-hat (coda)");
    expect_near(gelman_rubin_coda(half).estimate, row.at("psrf_autoburnin"), row, "R-hat (coda) of the second half");
    expect_near(gelman_rubin_coda(half).upper, row.at("psrf_upper_autoburnin"), row, "its upper limit");
    expect_near(gelman_rubin_pymc3(whole), row.at("pymc3_rhat"), row, "R-hat (PyMC3)");
    expect_near(gelman_rubin_pymc2(whole), row.at("pymc2_rhat"), row, "R-hat (PyMC2)");
    if (row.at("mpsrf") == "NA") continue;
    ++multivariate;
    expect_near(gelman_rubin_multivariate(matrices), row.at("mpsrf"), row, "multivariate R-hat");
  }
  EXPECT_GE(multivariate, 25);
}

TEST(McmcDiagnostics, DeadChainsAreData) {
  const std::vector<double> dead(100, 0.1), one{1.0};
  std::vector<double> line(100);
  for (std::size_t i = 0; i < line.size(); ++i) line[i] = 0.5 * static_cast<double>(i);
  EXPECT_EQ(effective_size(dead), 0);
  EXPECT_EQ(effective_size(line), 0);
  EXPECT_EQ(effective_size(one), 0);
  EXPECT_TRUE(std::isinf(geweke_coda(dead)));
  EXPECT_TRUE(std::isinf(worst_geweke_pymc(dead)));
  EXPECT_TRUE(std::isinf(worst_geweke_pymc(one)));
  const std::vector<std::span<const double>> both{dead, dead};
  EXPECT_TRUE(std::isinf(gelman_rubin_coda(both).estimate));
  EXPECT_TRUE(std::isinf(gelman_rubin_pymc3(both)));
  EXPECT_TRUE(std::isinf(gelman_rubin_pymc2(both)));
}

}  // namespace
}  // namespace zeroth::mcmc
