// SPDX-License-Identifier: MIT
// Stands for a program of somebody else's: a beam of three segments that reads beam.in and writes beam.out. It crashes
// where a segment is too thin, and for some loads it hangs.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>

int main() {
  std::ifstream input("beam.in");
  double a = NAN, b = NAN, c = NAN;
  unsigned long long seed = 0;
  for (std::string key; input >> key;) {
    if (key == "a") input >> a;
    else if (key == "b") input >> b;
    else if (key == "c") input >> c;
    else if (key == "seed") input >> seed;
  }
  std::mt19937_64 random(seed);
  const double load = std::normal_distribution<double>(1.0, 0.1)(random);
  if (std::min({a, b, c}) < 0.15) std::abort();
  if (random() % 40 == 0) ::sleep(3600);
  std::ofstream output("beam.out");
  output.precision(17);
  output << "iteration 1 weight = 0\n"
         << "weight = " << a + b + c << "\n"
         << "deflection: " << load * (1 / a + 0.5 / b + 0.25 / c) << " mm\n";
}
