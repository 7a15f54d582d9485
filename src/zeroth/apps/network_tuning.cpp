// SPDX-License-Identifier: MIT
#include "zeroth/apps/network_tuning.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace zeroth {
namespace {

constexpr double reduced_limit = 20, full_limit = 71;
constexpr std::int64_t reduced_iterations = 1000, full_iterations = 5000;
constexpr double trained_share = 0.9;
constexpr double least_error = 0.01;  // percent: below one image of the validation set, for the logarithm
constexpr std::array<Index, 3> reference{100, 100, 100};

std::string images_named(const NetworkOptions& o) {
  return o.data == "cifar10" && o.setting == "reduced" ? "cifar10-halved" : o.data;
}

}  // namespace

std::vector<Unit> network_units(bool full) {
  const double least = full ? 50 : 24, most = full ? 500 : 256;
  return {{"learning_rate", 1e-3, 1, true, false},     {"decay", 1e-5, 0.1, true, false},
          {"momentum_initial", 0, 0.95, false, false}, {"momentum_final", 0.5, 0.99, false, false},
          {"dropout_input", 0, 0.5, false, false},     {"dropout_hidden", 0, 0.7, false, false},
          {"weight_decay", 1e-7, 1e-2, true, false},   {"max_norm", 0.5, 20, true, false},
          {"hidden_1", least, most, true, true},       {"hidden_2", least, most, true, true},
          {"hidden_3", least, most, true, true}};
}

NetworkSetting network_setting(std::span<const double> x, bool full) {
  const std::vector<Unit> units = network_units(full);
  const auto value = [&](std::size_t i) { return units[i].value(x[i]); };
  NetworkSetting s{value(0), value(1), value(2), value(3), value(4), value(5), value(6), value(7), {}};
  for (std::size_t l = 0; l < 3; ++l) s.hidden[l] = static_cast<Index>(std::floor(value(8 + l) + 0.5));
  return s;
}

Vector network_point(const NetworkSetting& s, bool full) {
  const auto units = network_units(full);
  const std::array<double, 11> values{s.learning_rate,
                                      s.decay,
                                      s.momentum_initial,
                                      s.momentum_final,
                                      s.dropout_input,
                                      s.dropout_hidden,
                                      s.weight_decay,
                                      s.max_norm,
                                      static_cast<double>(s.hidden[0]),
                                      static_cast<double>(s.hidden[1]),
                                      static_cast<double>(s.hidden[2])};
  Vector x(11);
  for (std::size_t i = 0; i < 11; ++i) x[static_cast<Index>(i)] = std::clamp(units[i].position(values[i]), 0.0, 1.0);
  return x;
}

NetworkTask::NetworkTask(const NetworkOptions& o)
    : full_(o.setting == "full"),
      limit_(o.limit > 0 ? o.limit
             : full_     ? full_limit
                         : reduced_limit),
      iterations_(o.iterations > 0 ? o.iterations
                  : full_          ? full_iterations
                                   : reduced_iterations),
      images_(image_set(images_named(o), o.cache.empty() ? data_cache() : std::filesystem::path(o.cache))),
      split_(split(images_->train.size(), trained_share, static_cast<std::uint64_t>(o.subsample))) {}

NetworkShape NetworkTask::shape(const NetworkSetting& setting) const {
  return {images_->train.features, setting.hidden, images_->train.classes};
}

NetworkTask::Errors NetworkTask::train(const NetworkSetting& setting, std::uint64_t key, bool with_test) const {
  Training training(images_->train, split_.train, setting, iterations_, key);
  while (!training.done()) training.step();
  if (training.diverged()) return {guessing_error, guessing_error};
  return {error_percent(training.network(), images_->train, split_.validation),
          with_test ? error_percent(training.network(), images_->test, {}) : std::nan("")};
}

double prediction_seconds(const NetworkShape& shape, int repeats) {
  Network<float> network(shape, prediction_batch);
  network.initialize(1);
  network.input().setConstant(0.5f);
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < repeats; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    network.predict();
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return least;
}

namespace {

double megaflops_of_sizes(std::span<const double> x, const NetworkTask& task) {
  const std::vector<Unit> units = network_units(task.full());
  const double h1 = units[8].value(x[8]) + 0.5, h2 = units[9].value(x[9]) + 0.5, h3 = units[10].value(x[10]) + 0.5;
  const Images& images = task.images().train;
  return NetworkShape::megaflops(static_cast<double>(images.features) * h1 + h1 * h2 + h2 * h3 +
                                 static_cast<double>(images.classes) * h3);
}

}  // namespace

double error_from_objective(const NetworkOptions& o, double value) {
  return o.objective == "log" ? std::exp(value) : value;
}

Problem network(const NetworkOptions& o) {
  const auto task = std::make_shared<const NetworkTask>(o);
  const NetworkShape referred = task->shape({.hidden = reference});
  const double reference_seconds = o.timing ? prediction_seconds(referred) : 0;
  Problem problem;
  problem.name = "network";
  problem.units = network_units(task->full());
  problem.constraint_names = {o.timing ? "prediction_time" : "operations"};
  if (o.size_limit > 0) problem.constraint_names.push_back("size");
  Spec& spec = problem.spec;
  spec.domain = Domain::box(11, 0, 1);
  spec.constraints = static_cast<Index>(problem.constraint_names.size());
  // What a careful beginner takes; feasible, and twice the error of the best.
  spec.start = network_point({}, task->full());
  spec.common_noise = !o.timing;
  problem.oracle = [task, o, referred, reference_seconds](std::span<const double> x, Rng& noise,
                                                          std::span<double> values) {
    const NetworkSetting setting = network_setting(x, task->full());
    const NetworkShape shape = task->shape(setting);
    const double error = task->train(setting, noise.bits()).validation;
    values[0] = o.objective == "log" ? std::log(std::max(error, least_error)) : error;
    values[1] = o.timing ? prediction_seconds(shape) / reference_seconds - task->limit() / referred.megaflops()
                         : megaflops_of_sizes(x, *task) - task->limit();
    if (o.size_limit > 0) values[2] = 1e-3 * (static_cast<double>(shape.bytes()) - o.size_limit);
  };
  return problem;
}

}  // namespace zeroth
