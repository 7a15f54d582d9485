// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <regex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "zeroth/core/problem.hpp"

namespace zeroth {

// What stands between a program that reads and writes files and an evaluation: docs/how-to/files.md.

// A text with {name} where a value is to be filled in, {name|otherwise} where the variable may not apply. Doubled
// braces around a name stand for themselves; any other brace is text.
class InputTemplate {
 public:
  InputTemplate() = default;
  // Throws an Error at `where`:LINE for a name that is none of `names`, seed or wanted, or if one of `names` is never
  // used.
  InputTemplate(std::string_view text, const std::vector<std::string>& names, const std::string& where);

  // `values`: one text for each name; empty where a variable does not apply.
  std::string filled(std::span<const std::string> values, std::uint64_t seed, const std::string& wanted = {}) const;

 private:
  struct Piece {
    std::string text;          // as it is, before the value
    std::ptrdiff_t name = -1;  // its place among the names; -1: none, -2: the seed, -3: what is wanted
    std::string otherwise;
  };
  std::vector<Piece> pieces_;
};

// How one value is found in a program's output: by a name that stands before it (NAME = 3.5, NAME: 3.5), or by a
// regular expression whose first group is the value. The last line that matches counts.
class OutputPattern {
 public:
  // Throws an Error at `where` for what is no regular expression or has no group.
  OutputPattern(std::string key, const std::string& text, const std::string& where);
  // What is wrong, or nothing.
  std::string read(std::string_view output, double& value) const;

 private:
  std::string key_, text_;
  std::shared_ptr<const std::regex> expression_;
};

struct FileExchange {
  InputTemplate input_template;
  std::string input;                    // the file that the filled template is written to
  std::vector<std::string> outputs;     // files to read from, in this order; "stdout" is what the program prints
  std::vector<std::string> copies;      // further files, with their paths, that lie in every directory
  std::vector<OutputPattern> patterns;  // objective, constraints, equalities
  std::string parent;                   // directories are made here; empty: where temporary files go
  // One text for each variable at x.
  std::function<void(std::span<const double> x, std::vector<std::string>& texts)> write_values;

  bool reads_stdout() const;
  // The input file of an evaluation; `wanted`: names of the functions that it is about, for {wanted}.
  std::string request(const Query& query, int seed_bits, const std::string& wanted) const;
};

// A fresh directory for one evaluation, removed unless it is kept.
class ExchangeDirectory {
 public:
  ExchangeDirectory() = default;
  ExchangeDirectory(ExchangeDirectory&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  ExchangeDirectory& operator=(ExchangeDirectory&& other) noexcept {
    path_.swap(other.path_);
    return *this;
  }
  ExchangeDirectory(const ExchangeDirectory&) = delete;
  ExchangeDirectory& operator=(const ExchangeDirectory&) = delete;
  ~ExchangeDirectory() { remove(); }

  // Makes it, with the input file and the copies in it; returns what went wrong, or nothing.
  std::string make(const FileExchange& exchange, const std::string& request);
  const std::string& path() const { return path_; }
  void remove();
  void keep() { path_.clear(); }

 private:
  std::string path_;
};

// What the program left behind, as an answer; whatever is missing or no number is a failed one that says so.
// `wanted` (one flag per function; empty: all): the others are not looked for and become NaN.
Answer read_outputs(const FileExchange& exchange, const std::string& directory, std::string_view printed, bool maximize,
                    std::span<const std::uint8_t> wanted = {});

}  // namespace zeroth
