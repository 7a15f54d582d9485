// SPDX-License-Identifier: MIT
#include "zeroth/catalog/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "zeroth/adapters/cheap_first.hpp"
#include "zeroth/apps/hmc.hpp"
#include "zeroth/apps/network_tuning.hpp"
#include "zeroth/engine/mpi.hpp"
#include "zeroth/problems/constrained_bo.hpp"
#include "zeroth/problems/hock_schittkowski.hpp"
#include "zeroth/problems/qcqp.hpp"
#include "zeroth/problems/smooth.hpp"
#include "zeroth/problems/wedge.hpp"
#include "zeroth/solvers/adaptive_conex/adaptive_conex.hpp"
#include "zeroth/solvers/augmented_lagrangian/admmbo.hpp"
#include "zeroth/solvers/augmented_lagrangian/albo.hpp"
#include "zeroth/solvers/augmented_lagrangian/slack_al.hpp"
#include "zeroth/solvers/auto/auto.hpp"
#include "zeroth/solvers/conex/conex.hpp"
#include "zeroth/solvers/conex/conex_cg.hpp"
#include "zeroth/solvers/conex/proximal_conex.hpp"
#include "zeroth/solvers/pesc/pesc.hpp"
#include "zeroth/solvers/random_search.hpp"
#include "zeroth/solvers/sobol.hpp"
#include "zeroth/solvers/trust_bo/trust_bo.hpp"

namespace zeroth {
namespace {

template <class Options>
SolverEntry solver(std::string name, std::string summary, std::string source,
                   Search (*start)(Spec, Options, std::uint64_t)) {
  return {name, std::move(summary), std::move(source),
          [](const auto& lend) {
            Options defaults;
            lend(options_of(defaults));
          },
          [name, start](Spec spec, const Settings& settings, std::uint64_t seed) {
            Options options;
            apply(settings, options_of(options), "solver '" + name + "'");
            if (spec.cost.size() == 0 || !learns_from_partial_answers(name))
              return start(std::move(spec), std::move(options), seed);
            return ask_cheap_first(
                std::move(spec),
                [start, options](Spec inner, std::uint64_t key) { return start(std::move(inner), options, key); }, seed,
                learns_from_earlier_evaluations(name));
          }};
}

template <class Options>
ProblemEntry problem(std::string name, std::string summary, std::string source, Problem (*make)(const Options&)) {
  return {name, std::move(summary), std::move(source),
          [](const auto& lend) {
            Options defaults;
            lend(options_of(defaults));
          },
          [name, make](const Settings& settings) {
            Options options;
            apply(settings, options_of(options), "problem '" + name + "'");
            return make(options);
          }};
}

template <class Entry>
const Entry& find(const std::vector<Entry>& entries, const std::string& name, const std::string& where,
                  const std::string& kind) {
  const auto found = std::ranges::find_if(entries, [&](const Entry& e) { return e.name == name; });
  if (found != entries.end()) return *found;
  std::vector<std::string> names;
  for (const auto& e : entries) names.push_back(e.name);
  const std::string near = nearest_name(name, names);
  throw Error(where, fmt::format("there is no {} '{}'; {}see 'zeroth list {}s'", kind, name,
                                 near.empty() ? "" : fmt::format("did you mean '{}'? ", near), kind));
}

}  // namespace

const std::vector<SolverEntry>& solvers() {
  static const std::vector<SolverEntry> entries{
      solver("auto", "the default: a global model and a search by slopes side by side, compared by fresh evaluations",
             "", auto_solver),
      solver("adaptive-conex", "constraint extrapolation that measures what Algorithm 1 must be told; nothing to set",
             "", adaptive_conex),
      solver("conex", "Algorithm 1 of the paper, literally: SZO-ConEx", "Nguyen and Balasubramanian, Algorithm 1",
             conex),
      solver("conex-cg",
             "constraint extrapolation by conditional gradients: no projections, only linear minimisation over X",
             "Locatello et al. 2019; Lan et al. 2021", conex_cg),
      solver("proximal-conex", "Algorithm 2 of the paper: proximal points around conex, for nonconvex functions",
             "Nguyen and Balasubramanian, Algorithm 2", proximal_conex),
      solver("trust-bo",
             "Bayesian, for noise and any budget: warped processes over replicated sites, safe recommendation", "",
             trust_bo),
      solver("albo", "Bayesian, augmented Lagrangian of Gaussian processes", "Gramacy et al. 2016", albo),
      solver("slack-al", "Bayesian, augmented Lagrangian with slacks, exact improvement", "Picheny et al. 2016",
             slack_al),
      solver("admmbo", "Bayesian, objective and constraints apart, joined by ADMM", "Ariafar et al. 2019", admmbo),
      solver("pesc", "Bayesian, predictive entropy search with constraints", "Hernandez-Lobato et al. 2015, 2016",
             pesc),
      solver("random", "uniform points of X; keeps the best that seemed feasible", "", random_search),
      solver("sobol", "a shifted Sobol sequence; keeps the best that seemed feasible", "", sobol_search),
  };
  return entries;
}

const std::vector<ProblemEntry>& problems() {
  static const std::vector<ProblemEntry> entries{
      problem("qcqp", "random quadratic objective and constraints, optimum known",
              "Nguyen and Balasubramanian, Section 4", qcqp),
      problem("constrained-bo", "small problems of the constrained Bayesian literature, optima known",
              "Gramacy et al. 2016; Gardner et al. 2014; Picheny et al. 2016; Ariafar et al. 2019", constrained_bo),
      problem("smooth", "non-quadratic functions under five kinds of noise, optimum known", "", smooth_problem),
      problem("hock-schittkowski", "39 constrained test problems by number, under noise, 15 of them with equalities",
              "Hock and Schittkowski 1981", hock_schittkowski),
      problem(
          "hmc",
          "tune Hamiltonian Monte Carlo on the German credit data: most effective samples, Geweke and R-hat in bounds",
          "Nguyen and Balasubramanian, Application I", hmc),
      problem("network",
              "tune the training of a network on MNIST or CIFAR-10: least validation error, prediction time limited",
              "Nguyen and Balasubramanian, Application II", network),
      problem("wedge", "a ball cut by a line: constants independent of n and m, optimum in closed form", "", wedge),
  };
  return entries;
}

const std::vector<EngineEntry>& engines() {
  static const std::vector<EngineEntry> entries{
      {"serial", "one evaluation after the other, in this process"},
      {"threads", "benchmark problems on several cores: --jobs J"},
      {"processes", "your evaluator as child processes, J at a time: --jobs J"},
      {"mpi", mpi_available()
                  ? std::string("several machines: mpirun -n N zeroth solve FILE; rank 0 proposes, the others evaluate")
                  : "several machines; " + why_no_mpi()},
  };
  return entries;
}

const SolverEntry& solver_named(const std::string& name, const std::string& where) {
  return find(solvers(), name, where, "solver");
}

const ProblemEntry& problem_named(const std::string& name, const std::string& where) {
  return find(problems(), name, where, "problem");
}

bool learns_from_partial_answers(const std::string& solver) {
  return solver == "auto" || solver == "trust-bo" || solver == "random" || solver == "sobol";
}

bool learns_from_earlier_evaluations(const std::string& solver) { return solver == "auto" || solver == "trust-bo"; }

}  // namespace zeroth
