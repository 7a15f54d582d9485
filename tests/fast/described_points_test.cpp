// SPDX-License-Identifier: MIT
//
// Points that are described instead of sent (core/iterate.hpp): whoever makes them gets the bits that would have been
// sent, and a run is the same run, here and with copies of x elsewhere.
#include <gtest/gtest.h>

#include "zeroth/catalog/replicas.hpp"
#include "zeroth/engine/engine.hpp"
#include "zeroth/engine/replicas.hpp"
#include "zeroth/run/loop.hpp"
#include "zeroth/solvers/adaptive_conex/adaptive_conex.hpp"
#include "zeroth/solvers/conex/proximal_conex.hpp"

namespace zeroth {
namespace {

constexpr Index many = 4200;  // more than one block, and no multiple of anything

// Smooth, with noise and a constraint, and answers everywhere.
Problem problem_of(Index n, bool everywhere) {
  Problem p;
  p.spec.domain = Domain::box(n, -1, 1);
  p.spec.constraints = 1;
  p.spec.common_noise = true;
  p.spec.defined_everywhere = everywhere;
  p.spec.budget = 10'000;
  p.spec.start = Vector::Constant(n, -0.97);  // near the boundary, where directions are cut
  p.oracle = [](std::span<const double> point, Rng& noise, std::span<double> values) {
    const auto x = as_vector(point);
    const double n_inverse = 1 / static_cast<double>(x.size());
    values[0] = n_inverse * (x.array() - 0.5).square().sum() + 0.01 * noise.normal();
    values[1] = n_inverse * x.sum() - 0.2 + 0.01 * noise.normal();
  };
  return p;
}

using Start = std::function<Search(Spec, std::uint64_t)>;
using Evaluate = std::function<Answer(const Query&)>;

struct Ended {
  Vector x, y;
  bool described = false;
};

Ended ended(const Problem& problem, bool described, const Start& start, int batches, const Evaluate& evaluate = {}) {
  Spec spec = problem.spec;
  spec.described_points = described;
  Search search = start(spec, 7);
  std::vector<Answer> answers;
  Ended end;
  for (int t = 0; t < batches && !search.done(); ++t) {
    answers.clear();
    for (const Query& q : search.ask()) {
      end.described = end.described || q.described != nullptr;
      answers.push_back(evaluate ? evaluate(q) : evaluate_once(problem, q));
    }
    search.tell(answers);
  }
  if (search.recommend().refresh) search.recommend().refresh();
  end.x = search.recommend().x;
  end.y = search.recommend().multipliers;
  return end;
}

void expect_same_run(const Problem& problem, const Start& start, const std::string& what, int batches = 8) {
  const Ended sent = ended(problem, false, start, batches), described = ended(problem, true, start, batches);
  EXPECT_FALSE(sent.described) << what;
  EXPECT_TRUE(described.described) << what;
  EXPECT_EQ(sent.x, described.x) << what;
  EXPECT_EQ(sent.y, described.y) << what;
  EXPECT_NE(sent.x, problem.spec.start) << what;
}

Start conex_with(const ConexOptions& options) {
  return [options](Spec spec, std::uint64_t seed) { return conex(std::move(spec), options, seed); };
}

ConexOptions with_signs() {
  ConexOptions o;
  o.eta = o.tau = {20, 0.5};
  o.estimator.directions = "signs";
  return o;
}

TEST(DescribedPoints, GiveConexTheSameBits) {
  for (const bool everywhere : {true, false})
    for (const char* difference : {"forward", "central", "one-point"})
      for (const std::int64_t batch : {1, 5})
        for (const bool shared : {true, false}) {
          ConexOptions o = with_signs();
          o.estimator.difference = difference;
          o.estimator.batch = batch;
          o.estimator.shared_directions = shared;
          expect_same_run(problem_of(many, everywhere), conex_with(o),
                          std::string(difference) + (everywhere ? " everywhere" : " inside") + std::to_string(batch) +
                              (shared ? " shared" : ""));
        }
}

TEST(DescribedPoints, GiveItsVariantsTheSameBits) {
  ConexOptions adaptive = with_signs(), radii = adaptive, single = adaptive, sums = adaptive, levels = adaptive;
  adaptive.schedule = "adaptive";
  radii.nu = {0.1, 0.05};
  radii.estimator.shared_directions = true;
  single.precision = "float";
  sums.sums = sums.estimator.shared_directions = true;
  sums.estimator.batch = 3;
  levels.linearised = false;
  for (const bool everywhere : {true, false}) {
    const Problem p = problem_of(many, everywhere);
    expect_same_run(p, conex_with(adaptive), "adaptive");
    expect_same_run(p, conex_with(radii), "two radii");
    expect_same_run(p, conex_with(single), "float");
    expect_same_run(p, conex_with(sums), "sums");
    expect_same_run(p, conex_with(levels), "not linearised");
    ProximalConexOptions proximal;
    proximal.K = 3;
    proximal.inner = with_signs();
    proximal.inner.iterations = 2;
    expect_same_run(
        p, [&](Spec s, std::uint64_t seed) { return proximal_conex(std::move(s), proximal, seed); }, "proximal");
  }
}

TEST(DescribedPoints, GiveGaussianDirectionsTheSameBits) {
  ConexOptions o;
  o.estimator.shared_directions = true;
  expect_same_run(problem_of(100'000, true), conex_with(o), "everywhere", 3);
  expect_same_run(problem_of(100'000, false), conex_with(o), "inside", 3);
}

TEST(DescribedPoints, GiveAdaptiveConexTheSameBits) {
  for (const char* directions : {"orthonormal", "signs"})
    for (const char* precision : {"double", "float"}) {
      AdaptiveConexOptions o;
      o.directions = directions;
      o.precision = precision;
      const Start start = [o](Spec s, std::uint64_t seed) { return wide_adaptive_conex(std::move(s), o, seed); };
      expect_same_run(problem_of(many, false), start, std::string(directions) + precision);
    }
}

// After failures in a row x goes back by a step that nobody can describe.
TEST(DescribedPoints, SurviveRetreats) {
  const Problem p = problem_of(many, true);
  int sent = 0, described = 0;
  const auto failing = [&p](int& count) {
    return [&p, &count](const Query& q) {
      ++count;
      return count > 12 && count < 60 ? Answer::failed_because("broken") : evaluate_once(p, q);
    };
  };
  const Start start = conex_with(with_signs());
  EXPECT_EQ(ended(p, false, start, 40, failing(sent)).x, ended(p, true, start, 40, failing(described)).x);
}

// A whole run, its check included, on threads that make points from one x; with an equality, whose scale is measured.
TEST(DescribedPoints, GiveTheSameRunOnThreads) {
  Problem p = problem_of(many, false);
  p.spec.equalities = 1;
  p.spec.described_points = true;
  p.spec.plan_for(600, 0.1);
  p.oracle = [one = p.oracle](std::span<const double> x, Rng& noise, std::span<double> values) {
    one(x, noise, values.first(2));
    values[2] = x[0] - 0.1;
  };
  ProximalConexOptions o;
  o.K = 3;
  o.inner = with_signs();
  RunRequest request;
  request.budget = 600;
  for (const bool proximal : {false, true}) {
    const auto result = [&](int jobs) {
      const auto engine = jobs > 1 ? threads_engine(p, jobs) : serial_engine(p);
      return run(p.spec, proximal ? proximal_conex(p.spec, o, 3) : conex(p.spec, o.inner, 3), *engine, request);
    };
    const Result alone = result(1), threads = result(3);
    EXPECT_EQ(alone.x, threads.x);
    EXPECT_EQ(alone.objective.mean, threads.objective.mean);
    EXPECT_EQ(alone.evaluations, threads.evaluations);
    EXPECT_GT(alone.evaluations, 500);
    EXPECT_GT(alone.replicates, 0);
  }
}

// Workers with copies of x, and the bytes between them and where x lives.
class Workers {
 public:
  Workers(const Problem& problem, int count) : problem_(problem) {
    for (int w = 0; w < count; ++w) replicas_.emplace_back(replicas_of(problem.spec));
  }
  Answer operator()(const Query& query) {
    const int worker = static_cast<int>(asked_++ % replicas_.size());
    for (;;) {
      Packer packer;
      pack_query(asked_, query, packer);
      feed_.put(worker, *query.described, packer);
      const std::vector<char> message = packer.take();
      bytes_ += static_cast<double>(message.size());
      Unpacker u(message);
      (void)u.take<std::uint64_t>();
      Query there;
      there.noise = u.take<std::uint64_t>();
      (void)u.take_list<std::vector<std::uint8_t>>();
      (void)u.take<std::uint8_t>();
      DescribedPoint point;
      there.described = &point;
      if (!replicas_[static_cast<std::size_t>(worker)].read(u, point)) {
        ++differed_;
        feed_.forget(worker);
        continue;
      }
      settle({&query, 1});  // late, as by an engine that asks first
      return evaluate_once(problem_, there);
    }
  }
  Replica& replica(std::size_t worker) { return replicas_[worker]; }
  int differed() const { return differed_; }
  double bytes() const { return bytes_; }
  std::size_t asked() const { return asked_; }

 private:
  const Problem& problem_;
  ReplicaFeed feed_;
  std::vector<Replica> replicas_;
  std::size_t asked_ = 0;
  double bytes_ = 0;
  int differed_ = 0;
};

TEST(Replicas, GiveTheBitsOfASerialRun) {
  for (const bool everywhere : {true, false}) {
    const Problem p = problem_of(many, everywhere);
    ConexOptions single = with_signs();
    single.precision = "float";
    ProximalConexOptions proximal;
    proximal.K = 3;
    proximal.inner = with_signs();
    proximal.inner.iterations = 2;
    AdaptiveConexOptions waves, signs;
    signs.directions = "signs";
    const std::vector<Start> starts{
        conex_with(with_signs()), conex_with(single),
        [&](Spec s, std::uint64_t seed) { return proximal_conex(std::move(s), proximal, seed); },
        [&](Spec s, std::uint64_t seed) { return wide_adaptive_conex(std::move(s), waves, seed); },
        [&](Spec s, std::uint64_t seed) { return wide_adaptive_conex(std::move(s), signs, seed); }};
    for (std::size_t k = 0; k < starts.size(); ++k) {
      Workers workers(p, 3);
      const Ended there = ended(p, true, starts[k], 30, [&](const Query& q) { return workers(q); });
      EXPECT_EQ(there.x, ended(p, true, starts[k], 30).x) << k;
      EXPECT_EQ(workers.differed(), 0) << k;
    }
  }
}

// A copy that has drifted is noticed within the steps between two comparisons, and sent again.
TEST(Replicas, NoticeACopyThatDiffersAndRebuildIt) {
  const Problem p = problem_of(many, true);
  Workers workers(p, 2);
  int asked = 0;
  (void)ended(p, true, conex_with(with_signs()), 60, [&](const Query& q) {
    if (++asked == 50) workers.replica(0).iterate()->state()[0][8 * 1234] ^= std::byte{1};
    const Answer answer = workers(q);
    const bool level = workers.replica(0).iterate()->version() == q.described->iterate->version();
    if (asked > 50 + 5 * 20 && level) {  // 16 steps and a few, of five questions each
      EXPECT_EQ(workers.replica(0).iterate()->fingerprint(), q.described->iterate->fingerprint()) << asked;
    }
    return answer;
  });
  EXPECT_EQ(workers.differed(), 1);
  EXPECT_GT(asked, 200);
}

// What goes to a worker with a question does not depend on n, once it has its copy.
TEST(Replicas, AreToldAFewNumbersPerQuestion) {
  ConexOptions o = with_signs();
  o.estimator.batch = 16;
  o.estimator.shared_directions = true;
  std::vector<double> bytes;
  for (const Index n : {2000, 20'000}) {
    const Problem p = problem_of(n, true);
    Workers workers(p, 16);
    Spec spec = p.spec;
    spec.described_points = true;
    Search search = conex(spec, o, 7);
    double before = 0;
    std::size_t asked = 0;
    for (int t = 0; t < 21; ++t) {
      std::vector<Answer> answers;
      for (const Query& q : search.ask()) answers.push_back(workers(q));
      search.tell(answers);
      if (t == 0) before = workers.bytes(), asked = workers.asked();
    }
    bytes.push_back((workers.bytes() - before) / static_cast<double>(workers.asked() - asked));
  }
  EXPECT_EQ(bytes[0], bytes[1]);
  EXPECT_LT(bytes[0], 200);
}

}  // namespace
}  // namespace zeroth
