// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/iterate.hpp"
#include "zeroth/core/search.hpp"

namespace zeroth {

// For as long as a solver holds this, whoever needs the recommendation brings its x up to date.
class RefreshedBy {
 public:
  RefreshedBy(Incumbent& incumbent, Iterate& iterate) : incumbent_(incumbent), iterate_(iterate) {
    incumbent.refresh = [&iterate] { iterate.settle(); };
  }
  RefreshedBy(const RefreshedBy&) = delete;
  RefreshedBy& operator=(const RefreshedBy&) = delete;
  ~RefreshedBy() {
    iterate_.settle();
    incumbent_.refresh = {};
  }

 private:
  Incumbent& incumbent_;
  Iterate& iterate_;
};

}  // namespace zeroth
