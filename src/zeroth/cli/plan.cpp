// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "zeroth/cli/commands.hpp"
#include "zeroth/cli/output.hpp"
#include "zeroth/core/error.hpp"
#include "zeroth/run/stored/session.hpp"
#include "zeroth/solvers/conex/theorem.hpp"

namespace zeroth::cli {
namespace {

std::vector<double> list(const Vector& v) { return {v.data(), v.data() + v.size()}; }

nlohmann::ordered_json as_json(const TheoremPlan& p) {
  return {{"iterations", p.T},
          {"eta", p.eta},
          {"eta_t", p.step_offset + p.eta},
          {"tau", p.tau},
          {"nu", list(p.nu)},
          {"sigma_nu", list(p.sigma_nu)},
          {"sigma_f_nu", p.sigma_f_nu},
          {"sigma_X_f", p.sigma_X_f},
          {"zeta", p.zeta},
          {"H", p.H},
          {"bias", p.bias},
          {"objective_bound", p.objective_bound},
          {"violation_bound", p.violation_bound},
          {"calls_per_iteration", p.calls_per_iteration},
          {"calls", p.calls()}};
}

void print_plan(const TheoremPlan& p) {
  const auto row = [](const std::string& name, double value, const std::string& what) {
    print("  {:<22} {:>14.6g}   {}\n", name, value, what);
  };
  row("T", p.T, "iterations");
  row("eta_t", p.step_offset + p.eta, "L_0 + L_f + eta, inverse primal step");
  row("tau_t", p.tau, "inverse dual step");
  for (Index i = 0; i < p.nu.size(); ++i) row(fmt::format("nu_{}", i), p.nu[i], i == 0 ? "(nunot)" : "(eq:nui)");
  for (Index i = 0; i < p.sigma_nu.size(); ++i) row(fmt::format("sigma_{0},nu_{0}", i), p.sigma_nu[i], "Lemma 2.2");
  row("sigma_f,nu", p.sigma_f_nu, "Lemma 2.1");
  row("sigma_X,f", p.sigma_X_f, "");
  row("zeta", p.zeta, "");
  row("H_*", p.H, "L_f D_X |y*| / 2");
  row("smoothing bias", p.bias, "");
  row("objective bound", p.objective_bound, "right-hand side of (1.61)");
  row("violation bound", p.violation_bound, "right-hand side of (1.62)");
  row("calls", p.calls(), fmt::format("of single functions, {} per iteration", p.calls_per_iteration));
}

}  // namespace

void add_plan(CLI::App& app) {
  auto* command = app.add_subcommand("plan", "Theorem 3.1 for a problem: steps, radii, bounds and the number of calls");
  static std::string file;
  static double epsilon = 0;
  static std::vector<double> mu;
  static bool json = false;
  command->add_option("file", file, "problem file; a builtin problem, or one with a [constants] table")->required();
  command->add_option("--epsilon", epsilon, "accuracy of objective and constraints")->required();
  command->add_option("--mu", mu, "also plan Algorithm 2 with these mu_i: one for all functions, or one each");
  command->add_flag("--json", json, "print JSON");
  command->callback([] {
    const Spec spec = resolve(read_source(file), false).spec;
    if (!spec.constants)
      throw Error(file,
                  "the theorem needs constants; add a [constants] table with L, M, sigma, sigma_f (one entry per "
                  "function, objective first), multiplier_bound, diameter and radius");
    const Constants& k = *spec.constants;
    const TheoremPlan plan = plan_for_accuracy(k, spec.dimension(), epsilon);
    const double proof = iterations_of_the_proof(k, spec.dimension(), epsilon);
    nlohmann::ordered_json out = as_json(plan);
    out["iterations_of_the_proof"] = std::isfinite(proof) ? nlohmann::ordered_json(proof) : nlohmann::ordered_json();
    if (!json) {
      print("Theorem 3.1 (convex functions), epsilon = {}, n = {}, m = {}\n", epsilon, spec.dimension(),
            spec.constraints);
      print_plan(plan);
      print("  {:<22} {:>14.6g}   closed form at the end of the proof\n", "T of the proof", proof);
    }
    if (!mu.empty()) {
      Vector weights(k.L.size());
      if (mu.size() == 1) weights.setConstant(mu[0]);
      else if (static_cast<Index>(mu.size()) == weights.size()) weights = as_vector(mu);
      else throw Error(fmt::format("--mu has {} entries, but needs 1 or {}", mu.size(), weights.size()));
      if (!(weights.minCoeff() > 0)) throw Error("--mu must be positive");
      const NonconvexPlan nonconvex = plan_nonconvex(k, spec.dimension(), weights, epsilon);
      out["nonconvex"] = {{"K", nonconvex.K}, {"calls", nonconvex.calls()}, {"inner", as_json(nonconvex.inner)}};
      if (!json) {
        print(
            "\nProposition 3.1 (nonconvex functions): K = {:.6g} outer iterations, {:.6g} calls in all; each "
            "subproblem:\n",
            nonconvex.K, nonconvex.calls());
        print_plan(nonconvex.inner);
      }
    }
    if (json) write_json(out.dump(2) + "\n");
  });
}

}  // namespace zeroth::cli
