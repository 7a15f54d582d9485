// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "zeroth/core/error.hpp"
#include "zeroth/lab/data/data_set.hpp"

namespace zeroth {
namespace {

namespace fs = std::filesystem;

// Fields between commas; those with blanks stand in quotes.
std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> found(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '\'') quoted = !quoted;
    else if (c == ',' && !quoted) found.emplace_back();
    else if ((c != ' ' || quoted) && c != '\r') found.back() += c;
  }
  return found;
}

// The published file has codes where the package has words: A<attribute><place of the word in the declaration>, counted
// from 1, but from 0 for credit history and purpose; the class is its place alone.
void recode(const fs::path& arff, const fs::path& out) {
  std::ifstream in(arff);
  if (!in) throw Error(arff.string(), "is not in the package");
  std::ofstream file(out, std::ios::binary);
  std::vector<std::vector<std::string>> words;
  bool data = false;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("@attribute", 0) == 0) {
      const auto open = line.find('{'), close = line.rfind('}');
      words.push_back(open == std::string::npos ? std::vector<std::string>{}
                                                : fields(line.substr(open + 1, close - open - 1)));
    } else if (line.rfind("@data", 0) == 0) {
      data = true;
    } else if (data && !line.empty() && line[0] != '%') {
      const auto values = fields(line);
      if (values.size() != words.size()) throw Error(arff.string(), "holds a row of the wrong length: " + line);
      std::string row;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const auto word = std::ranges::find(words[i], values[i]);
        const auto place = word - words[i].begin();
        const std::size_t attribute = i + 1;
        if (i > 0) row += ' ';
        if (words[i].empty()) row += values[i];
        else if (word == words[i].end())
          throw Error(arff.string(), fmt::format("holds the undeclared word '{}'", values[i]));
        else if (attribute == values.size()) row += std::to_string(place + 1);
        else row += fmt::format("A{}{}", attribute, place + (attribute == 3 || attribute == 4 ? 0 : 1));
      }
      file << row << '\n';
    }
  }
}

}  // namespace

void make_german(const std::vector<fs::path>& unpacked, const fs::path& out) {
  const fs::path numeric = unpacked.at(0) / "usr/lib/R/site-library/foreach/examples/germandata.txt";
  std::ifstream in(numeric, std::ios::binary);
  if (!in) throw Error(numeric.string(), "is not in the package");
  std::ofstream file(out / "german.data-numeric", std::ios::binary);
  for (char c; in.get(c);)
    if (c != '\r') file << c;  // the package has the line ends of another system
  recode(unpacked.at(1) / "usr/share/doc/weka/examples/credit-g.arff", out / "german.data");
}

}  // namespace zeroth
