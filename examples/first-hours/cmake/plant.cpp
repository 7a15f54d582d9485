#include <iostream>
#include <zeroth/zeroth.hpp>

// A plant whose cost and emission can only be measured, each with an error of its own.
int main() {
  zeroth::Problem plant;
  plant.spec.domain = zeroth::Domain::box(2, 0, 1);  // temperature and flow, scaled
  plant.spec.constraints = 1;                        // emission - 0.5 <= 0
  plant.oracle = [](std::span<const double> x, zeroth::Rng& noise, std::span<double> values) {
    values[0] = (x[0] - 1) * (x[0] - 1) + x[1] * x[1] + 0.1 * noise.normal();
    values[1] = x[0] - 2 * x[1] - 0.5 + 0.1 * noise.normal();
  };
  zeroth::MinimizeOptions options;
  options.budget = 2000;
  const zeroth::Result answer = zeroth::minimize(plant, options);
  std::cout << "x = " << answer.x.transpose() << ", cost " << answer.objective.mean << " +- " << answer.objective.se
            << ", feasible with probability " << answer.constraints[0].probability_feasible << "\n";
}
