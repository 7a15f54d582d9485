// SPDX-License-Identifier: MIT
#include "zeroth/cli/templates.hpp"

#include <fmt/format.h>

namespace zeroth::cli {
namespace {

constexpr const char* problem =
    R"(# A zeroth problem file. Check it with 'zeroth check problem.toml', solve it with 'zeroth solve problem.toml'.
# Every key is explained in docs/problem-file.md.

[problem]
name = "example"
command = {}
constraints = ["cost"]        # names of the noisy constraints; feasible means E[value] <= 0
# equalities = ["mass"]       # names of values whose expectation must be 0
{}
common_noise = true           # the evaluator draws all its randomness from the seed that it is sent
direction = "minimize"        # or "maximize"
timeout = 60.0                # seconds for one evaluation; a hang beyond that is a failed evaluation
retries = 1                   # a failed evaluation is tried once more
{}
[[variable]]
name = "step_size"
type = "real"                 # real | integer | binary | categorical | ordinal
lower = 1e-4
upper = 1.0
scale = "log"                 # linear | log
start = 0.1

[[variable]]
name = "steps"
type = "integer"
lower = 1
upper = 50
start = 10

[solver]
name = "auto"                 # 'zeroth list solvers' shows the others
budget = 200                  # evaluations in all
seed = 1                      # names all randomness: the same seed gives the same run
)";

constexpr const char* stream_protocol =
    "protocol = \"stream\"           # one long-lived process per job; \"once\": a process per evaluation; \"files\"";
constexpr const char* files_protocol =
    "protocol = \"files\"            # a process and a fresh directory per evaluation, a file in, a file out";
constexpr const char* files_section = R"(
[files]
template = "input.template"   # {NAME} and {seed} are filled in
input = "input.txt"           # what the program reads
output = "output.txt"         # what it writes; or "stdout"
objective = 'loss = (\S+)'    # a regular expression, the first group is the number; the last match counts
# copy = ["mesh.dat"]         # further files that the program needs beside its input

[files.constraints]
cost = 'cost = (\S+)'
)";

constexpr const char* python = R"py(#!/usr/bin/env python3
"""An evaluator for zeroth: one question per line on stdin, one answer per line on stdout."""
import json
import math
import random
import sys


def evaluate(x, seed):
    """Put your simulation here. All randomness must come from the seed. Returns the objective and the constraints."""
    rng = random.Random(seed)
    distance = math.log10(x["step_size"]) + 1.5
    objective = distance ** 2 + 0.005 * (x["steps"] - 20) ** 2 + rng.gauss(0, 0.1)
    cost = x["steps"] / 15.5 - 1 + rng.gauss(0, 0.05)
    return objective, [cost]


for line in sys.stdin:
    question = json.loads(line)
    answer = {"id": question["id"]}
    try:
        answer["objective"], answer["constraints"] = evaluate(question["x"], question["seed"])
    except Exception as error:  # a failed evaluation is data: say why and go on
        answer["error"] = str(error)
    print(json.dumps(answer), flush=True)
)py";

constexpr const char* r_language = R"r(#!/usr/bin/env Rscript
# An evaluator for zeroth: one question per line on stdin, one answer per line on stdout.

# Put your simulation here. All randomness must come from the seed, which seed_bits = 31 keeps within what set.seed takes.
evaluate <- function(x, seed) {
  set.seed(seed)
  distance <- log10(x[["step_size"]]) + 1.5
  list(objective = distance^2 + 0.005 * (x[["steps"]] - 20)^2 + rnorm(1, sd = 0.1),
       constraints = x[["steps"]] / 15.5 - 1 + rnorm(1, sd = 0.05))
}

# With the package jsonlite any question is read. Without it, base R reads no JSON: the numbers behind the names in
# `variables` are searched for in the line, which is enough for variables that are numbers.
variables <- c("step_size", "steps")
has_jsonlite <- requireNamespace("jsonlite", quietly = TRUE)

number_of <- function(line, key) {
  pattern <- paste0('"', key, '":([-+0-9.eE]+)')
  as.numeric(regmatches(line, regexec(pattern, line))[[1]][2])
}

read_question <- function(line) {
  if (has_jsonlite) return(jsonlite::fromJSON(line))
  x <- lapply(variables, function(name) number_of(line, name))
  list(id = number_of(line, "id"), x = setNames(x, variables), seed = number_of(line, "seed"))
}

write_number <- function(value) format(value, digits = 17, scientific = FALSE, trim = TRUE)

questions <- file("stdin", open = "r")
while (length(line <- readLines(questions, n = 1)) > 0) {
  id <- write_number(number_of(line, "id"))
  answer <- tryCatch({
    question <- read_question(line)
    result <- evaluate(question$x, question$seed)
    sprintf('{"id":%s,"objective":%s,"constraints":[%s]}', id, write_number(result$objective),
            paste(vapply(result$constraints, write_number, ""), collapse = ","))
  }, error = function(e) sprintf('{"id":%s,"error":"%s"}', id, gsub('["\\\\\n]', " ", conditionMessage(e))))
  cat(answer, "\n", sep = "")
  flush(stdout())
}
)r";

