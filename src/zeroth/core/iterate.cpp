// SPDX-License-Identifier: MIT
#include "zeroth/core/iterate.hpp"

#include <atomic>
#include <cmath>
#include <cstring>
#include <utility>

namespace zeroth {

Iterate::Iterate() {
  static std::atomic<std::uint64_t> made{0};
  id_ = ++made;
}

void Iterate::note_print() {
  if (has_copies_ && version_ % steps_between_prints == 0) print_ = {version_, fingerprint()};
}

double Iterate::distance_from_start(std::span<const double>) const { return std::nan(""); }

// Four sums at a time, so that going over the state costs what reading it costs.
std::uint64_t Iterate::fingerprint() {
  settle();
  std::array<std::uint64_t, 4> hash{1, 2, 3, 4};
  const auto mix = [](std::uint64_t h, std::uint64_t word) { return (h ^ word) * 0x9e3779b97f4a7c15u + (h >> 29); };
  for (const auto part : state()) {
    std::size_t i = 0;
    for (; i + 4 * sizeof(Word) <= part.size(); i += 4 * sizeof(Word)) {
      std::array<Word, 4> words;
      std::memcpy(words.data(), part.data() + i, sizeof words);
      for (std::size_t k = 0; k < 4; ++k) hash[k] = mix(hash[k], words[k]);
    }
    for (; i < part.size(); ++i) hash[0] = mix(hash[0], static_cast<std::uint64_t>(part[i]));
  }
  return mix(mix(mix(hash[0], hash[1]), hash[2]), hash[3]);
}

void Iterate::moved(std::vector<Word> step, std::function<void()> later) {
  settle();
  ++version_;
  steps_.push_back(std::move(step));
  if (steps_.size() > most_steps) steps_.pop_front();
  later_ = std::move(later);
}

void Iterate::settle() {
  if (!later_) return;
  std::exchange(later_, {})();
  note_print();
}

void Iterate::replaced() { replaced(version_ + 1); }

void Iterate::replaced(std::uint64_t version) {
  settle();
  version_ = version;
  print_ = {};
  steps_.clear();
}

void Iterate::follow(std::span<const Word> step) {
  take(step);
  ++version_;
  note_print();
}

const std::vector<Word>* Iterate::step_from(std::uint64_t version) const {
  if (version >= version_ || version_ - version > steps_.size()) return nullptr;
  return &steps_[steps_.size() - static_cast<std::size_t>(version_ - version)];
}

std::span<const double> point_of(const Query& query, Vector& memory) {
  if (!query.described) return query.x;
  memory.resize(query.described->iterate->dimension());
  query.described->iterate->make_point(query.described->words,
                                       {memory.data(), static_cast<std::size_t>(memory.size())});
  return as_span(memory);
}

bool nobody_reads_points(const Spec& spec) {
  return spec.integer.empty() && !spec.active && !spec.known && spec.known_points.empty() && spec.evaluated.empty() &&
         spec.cost.size() == 0 && spec.lag == 0;
}

void append_distance(const Query& query, std::span<const double> x, Answer& answer) {
  if (!query.described || answer.failed()) return;
  const double distance = query.described->iterate->distance_from_start(x);
  if (!std::isnan(distance)) answer.values.push_back(distance);
}

void settle(std::span<const Query> batch) {
  const Iterate* last = nullptr;
  for (const Query& query : batch) {
    if (!query.described || query.described->iterate == last) continue;
    query.described->iterate->settle();
    last = query.described->iterate;
  }
}

}  // namespace zeroth
