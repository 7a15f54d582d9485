// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace zeroth::cli {

// What `zeroth init` writes: a problem file and an evaluator that works as it stands.
struct Template {
  std::string language;                                   // as after --language
  std::string file;                                       // of the evaluator
  std::string command;                                    // as in the problem file
  std::string first_step;                                 // what to do before `zeroth check`, or nothing
  std::string evaluator;                                  // the text of the evaluator
  std::vector<std::pair<std::string, std::string>> more;  // further files and their texts
};

const std::vector<Template>& templates();
std::string problem_template(const Template& t);

}  // namespace zeroth::cli