constexpr const char* shell = R"sh(#!/bin/sh
# An evaluator for zeroth: one question per line on stdin, one answer per line on stdout.

# The number behind "key": in the line of JSON that is $line.
number_of() {
  printf '%s\n' "$line" | sed -n "s/.*\"$1\":\([-+0-9.eE]*\).*/\1/p"
}

while IFS= read -r line; do
  # Put your simulation here. All randomness must come from the seed: below, two uniform numbers made from it.
  awk -v id="$(number_of id)" -v seed="$(number_of seed)" \
      -v step_size="$(number_of step_size)" -v steps="$(number_of steps)" 'BEGIN {
    srand(seed % 2147483647)
    distance = log(step_size) / log(10) + 1.5
    objective = distance^2 + 0.005 * (steps - 20)^2 + 0.2 * (rand() - 0.5)
    cost = steps / 15.5 - 1 + 0.1 * (rand() - 0.5)
    printf "{\"id\":%d,\"objective\":%.17g,\"constraints\":[%.17g]}\n", id, objective, cost
  }'
done
)sh";

// The delimiter is no language's name: clang-format would lay out what is between.
constexpr const char* cpp =
    R"evaluator(// An evaluator for zeroth: one question per line on stdin, one answer per line on stdout.
// Build it with: c++ -O2 -o evaluate evaluate.cpp
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>

// The number behind "key": in a line of JSON; the questions are simple enough for this.
static double number_of(const std::string& line, const std::string& key) {
  const auto at = line.find('"' + key + "\":");
  return at == std::string::npos ? NAN : std::strtod(line.c_str() + at + key.size() + 3, nullptr);
}

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    // Put your simulation here. All randomness must come from the seed.
    std::mt19937_64 random(static_cast<unsigned long long>(number_of(line, "seed")));
    std::normal_distribution<double> normal;
    const double steps = number_of(line, "steps");
    const double distance = std::log10(number_of(line, "step_size")) + 1.5;
    const double objective = distance * distance + 0.005 * (steps - 20) * (steps - 20) + 0.1 * normal(random);
    const double cost = steps / 15.5 - 1 + 0.05 * normal(random);
    std::printf("{\"id\":%.0f,\"objective\":%.17g,\"constraints\":[%.17g]}\n", number_of(line, "id"), objective, cost);
    std::fflush(stdout);
  }
}
)evaluator";

constexpr const char* files_input = R"(# Filled in for every evaluation: the values of the variables and the seed.
step_size {step_size}
steps {steps}
seed {seed}
)";

constexpr const char* files_program =
    R"evaluator(// Stands for any program that reads input.txt and writes output.txt in the current directory.
// Build it with: c++ -O2 -o simulate simulate.cpp
#include <cmath>
#include <fstream>
#include <random>
#include <string>

int main() {
  std::ifstream input("input.txt");
  double step_size = NAN, steps = NAN;
  unsigned long long seed = 0;
  for (std::string key; input >> key;) {
    if (key == "step_size") input >> step_size;
    else if (key == "steps") input >> steps;
    else if (key == "seed") input >> seed;
    else std::getline(input, key);  // a comment
  }
  if (std::isnan(step_size) || std::isnan(steps)) return 1;  // any exit code but 0 is a failed evaluation

  // Put your simulation here. All randomness must come from the seed.
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const double distance = std::log10(step_size) + 1.5;
  std::ofstream output("output.txt");
  output.precision(17);
  output << "loss = " << distance * distance + 0.005 * (steps - 20) * (steps - 20) + 0.1 * normal(random) << "\n"
         << "cost = " << steps / 15.5 - 1 + 0.05 * normal(random) << "\n";
}
)evaluator";

}  // namespace

const std::vector<Template>& templates() {
  static const std::vector<Template> all{
      {"python", "evaluate.py", R"(["./evaluate.py"])", "", python, {}},
      {"r", "evaluate.R", R"(["Rscript", "evaluate.R"])", "", r_language, {}},
      {"shell", "evaluate.sh", R"(["./evaluate.sh"])", "", shell, {}},
      {"c++", "evaluate.cpp", R"(["./evaluate"])", "c++ -O2 -o evaluate evaluate.cpp", cpp, {}},
      {"files",
       "simulate.cpp",
       R"(["./simulate"])",
       "c++ -O2 -o simulate simulate.cpp",
       files_program,
       {{"input.template", files_input}}},
  };
  return all;
}

std::string problem_template(const Template& t) {
  std::string command = t.command, protocol = stream_protocol, more;
  if (t.language == "r") command += "\nseed_bits = 31                # R's set.seed takes no larger numbers";
  if (t.language == "files") {
    protocol = files_protocol;
    more = files_section;
  }
  return fmt::format(fmt::runtime(problem), command, protocol, more);
}

}  // namespace zeroth::cli
