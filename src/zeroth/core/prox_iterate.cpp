// SPDX-License-Identifier: MIT
#include "zeroth/core/prox_iterate.hpp"

#include <algorithm>
#include <array>

#include "zeroth/core/signs.hpp"

namespace zeroth {
namespace {

constexpr Index cache_block = 4096;  // doubles that stay in the nearest cache, with others of their kind

std::span<double> as_writable_span(Eigen::Ref<Vector> v) { return {v.data(), static_cast<std::size_t>(v.size())}; }

}  // namespace

ProxIterate::ProxIterate(Domain domain, Rule rule, const Vector& start)
    : domain_(std::move(domain)),
      rule_(rule),
      block_(domain_.separable() ? std::min(domain_.dimension(), cache_block) : domain_.dimension()),
      x_(start, rule.precision),
      v_(block_),
      now_(block_),
      next_(block_) {
  if (rule.centred) centre_ = start;
}

std::vector<Word> ProxIterate::origin() const {
  return {kind,
          static_cast<Word>(rule_.law),
          static_cast<Word>(rule_.difference),
          static_cast<Word>(rule_.inside_only),
          static_cast<Word>(rule_.centred),
          static_cast<Word>(rule_.precision)};
}

std::unique_ptr<Iterate> ProxIterate::replica(const Spec& spec, std::span<const Word> origin) {
  const Rule rule{static_cast<Law>(origin[1]), static_cast<Difference>(origin[2]), origin[3] != 0, origin[4] != 0,
                  static_cast<StoredVector::Precision>(origin[5])};
  return std::make_unique<ProxIterate>(spec.domain, rule, Vector::Zero(spec.dimension()));
}

std::vector<std::span<std::byte>> ProxIterate::state() {
  std::vector<std::span<std::byte>> parts{x_.bytes()};
  if (rule_.centred)
    parts.push_back(std::as_writable_bytes(std::span(centre_.data(), static_cast<std::size_t>(centre_.size()))));
  return parts;
}

void ProxIterate::draw(std::uint64_t key, Index begin, Eigen::Ref<Vector> u) const {
  if (rule_.law == Law::signs) fill_signs(key, as_writable_span(u), static_cast<std::uint64_t>(begin));
  else fill_normal(key, as_writable_span(u), static_cast<std::uint64_t>(begin));
}

// As GradientSample::place, for a part of the variables: the same operations in the same order.
void ProxIterate::place(double nu, Index begin, Eigen::Ref<Vector> u, Eigen::Ref<Vector> ahead,
                        Eigen::Ref<Vector> behind) const {
  x_.load(begin, ahead);
  if (!rule_.inside_only) {
    behind = ahead - nu * u;
    ahead += nu * u;
    return;
  }
  const bool central = rule_.difference == Difference::central;
  thread_local Vector step, x;
  step = nu * u;
  if (rule_.difference == Difference::one_point) x = ahead;
  domain_.make_room_part(begin, ahead, step, central);
  u = step / nu;
  behind = ahead;
  if (central) behind -= step;
  domain_.project_part(begin, behind);
  ahead += step;
  domain_.project_part(begin, ahead);
  if (rule_.difference == Difference::one_point) u = (ahead - x) / nu;
}

void ProxIterate::make_point(std::span<const Word> point, std::span<double> x) const {
  const double nu = number_of(point[1]);
  const Word side = point[2];
  const Index n = dimension();
  Vector u(block_), ahead(block_), behind(block_);
  for (Index begin = 0; begin < n; begin += block_) {
    const Index size = std::min(block_, n - begin);
    Eigen::Map<Vector> out(x.data() + begin, size);
    if (side == base) {
      x_.load(begin, out);
      continue;
    }
    auto u_part = u.head(size);
    draw(point[0], begin, u_part);
    place(nu, begin, u_part, ahead.head(size), behind.head(size));
    out = side == backward ? behind.head(size) : ahead.head(size);
  }
}

double ProxIterate::distance_from_start(std::span<const double> x) const {
  return rule_.centred ? domain_.distance(as_vector(x), centre_) : std::nan("");
}

void ProxIterate::direction(std::uint64_t key, double nu, Index begin, Eigen::Ref<Vector> u) const {
  draw(key, begin, u);
  if (!rule_.inside_only) return;
  thread_local Vector ahead, behind;
  ahead.resize(u.size());
  behind.resize(u.size());
  place(nu, begin, u, ahead, behind);
}

void ProxIterate::combine(std::span<const Along> along, Index begin, Eigen::Ref<Vector> sum) const {
  const auto room_for_all = [&] {  // then signs are not cut: they are what they are
    if (!rule_.inside_only) return true;
    thread_local Vector x;
    x.resize(sum.size());
    x_.load(begin, x);
    double tested = 0;
    for (const Along& a : along) {
      if (a.nu == tested) continue;
      if (!domain_.has_room_part(begin, x, a.nu)) return false;
      tested = a.nu;
    }
    return rule_.difference != Difference::one_point;
  };
  if (along.empty()) {
    sum.setZero();
  } else if (rule_.law == Law::signs && room_for_all()) {
    thread_local std::vector<WeightedSigns> weighted;
    weighted.clear();
    for (const Along& a : along) weighted.push_back({a.key, a.weight});
    combine_signs(weighted, as_writable_span(sum), static_cast<std::uint64_t>(begin));
  } else {
    thread_local Vector u;
    u.resize(sum.size());
    for (std::size_t k = 0; k < along.size(); ++k) {
      direction(along[k].key, along[k].nu, begin, u);
      if (k == 0) sum = along[k].weight * u;
      else sum += along[k].weight * u;
    }
  }
}

// Directions of one radius together: eta, then (radius, count, (key, weight)..)..
std::vector<Word> ProxIterate::words_of(std::span<const Along> along, double eta) {
  std::vector<Word> words{word_of(eta)};
  std::size_t count_at = 0;
  for (std::size_t k = 0; k < along.size(); ++k) {
    if (k == 0 || along[k].nu != along[k - 1].nu) {
      words.insert(words.end(), {word_of(along[k].nu), 0});
      count_at = words.size() - 1;
    }
    ++words[count_at];
    words.insert(words.end(), {along[k].key, word_of(along[k].weight)});
  }
  return words;
}

void ProxIterate::take(std::span<const Word> words) {
  std::vector<Along> along;
  for (std::size_t at = 1; at + 2 <= words.size();) {
    const double nu = number_of(words[at]);
    const Word count = words[at + 1];
    at += 2;
    for (Word k = 0; k < count && at + 2 <= words.size(); ++k, at += 2)
      along.push_back({words[at], nu, number_of(words[at + 1])});
  }
  step(
      number_of(words[0]), [&](Index begin, Eigen::Ref<Vector> v) { combine(along, begin, v); },
      [](Index, const auto&, const auto&) {});
}

}  // namespace zeroth
