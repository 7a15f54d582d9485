// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

namespace zeroth::adaptive {

// Every constant of adaptive-conex that is a choice, with its reason. Nobody has to set them, and no option does;
// `zeroth bench sensitivity` halves and doubles each and prints what becomes of the medians. Shares and factors of
// quantities that the solver measures: none has a unit.
struct Tuning {
  // --- Doubt.

  // standard errors: what is further off is no accident, and no evaluation counts for more (tails of 1e-4)
  double beyond_doubt = 4;
  // standard errors by which the best point seen must be better for a start afresh from it, which costs a sweep
  double astray = 6;
  // standard deviations; evaluations further off are counted by side, to tell rare large values from bad luck
  double outlier = 2;
  // times as many outliers on one side as on the other: large values are rare there, not wrong
  double one_sided = 4;
  // outliers before that is looked at
  double one_sided_least = 8;

  // --- Noise, and whether keys are honoured.

  // of the largest radius: where keys are compared, far below all bends and far above rounding
  double key_probe = 1e-4;
  // of the noise variance: third differences under one key beyond it say that keys are not honoured
  double key_gap = 1e-3;
  // of a first difference: printed digits that hide no slope are no noise
  double key_rounding = 1e-3;
  // of the largest radius: differences under one key go no further, for the sake of third derivatives
  double key_radius = 0.05;
  // of a slope: if it changes by more from key to key, what was learned under one key is no guide to the mean
  double tilt = 0.02;
  // degrees of freedom by which the noise is known: it may change with x
  double noise_memory = 200;
  // degrees of freedom after which tails are clipped: before, one tail is most of what is known
  double noise_settled = 20;
  // of older replicates per newer one: about fifty count
  double replicate_keep = 0.98;
  // replicates that stand for the belief that noise away from x is the noise at x
  double replicate_prior = 5;

  // --- Where to evaluate.

  // evaluations along directions between two looks at the radius, with few variables: a tenth of all
  double probe_every = 40;
  // radii: where higher derivatives show that noise hides at the radius itself
  double probe_reach = 2;
  // least factor by which a probe changes the radius
  double radius_fall = 0.5;
  // largest; slower than falling, since a radius too wide spoils what is known
  double radius_rise = 1.5;
  // share by which a batch of a regression changes the radius
  double regression_radius_change = 0.2;
  // of older probes per newer ones: about twenty count
  double radius_forget = 0.95;
  // of the objective's slopes: what a function counts before its multiplier is known
  double known_weight = 0.05;
  // of the room ahead: the sides take turns unless one has so much less
  double room_preference = 0.75;
  // of the radius: single evaluations no closer, or noise drowns them
  double single_least = 0.3;
  // times the distance at which the curvature was measured: no further without a pair
  double single_most = 1.7;
  // of that distance: no closer without a pair
  double single_fall = 0.5;
  // of the radius, near walls
  double pair_narrowest = 0.05;
  // rows of a regression for each evaluation of a batch: a fit costs as much as they do
  double regression_rows_per_evaluation = 100;
  // radii: least distance of the evaluations under shared noise that tell the Hessians
  double wide_reach = 20;
  // evaluations along directions for one replicate
  double replicate_every = 8;
  // most evaluations at x for each along a direction
  double levels_per_direction = 2;

  // --- The local model.

  // evaluations that stand for what was believed of how far steps follow errors of the slopes
  double alignment_prior = 2;
  // of older evaluations per newer one, in that: about a hundred count
  double alignment_keep = 0.99;
  // evaluations at x; older ones are merged in pairs
  double levels_kept = 256;
  // most by which one sweep changes the Hessians' error
  double tau_change = 4;
  // typical curvatures: Hessians are not more wrong than they are large
  double tau_most = 2;
  // of its typical size: least curvature assumed before any is known, for a first step of finite length
  double curvature_floor = 0.1;

  // --- Regressions.

  // of the Hessian's prior variance: that of every higher order, before it is learned
  double order_prior = 0.1;
  // rows kept
  double regression_rows = 4000;
  // rows kept where evaluations stay close by
  double regression_rows_nearby = 1000;
  // standard deviations: no surprise says more of what is left out
  double regression_clip = 5;
  // of older surprises per fit: about fifty fits count
  double lack_keep = 0.98;
  // of the squared mean curvature per variable: least prior variance, so that Hessians can turn
  double prior_spread = 0.01;
  // of the noise at x: least that a row may claim, which was added when little was known
  double row_noise = 0.3;
  // radii squared: recent moves below it, and a high order must be clearly better
  double settled = 0.1;
  // times the variance: clearly better
  double order_handicap = 2;
  // per value that an evaluation brings: what a fit may cost, a few milliseconds
  double regression_flops = 1.06e7;
  // per evaluation, all of its values together: a tenth of a second
  double regression_flops_in_all = 1.7e8;

