// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "zeroth/core/problem.hpp"

namespace zeroth {

// With a million variables x should stay where it is. A direction is a key (random.hpp), so a point near x is a key and
// a radius, and a step of x a few numbers for each key. Whoever holds a copy of x and is given these numbers has the
// same points and takes the same steps, bit for bit.

using Word = std::uint64_t;  // of a description: a key, a count, or a number by its bits

inline Word word_of(double number) { return std::bit_cast<Word>(number); }
inline double number_of(Word word) { return std::bit_cast<double>(word); }

// x, and whatever moves along with it.
class Iterate {
 public:
  Iterate();
  Iterate(const Iterate&) = delete;
  Iterate& operator=(const Iterate&) = delete;
  virtual ~Iterate() = default;

  virtual Index dimension() const = 0;
  // The point that the words describe. x is what it is after all steps so far: settle() comes first.
  virtual void make_point(std::span<const Word> point, std::span<double> x) const = 0;
  // W(x, start) of a made point, where whoever asks wants it measured (proximal-conex); otherwise not a number.
  virtual double distance_from_start(std::span<const double> x) const;
  // What a copy is made from, beside the Spec; catalog/replicas.hpp makes it.
  virtual std::vector<Word> origin() const = 0;
  // All numbers that points and further steps depend on. Who writes there calls `replaced`.
  virtual std::vector<std::span<std::byte>> state() = 0;
  std::uint64_t fingerprint();              // of the state
  std::uint64_t id() const { return id_; }  // no two of one process have the same

  // Steps are numbered. Whoever moves x says how; `now` may be put off until somebody needs x.
  std::uint64_t version() const { return version_; }
  void moved(std::vector<Word> step, std::function<void()> later);
  void settle();                            // does what was put off
  void replaced();                          // x has become something that no step describes
  void replaced(std::uint64_t version);     // of a copy: it is now that version
  void follow(std::span<const Word> step);  // a copy takes a step
  // What led from version to version + 1; null: that is long ago, or no step.
  const std::vector<Word>* step_from(std::uint64_t version) const;

  // Copies are compared with the original every few steps: both note the fingerprint of such a version.
  struct Print {
    std::uint64_t version = 0, fingerprint = 0;
    bool operator==(const Print&) const = default;
  };
  void have_copies() { has_copies_ = true; }
  const Print& last_print() const { return print_; }  // version 0: none yet

 protected:
  virtual void take(std::span<const Word> step) = 0;

 private:
  static constexpr std::size_t most_steps = 64;  // a copy that is further behind gets the state
  static constexpr std::uint64_t steps_between_prints = 16;
  void note_print();
  std::uint64_t id_, version_ = 0;
  bool has_copies_ = false;
  Print print_;
  std::deque<std::vector<Word>> steps_;  // the last ones, up to version_
  std::function<void()> later_;
};

// A point by its description. It stays valid as the query that points to it does.
struct DescribedPoint {
  Iterate* iterate = nullptr;
  std::array<Word, 3> words{};
};

// Everybody who evaluates: the coordinates of a query's point, made in `memory` where it is described. (Aligned as a
// solver's own vectors are: the last bit of a sum over x may depend on that.)
std::span<const double> point_of(const Query& query, Vector& memory);
void settle(std::span<const Query> batch);  // before any point of it is made
// An answer at a described point, whose iterate wants distances measured, carries W(x, start) as one more value.
void append_distance(const Query& query, std::span<const double> x, Answer& answer);

// Whether nothing stands between the solver and who evaluates that would need to see points.
bool nobody_reads_points(const Spec& spec);

using MakeReplica = std::function<std::unique_ptr<Iterate>(std::span<const Word> origin)>;

}  // namespace zeroth
