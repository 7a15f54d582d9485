// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "zeroth/core/iterate.hpp"
#include "zeroth/core/stored_vector.hpp"
#include "zeroth/solvers/adaptive_conex/basis.hpp"

namespace zeroth::adaptive {

// Everything of length n in adaptive-conex with very many variables: x, where it was before, and the memory h_i of
// every function's slopes, in units of X's half-widths. Directions are drawn from their names wherever they are needed.
// All work on it is one pass, which needs no answers of the batch that is under way: see `advance`.
class WideMemory final : public Iterate {
 public:
  struct Rule {
    bool signs = false;     // directions of random signs; false: columns of a Basis
    std::uint64_t key = 0;  // names the directions
    StoredVector::Precision precision = StoredVector::Precision::full;
  };
  // Points x +- radius u along a direction by its number.
  struct Pairs {
    std::vector<Word> directions;
    double radius = 0;
  };
  // Products of memory and pairs, v_k being what the points of pair k lie apart.
  struct Survey {
    Matrix memory;  // h_i'h_j
    Matrix along;   // h_i'v_k
    Matrix apart;   // v_j'v_k
  };
  // h += V correction'; d = -(sum_i weights_i h_i)/L, cut to X; x += d; h_i += curvature_i d.
  struct Move {
    Pairs pairs;
    Matrix correction;  // functions x pairs
    Vector weights, curvature;
    double L = 1;
  };

  WideMemory(const Spec& spec, const Rule& rule, const Vector& start);
  static std::unique_ptr<Iterate> replica(const Spec& spec, std::span<const Word> origin);
  static constexpr Word kind = 2;  // the first word of the origin

  Index dimension() const override { return domain_.dimension(); }
  void make_point(std::span<const Word> point, std::span<double> x) const override;
  std::vector<Word> origin() const override;
  std::vector<std::span<std::byte>> state() override;

  double largest_radius() const;  // at which points still fit a box from its middle
  static DescribedPoint at_x(WideMemory* memory) { return {memory, {0, 0, 0}}; }
  static DescribedPoint along(WideMemory* memory, Word direction, double radius) {
    return {memory, {direction, word_of(radius), 1}};
  }

  // Moves, then surveys the pairs that are asked next; both when somebody needs them (Iterate::settle). `shown`, if not
  // null, becomes x.
  void advance(const Move& move, Pairs next, Vector* shown);
  void take_back(const Vector& curvature, Pairs next, Vector* shown);  // the last move; the slopes learnt stay
  void begin(Pairs next);                                              // a survey without a move
  const Survey& survey();
  double moved_squared();      // |d|^2 of the last move
  const Vector& along_step();  // h_i'd of the last move

 private:
  void take(std::span<const Word> step) override;
  void pass(const Move* move, const Vector* taken_back, const Pairs* next, Vector* shown);
  void direction_part(Word direction, Index begin, Eigen::Ref<Vector> u) const;
  void project(Index begin, Eigen::Ref<Vector> x) const;

  struct Block;
  void apart_part(const Pairs& pairs, Block& b) const;
  void move_part(const Move& move, Block& b);
  void take_back_part(const Vector& curvature, Block& b);

  Domain domain_;
  Rule rule_;
  Index block_;  // variables that are worked on at a time: all, where X needs them together
  std::optional<Basis> basis_;
  Vector scale_;
  StoredVector x_, before_;
  std::vector<StoredVector> h_;
  Survey survey_;
  Vector along_step_;
  double moved_ = 0;
};

}  // namespace zeroth::adaptive
