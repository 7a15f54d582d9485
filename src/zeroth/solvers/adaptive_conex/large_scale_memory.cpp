// SPDX-License-Identifier: MIT
#include "zeroth/solvers/adaptive_conex/large_scale_memory.hpp"

#include <algorithm>
#include <cmath>

#include "zeroth/core/signs.hpp"

namespace zeroth::adaptive {
namespace {

constexpr Index cache_block = 1024;  // a multiple of 64; a block of everything stays in the second cache

enum StepKind : Word { forth, back };

void put(std::vector<Word>& words, const double* numbers, Index count) {
  for (Index i = 0; i < count; ++i) words.push_back(word_of(numbers[i]));
}

class WordReader {
 public:
  explicit WordReader(std::span<const Word> words) : words_(words) {}
  Word word() { return words_[at_++]; }
  double number() { return number_of(word()); }
  Vector vector(Index size) {
    Vector v(size);
    for (Index i = 0; i < size; ++i) v[i] = number();
    return v;
  }

 private:
  std::span<const Word> words_;
  std::size_t at_ = 0;
};

std::vector<Word> words_of(const WideMemory::Move& move) {
  std::vector<Word> words{forth, move.pairs.directions.size(), word_of(move.pairs.radius), word_of(move.L)};
  words.insert(words.end(), move.pairs.directions.begin(), move.pairs.directions.end());
  put(words, move.correction.data(), move.correction.size());
  put(words, move.weights.data(), move.weights.size());
  put(words, move.curvature.data(), move.curvature.size());
  return words;
}

}  // namespace

// One block of everything, while it is worked on.
struct WideMemory::Block {
  Index begin = 0, size = 0;
  Vector x, before, scale, inverse, up, down, d;
  Matrix h, v;  // one column per function; per pair

