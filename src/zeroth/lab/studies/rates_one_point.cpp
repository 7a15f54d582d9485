// SPDX-License-Identifier: MIT
//
// `zeroth reproduce rates --one-point`: Algorithm 1 where two evaluations never share their noise. One point per
// estimate has a variance of order 1/nu^2 however small the noise of a difference would be, against a smoothing bias of
// order nu^2 on smooth functions: nu ~ T^(-1/6) balances them, and the error falls as T^(-1/3) at best, not as
// T^(-1/2).
//
// All variants run with schedule = adaptive, so that no constants favour one of them.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <fstream>

#include "zeroth/lab/parallel.hpp"
#include "zeroth/lab/studies/reproduce.hpp"
#include "zeroth/lab/true_error.hpp"
#include "zeroth/problems/wedge.hpp"
#include "zeroth/report/statistics.hpp"

namespace zeroth {
namespace {

// Fresh noise at every evaluation, whatever the key.
Problem never_the_same_noise(Problem problem) {
  problem.spec.common_noise = false;
  problem.oracle = [inner = problem.oracle](std::span<const double> x, Rng& noise, std::span<double> values) {
    std::uint64_t hash = noise.bits();
    for (const double v : x) hash = derive_key(hash, std::bit_cast<std::uint64_t>(v));
    Rng own(hash);
    inner(x, own, values);
  };
  return problem;
}

struct RateVariant {
  std::string name;
  bool common_noise;
  std::string difference;
  bool baseline;
  double nu, power;  // radius nu T^power
  double predicted;
};

}  // namespace

std::string reproduce_one_point_rates(const ReproduceOptions& o) {
  std::filesystem::create_directories(o.out);
  const std::int64_t trials = o.trials > 0 ? o.trials : o.smoke ? 4 : 10;
  WedgeOptions options;
  options.kappa = 0.3;  // curvature, so that smoothing has a bias
  const Problem same = wedge(options), fresh = never_the_same_noise(same);
  const std::vector<RateVariant> variants{
      {"two points, one noise", true, "forward", false, 0.01, 0, -0.5},
      {"two points, two noises", false, "forward", false, 1, -1.0 / 6, -1.0 / 3},
      {"one point, baseline", false, "one-point", true, 1, -1.0 / 6, -1.0 / 3},
      {"one point, plain", false, "one-point", false, 1, -1.0 / 6, -1.0 / 3},
  };
  const double first = 1e3, last = o.smoke ? 1e4 : o.full ? 1e7 : 1e6;
  std::ofstream csv(o.out / "rates-one-point.csv");
  if (!csv) throw Error("cannot write to " + o.out.string() + "; give a directory that can be written with --out");
  csv << "feedback,T,calls,nu,error,error_se\n";
  std::string table = fmt::format(
      "Error max(|gap|, violation) of the averaged iterate against T (wedge, n = 5, m = 1, kappa = 0.3, {} trials,\n"
      "schedule = adaptive); calls are of single functions\n{:<24}{:>10}{:>12}{:>9}{:>24}\n",
      trials, "feedback", "T", "calls", "nu", "error");
  std::string slopes;
  for (const RateVariant& v : variants) {
    std::vector<double> log_T, log_error;
    for (double exponent = std::log10(first); exponent <= std::log10(last) + 1e-9; exponent += 0.5) {
      const auto T = static_cast<std::int64_t>(std::llround(std::pow(10, exponent)));
      if (o.progress) o.progress(fmt::format("rates: {}, T = {}", v.name, T));
      const double nu = v.nu * std::pow(static_cast<double>(T), v.power);
      Settings settings;
      settings["schedule"].value = std::string("adaptive");
      settings["difference"].value = v.difference;
      settings["baseline"].value = v.baseline;
      settings["nu"].value = nu;
      settings["iterations"].value = T;
      std::vector<double> errors(static_cast<std::size_t>(trials));
      std::int64_t calls = 0;
      parallel_for(o.jobs, errors.size(), [&](std::size_t k) {
        const TrueError e = true_error(v.common_noise ? same : fresh, "conex", settings, 100 * T, k + 1);
        errors[k] = e.worst();
        if (k == 0) calls = e.calls;
      });
      const Moments m = moments(errors);
      csv << fmt::format("{},{},{},{:.4g},{:.6g},{:.3g}\n", v.name, T, calls, nu, m.mean, m.se);
      table += fmt::format("{:<24}{:>10}{:>12}{:>9.4f}{:>14.5f} +- {:.5f}\n", v.name, T, calls, nu, m.mean, m.se);
      log_T.push_back(std::log(static_cast<double>(T)));
      log_error.push_back(std::log(m.mean));
    }
    const Line line = fit_line(log_T, log_error);
    slopes += fmt::format("slope in log-log, {:<24}{:>7.3f}, 95 % interval [{:.3f}, {:.3f}]; predicted {:.2f}\n",
                          v.name, line.slope, line.lower, line.upper, v.predicted);
  }
  return table + slopes + fmt::format("\nwritten: {}/rates-one-point.csv\n", o.out.string());
}

}  // namespace zeroth
