// SPDX-License-Identifier: MIT
#include "zeroth/core/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>

namespace zeroth {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

std::optional<double> as_number(const OptionValue& value) {
  if (const auto* d = std::get_if<double>(&value)) return *d;
  if (const auto* i = std::get_if<std::int64_t>(&value)) return static_cast<double>(*i);
  return std::nullopt;
}

std::optional<std::int64_t> as_integer(const OptionValue& value) {
  if (const auto* i = std::get_if<std::int64_t>(&value)) return *i;
  if (const auto* d = std::get_if<double>(&value); d && *d == std::floor(*d) && std::abs(*d) < 0x1p53)
    return static_cast<std::int64_t>(*d);
  return std::nullopt;
}

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

std::string to_string(const OptionValue& value) {
  return std::visit(Overloaded{[](bool b) { return std::string(b ? "true" : "false"); },
                               [](const std::vector<double>& v) { return fmt::format("[{}]", fmt::join(v, ", ")); },
                               [](const auto& v) { return fmt::format("{}", v); }},
                    value);
}

OptionValue parse_option_value(std::string_view text) {
  text = trim(text);
  if (text == "true") return true;
  if (text == "false") return false;
  const char* end = text.data() + text.size();
  std::int64_t i = 0;
  if (const auto r = std::from_chars(text.data(), end, i); r.ec == std::errc{} && r.ptr == end) return i;
  double d = 0;
  if (const auto r = std::from_chars(text.data(), end, d); r.ec == std::errc{} && r.ptr == end) return d;
  if (text.size() >= 2 && text.front() == '[' && text.back() == ']') {
    std::vector<double> list;
    std::string_view rest = text.substr(1, text.size() - 2);
    while (!trim(rest).empty()) {
      const auto comma = rest.find(',');
      const auto number = as_number(parse_option_value(rest.substr(0, comma)));
      if (!number) return std::string(text);
      list.push_back(*number);
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
    return list;
  }
  return std::string(text);
}

std::string Range::text() const {
  if (std::isinf(lower) && std::isinf(upper)) return "";
  if (std::isinf(upper)) return fmt::format("{} {}", open_lower ? ">" : ">=", lower);
  if (std::isinf(lower)) return fmt::format("<= {}", upper);
  return fmt::format("{}{}, {}]", open_lower ? "(" : "[", lower, upper);
}

Option::Option(std::string name, bool& target, std::string help)
    : name_(std::move(name)), help_(std::move(help)), target_(&target) {}
Option::Option(std::string name, std::int64_t& target, std::string help, Range range)
    : name_(std::move(name)), help_(std::move(help)), target_(&target), range_(range) {}
Option::Option(std::string name, double& target, std::string help, Range range)
    : name_(std::move(name)), help_(std::move(help)), target_(&target), range_(range) {}
Option::Option(std::string name, std::vector<double>& target, std::string help, Range range)
    : name_(std::move(name)), help_(std::move(help)), target_(&target), range_(range) {}
Option::Option(std::string name, Schedule& target, std::string help, Range range)
    : name_(std::move(name)), help_(std::move(help)), target_(&target), range_(range) {}
Option::Option(std::string name, std::string& target, std::string help, Choices choices)
    : name_(std::move(name)), help_(std::move(help)), target_(&target), choices_(std::move(choices)) {}

std::string Option::type() const {
  return std::visit(
      Overloaded{[](bool*) { return "true or false"; }, [](std::int64_t*) { return "integer"; },
                 [](double*) { return "number"; }, [](std::string*) { return "text"; },
                 [](std::vector<double>*) { return "list of numbers"; }, [](Schedule*) { return "sequence"; }},
      target_);
}

std::string Option::value() const {
  return std::visit(Overloaded{[](const Schedule* s) { return to_string(*s); },
                               [](const auto* v) { return to_string(OptionValue(*v)); }},
                    target_);
}

std::string Option::allowed() const {
  if (!choices_.names.empty()) return fmt::format("{}", fmt::join(choices_.names, " | "));
  return range_.text();
}

void Option::set(const Setting& setting) const {
  const auto wrong = [&](const std::string& expected) {
    return Error(setting.where, fmt::format("'{}' is {}, but must be {}", name_, to_string(setting.value), expected));
  };
  const auto in_range = [&](double v) {
    if (!std::isfinite(v) || !range_.holds(v))
      throw wrong(range_.text().empty() ? "finite" : fmt::format("{}", range_.text()));
  };
  std::visit(Overloaded{[&](bool* target) {
                          if (const auto* b = std::get_if<bool>(&setting.value)) *target = *b;
                          else throw wrong("true or false");
                        },
                        [&](std::int64_t* target) {
                          const auto i = as_integer(setting.value);
                          if (!i) throw wrong("an integer");
                          in_range(static_cast<double>(*i));
                          *target = *i;
                        },
                        [&](double* target) {
                          const auto d = as_number(setting.value);
                          if (!d) throw wrong("a number");
                          in_range(*d);
                          *target = *d;
                        },
                        [&](std::vector<double>* target) {
                          std::vector<double> list;
                          if (const auto d = as_number(setting.value)) list = {*d};
                          else if (const auto* v = std::get_if<std::vector<double>>(&setting.value)) list = *v;
                          else throw wrong("a number or a list of numbers");
                          for (double v : list) in_range(v);
                          *target = std::move(list);
                        },
                        [&](Schedule* target) {
                          Schedule schedule;
                          if (const auto d = as_number(setting.value)) schedule = {*d, 0};
                          else if (const auto* s = std::get_if<std::string>(&setting.value)) {
                            try {
                              schedule = parse_schedule(*s);
                            } catch (const Error& e) {
                              throw Error(setting.where, fmt::format("'{}': {}", name_, e.what()));
                            }
                          } else throw wrong("a sequence such as 20 or \"20*t^0.5\"");
                          in_range(schedule.scale);
                          *target = schedule;
                        },
                        [&](std::string* target) {
                          const auto* s = std::get_if<std::string>(&setting.value);
                          if (!s) throw wrong(choices_.names.empty() ? "a text" : allowed());
                          if (!choices_.names.empty() && std::ranges::find(choices_.names, *s) == choices_.names.end())
                            throw wrong("one of " + allowed());
                          *target = *s;
                        }},
             target_);
}

void apply(const Settings& settings, const OptionList& options, std::string_view owner) {
  for (const auto& [key, setting] : settings) {
    const auto found = std::ranges::find_if(options, [&name = key](const Option& o) { return o.name() == name; });
    if (found != options.end()) {
      found->set(setting);
      continue;
    }
    std::vector<std::string> names;
    for (const auto& o : options) names.push_back(o.name());
    const std::string near = nearest_name(key, names);
    throw Error(setting.where, fmt::format("{} has no option '{}'; {}", owner, key,
                                           !near.empty()   ? fmt::format("did you mean '{}'?", near)
                                           : names.empty() ? std::string("it has none")
                                                           : fmt::format("it has: {}", fmt::join(names, ", "))));
  }
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const auto& candidate : candidates) {
    std::vector<std::size_t> row(candidate.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= name.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j <= candidate.size(); ++j) {
        const std::size_t substituted = diagonal + (name[i - 1] != candidate[j - 1]);
        diagonal = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

}  // namespace zeroth
