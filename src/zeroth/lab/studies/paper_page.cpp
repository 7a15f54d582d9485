// SPDX-License-Identifier: MIT
//
// docs/paper.md and the pages of tables docs/paper/*.md from what `zeroth reproduce qcqp-convex` and `qcqp-nonconvex`
// have written: the words around the figures.
#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "zeroth/lab/studies/simulation.hpp"

namespace zeroth {
namespace {

constexpr const char* introduction = R"(# The paper's simulations, run again

Figures 1 and 2 of the paper, with the error bars, the violations and the budgets that it leaves out. This page is written by

<!-- not run: takes more than half an hour of CPU time; the tests run the smoke version -->
```sh
zeroth reproduce qcqp-convex --trials 5 --out docs
zeroth reproduce qcqp-nonconvex --trials 5 --solvers albo,slack-al,admmbo --evaluations 300,400,600 --out docs
zeroth reproduce qcqp-nonconvex --trials 5 --out docs
```

from the ledgers in `docs/figures`; no figure in it is typed. The commands can be stopped and started at will, and finished curves are not run
again. Without `--trials` there are three (at least ten at n = 50), `--full` is the paper's 100 with a million evaluations for SZO-ConEx and 1000 for the Bayesian systems (days). Between the two, the
second command runs three of the Bayesian systems further at n = 500 than the default; the page shows the longest stored curves.

**The problem.** Minimise x'A0x + b0'x + c0 subject to x'A1x + b1'x + c1 <= 1 on the box [-5, 5]^n, both functions seen with noise of standard
deviation 1, the same for all points that share a seed. One random instance per panel; trials differ by their noise and the solvers' seeds. The paper does not
give its X, instances, steps or number of evaluations.

**SZO-ConEx** is Algorithm 1 (Algorithm 2 with K = 50 in the nonconvex case), theta = 1, with steps eta_t = eta sqrt(t) and tau_t = tau sqrt(t), the best of 24
pairs on another instance of the same size (`figures/qcqp-steps.csv`): its best case. The **Bayesian systems** run with their defaults. A step of
theirs costs more with every evaluation and takes seconds in 200 and 500 dimensions, so there **their curves end early**, PESC's first of all: the tables say where (*evaluations*). ADMMBO asks one
function at a time, so its evaluations are about as many calls. The panels with n = 4, 10 and 20 show them in their element.

**Reading the tables.** *evaluations* are joint (one evaluation answers both functions), *calls* count each function by itself, as the paper does. Intervals are 95 %
(1.96 standard errors over the trials). The error that claims are judged by is the larger of gap and violation in the convex case, because a gap can be bought with a
violation, and the KKT residual in the nonconvex one. "A needs fewer calls than the four" is judged by the ratio of what X and A need, trial by
trial, from the same start, at four accuracies: 90, 50, 10 and 1 % of the start's error, below which it must stay (three in the nonconvex case, where the residuals of two random
points differ by a tenth). A system that does not arrive counts with the calls that it was given, which is less than it would need, and one that arrives in no trial is behind. *yes*: the 95 % interval of the mean logarithm
(Student's t over the trials; *times as many* is its exponential) says so for every X; *behind X*: it says the opposite; *level with X*: it holds both; *open*: X's calls ended in every trial before A was
at the first of them, so that nothing is known of X. Likewise for joint evaluations, the price
where one run of a simulation answers everything. *The best of ours* is at each accuracy the one of `adaptive-conex` and `trust-bo` with the smaller median. Curves are recorded
when their evaluations have grown by half.

)";

std::string contents(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// What is shown of a study: which claim holds where. The panels' tables, from the first of their headings on, are a
// page of their own.
std::string overview_and_tables(const std::filesystem::path& out, const char* title, const std::string& stem) {
  const std::string found = contents(out / "figures" / (stem + ".md"));
  if (found.empty()) return "";
  const std::size_t heading = found.find("\n### ");
  const std::size_t panels = heading == std::string::npos ? found.size() : heading + 1;
  std::string tables = found.substr(panels);
  for (std::size_t at = 0; (at = tables.find("](figures/", at)) != std::string::npos; at += 4)
    tables.insert(at + 2, "../");
  std::filesystem::create_directories(out / "paper");
  std::ofstream(out / "paper" / (stem + ".md")) << fmt::format(
      "# {}: every panel\n\nTables of [the page on the paper's simulations](../paper.md), which says how to "
      "read them; written by the same command.\n\n{}",
      title, tables);
  return found.substr(0, panels) +
         fmt::format("Every panel with its curves, its evaluations and its claims: [tables](paper/{}.md).\n\n", stem);
}

}  // namespace

void write_paper_page(const std::filesystem::path& out) {
  std::string page = introduction;
  const auto section = [&](const char* title, const char* stem, const char* words, const char* measure,
                           const char* other) {
    const std::string found = overview_and_tables(out, title, stem);
    if (found.empty()) return;
    page += fmt::format("## {}\n\n{}\n\n![{}](figures/{}-{}-calls.png)\n\n![{}](figures/{}-{}-calls.png)\n\n{}", title,
                        words, measure, stem, measure, other, stem, other, found);
  };
  section("Convex (Figure 1)", "qcqp-convex",
          "A0 and A1 are positive semidefinite; the optimum comes from an exact solver.", "gap", "violation");
  section(
      "Nonconvex (Figure 2)", "qcqp-nonconvex",
      "A0 and A1 are indefinite, and the minima lie in corners of the box. The paper draws the norm of the gradient "
      "of f0, which grows on the way there; the KKT residual (the Lagrangian's gradient\nagainst the normal cone, "
      "complementarity, violation) is what its Definitions 3.2 and 3.3 ask for. They want a KKT point near x, so the "
      "gradient is taken through the projection:\n|x - P_X(x - grad / L)| L. Every trial starts at a point of its own, "
      "the same for all systems, drawn uniformly from the feasible part of the box.\n\n**The middle of the box is "
      "nearly stationary** (|b| is small against the slopes at the bounds), so a small residual may also mean that a "
      "system was drawn there: f0 tells. Large smoothing does just that,\nand SZO-ConEx with nu = 2 stays in the "
      "middle. "
      "SZO-ConEx's steps are therefore chosen by f0 and violation. Algorithm 2 returns one of its "
      "outer iterates drawn at random\n(its lines 5 and 6): its curve is an average over the way it has come.\n\nA "
      "joint "
      "evaluation is two calls. ADMMBO mostly asks f0 alone, so an evaluation costs it half as much.",
      "gradient", "KKT");
  std::ofstream(out / "paper.md") << page;
}

}  // namespace zeroth