  // --- What a representation may cost.

  // of Hessians in memory; beyond, one curvature per function
  double dense_bytes = 4e8;
  // per evaluation, likewise: with 2,000 variables a few milliseconds
  double dense_flops = 1.0667e7;

  // --- The step.

  // of the Hessians' error in spectral norm: weight of the prox term
  double prox = 1;
  // the same with a regression, which keeps what it has seen wherever it moves
  double regression_prox = 0.2;
  // of the typical curvature
  double least_prox = 1e-4;
  // factor of the prox weight after a step that was worse
  double boost = 4;
  // largest such factor
  double most_boost = 64;
  // factor after any other step
  double boost_decay = 0.5;
  // sqrt(n), in half-widths of X: from corner to corner, twice
  double first_trust = 4;
  // trust radii: longer steps are proposed anew with more prox, shorter ones cut
  double overlong = 1.5;
  // by so much more
  double more_prox = 8;
  // of the typical curvature, at least
  double more_prox_least = 0.1;
  // times what moving makes of errors of the slopes: where a step that noise explains is shortened
  double moving_cost = 10;
  // of such a step
  double shortest = 0.1;
  // of the mean gain of recent steps
  double gain_memory = 0.7;
  // of the sum of recent moves
  double moves_memory = 0.8;

  // --- Whether a step is accepted.

  // of the promise: a step that is off by less keeps it
  double kept = 0.5;
  // of the trust radius after a step that was worse
  double worse_cut = 0.4;
  // of it at least
  double worse_least = 0.1;
  // of the step after a broken promise
  double broken_cut = 0.6;
  // of the trust radius at least
  double broken_least = 0.3;
  // of the trust radius after a kept promise that noise cannot explain
  double proven_rise = 2;
  // the same where noise might
  double kept_rise = 1.5;
  // of the trust radius: only longer steps widen it
  double long_step = 0.5;
  // of what the slope gives along a step: as far across a constraint counts by its multiplier
  double free_crossing = 0.1;
  // multipliers: weight of a violation in the merit function
  double penalty = 2;
  // of it from step to step
  double penalty_keep = 0.8;
  // of the objective's steepest slope per constraint's: least weight
  double penalty_exchange = 0.3;
  // of the steepest slopes, per step
  double steepest_keep = 0.95;
  // of the trust radius after a start afresh
  double restart_trust = 0.3;

  // --- The certificate.

  // half-widths of X: the step that measures the residual
  double stride = 0.1;
  // standard errors: constraints closer to their limit are active
  double reach = 6;
  // standard errors of the check, by which the first fallback keeps away from limits
  double first_retreat = 3;
  // the second
  double second_retreat = 6;
  // of the check's evaluations one candidate gets one in so many
  double check_share = 6;

  // --- The opening.

  // of values and slopes: two keys agree
  double agreement = 0.1;
  // of the evaluations of a gradient that comparing keys may cost
  double comparison_share = 0.4;
  // gradients that the budget must pay for
  double gradients_paid = 10;
  // half-widths of X: before any curvature is known
  double first_step = 0.5;
  // half-widths: where the first curvature may lead
  double furthest_first_step = 1;
  // half-widths: shorter steps end it, the noise of other keys moves the optimum by more
  double shortest_step = 3e-3;
  // and most_rejected steps: by then quadratics are no model
  double most_gradients = 25;
  // see most_gradients
  double most_rejected = 5;
  // of the promise: least gain
  double accepted = 0.05;
  // of a step that was not accepted: the new trust radius
  double rejected_cut = 0.35;
  // of the objective's slope per first step
  double least_curvature = 0.1;

  // --- The subproblem.

