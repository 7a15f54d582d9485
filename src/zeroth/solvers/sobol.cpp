// SPDX-License-Identifier: MIT
#include "zeroth/solvers/sobol.hpp"

#include <deque>

#include "zeroth/model/design.hpp"
#include "zeroth/model/unit_box.hpp"
#include "zeroth/solvers/best_evaluation.hpp"

namespace zeroth {
namespace {

struct SobolLabel {
  enum : std::uint64_t { points, noise };
};

}  // namespace

Search sobol_search(Spec spec, SobolOptions options, std::uint64_t seed) {
  Incumbent& incumbent = co_await recommendation();
  incumbent.x = spec.first_point();

  const UnitBox box(spec);
  const auto batch_size = static_cast<std::size_t>(options.batch > 0 ? options.batch : std::max(1, spec.width));
  SobolSequence sequence(spec.dimension(), derive_key(seed, SobolLabel::points));
  BestEvaluation best(spec.constraints);
  std::deque<Vector> open;  // asked and not answered yet, oldest first
  std::vector<Query> batch(batch_size);

  for (std::uint64_t asked = 0;; asked += batch_size) {
    const Matrix next = sequence.next(static_cast<Index>(batch_size));
    for (std::size_t k = 0; k < batch_size; ++k) {
      Vector& x = open.emplace_back(box.to_domain(next.col(static_cast<Index>(k))));
      // Points of the sequence that known limits forbid are passed over.
      for (int again = 0; spec.known && again < 100 && !spec.known(as_span(x)); ++again)
        x = box.to_domain(sequence.next(1).col(0));
      batch[k].x = as_span(x);
      batch[k].noise = noise_key(seed, SobolLabel::noise, asked + k);
    }
    const auto answers = co_await propose(batch);
    for (const Answer& answer : answers) {
      if (!answer.failed() && best.offer(answer.values)) incumbent.x = open.front();
      open.pop_front();
    }
  }
}

}  // namespace zeroth
