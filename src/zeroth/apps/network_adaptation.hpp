// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <functional>
#include <string>

#include "zeroth/apps/network/training.hpp"
#include "zeroth/core/problem.hpp"

namespace zeroth {

// A network that was trained on some images meets others: of classes it has never seen, or in another light. It is
// adapted to them by evaluations alone, while it must not forget what it knew.
struct AdaptationOptions {
  std::string images = "mnist";              // as image_set() knows them
  std::array<Index, 3> hidden{128, 64, 32};  // units per layer
  std::int64_t training = 2000;              // steps of backpropagation on the known images
  Index shift = 3;                           // new images are moved to the right by so many pixels,
  double contrast = 1, background = 0;       // in another light: pixel -> background + contrast pixel,
  int known_classes = 10;                    // and, where there are more classes than these, of the others
  Index batch = 128;                         // images of each kind in one evaluation, as the noise key says
  double allowance = -0.02;  // of loss on the known images, beyond the trained network's; less than none: a margin
  std::uint64_t seed = 1;
};

class NetworkAdaptation {
 public:
  explicit NetworkAdaptation(const AdaptationOptions& options);

  // x: all weights and biases. f_0: mean cross-entropy of a batch of new images; f_1: that of a batch of known images,
  // minus what is allowed. The optimisation begins at the trained network.
  Problem problem() const;
  Index dimension() const { return trained_.size(); }
  const Vector& trained() const { return trained_; }

  struct Accuracy {
    double fresh = 0, known = 0;  // percent right of the test images, new and known
  };
  Accuracy accuracy(const Vector& x) const;

  // Backpropagation from the trained network on, on new images or on both kinds; `each` is told the weights
  // after every `every` steps.
  void backpropagate(std::int64_t steps, bool both, std::int64_t every,
                     const std::function<void(std::int64_t step, const Vector& x)>& each) const;

 private:
  struct Data {
    Images known, known_test, fresh, fresh_test, both;
  };
  NetworkSetting setting() const;

  AdaptationOptions options_;
  std::shared_ptr<const Data> data_;
  Vector trained_;
  double limit_ = 0;
};

}  // namespace zeroth
