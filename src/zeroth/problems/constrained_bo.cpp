// SPDX-License-Identifier: MIT
#include "zeroth/problems/constrained_bo.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>

#include "zeroth/problems/reference_qcqp.hpp"

namespace zeroth {
namespace {

using std::numbers::pi;

using Values = std::span<double>;
using Point = std::span<const double>;

double lsq_constraint(double a, double b) { return 1.5 - a - 2 * b - 0.5 * std::sin(2 * pi * (a * a - 2 * b)); }

void lsq(Point x, Values v) {
  v[0] = x[0] + x[1];
  v[1] = lsq_constraint(x[0], x[1]);
  v[2] = x[0] * x[0] + x[1] * x[1] - 1.5;
}

void gardner_1(Point x, Values v) {
  v[0] = std::cos(2 * x[0]) * std::cos(x[1]) + std::sin(x[0]);
  v[1] = std::cos(x[0]) * std::cos(x[1]) - std::sin(x[0]) * std::sin(x[1]) - 0.5;
}

void gardner_2(Point x, Values v) {
  v[0] = std::sin(x[0]) + x[1];
  v[1] = std::sin(x[0]) * std::sin(x[1]) + 0.95;
}

// Rows j, columns i.
using Matrix4 = std::array<std::array<double, 4>, 4>;
constexpr Matrix4 hartman_a{{{10, 0.05, 3, 17}, {3, 10, 3.5, 8}, {17, 17, 1.7, 0.05}, {3.5, 0.1, 10, 10}}};

void admmbo_4d(Point x, Values v) {
  constexpr Matrix4 p{{{0.131, 0.232, 0.234, 0.404},
                       {0.169, 0.413, 0.145, 0.882},
                       {0.556, 0.830, 0.352, 0.873},
                       {0.012, 0.373, 0.288, 0.574}}};
  constexpr std::array<double, 4> c{1, 2, 3, 3.2};
  double sum = -1.1;
  v[0] = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    double exponent = 0;
    for (std::size_t j = 0; j < 4; ++j) exponent += hartman_a[j][i] * std::pow(x[i] - p[j][i], 2);  // x_i, as released
    sum += c[i] * std::exp(-exponent);
    v[0] += x[i];
  }
  v[1] = -sum / 0.8387;
}

void lah(Point x, Values v) {
  constexpr Matrix4 p{{{0.1312, 0.2329, 0.2348, 0.4047},
                       {0.1696, 0.4135, 0.1451, 0.8828},
                       {0.5569, 0.8307, 0.3522, 0.8732},
                       {0.0124, 0.3736, 0.2883, 0.5743}}};
  constexpr std::array<double, 4> c{1, 1.2, 3, 3.2};
  double hartman = 1.1, squares = 0, cosines = 0;
  v[0] = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    double exponent = 0;
    for (std::size_t j = 0; j < 4; ++j) exponent += hartman_a[j][i] * std::pow(x[j] - p[j][i], 2);
    hartman -= c[i] * std::exp(-exponent);
    v[0] += x[i];
    const double z = 3 * x[i] - 1;
    squares += z * z / 4;
    cosines += std::cos(2 * pi * z) / 4;
  }
  const double ackley = 20 + std::numbers::e - 20 * std::exp(-0.2 * std::sqrt(squares)) - std::exp(cosines);
  v[1] = 3 - ackley;
  v[2] = -hartman / 0.8387;
}

void gsbp(Point x, Values v) {
  const double u = 4 * x[0] - 2, w = 4 * x[1] - 2;
  const double first = 1 + std::pow(u + w + 1, 2) * (19 - 14 * u + 3 * u * u - 14 * w + 6 * u * w + 3 * w * w);
  const double second = 30 + std::pow(2 * u - 3 * w, 2) * (18 - 32 * u + 12 * u * u + 48 * w - 36 * u * w + 27 * w * w);
  v[0] = (std::log(first * second) - 8.6928) / 2.4269;
  v[1] = lsq_constraint(x[0], x[1]);
  const double p = 15 * x[0] - 5, q = 15 * x[1];
  const double branin =
      std::pow(q - 5.1 / (4 * pi * pi) * p * p + 5 / pi * p - 6, 2) + 10 * (1 - 1 / (8 * pi)) * std::cos(p) + 10;
  v[2] = (25 - branin) / 100;
  const double a = 2 * x[0] - 1, b = 2 * x[1] - 1;
  const double parr = 6 - ((4 - 2.1 * a * a + std::pow(a, 4) / 3) * a * a + a * b + (-4 + 4 * b * b) * b * b +
                           3 * std::sin(6 * (1 - a)) + 3 * std::sin(6 * (1 - b)));
  v[3] = (parr - 2) / 10;
}

