// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <limits>
#include <optional>

#include "zeroth/core/search.hpp"
#include "zeroth/solvers/adaptive_conex/adaptive_conex_options.hpp"
#include "zeroth/solvers/adaptive_conex/frame.hpp"
#include "zeroth/solvers/adaptive_conex/local_model.hpp"
#include "zeroth/solvers/adaptive_conex/noise.hpp"
#include "zeroth/solvers/adaptive_conex/opening.hpp"
#include "zeroth/solvers/adaptive_conex/orders.hpp"
#include "zeroth/solvers/adaptive_conex/radius.hpp"
#include "zeroth/solvers/adaptive_conex/subproblem.hpp"

namespace zeroth::adaptive {

// adaptive-conex between two batches: plan() says what to evaluate, learn() takes the answers, step() moves.
class State {
 public:
  State(const Spec& spec, const AdaptiveConexOptions& options, std::uint64_t seed);

  const std::vector<Query>& plan();
  void learn(std::span<const Answer> answers);
  void step();
  void show(Incumbent& incumbent) const;

  // With a lag: whether the next round may be planned before this one is answered; this one waits for its answers;
  // rounds whose answers are all there are learned from, oldest first, and these answers leave `early`. Whether there
  // were any.
  bool asks_ahead() const { return spec_.lag > 0 && phase_ == Phase::sweeps; }
  void put_off();
  bool learn_late(std::vector<Answer>& early);

 private:
  enum class Phase { opening, noise, curvature, sweeps };

  void learn_opening(std::span<const Answer> answers);
  void adopt_opening(std::span<const Answer> answers, double evaluations);
  void plan_noise();
  void plan_curvature();
  void plan_block();
  bool plan_single_sided(Index first, Index size);
  bool plan_pairs(Index first, Index size);
  void plan_regression();
  void plan_probe();
  void evaluate_along_variables();
  void learn_noise(std::span<const Answer> answers);
  void learn_curvature(std::span<const Answer> answers);
  void learn_regression(std::span<const Answer> answers);
  void fit_regression();
  void choose_radius();
  void learn_block(std::span<const Answer> answers);
  void learn_levels(std::span<const Answer> answers);
  void learn_replicate(std::span<const Answer> answers);
  void learn_probes(std::span<const Answer> answers);
  double noise_of(const Answer& answer, Index i) const;  // as stated, or as evaluations along directions show it
  // What evaluations at the new point say of the step that led there.
  struct Verdict {
    bool worse = false;   // than no step, beyond doubt
    bool kept = true;     // the model's promise, as far as noise lets see
    bool proven = false;  // and that is not the noise's merit
    bool better = false;  // than promised
  };
  Verdict verdict_on_step(const Vector& seen, const Vector& noise) const;
  Verdict verdict_under_one_key(const Answer& again) const;
  void trust(const Verdict& verdict);
  void weigh_penalties();
  int level_evaluations_worth_it(double directions) const;
  Vector function_weights() const;
  double difference_noise(
      Index i) const;  // variance of an evaluation along a direction, or of a difference under one key
  Index size_of(Index block) const;

  Vector random_direction();
  double check_evaluations() const;
  struct Lagrangian {
    Vector gradient, variance;
    double steepness;              // what its slopes are compared with
    double slack, slack_variance;  // of complementarity, squared, as a slope
  };
  Lagrangian lagrangian() const;
  std::vector<Index> active() const;
  void fall_back(const Lagrangian& l, double s, double noise);
  void judge();  // x becomes what is recommended, with multipliers' errors, KKT residual and cautious fallbacks

  Spec spec_;
  AdaptiveConexOptions options_;
  Tuning tune_;
  Frame frame_;
  Rng rng_;
  Index n_, functions_, count_;
  Phase phase_ = Phase::noise;
  std::vector<Query> batch_;

  Vector x_, y_;
  LocalModel model_;
  Matrix g_;
  Held held_;
  std::vector<bool> elastic_;         // constraints that the last step could not meet
  std::optional<Orders> regression_;  // in few dimensions
  std::optional<Opening> opening_;
  bool fitted_ = false;
  Vector lowest_, highest_;  // levels seen
  bool common_ = false;
  double radius_ = 0;
  RadiusRule rule_;
  NoiseBelief noise_;

  // A round of questions: what was planned, where, and the step that led there. With a lag some wait for their answers.
  struct Round {
    std::vector<Ask> asks;
    Index block = 0;
    std::size_t level_evaluations = 0, replicate_at = 0, probe_at = 0, pair_at = 0;
    bool fresh = false, slid = false;
    bool turned = false;    // its directions are no longer those of the frame
    Vector w, x, centre_w;  // where it was asked
    // The point before the step that led there (empty: there was none), and what the model promised of the step.
    Vector before_w, before_level, before_variance, promised, promised_variance;
    double step_length = 0;
    bool confined = false;  // the step would have been longer without the trust region
  };
  Round now_;                  // the one that is planned or learned from
  std::deque<Round> waiting_;  // oldest first

  std::int64_t turn_ = 0;
  std::vector<double> cap_;     // longest radius that still gave answers, per direction
  std::vector<double> paired_;  // radius of the last pair, 0 before the first
  std::vector<int> sign_;
  double since_probe_ = 0, recent_moves_ = 0, decrease_ = 0;

  // An evaluation at the point before the last step: under its key another at the new point tells the change without
  // noise.
  struct Reference {
    std::uint64_t key = 0;
    Vector w, values;
  };
  Reference reference_;
  Reference planned_;  // of the round that was planned last: not answered yet where answers are late

  double boost_ = 1, tau_ = 0;
  double trust_;               // longest step
  bool trusted_ = false;       // the last step kept what the model had promised
  bool broken_ = false;        // the last promise was broken
  Vector penalty_, steepest_;  // merit: f_0 + sum penalty_i [f_i]_+; steepest slopes seen, per function
  int silent_ = 0;             // batches in a row without an answer at x
  std::int64_t rejected_ = 0;

  // The best point so far, to start afresh from should the model lead astray.
  struct Refuge {
    Vector x, y, level, variance;
    double radius = 0, trust = 0;
  };
  Refuge refuge_;
  std::int64_t restarts_ = 0;
  double merit(const Vector& level, const Vector& variance, double& doubt) const;
  bool astray();  // far worse than the refuge; moves there if so

  // What is recommended: the model's optimum while steps keep its promises, else the last point that was evaluated.
  struct Standing {
    Vector x, y, multiplier_se;
    std::vector<Vector> cautious;
    double kkt = std::numeric_limits<double>::quiet_NaN(), kkt_se = kkt, kkt_fallback = kkt;
  };
  Standing standing_;
};

}  // namespace zeroth::adaptive
