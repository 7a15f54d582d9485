// SPDX-License-Identifier: MIT
#include "zeroth/solvers/trust_bo/trust_bo.hpp"

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <deque>
#include <optional>

#include "zeroth/core/error.hpp"
#include "zeroth/model/design.hpp"
#include "zeroth/model/site_model.hpp"
#include "zeroth/solvers/trust_bo/safe_steps.hpp"
#include "zeroth/solvers/trust_bo/trust_bo_proposals.hpp"

// Our own. All evaluations are collapsed into sites; every function is a Gaussian process over the sites' means, behind
// warps of inputs and outputs that the data choose (site_model.hpp). Evaluations go, in fixed shares, to
//   - the cautious optimum, min mean_f s.t. mean_j + z sd_j <= 0: replicated, since that is what will be answered;
//   - the largest expected constrained improvement;
//   - the optimum with no margin, where an evaluation decides where a limit lies;
//   - what may hide between the sites, by a model of a third of the lengths.
// A batch grows in proportion to what has been evaluated, so that the number of model steps grows with the logarithm of
// the budget and the solver's own time per evaluation falls. What is recommended is a site: the one of least expected
// loss.
namespace zeroth {
namespace {

struct TrustBoLabel {
  enum : std::uint64_t { design, step, noise, caution, everywhere, keys, safe };
};

constexpr const char* unsafe_start =
    "'safe' needs a feasible start, but the evaluations at the start say that a constraint does not hold there; name "
    "another start, or leave 'safe' out";

constexpr double evaluations_per_batch_slot = 60, functions_per_batch_slot = 10;

// What a slot of a batch is for.
enum class Purpose : std::uint8_t { cautious, improvement, bold, hidden };

// Purposes in fixed shares, as evenly spread as can be: whoever is furthest behind is next.
class Shares {
 public:
  explicit Shares(double replicate)
      : share_{replicate, 0.5 * (1 - replicate), 0.25 * (1 - replicate), 0.25 * (1 - replicate)} {}
  Purpose next() {
    std::size_t most = 0;
    for (std::size_t k = 0; k < share_.size(); ++k) {
      due_[k] += share_[k];
      if (due_[k] > due_[most]) most = k;
    }
    due_[most] -= 1;
    return static_cast<Purpose>(most);
  }

