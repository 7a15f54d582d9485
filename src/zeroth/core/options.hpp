// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "zeroth/core/error.hpp"
#include "zeroth/core/schedule.hpp"

namespace zeroth {

// One description per options struct, written where the struct is:
//
//   struct ConexOptions { double nu = 0.1; ... };
//   inline auto options_of(ConexOptions& o) {
//     return OptionList{{"nu", o.nu, "smoothing radius", positive}, ...};
//   }
//
// From it come the file reader, `zeroth describe`, the Python keywords, the table in the docs and the range checks.

// A value as people write it, in a file or after --set, and where they wrote it (for error messages).
using OptionValue = std::variant<bool, std::int64_t, double, std::string, std::vector<double>>;
struct Setting {
  OptionValue value;  // what was written
  std::string where;  // file and line, or the option of the command line
};
using Settings = std::map<std::string, Setting>;  // by key

std::string to_string(const OptionValue& value);        // as it would be written in a file
OptionValue parse_option_value(std::string_view text);  // "3", "0.5", "true", "[1,2]", anything else is a string

struct Range {                                              // Where a number must lie.
  double lower = -std::numeric_limits<double>::infinity();  // least value
  double upper = std::numeric_limits<double>::infinity();   // largest value
  bool open_lower = false;                                  // the least value itself is not allowed
  std::string text() const;                                 // for messages: "at least 1"
  // Whether a value lies in it.
  bool holds(double value) const { return (open_lower ? value > lower : value >= lower) && value <= upper; }
};
inline const Range any{};                                     // no limits
inline const Range positive{.lower = 0, .open_lower = true};  // above zero
inline const Range nonnegative{.lower = 0};                   // zero or more
inline const Range at_least_one{.lower = 1};                  // one or more
inline const Range fraction{.lower = 0, .upper = 1};          // from zero to one

struct Choices {                   // The words that an option may have.
  std::vector<std::string> names;  // all of them
};

// A field of an options struct, bound to one object: it can be read, set and described.
class Option {
 public:
  // Where the value is kept.
  using Target = std::variant<bool*, std::int64_t*, double*, std::string*, std::vector<double>*, Schedule*>;

  // Binds a field of the options struct to its key, its help and what is allowed.
  Option(std::string name, bool& target, std::string help);
  Option(std::string name, std::int64_t& target, std::string help, Range range = any);
  Option(std::string name, double& target, std::string help, Range range = any);
  Option(std::string name, std::vector<double>& target, std::string help, Range range = any);
  Option(std::string name, Schedule& target, std::string help, Range range = any);
  Option(std::string name, std::string& target, std::string help, Choices choices = {});

  const std::string& name() const { return name_; }  // the key
  const std::string& help() const { return help_; }  // one line that says what it does
  std::string type() const;                          // in words: number, text, list of numbers
  std::string value() const;                         // as text; the default, when the object is fresh
  std::string allowed() const;                       // range or choices as text; empty if anything goes
  void set(const Setting& setting) const;            // or an Error that says what is allowed

 private:
  std::string name_, help_;
  Target target_;
  Range range_;
  Choices choices_;
};

using OptionList = std::vector<Option>;  // the description of an options struct

// Sets every named option or throws an Error that names the key, where it stands, and the nearest right name.
void apply(const Settings& settings, const OptionList& options, std::string_view owner);

// The candidate with the smallest edit distance, or empty if none is near; for "did you mean".
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace zeroth
