// SPDX-License-Identifier: MIT
#include "zeroth/solvers/sobol.hpp"

#include "zeroth/model/design.hpp"
#include "zeroth/model/unit_box.hpp"
#include "zeroth/solvers/best_look.hpp"

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
  BestLook best(spec.constraints);
  std::vector<Vector> x(batch_size);
  std::vector<Query> batch(batch_size);

  for (std::uint64_t asked = 0;; asked += batch_size) {
    const Matrix next = sequence.next(static_cast<Index>(batch_size));
    for (std::size_t k = 0; k < batch_size; ++k) {
      x[k] = box.to_domain(next.col(static_cast<Index>(k)));
      batch[k].x = as_span(x[k]);
      batch[k].noise = noise_key(seed, SobolLabel::noise, asked + k);
    }
    const auto answers = co_await look(batch);
    for (std::size_t k = 0; k < batch_size; ++k)
      if (!answers[k].failed() && best.offer(answers[k].values)) incumbent.x = x[k];
  }
}

}  // namespace zeroth
