// SPDX-License-Identifier: MIT
#include "zeroth/lab/studies/hmc_study.hpp"

namespace zeroth {
namespace {

Ledger::Key key(const HmcCell& c) {
  return {std::to_string(c.gradients), c.solver, std::to_string(c.evaluations), std::to_string(c.trial)};
}

}  // namespace

HmcLedger::HmcLedger(const std::filesystem::path& file)
    : cells_(file, {"gradients", "solver", "evaluations", "trial"},
             {"effective_size", "geweke", "rhat", "feasible", "x1", "x2", "x3", "x4", "cpu_seconds"}) {}

bool HmcLedger::find(HmcCell& cell) const {
  const auto found = cells_.find(key(cell));
  if (!found) return false;
  const std::vector<double>& v = *found;
  cell.effective_size = v[0];
  cell.geweke = v[1];
  cell.rhat = v[2];
  cell.feasible = v[3] == 1;
  cell.x = Eigen::Map<const Vector>(v.data() + 4, 4);
  cell.cpu_seconds = v[8];
  return true;
}

void HmcLedger::add(const HmcCell& c) {
  cells_.add(key(c), {c.effective_size, c.geweke, c.rhat, c.feasible ? 1.0 : 0.0, c.x[0], c.x[1], c.x[2], c.x[3],
                      c.cpu_seconds});
}

}  // namespace zeroth
