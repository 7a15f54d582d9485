// SPDX-License-Identifier: MIT
#include "zeroth/engine/replicas.hpp"

#include <cstring>
#include <stdexcept>

namespace zeroth {
namespace {

enum class Sent : std::uint8_t { steps, state };

}  // namespace

void ReplicaFeed::put(int worker, const DescribedPoint& point, Packer& message) {
  Iterate& iterate = *point.iterate;
  iterate.have_copies();
  Known& known = known_[worker];
  const bool behind = known.iterate == iterate.id() &&
                      (known.version == iterate.version() || iterate.step_from(known.version) != nullptr);
  if (behind) {
    message.put(Sent::steps).put(static_cast<std::uint8_t>(iterate.version() - known.version));
    for (std::uint64_t v = known.version; v < iterate.version(); ++v) {
      const std::vector<Word>& step = *iterate.step_from(v);
      message.put_list(step.data(), step.size());
    }
  } else {
    iterate.settle();
    const std::vector<Word> origin = iterate.origin();
    message.put(Sent::state).put(iterate.version()).put_list(origin.data(), origin.size());
    for (const auto part : iterate.state()) message.put_list(part.data(), part.size());
  }
  known = {iterate.id(), iterate.version()};
  message.put(iterate.last_print()).put(point.words);
}

void Replica::read_state(Unpacker& message) {
  const auto version = message.take<std::uint64_t>();
  iterate_ = make_(message.take_list<std::vector<Word> >());
  iterate_->have_copies();
  for (const auto part : iterate_->state()) message.take_into(part.data(), part.size());
  iterate_->replaced(version);
}

bool Replica::read(Unpacker& message, DescribedPoint& point) {
  if (message.take<Sent>() == Sent::state) {
    read_state(message);
  } else {
    const auto steps = message.take<std::uint8_t>();
    if (!iterate_) throw std::logic_error("a step of x came before x itself");
    for (std::uint8_t k = 0; k < steps; ++k) iterate_->follow(message.take_list<std::vector<Word> >());
  }
  const auto print = message.take<Iterate::Print>();
  point.words = message.take<decltype(point.words)>();
  point.iterate = iterate_.get();
  const Iterate::Print& own = iterate_->last_print();
  return print.version == 0 || own.version != print.version || own == print;
}

}  // namespace zeroth