  // times the force that pulls the other way: price of a violation
  double far_beyond = 50;
  // times the force by which constraints have held: likewise
  double beyond_held = 10;
};

inline const Tuning default_tuning{};

// Every field by its name.
inline constexpr std::pair<const char*, double Tuning::*> tuning_fields[] = {
    {"beyond_doubt", &Tuning::beyond_doubt},
    {"astray", &Tuning::astray},
    {"outlier", &Tuning::outlier},
    {"one_sided", &Tuning::one_sided},
    {"one_sided_least", &Tuning::one_sided_least},
    {"key_probe", &Tuning::key_probe},
    {"key_gap", &Tuning::key_gap},
    {"key_rounding", &Tuning::key_rounding},
    {"key_radius", &Tuning::key_radius},
    {"tilt", &Tuning::tilt},
    {"noise_memory", &Tuning::noise_memory},
    {"noise_settled", &Tuning::noise_settled},
    {"replicate_keep", &Tuning::replicate_keep},
    {"replicate_prior", &Tuning::replicate_prior},
    {"probe_every", &Tuning::probe_every},
    {"probe_reach", &Tuning::probe_reach},
    {"radius_fall", &Tuning::radius_fall},
    {"radius_rise", &Tuning::radius_rise},
    {"regression_radius_change", &Tuning::regression_radius_change},
    {"radius_forget", &Tuning::radius_forget},
    {"known_weight", &Tuning::known_weight},
    {"room_preference", &Tuning::room_preference},
    {"single_least", &Tuning::single_least},
    {"single_most", &Tuning::single_most},
    {"single_fall", &Tuning::single_fall},
    {"pair_narrowest", &Tuning::pair_narrowest},
    {"regression_rows_per_evaluation", &Tuning::regression_rows_per_evaluation},
    {"wide_reach", &Tuning::wide_reach},
    {"replicate_every", &Tuning::replicate_every},
    {"levels_per_direction", &Tuning::levels_per_direction},
    {"alignment_prior", &Tuning::alignment_prior},
    {"alignment_keep", &Tuning::alignment_keep},
    {"levels_kept", &Tuning::levels_kept},
    {"tau_change", &Tuning::tau_change},
    {"tau_most", &Tuning::tau_most},
    {"curvature_floor", &Tuning::curvature_floor},
    {"order_prior", &Tuning::order_prior},
    {"regression_rows", &Tuning::regression_rows},
    {"regression_rows_nearby", &Tuning::regression_rows_nearby},
    {"regression_clip", &Tuning::regression_clip},
    {"lack_keep", &Tuning::lack_keep},
    {"prior_spread", &Tuning::prior_spread},
    {"row_noise", &Tuning::row_noise},
    {"settled", &Tuning::settled},
    {"order_handicap", &Tuning::order_handicap},
    {"regression_flops", &Tuning::regression_flops},
    {"regression_flops_in_all", &Tuning::regression_flops_in_all},
    {"dense_bytes", &Tuning::dense_bytes},
    {"dense_flops", &Tuning::dense_flops},
    {"prox", &Tuning::prox},
    {"regression_prox", &Tuning::regression_prox},
    {"least_prox", &Tuning::least_prox},
    {"boost", &Tuning::boost},
    {"most_boost", &Tuning::most_boost},
    {"boost_decay", &Tuning::boost_decay},
    {"first_trust", &Tuning::first_trust},
    {"overlong", &Tuning::overlong},
    {"more_prox", &Tuning::more_prox},
    {"more_prox_least", &Tuning::more_prox_least},
    {"moving_cost", &Tuning::moving_cost},
    {"shortest", &Tuning::shortest},
    {"gain_memory", &Tuning::gain_memory},
    {"moves_memory", &Tuning::moves_memory},
    {"kept", &Tuning::kept},
    {"worse_cut", &Tuning::worse_cut},
    {"worse_least", &Tuning::worse_least},
    {"broken_cut", &Tuning::broken_cut},
    {"broken_least", &Tuning::broken_least},
    {"proven_rise", &Tuning::proven_rise},
    {"kept_rise", &Tuning::kept_rise},
    {"long_step", &Tuning::long_step},
    {"free_crossing", &Tuning::free_crossing},
    {"penalty", &Tuning::penalty},
    {"penalty_keep", &Tuning::penalty_keep},
    {"penalty_exchange", &Tuning::penalty_exchange},
    {"steepest_keep", &Tuning::steepest_keep},
    {"restart_trust", &Tuning::restart_trust},
    {"stride", &Tuning::stride},
    {"reach", &Tuning::reach},
    {"first_retreat", &Tuning::first_retreat},
    {"second_retreat", &Tuning::second_retreat},
    {"check_share", &Tuning::check_share},
    {"agreement", &Tuning::agreement},
    {"comparison_share", &Tuning::comparison_share},
    {"gradients_paid", &Tuning::gradients_paid},
    {"first_step", &Tuning::first_step},
    {"furthest_first_step", &Tuning::furthest_first_step},
    {"shortest_step", &Tuning::shortest_step},
    {"most_gradients", &Tuning::most_gradients},
    {"most_rejected", &Tuning::most_rejected},
    {"accepted", &Tuning::accepted},
    {"rejected_cut", &Tuning::rejected_cut},
    {"least_curvature", &Tuning::least_curvature},
    {"far_beyond", &Tuning::far_beyond},
    {"beyond_held", &Tuning::beyond_held}};

}  // namespace zeroth::adaptive