void herbie(Point x, Values v) {
  lsq(x, v);
  const auto g = [](double z) {
    return std::exp(-std::pow(z - 1, 2)) + std::exp(-0.8 * std::pow(z + 1, 2)) - 0.05 * std::sin(8 * (z + 0.1));
  };
  v[0] = -g(4 * x[0] - 2) * g(4 * x[1] - 2);
}

void branin(Point x, Values v) {
  v[0] = std::pow(x[1] - 5.1 / (4 * pi * pi) * x[0] * x[0] + 5 / pi * x[0] - 6, 2) +
         10 * (1 - 1 / (8 * pi)) * std::cos(x[0]) + 10;
  v[1] = x[0] - x[1];
  v[2] = x[1] - 10;
}

template <Index n>
void reference_quadratic(Point x, Values v) {
  static const ReferenceQcqp q = reference_qcqp(n);
  for (std::size_t i = 0; i < 2; ++i) v[i] = q.functions[i].value(as_vector(x));
}

struct Definition {
  const char* name;
  void (*values)(Point, Values);
  Vector lower, upper;
  Index constraints, equalities;
  double best_value;
  Vector best_point;
};

// Optima: published, and recomputed by many starts of a local solver.
const std::vector<Definition>& definitions() {
  const auto cube = [](Index n, double end) { return Vector::Constant(n, end); };
  static const std::vector<Definition> all{
      {"lsq", lsq, cube(2, 0), cube(2, 1), 2, 0, 0.5997880520092567,
       Vector{{0.19512268855013093, 0.40466536345912574}}},
      {"gardner-1", gardner_1, cube(2, 0), cube(2, 6), 1, 0, -2, Vector{{1.5 * pi, 0}}},
      {"gardner-2", gardner_2, cube(2, 0), cube(2, 6), 1, 0, 0.25323589750233566,
       Vector{{1.5 * pi, 1.2532358975023357}}},
      {"admmbo-4d", admmbo_4d, cube(4, 0), cube(4, 1), 1, 0, 0.030731157201004985,
       Vector{{0, 0, 0.030731157201004985, 0}}},
      {"lah", lah, cube(4, 0), cube(4, 1), 1, 1, 0.052300698280117186, Vector{{0, 0, 0, 0.05230069828011713}}},
      {"gsbp", gsbp, cube(2, 0), cube(2, 1), 1, 2, -0.6674614630945572,
       Vector{{0.9394886014743317, 0.47437444588108596}}},
      {"herbie", herbie, cube(2, 0), cube(2, 1), 2, 0, -1.0933963960571624,
       Vector{{0.23979351755652503, 0.7841634213767184}}},
      {"branin", branin, Vector{{-5, 0}}, Vector{{10, 15}}, 2, 0, 0.844674129644579,
       Vector{{2.945132821147777, 2.9451328211477765}}},
      {"qcqp-4", reference_quadratic<4>, cube(4, -2), cube(4, 2), 1, 0, reference_qcqp(4).best_value,
       reference_qcqp(4).best_point},
      {"qcqp-10", reference_quadratic<10>, cube(10, -2), cube(10, 2), 1, 0, reference_qcqp(10).best_value,
       reference_qcqp(10).best_point},
  };
  return all;
}

// max - min of every function over 2000 uniform points: the measure of the noise.
Vector ranges(const Definition& d) {
  const Index functions = 1 + d.constraints + d.equalities;
  const Domain box = Domain::box(d.lower, d.upper);
  Vector low = Vector::Constant(functions, 1e300), high = -low, v(functions);
  Rng rng(1);
  for (int i = 0; i < 2000; ++i) {
    const Vector x = box.sample(rng);
    d.values(as_span(x), {v.data(), static_cast<std::size_t>(v.size())});
    low = low.cwiseMin(v);
    high = high.cwiseMax(v);
  }
  return high - low;
}

}  // namespace

Problem constrained_bo(const ConstrainedBoOptions& options) {
  const auto& all = definitions();
  const auto found = std::ranges::find_if(all, [&](const Definition& d) { return d.name == options.problem; });
  if (found == all.end()) throw Error("there is no literature problem '" + options.problem + "'");
  Problem problem;
  problem.name = found->name;
  problem.spec.domain = Domain::box(found->lower, found->upper);
  problem.spec.constraints = found->constraints;
  problem.spec.equalities = found->equalities;
  problem.spec.common_noise = true;
  problem.truth = Truth{found->values, found->best_value, found->best_point, {}};
  const Vector sd =
      ((options.noise * ranges(*found)).array().square() + options.noise_sd * options.noise_sd).sqrt().matrix();
  problem.oracle = [values = found->values, sd](Point x, Rng& noise, Values v) {
    values(x, v);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] += sd[static_cast<Index>(i)] * noise.normal();
  };
  return problem;
}

}  // namespace zeroth
