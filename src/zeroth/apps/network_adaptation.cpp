// SPDX-License-Identifier: MIT
#include "zeroth/apps/network_adaptation.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <numeric>

namespace zeroth {
namespace {

struct AdaptationLabel {
  enum : std::uint64_t { training = 1, tuning };
};

std::uint8_t in_other_light(double pixel, const AdaptationOptions& o) {
  return static_cast<std::uint8_t>(std::clamp(std::lround(o.background + o.contrast * pixel), 0L, 255L));
}

// The images of some classes; the new ones moved and in another light.
Images some(const Images& images, bool fresh, const AdaptationOptions& o) {
  const auto side = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(images.features))));
  Images out = images;
  out.pixels.clear();
  out.labels.clear();
  for (Index i = 0; i < images.size(); ++i) {
    const std::uint8_t label = images.labels[static_cast<std::size_t>(i)];
    if (o.known_classes < images.classes && (label >= o.known_classes) != fresh) continue;
    out.labels.push_back(label);
    const std::uint8_t* const image = images.image(i);
    for (Index k = 0; k < images.features; ++k) {
      if (!fresh) out.pixels.push_back(image[k]);
      else out.pixels.push_back(in_other_light(k % side >= o.shift ? image[k - o.shift] : 0, o));
    }
  }
  return out;
}

Images joined(Images a, const Images& b) {
  a.pixels.insert(a.pixels.end(), b.pixels.begin(), b.pixels.end());
  a.labels.insert(a.labels.end(), b.labels.begin(), b.labels.end());
  return a;
}

std::vector<std::uint32_t> all_of(const Images& images) {
  std::vector<std::uint32_t> rows(static_cast<std::size_t>(images.size()));
  std::iota(rows.begin(), rows.end(), 0u);
  return rows;
}

// Weights and biases, layer by layer, as one vector.
void read_weights(std::span<const double> x, Network<float>& network) {
  const double* from = x.data();
  for (auto& layer : network.layers()) {
    layer.weights.reshaped() = Eigen::Map<const Vector>(from, layer.weights.size()).cast<float>();
    from += layer.weights.size();
    layer.bias = Eigen::Map<const Vector>(from, layer.bias.size()).cast<float>();
    from += layer.bias.size();
  }
}

Vector weights_of(Network<float>& network) {
  Index size = 0;
  for (const auto& layer : network.layers()) size += layer.weights.size() + layer.bias.size();
  Vector x(size);
  double* to = x.data();
  for (const auto& layer : network.layers()) {
    Eigen::Map<Vector>(to, layer.weights.size()) = layer.weights.reshaped().cast<double>();
    to += layer.weights.size();
    Eigen::Map<Vector>(to, layer.bias.size()) = layer.bias.cast<double>();
    to += layer.bias.size();
  }
  return x;
}

double loss_of_batch(Network<float>& network, const Images& images, Rng& noise, std::vector<std::uint8_t>& labels) {
  labels.resize(static_cast<std::size_t>(network.batch()));
  for (Index j = 0; j < network.batch(); ++j) {
    const auto row = static_cast<Index>(noise.below(static_cast<std::uint64_t>(images.size())));
    labels[static_cast<std::size_t>(j)] = images.labels[static_cast<std::size_t>(row)];
    const std::uint8_t* const pixel = images.image(row);
    float* const out = network.input().col(j).data();
    for (Index i = 0; i < images.features; ++i) out[i] = (static_cast<float>(pixel[i]) - images.shift) * (1.0f / 255);
  }
  return network.loss(labels, {});
}

// Networks to evaluate with, one for each evaluation that is under way.
class Networks {
 public:
  Networks(const NetworkShape& shape, Index batch) : shape_(shape), batch_(batch) {}
  std::unique_ptr<Network<float>> borrow() {
    const std::scoped_lock lock(mutex_);
    if (free_.empty()) return std::make_unique<Network<float>>(shape_, batch_);
    auto network = std::move(free_.back());
    free_.pop_back();
    return network;
  }
  void give_back(std::unique_ptr<Network<float>> network) {
    const std::scoped_lock lock(mutex_);
    free_.push_back(std::move(network));
  }

 private:
  NetworkShape shape_;
  Index batch_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Network<float>>> free_;
};

}  // namespace

NetworkSetting NetworkAdaptation::setting() const {
  NetworkSetting s;
  s.hidden = options_.hidden;
  s.learning_rate = 0.05;
  s.decay = 0;
  s.dropout_input = s.dropout_hidden = 0;
  return s;
}

NetworkAdaptation::NetworkAdaptation(const AdaptationOptions& options) : options_(options) {
  const auto set = image_set(options.images, data_cache());
  auto data = std::make_shared<Data>();
  data->known = some(set->train, false, options);
  data->known_test = some(set->test, false, options);
  data->fresh = some(set->train, true, options);
  data->fresh_test = some(set->test, true, options);
  data->both = joined(data->known, data->fresh);
  data_ = data;
  const auto rows = all_of(data->known);
  Training training(data_->known, rows, setting(), options.training,
                    derive_key(options.seed, AdaptationLabel::training));
  while (!training.done()) training.step();
  trained_ = weights_of(training.network());

  // What the trained network's loss is on the known images.
  Network<float> network({data_->known.features, options.hidden, data_->known.classes}, options.batch);
  read_weights(as_span(trained_), network);
  std::vector<std::uint8_t> labels;
  Rng noise(derive_key(options.seed, AdaptationLabel::tuning));
  constexpr int batches = 40;
  for (int k = 0; k < batches; ++k) limit_ += loss_of_batch(network, data_->known, noise, labels) / batches;
  limit_ += options.allowance;
}

Problem NetworkAdaptation::problem() const {
  Problem p;
  p.name = "network-adaptation";
  p.spec.domain = Domain::whole_space(dimension());
  p.spec.start = trained_;
  p.spec.constraints = 1;
  p.spec.common_noise = true;
  p.spec.defined_everywhere = true;
  const auto networks = std::make_shared<Networks>(
      NetworkShape{data_->known.features, options_.hidden, data_->known.classes}, options_.batch);
  p.oracle = [data = data_, networks, limit = limit_](std::span<const double> x, Rng& noise, std::span<double> values) {
    auto network = networks->borrow();
    std::vector<std::uint8_t> labels;
    read_weights(x, *network);
    values[0] = loss_of_batch(*network, data->fresh, noise, labels);
    if (values.size() > 1) values[1] = loss_of_batch(*network, data->known, noise, labels) - limit;
    networks->give_back(std::move(network));
  };
  return p;
}

NetworkAdaptation::Accuracy NetworkAdaptation::accuracy(const Vector& x) const {
  Network<float> network({data_->known.features, options_.hidden, data_->known.classes}, options_.batch);
  read_weights(as_span(x), network);
  return {100 - error_percent(network, data_->fresh_test, {}), 100 - error_percent(network, data_->known_test, {})};
}

void NetworkAdaptation::backpropagate(std::int64_t steps, bool both, std::int64_t every,
                                      const std::function<void(std::int64_t step, const Vector& x)>& each) const {
  const Images& images = both ? data_->both : data_->fresh;
  const auto rows = all_of(images);
  Training training(images, rows, setting(), steps, derive_key(options_.seed, AdaptationLabel::tuning));
  read_weights(as_span(trained_), training.network());
  while (!training.done()) {
    training.step();
    if (training.iteration() % every == 0) each(training.iteration(), weights_of(training.network()));
  }
}

}  // namespace zeroth