  Block(Index most, Index functions) : h(most, functions) {
    for (Vector* part : {&x, &before, &scale, &inverse, &up, &down, &d}) part->resize(most);
  }
};

WideMemory::WideMemory(const Spec& spec, const Rule& rule, const Vector& start)
    : domain_(spec.domain),
      rule_(rule),
      block_(domain_.separable() ? std::min(domain_.dimension(), cache_block) : domain_.dimension()),
      scale_(scales(spec.domain, start)),
      x_(start, rule.precision),
      before_(start, rule.precision) {
  if (!rule.signs) basis_.emplace(spec.dimension(), rule.key);
  for (Index i = 0; i < spec.functions(); ++i) h_.emplace_back(Vector::Zero(spec.dimension()), rule.precision);
  along_step_ = Vector::Zero(spec.functions());
}

std::vector<Word> WideMemory::origin() const {
  return {kind, static_cast<Word>(rule_.signs), rule_.key, static_cast<Word>(rule_.precision)};
}

std::unique_ptr<Iterate> WideMemory::replica(const Spec& spec, std::span<const Word> origin) {
  const Rule rule{origin[1] != 0, origin[2], static_cast<StoredVector::Precision>(origin[3])};
  Vector start = spec.first_point();
  spec.domain.project(start);
  return std::make_unique<WideMemory>(spec, rule, start);
}

std::vector<std::span<std::byte>> WideMemory::state() {
  std::vector<std::span<std::byte>> parts{x_.bytes(), before_.bytes()};
  for (StoredVector& h : h_) parts.push_back(h.bytes());
  return parts;
}

double WideMemory::largest_radius() const {
  const double entry = basis_ ? basis_->largest_entry() : 1 / std::sqrt(static_cast<double>(dimension()));
  return 0.9 / entry;
}

void WideMemory::direction_part(Word direction, Index begin, Eigen::Ref<Vector> u) const {
  if (basis_) return basis_->part(static_cast<Index>(direction), begin, u);
  const WeightedSigns signs{derive_key(rule_.key, direction), 1 / std::sqrt(static_cast<double>(dimension()))};
  combine_signs({&signs, 1}, {u.data(), static_cast<std::size_t>(u.size())}, static_cast<std::uint64_t>(begin));
}

void WideMemory::make_point(std::span<const Word> point, std::span<double> x) const {
  const Index n = dimension();
  Vector u(block_);
  const double radius = number_of(point[1]);
  for (Index begin = 0; begin < n; begin += block_) {
    Eigen::Map<Vector> out(x.data() + begin, std::min(block_, n - begin));
    x_.load(begin, out);
    if (point[2] == 0) continue;
    auto part = u.head(out.size());
    direction_part(point[0], begin, part);
    part = radius * scale_.segment(begin, out.size()).cwiseProduct(part);
    out += part;
    project(begin, out);
  }
}

void WideMemory::project(Index begin, Eigen::Ref<Vector> x) const {
  if (domain_.separable()) return domain_.project_part(begin, x);
  Vector whole = x;
  domain_.project(whole);
  x = whole;
}

// What the points of each pair lie apart, in units of X's half-widths.
void WideMemory::apart_part(const Pairs& pairs, Block& b) const {
  const auto count = static_cast<Index>(pairs.directions.size());
  b.v.resize(block_, count);
  auto x = b.x.head(b.size), scale = b.scale.head(b.size);
  for (Index k = 0; k < count; ++k) {
    auto up = b.up.head(b.size), down = b.down.head(b.size);
    direction_part(pairs.directions[static_cast<std::size_t>(k)], b.begin, up);
    up = pairs.radius * scale.cwiseProduct(up);
    down = x - up;
    up += x;
    project(b.begin, up);
    project(b.begin, down);
    b.v.col(k).head(b.size) = (up - down).cwiseProduct(b.inverse.head(b.size));
  }
}

void WideMemory::move_part(const Move& move, Block& b) {
  const Index functions = static_cast<Index>(h_.size());
  auto h = b.h.topRows(b.size);
  auto x = b.x.head(b.size), before = b.before.head(b.size), d = b.d.head(b.size);
  apart_part(move.pairs, b);
  h.noalias() += b.v.topRows(b.size) * move.correction.transpose();
  before = x;
  d.noalias() = h * move.weights;
  x -= b.scale.head(b.size).cwiseProduct(d) / move.L;
  project(b.begin, x);
  if (rule_.precision != StoredVector::Precision::full) x = x.cast<float>().cast<double>();
  d = (x - before).cwiseProduct(b.inverse.head(b.size));
  moved_ += d.squaredNorm();
  for (Index i = 0; i < functions; ++i) {
    along_step_[i] += h.col(i).dot(d);
    h.col(i) += move.curvature[i] * d;
  }
}

void WideMemory::take_back_part(const Vector& curvature, Block& b) {
  auto h = b.h.topRows(b.size);
  auto x = b.x.head(b.size), before = b.before.head(b.size), d = b.d.head(b.size);
  d = (x - before).cwiseProduct(b.inverse.head(b.size));
  for (Index i = 0; i < h.cols(); ++i) h.col(i) -= curvature[i] * d;
  x = before;
}

void WideMemory::pass(const Move* move, const Vector* taken_back, const Pairs* next, Vector* shown) {
  const Index n = dimension(), functions = static_cast<Index>(h_.size());
  const auto count = next ? static_cast<Index>(next->directions.size()) : 0;
  Block b(block_, functions);
  moved_ = 0;
  along_step_.setZero();
  if (next) {
    survey_.memory = Matrix::Zero(functions, functions);
    survey_.along = Matrix::Zero(functions, count);
    survey_.apart = Matrix::Zero(count, count);
  }
  for (b.begin = 0; b.begin < n; b.begin += block_) {
    b.size = std::min(block_, n - b.begin);
    x_.load(b.begin, b.x.head(b.size));
    b.scale.head(b.size) = scale_.segment(b.begin, b.size);
    b.inverse.head(b.size) = b.scale.head(b.size).cwiseInverse();
    for (Index i = 0; i < functions; ++i) h_[static_cast<std::size_t>(i)].load(b.begin, b.h.col(i).head(b.size));
    if (taken_back) before_.load(b.begin, b.before.head(b.size));
    if (move) move_part(*move, b);
    if (taken_back) take_back_part(*taken_back, b);
    if (move || taken_back) {
      x_.store(b.begin, b.x.head(b.size));
      if (move) before_.store(b.begin, b.before.head(b.size));
      for (Index i = 0; i < functions; ++i) {
        auto h = b.h.col(i).head(b.size);
        h_[static_cast<std::size_t>(i)].store(b.begin, h);
        if (rule_.precision != StoredVector::Precision::full) h = h.cast<float>().cast<double>();
      }
    }
    if (shown) shown->segment(b.begin, b.size) = b.x.head(b.size);
    if (!next) continue;
    apart_part(*next, b);
    const auto h = b.h.topRows(b.size), v = b.v.topRows(b.size);
    survey_.memory.noalias() += h.transpose() * h;
    survey_.along.noalias() += h.transpose() * v;
    survey_.apart.noalias() += v.transpose() * v;
  }
}

void WideMemory::advance(const Move& move, Pairs next, Vector* shown) {
  moved(words_of(move), [this, move, next = std::move(next), shown] { pass(&move, nullptr, &next, shown); });
}

void WideMemory::take_back(const Vector& curvature, Pairs next, Vector* shown) {
  std::vector<Word> words{back};
  put(words, curvature.data(), curvature.size());
  moved(std::move(words),
        [this, curvature, next = std::move(next), shown] { pass(nullptr, &curvature, &next, shown); });
}

void WideMemory::begin(Pairs next) {
  settle();
  pass(nullptr, nullptr, &next, nullptr);
}

void WideMemory::take(std::span<const Word> words) {
  const auto functions = static_cast<Index>(h_.size());
  WordReader read(words);
  if (read.word() == back) {
    const Vector curvature = read.vector(functions);
    pass(nullptr, &curvature, nullptr, nullptr);
    return;
  }
  Move move;
  move.pairs.directions.resize(static_cast<std::size_t>(read.word()));
  move.pairs.radius = read.number();
  move.L = read.number();
  for (Word& direction : move.pairs.directions) direction = read.word();
  const auto count = static_cast<Index>(move.pairs.directions.size());
  move.correction.resize(functions, count);
  move.correction.reshaped() = read.vector(functions * count);
  move.weights = read.vector(functions);
  move.curvature = read.vector(functions);
  pass(&move, nullptr, nullptr, nullptr);
}

const WideMemory::Survey& WideMemory::survey() {
  settle();
  return survey_;
}

double WideMemory::moved_squared() {
  settle();
  return moved_;
}

const Vector& WideMemory::along_step() {
  settle();
  return along_step_;
}

}  // namespace zeroth::adaptive
