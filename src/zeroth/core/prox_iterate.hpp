// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/iterate.hpp"
#include "zeroth/core/stored_vector.hpp"

namespace zeroth {

// The x of Algorithm 1: it is asked about at x + nu u and moved by x <- prox(sum_k weight_k u_k, x, eta), where u_k is
// drawn from a key. Only where the variables of X are separate can points be made from their descriptions.
class ProxIterate final : public Iterate {
 public:
  enum class Law : std::uint8_t { gaussian, signs, other };
  enum class Difference : std::uint8_t { forward, central, one_point };
  enum Side : Word { base, forward, backward };  // x itself; the two points of a pair
  struct Rule {
    Law law = Law::gaussian;
    Difference difference = Difference::forward;
    bool inside_only = false;  // points slide into X (Domain::make_room)
    bool centred = false;      // where x began is kept, and W(point, start) is measured at every point
    StoredVector::Precision precision = StoredVector::Precision::full;
  };
  // A direction by its key, the radius it was used with, and what it is multiplied by.
  struct Along {
    std::uint64_t key = 0;
    double nu = 0, weight = 0;
  };

  ProxIterate(Domain domain, Rule rule, const Vector& start);
  static std::unique_ptr<Iterate> replica(const Spec& spec, std::span<const Word> origin);
  static constexpr Word kind = 1;  // the first word of the origin

  Index dimension() const override { return domain_.dimension(); }
  void make_point(std::span<const Word> point, std::span<double> x) const override;
  double distance_from_start(std::span<const double> x) const override;
  std::vector<Word> origin() const override;
  std::vector<std::span<std::byte>> state() override;

  const Domain& domain() const { return domain_; }
  const Rule& rule() const { return rule_; }
  StoredVector& x() { return x_; }
  const StoredVector& x() const { return x_; }
  Index block() const { return block_; }  // variables that are worked on at a time: all, where X needs them together

  // The variables begin .. begin + size of u as it is used from x (near the boundary of X it is cut), and of
  // sum_k weight_k u_k, added up in that order.
  void direction(std::uint64_t key, double nu, Index begin, Eigen::Ref<Vector> u) const;
  void combine(std::span<const Along> along, Index begin, Eigen::Ref<Vector> sum) const;

  static std::vector<Word> words_of(std::span<const Along> along, double eta);
  // x <- prox(v, x, eta), where `part(begin, v)` gives a block of v. `each(begin, before, after)` is told of a block
  // before x changes there.
  template <class Part, class Each>
  void step(double eta, const Part& part, const Each& each) {
    const Index n = dimension();
    for (Index begin = 0; begin < n; begin += block_) {
      const Index size = std::min(block_, n - begin);
      auto v = v_.head(size), now = now_.head(size), next = next_.head(size);
      part(begin, v);
      x_.load(begin, now);
      if (block_ < n) domain_.prox_part(v, now, eta, begin, next);
      else domain_.prox(v_, now_, eta, next_);
      if (rule_.precision != StoredVector::Precision::full) next = next.template cast<float>().template cast<double>();
      each(begin, now, next);
      x_.store(begin, next);
    }
  }

 private:
  void take(std::span<const Word> step) override;
  void draw(std::uint64_t key, Index begin, Eigen::Ref<Vector> u) const;
  void place(double nu, Index begin, Eigen::Ref<Vector> u, Eigen::Ref<Vector> ahead, Eigen::Ref<Vector> behind) const;

  Domain domain_;
  Rule rule_;
  Index block_;
  StoredVector x_;
  Vector centre_;
  Vector v_, now_, next_;  // blocks
};

}  // namespace zeroth