 private:
  std::array<double, 4> share_, due_{};
};

Matrix initial_design(const Spec& spec, const UnitBox& box, Index count, std::uint64_t seed) {
  const Index d = box.dimension();
  Rng rng(derive_key(seed, TrustBoLabel::design));
  Matrix design(d, count + 1);
  const Vector start = box.to_unit(spec.first_point());
  design.col(0) = design.col(1) = start;  // twice: the first word on the noise
  if (!box.is_box()) {
    for (Index i = 2; i <= count; ++i) design.col(i) = box.sample(rng);
    return design;
  }
  if (count > 1) design.rightCols(count - 1) = maximin_latin_hypercube(d, count - 1, rng);
  const InputWarp log{box.log_offset()};
  for (Index i = 2; i <= count; ++i)
    for (Index k = 0; k < d; ++k) {
      if (box.categories(k) > 0) {
        design(k, i) = box.category_at(k, design(k, i));
        continue;
      }
      if (i % 2 == 1) design(k, i) = log.back(k, design(k, i));
      // In many dimensions nearly all of a box is at its edges, where few things work: drawn towards the start, but for
      // integer variables, which would not leave it.
      if (!box.whole(k)) design(k, i) = start[k] + thinness(d) * (design(k, i) - start[k]);
    }
  return design;
}

}  // namespace

Search trust_bo(Spec spec, TrustBoOptions options, std::uint64_t seed) {
  return trust_bo_beside_others(std::move(spec), options, seed, nullptr);
}

Search trust_bo_beside_others(Spec spec, TrustBoOptions options, std::uint64_t seed,
                              std::shared_ptr<Elsewhere> elsewhere) {
  Incumbent& incumbent = co_await recommendation();
  incumbent.x = spec.first_point();

  const UnitBox box(spec);
  const Index d = spec.dimension();
  const double z = -1.41421356237309504880 * boost::math::erfc_inv(2 * options.safety);
  SiteModel model(spec, box);
  Everywhere everywhere(box, derive_key(seed, TrustBoLabel::everywhere));
  Shares shares(options.replicate);
  for (const Evaluated& known : spec.evaluated) model.observe(box.snap(box.to_unit(known.x)), known);
  // What is known already need not be designed for.
  const auto enough = static_cast<Index>(std::lround(6 * std::sqrt(static_cast<double>(d)))) - model.sites().size();
  Index planned = std::max<Index>(
      2, options.start > 0 ? options.start : std::min<Index>(enough, static_cast<Index>(spec.budget / 4)));
  const auto full = static_cast<Index>(std::max(1, spec.width));  // the last batch of the design is a whole one
  planned += (full - (planned + 1) % full) % full;
  const Matrix design = initial_design(spec, box, planned, seed);
  const Vector first = box.snap(design.col(0));
  std::optional<SafeSteps> safe;
  if (options.safe > 0) safe.emplace(model, box, options.safe, first);
  if (safe && spec.equalities > 0) throw Error("'safe' is for inequalities: no point is known to meet an equality");
  if (safe && spec.constraints == 0) throw Error("'safe' says that constraints hold, but the problem has none");
  Rng safe_rng(derive_key(seed, TrustBoLabel::safe));

  std::vector<Vector> units, x;
  struct Open {
    Vector unit;
    Index key;
  };
  std::deque<Open> open;  // asked and not answered yet, oldest first
  // Comparisons gain where noise is shared; how far a limit is away is learned best from new noise every time.
  const bool sharing = spec.common_noise && spec.functions() == 1;
  std::uint64_t keys = 0;
  Rng key_rng(derive_key(seed, TrustBoLabel::keys));
  const auto key_for = [&](const Vector& unit) {
    for (int tries = 0; sharing && tries < 4; ++tries) {
      const auto known = model.sites().known_key(model.sites().find(unit), key_rng);
      if (!known) break;
      if (std::ranges::none_of(open, [&](const Open& o) { return o.key == *known && o.unit == unit; })) return *known;
    }
    return static_cast<Index>(noise_key(seed, TrustBoLabel::noise, keys++));
  };
  std::vector<Query> batch;
  Index asked = 0;
  std::uint64_t step = 0;
  Vector recommended = first;
  Rng design_rng(derive_key(seed, TrustBoLabel::design, 1));
  incumbent.cautious_at = [&model, &box, &everywhere, &recommended, seed](double deviations) {
    if (!model.ready()) return box.to_domain(recommended);
    Rng rng(derive_key(seed, TrustBoLabel::caution));
    return box.to_domain(Proposer(model, box, everywhere, {recommended}, 0.5, rng).optimum(deviations).unit);
  };
  incumbent.believe = [&model, &box](const Vector& at) { return model.believe(box.snap(box.to_unit(at))); };
  for (;;) {
    units.clear();
    const auto width = static_cast<Index>(std::max(1, spec.width));
    if (asked < design.cols()) {
      for (Index k = asked; k < std::min(asked + width, design.cols()); ++k)
        units.push_back(safe ? safe->first(k, safe_rng) : box.snap(design.col(k)));
    } else if (!model.ready() && !open.empty()) {  // what is open will tell more than a guess
    } else if (!model.ready() && safe) {
      units.push_back(safe->first(asked, safe_rng));
    } else if (!model.ready()) {  // all but failures so far
      Vector anywhere = latin_hypercube(d, 1, design_rng);
      for (Index k = 0; k < d; ++k)
        if (box.categories(k) > 0) anywhere[k] = box.category_at(k, anywhere[k]);
      units.push_back(box.snap(anywhere));
    } else {
      Rng rng(derive_key(seed, TrustBoLabel::step, step++));
      std::vector<Vector> centers{recommended};
      everywhere.renew();
      Proposer proposer(model, box, everywhere, centers, 0.5, rng);
      for (const Open& o : open) proposer.avoid(o.unit);
      const auto slots = std::max<Index>(
          width, 1 + static_cast<Index>(static_cast<double>(model.sites().evaluations()) / evaluations_per_batch_slot +
                                        static_cast<double>(spec.functions()) / functions_per_batch_slot));
      const Beliefs at_best = model.predict(recommended);
      bool feasible = true;
      for (Index i = 1; i < spec.functions(); ++i) feasible = feasible && at_best.mean(i, 0) <= model.upper(i);
      const bool exact = model.exact() || (elsewhere && elsewhere->exact);
      std::optional<Vector> cautious, improving, bold, hidden;
      for (Index k = 0; k < slots; ++k) {
        std::optional<Vector>* chosen = nullptr;
        switch (shares.next()) {
          case Purpose::cautious:
            if (!cautious) cautious = proposer.optimum(z).unit;
            chosen = &cautious;
            break;
          case Purpose::bold:
            if (!bold) bold = proposer.optimum(0).unit;
            chosen = &bold;
            break;
          case Purpose::improvement:
            if (!improving || k % 4 == 0)
              improving = proposer.improvement(feasible ? std::optional(at_best.mean(0, 0)) : std::nullopt).unit;
            chosen = &improving;
            break;
          case Purpose::hidden:
            if (!hidden || k % 4 == 0) hidden = proposer.hidden().unit;
            chosen = &hidden;
            break;
        }
        // Without noise a second evaluation says nothing new.
        const auto is_known = [&](const Vector& unit) {
          const Index seen = model.sites().find(unit);
          return (seen >= 0 && model.sites()[seen].answered > 0) ||
                 std::ranges::find(open, unit, &Open::unit) != open.end() ||
                 std::ranges::find(units, unit) != units.end();
        };
        for (int tries = 0; exact && tries < 3 && is_known(**chosen); ++tries) {
          proposer.avoid(**chosen);
          *chosen = tries == 0 ? proposer.improvement(feasible ? std::optional(at_best.mean(0, 0)) : std::nullopt).unit
                    : tries == 1 ? proposer.hidden().unit
                                 : everywhere.points(rng).col(0);
        }
        if (safe) *chosen = safe->allowed(**chosen, safe_rng);
        if (const auto same = model.indistinguishable(**chosen); same && !exact) *chosen = model.sites()[*same].unit;
        proposer.avoid(**chosen);
        units.push_back(**chosen);
        // What has been replicated enough makes way for what may be better.
        if (!exact && model.sites().find(units.back()) >= 0)
          if (const auto contender = proposer.contender(units.back())) units.back() = *contender;
        if (safe) units.back() = safe->allowed(units.back(), safe_rng);
      }
    }

    x.resize(units.size());
    batch.resize(units.size());
    for (std::size_t k = 0; k < units.size(); ++k) {
      // The model must know where it was evaluated: whoever stands outside would move what is not allowed.
      if (box.limited()) units[k] = box.allowed_instead(units[k], recommended, design_rng);
      x[k] = box.to_domain(units[k]);
      const Index key = key_for(units[k]);
      batch[k] = {as_span(x[k]), static_cast<std::uint64_t>(key), {}};
      open.push_back({units[k], sharing ? key : -1});
      ++asked;
    }
    const auto answers = co_await propose(batch);
    for (const Answer& answer : answers) {
      model.observe(open.front().unit, answer, open.front().key);
      open.pop_front();
    }
    // With a lag the model may be asked before the first answer, on what was known before.
    const bool news = !answers.empty() || (elsewhere && !elsewhere->x.empty()) || model.active().empty();
    if (elsewhere) {
      for (std::size_t k = 0; k < elsewhere->x.size(); ++k)
        model.observe(box.snap(box.to_unit(elsewhere->x[k])), elsewhere->answers[k],
                      sharing ? static_cast<Index>(elsewhere->noise[k]) : -1);
      elsewhere->x.clear();
      elsewhere->answers.clear();
      elsewhere->noise.clear();
    }
    if (!model.ready() || !news) continue;

    model.update(recommended);
    if (safe) {
      safe->update();
      if (safe->start_is_infeasible()) throw Error(unsafe_start);
    }
    Rng rng(derive_key(seed, TrustBoLabel::step, step + (std::uint64_t{1} << 40)));
    const Proposer proposer(model, box, everywhere, {recommended}, 0.5, rng);
    const double at_start = model.predict(first).mean(0, 0);
    const auto bets = proposer.best_bets(at_start, 6);
    recommended = bets.front().unit;
    incumbent.x = box.to_domain(recommended);
    incumbent.candidates.clear();
    for (std::size_t k = 1; k < bets.size(); ++k) incumbent.candidates.push_back(box.to_domain(bets[k].unit));
    incumbent.cautious.clear();
    if (spec.constraints > 0) incumbent.cautious = {box.to_domain(proposer.optimum(2 * z).unit)};
    incumbent.multipliers = proposer.multipliers(recommended);
    const auto outlook = proposer.outlook(recommended);
    incumbent.expected_improvement = outlook.expected_improvement;
    incumbent.possible_gain = outlook.possible_gain;
    incumbent.several_optima = outlook.several_optima;
    incumbent.trace = {{"sites", static_cast<double>(model.sites().size())}, {"violated", bets.front().violated}};
  }
}

}  // namespace zeroth
