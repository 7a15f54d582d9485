// SPDX-License-Identifier: MIT
#include "zeroth/lab/bench/adaptation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "zeroth/catalog/catalog.hpp"
#include "zeroth/engine/engine.hpp"
#include "zeroth/lab/followed_run.hpp"
#include "zeroth/lab/ledger.hpp"
#include "zeroth/report/figure.hpp"

namespace zeroth {
namespace {

Settings settings_of_conex(double eta) {
  Settings s;
  const auto set = [&s](const char* name, OptionValue value) { s[name] = {std::move(value), "the bench"}; };
  set("directions", std::string("signs"));
  set("shared_directions", true);
  set("difference", std::string("central"));
  set("batch", std::int64_t{8});
  set("nu", 1e-3);
  set("eta", eta);
  set("tau", 1.0);
  set("gamma", std::string("1*t^2"));  // an average that lets go of where it began
  set("precision", std::string("float"));
  return s;
}

AdaptationOptions options_of_bench(bool reduced) {
  AdaptationOptions o;
  if (!reduced) return o;
  o.images = "synthetic";
  o.hidden = {16, 16, 16};
  o.training = 300;
  o.batch = 64;
  return o;
}

}  // namespace

AdaptationPath adapt_by_evaluations(const NetworkAdaptation& network, bool limited, double eta,
                                    std::int64_t evaluations, std::int64_t shown, int jobs) {
  Problem p = network.problem();
  if (!limited) p.spec.constraints = 0;
  p.spec.budget = evaluations;
  p.spec.described_points = true;
  const auto engine = threads_engine(p, jobs > 0 ? jobs : static_cast<int>(std::thread::hardware_concurrency()));
  RunState run(p.spec, solver_named("conex").make(p.spec, settings_of_conex(eta), 1), unchecked(evaluations));
  AdaptationPath path{
      limited ? "conex with the limit" : "two points without a limit", {0}, {network.accuracy(network.trained())}};
  while (!run.done()) {
    const std::int64_t first = run.evaluations();
    engine->evaluate(run.batch(),
                     [&](std::size_t k, Answer a, const Circumstances&) {
                       run.receive(first + static_cast<std::int64_t>(k), std::move(a));
                     },
                     {});
    run.advance();
    const auto turn = [&](std::int64_t count) { return count * shown / evaluations; };
    if (turn(run.evaluations()) == turn(first) && !run.done()) continue;
    path.evaluations.push_back(static_cast<double>(run.evaluations()));
    path.accuracy.push_back(network.accuracy(run.recommended()));
  }
  return path;
}

AdaptationPath adapt_by_gradients(const NetworkAdaptation& network, bool both, std::int64_t steps, std::int64_t shown) {
  AdaptationPath path{
      both ? "backpropagation on both" : "backpropagation on the new", {0}, {network.accuracy(network.trained())}};
  network.backpropagate(steps, both, std::max<std::int64_t>(1, steps / shown), [&](std::int64_t step, const Vector& x) {
    path.evaluations.push_back(static_cast<double>(step));
    path.accuracy.push_back(network.accuracy(x));
  });
  return path;
}

void bench_adaptation(const BenchOptions& o) {
  const NetworkAdaptation network(options_of_bench(o.reduced));
  const std::int64_t evaluations = o.reduced ? 960 : 16'000, steps = o.reduced ? 60 : 600, shown = o.reduced ? 3 : 20;
  const double eta = o.reduced ? 2000 : 500;  // a small network bends more along one direction
  const auto before = network.accuracy(network.trained());
  fmt::print(
      "A network of {} weights, trained on images as they were ({:.1f} % of the test images right), meets others\n"
      "({:.1f} %). An evaluation is the loss of a batch of each kind; a step of backpropagation one batch forward and\n"
      "back. Percent right of the test images, at the end; lowest: of the known ones, on the way.\n\n"
      "  {:<28} {:>12} {:>9} {:>9} {:>9}\n",
      network.dimension(), before.known, before.fresh, "method", "evaluations", "new", "known", "lowest");
  const std::vector<AdaptationPath> paths{adapt_by_evaluations(network, true, eta, evaluations, shown, o.jobs),
                                          adapt_by_evaluations(network, false, eta, evaluations, shown, o.jobs),
                                          adapt_by_gradients(network, false, steps, shown),
                                          adapt_by_gradients(network, true, steps, shown)};
  std::error_code ignored;
  std::filesystem::remove(o.out / "adaptation.csv", ignored);
  Ledger ledger(o.out / "adaptation.csv", {"method", "evaluations"}, {"new", "known"});
  std::vector<Panel> panels{{"new images", "evaluations", "percent right", true, false, {}},
                            {"known images", "evaluations", "percent right", true, false, {}}};
  for (const AdaptationPath& path : paths) {
    Series fresh{path.method}, known{path.method};
    for (std::size_t k = 0; k < path.evaluations.size(); ++k) {
      ledger.add({path.method, fmt::format("{:07.0f}", path.evaluations[k])},
                 {path.accuracy[k].fresh, path.accuracy[k].known});
      fresh.x.push_back(std::max(1.0, path.evaluations[k]));
      known.x.push_back(fresh.x.back());
      fresh.y.push_back(path.accuracy[k].fresh);
      known.y.push_back(path.accuracy[k].known);
    }
    panels[0].series.push_back(std::move(fresh));
    panels[1].series.push_back(std::move(known));
    double lowest = 100;
    for (const auto& accuracy : path.accuracy) lowest = std::min(lowest, accuracy.known);
    fmt::print("  {:<28} {:>12.0f} {:>7.1f} % {:>7.1f} % {:>7.1f} %\n", path.method, path.evaluations.back(),
               path.accuracy.back().fresh, path.accuracy.back().known, lowest);
  }
  ledger.sort();
  draw(panels, o.out / "adaptation");
  fmt::print("\nwritten: {}/adaptation.csv and, with gnuplot, adaptation.svg\n", o.out.string());
}

}  // namespace zeroth
