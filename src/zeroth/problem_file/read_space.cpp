// SPDX-License-Identifier: MIT
#include "zeroth/problem_file/read_space.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "zeroth/adapters/expression.hpp"
#include "zeroth/core/error.hpp"
#include "zeroth/core/quadratic_program.hpp"
#include "zeroth/problem_file/read_values.hpp"

namespace zeroth {
namespace {

constexpr double not_given = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t most_variables = 10'000'000;

// What the user wrote, with infinite ends where they wrote nothing, and the places for later complaints.
struct Declared {
  Variables variables;
  std::vector<const Section*> section;  // of each variable
  std::vector<bool> in_set = {};
  std::string label(Index i) const {
    return variables.names.empty() ? fmt::format("variable {}", i)
                                   : fmt::format("variable '{}'", variables.names[static_cast<std::size_t>(i)]);
  }
  const Section& section_of(Index i) const { return *section[section.size() == 1 ? 0 : static_cast<std::size_t>(i)]; }
};

VariableType type_named(const std::string& name) {
  if (name == "categorical") return VariableType::categorical;
  if (name == "ordinal") return VariableType::ordinal;
  return name == "integer" ? VariableType::integer : name == "binary" ? VariableType::binary : VariableType::real;
}

void resize(Variables& v, Index count) {
  v.lower = Vector::Constant(count, -infinity);
  v.upper = Vector::Constant(count, infinity);
  v.start = v.spread = Vector::Constant(count, not_given);
  v.type.assign(static_cast<std::size_t>(count), VariableType::real);
  v.log_scale.assign(static_cast<std::size_t>(count), false);
}

Declared one_by_one(const std::vector<const Section*>& sections) {
  Declared d{{}, sections};
  resize(d.variables, static_cast<Index>(sections.size()));
  for (std::size_t k = 0; k < sections.size(); ++k) {
    const Section& s = *sections[k];
    const auto i = static_cast<Index>(k);
    refuse_unknown_keys(s, {"name", "type", "lower", "upper", "scale", "start", "spread", "values", "when"});
    const auto name = text_at(s, "name");
    if (!name || name->empty())
      throw Error(s.where_of("name"), "[[variable]] needs a name, such as name = \"step_size\"");
    if (std::ranges::find(d.variables.names, *name) != d.variables.names.end())
      throw Error(s.where_of("name"), fmt::format("two variables have the name '{}'; names must differ", *name));
    d.variables.names.push_back(*name);
    d.variables.type[k] =
        type_named(choice_at(s, "type", {"real", "integer", "binary", "categorical", "ordinal"}).value_or("real"));
    if (has_values(d.variables.type[k])) {
      read_values(s, i, d.variables);
      continue;
    }
    if (s.find("values"))
      throw Error(s.where_of("values"),
                  fmt::format("variable '{}': 'values' are for type = \"categorical\" or \"ordinal\"; add the type, or "
                              "give 'lower' and 'upper' instead",
                              *name));
    d.variables.log_scale[k] = choice_at(s, "scale", {"linear", "log"}).value_or("linear") == "log";
    if (const auto v = number_at(s, "lower")) d.variables.lower[i] = *v;
    if (const auto v = number_at(s, "upper")) d.variables.upper[i] = *v;
    if (const auto v = number_at(s, "start")) d.variables.start[i] = *v;
    if (const auto v = number_at(s, "spread")) d.variables.spread[i] = *v;
  }
  return d;
}

Declared many_alike(const Section& s) {
  refuse_unknown_keys(s, {"count", "type", "lower", "upper", "scale", "start", "spread"});
  const auto count = whole_at(s, "count");
  if (!count) throw Error(s.where, "[variables] needs a count, such as count = 10");
  if (*count < 1 || *count > most_variables)
    throw Error(s.where_of("count"), fmt::format("'count' is {}, but must be from 1 to {}", *count, most_variables));
  Declared d{{}, {&s}};
  resize(d.variables, static_cast<Index>(*count));
  const auto size = static_cast<std::size_t>(*count);
  d.variables.type.assign(size, type_named(choice_at(s, "type", {"real", "integer", "binary"}).value_or("real")));
  d.variables.log_scale.assign(size, choice_at(s, "scale", {"linear", "log"}).value_or("linear") == "log");
  const auto fill = [&](const char* key, Vector& target) {
    if (const auto list = numbers_at(s, key, size)) target = as_vector(*list);
  };
  fill("lower", d.variables.lower);
  fill("upper", d.variables.upper);
  fill("start", d.variables.start);
  fill("spread", d.variables.spread);
  return d;
}

// Bounds in order and finite, kinds respected, start inside. Variables under a set come here with the set's own reach.
void settle(Declared& d) {
  Variables& v = d.variables;
  for (Index i = 0; i < v.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Section& s = d.section_of(i);
    const auto complain = [&](const char* key, const std::string& text) {
      throw Error(s.where_of(key), d.label(i) + ": " + text);
    };
    if (v.type[k] == VariableType::binary) {
      if (!s.find("lower")) v.lower[i] = 0;
      if (!s.find("upper")) v.upper[i] = 1;
      if (v.lower[i] != 0 || v.upper[i] != 1)
        complain("lower",
                 "a binary variable runs from 0 to 1; leave out 'lower' and 'upper' or use type = \"integer\"");
    }
    const bool in_set = !d.in_set.empty() && d.in_set[k];
    const double start = v.start[i];
    const bool open = std::isinf(v.lower[i]) || std::isinf(v.upper[i]);
    if (open && !in_set) {
      const char* missing = std::isinf(v.lower[i]) ? "lower" : "upper";
      if (v.log_scale[k])
        complain(missing,
                 fmt::format("'{}' is missing or infinite, but scale = \"log\" needs both bounds; give a finite "
                             "bound, such as {}",
                             missing, std::isinf(v.lower[i]) ? "lower = 1e-4" : "upper = 1.0"));
      if (std::isnan(start))
        complain(missing, fmt::format("'{}' is missing or infinite; give a finite {} bound, such as {}, or, for a "
                                      "variable without bounds, 'start' (and 'spread', how far is far)",
                                      missing, missing, std::isinf(v.lower[i]) ? "lower = 0.0" : "upper = 1.0"));
    }
    if (const double spread = v.spread[i]; !std::isnan(spread)) {
      if (!open || in_set)
        complain("spread", "'spread' is for a variable without bounds, and this one has two; remove it");
      if (!(spread > 0) || std::isinf(spread))
        complain("spread", fmt::format("'spread' is {}, but must be a finite number > 0", spread));
    }
    if (v.lower[i] > v.upper[i])
      complain("lower", fmt::format("'lower' is {}, above 'upper' = {}; swap them", v.lower[i], v.upper[i]));
    if (v.log_scale[k] && v.lower[i] <= 0)
      complain("lower", fmt::format("'lower' is {}, but scale = \"log\" needs a bound above zero", v.lower[i]));
    if (v.type[k] != VariableType::real &&  // an infinite end is whole enough
        (v.lower[i] != std::floor(v.lower[i]) || v.upper[i] != std::floor(v.upper[i])))
      complain("lower",
               fmt::format("the bounds {} and {} of an integer variable must be integers", v.lower[i], v.upper[i]));
    if (std::isinf(start)) complain("start", fmt::format("'start' is {}, but must be finite", start));
    if (!std::isnan(start) && (start < v.lower[i] || start > v.upper[i]))
      complain("start", fmt::format("'start' is {}, outside [{}, {}]; choose a start within the bounds", start,
                                    v.lower[i], v.upper[i]));
    if (!std::isnan(start) && v.type[k] != VariableType::real && start != std::floor(start))
      complain("start", fmt::format("'start' is {}, but the variable is an integer", start));
  }
}

std::vector<Index> members_of(const Section& s, const Declared& d) {
  std::vector<Index> members;
  if (d.variables.names.empty()) {
    if (s.find("variables"))
      throw Error(s.where_of("variables"),
                  "variables declared by [variables] have no names; the set covers all of them");
    for (Index i = 0; i < d.variables.size(); ++i) members.push_back(i);
    return members;
  }
  const auto names = texts_at(s, "variables");
  if (!names || names->empty())
    throw Error(s.where_of("variables"), "[set] needs the names of its variables, such as variables = [\"a\", \"b\"]");
  for (const auto& name : *names) {
    const auto found = std::ranges::find(d.variables.names, name);
    if (found == d.variables.names.end()) {
      const auto near = nearest_name(name, d.variables.names);
      throw Error(s.where_of("variables"), fmt::format("there is no variable '{}'{}", name,
                                                       near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
    }
    members.push_back(found - d.variables.names.begin());
  }
  return members;
}

// One column per vertex; in the file their coordinates follow one another.
Matrix vertices_of(const Section& s, Index size) {
  const DocumentEntry* entry = s.find("vertices");
  const auto* list = entry ? std::get_if<std::vector<double>>(&entry->value) : nullptr;
  if (!list || list->empty() || list->size() % static_cast<std::size_t>(size) != 0)
    throw Error(
        s.where_of("vertices"),
        fmt::format("'vertices' must list the coordinates of one vertex after the other, {} numbers each", size));
  return Eigen::Map<const Matrix>(list->data(), size, static_cast<Index>(list->size()) / size);
}

Domain set_named(const Section& s, Index size) {
  const auto type = choice_at(s, "type", {"simplex", "ball", "l1_ball", "halfspace", "nuclear_ball", "polytope"});
  if (!type) throw Error(s.where, "[set] needs a type: simplex, ball, l1_ball, halfspace, nuclear_ball or polytope");
  const auto vector = [&](const char* key, double otherwise) {
    const auto list = numbers_at(s, key, static_cast<std::size_t>(size));
    return list ? Vector(as_vector(*list)) : Vector(Vector::Constant(size, otherwise));
  };
  const auto needed = [&](const char* key) {
    const auto value = number_at(s, key);
    if (!value) throw Error(s.where, fmt::format("a {} needs '{}'", *type, key));
    return *value;
  };
  try {
    if (*type == "simplex") {
      refuse_unknown_keys(s, {"type", "variables", "total"});
      return Domain::simplex(size, number_at(s, "total").value_or(1));
    }
    if (*type == "halfspace") {
      refuse_unknown_keys(s, {"type", "variables", "normal", "offset"});
      return Domain::halfspace(vector("normal", 1), needed("offset"));
    }
    if (*type == "nuclear_ball") {
      refuse_unknown_keys(s, {"type", "variables", "rows", "radius"});
      const auto rows = static_cast<Index>(needed("rows"));
      if (rows < 1 || size % rows != 0)
        throw Error(s.where_of("rows"),
                    fmt::format("'rows' is {}, but {} variables, the matrix column by column, must fill whole columns",
                                rows, size));
      return Domain::nuclear_ball(rows, size / rows, needed("radius"));
    }
    if (*type == "polytope") {
      refuse_unknown_keys(s, {"type", "variables", "vertices"});
      return Domain::polytope(vertices_of(s, size));
    }
    refuse_unknown_keys(s, {"type", "variables", "center", "radius"});
    if (*type == "ball") return Domain::ball(vector("center", 0), needed("radius"));
    return Domain::l1_ball(vector("center", 0), needed("radius"));
  } catch (const Error& e) {
    if (std::string(e.what()).starts_with(s.where.substr(0, s.where.rfind(':')))) throw;
    throw Error(s.where, e.what());
  }
}

// How far a set reaches in one coordinate; what is sent is kept within this too.
void reach(const Section& s, const std::vector<Index>& members, Declared& d) {
  const std::string type = *text_at(s, "type");
  const auto size = members.size();
  const auto center = numbers_at(s, "center", size).value_or(std::vector<double>(size, 0.0));
  const double extent = number_at(s, type == "simplex" ? "total" : "radius").value_or(1);
  Variables& v = d.variables;
  for (std::size_t k = 0; k < size; ++k) {
    const Index i = members[k];
    const auto complain = [&](const std::string& text) { throw Error(d.section_of(i).where, d.label(i) + " " + text); };
    if (v.log_scale[static_cast<std::size_t>(i)])
      complain("lies in a [set], where every variable keeps its own units; remove scale = \"log\"");
    if (static_cast<std::size_t>(i) < v.when.size() && !v.when[static_cast<std::size_t>(i)].empty())
      complain("lies in a [set], but applies only sometimes ('when'); remove one of them");
    if (v.type[static_cast<std::size_t>(i)] != VariableType::real)
      complain("lies in a [set], whose points are not integers; use type = \"real\"");
    if (type == "halfspace") continue;
    double low = type == "simplex" ? 0 : center[k] - extent, high = type == "simplex" ? extent : center[k] + extent;
    if (type == "polytope") {
      const Matrix vertices = vertices_of(s, static_cast<Index>(size));
      low = vertices.row(static_cast<Index>(k)).minCoeff();
      high = vertices.row(static_cast<Index>(k)).maxCoeff();
    }
    if (type == "nuclear_ball" && (v.lower[i] > low || v.upper[i] < high))
      complain(fmt::format(
          "has bounds [{}, {}] that cut into its nuclear-norm ball, which reaches over [{}, {}] and cannot be "
          "cut; widen or remove them",
          v.lower[i], v.upper[i], low, high));
    v.lower[i] = std::max(v.lower[i], low);
    v.upper[i] = std::min(v.upper[i], high);
    if (v.lower[i] > v.upper[i])
      complain(
          fmt::format("has bounds that its {} over [{}, {}] does not meet; widen or remove them", type, low, high));
  }
}

// --- known limits -------------------------------------------------------------------------------------------------

struct PlacedRow {
  LinearRow row;
  std::string where;
};

void add_rows(const std::string& text, const std::string& where, const Variables& v, std::vector<PlacedRow>& rows) {
  for (const Relation& r : read_relations(text, v.names, v.size(), where)) {
    const auto form = r.excess.affine(v.size());
    refuse_about(r.excess.mentioned(), v, fmt::format("'{}'", text), where);
    if (!form) throw Error(where, fmt::format("'{}' is not linear; write it under known = [...] instead", text));
    if ((form->coefficients.array() == 0).all())
      throw Error(where, fmt::format("'{}' depends on no variable; remove it", text));
    rows.push_back({{form->coefficients, r.equality ? -form->constant : -infinity, -form->constant, text}, where});
  }
}

std::string row_text(const Vector& a, const Variables& v, double lower, double upper) {
  std::string sum;
  int terms = 0;
  for (Index i = 0; i < a.size() && terms < 8; ++i) {
    if (a[i] == 0) continue;
    const std::string name = v.names.empty() ? fmt::format("x[{}]", i) : v.names[static_cast<std::size_t>(i)];
    sum += fmt::format("{}{}*{}", terms++ > 0 ? " + " : "", a[i], name);
  }
  if (terms == 8) sum += " + ...";
  if (lower == upper) return fmt::format("{} = {}", sum, upper);
  if (std::isinf(lower)) return fmt::format("{} <= {}", sum, upper);
  if (std::isinf(upper)) return fmt::format("{} >= {}", sum, lower);
  return fmt::format("{} <= {} <= {}", lower, sum, upper);
}

std::vector<PlacedRow> read_rows(const Document& document, const Variables& v) {
  std::vector<PlacedRow> rows;
  constexpr std::size_t most_rows = 100'000;
  const std::vector<std::string> none;
  const Section* problem = document.find("problem");
  const auto texts = problem ? texts_at(*problem, "linear").value_or(none) : none;
  for (const std::string& text : texts) add_rows(text, problem->where_of("linear"), v, rows);
  for (const Section* s : document.all("linear")) {
    refuse_unknown_keys(*s, {"coefficients", "lower", "upper"});
    const auto numbers = numbers_at(*s, "coefficients", static_cast<std::size_t>(v.size()));
    if (!numbers)
      throw Error(s->where,
                  fmt::format("[[linear]] needs 'coefficients', one number for each of the {} variables", v.size()));
    LinearRow row{
        as_vector(*numbers), number_at(*s, "lower").value_or(-infinity), number_at(*s, "upper").value_or(infinity), {}};
    if (!row.coefficients.allFinite() || (row.coefficients.array() == 0).all())
      throw Error(s->where_of("coefficients"), "'coefficients' must be finite numbers, and not all zero");
    if (std::isnan(row.lower) || std::isnan(row.upper) || (std::isinf(row.lower) && std::isinf(row.upper)))
      throw Error(s->where, "[[linear]] needs 'upper', 'lower' or both, as finite numbers");
    if (row.lower > row.upper)
      throw Error(s->where_of("lower"),
                  fmt::format("'lower' is {}, above 'upper' = {}; swap them", row.lower, row.upper));
    row.text = row_text(row.coefficients, v, row.lower, row.upper);
    std::vector<Index> mentioned;
    for (Index i = 0; i < row.coefficients.size(); ++i)
      if (row.coefficients[i] != 0) mentioned.push_back(i);
    refuse_about(mentioned, v, fmt::format("'{}'", row.text), s->where);
    rows.push_back({std::move(row), s->where});
  }
  if (rows.size() > most_rows) throw Error(rows.back().where, fmt::format("more than {} linear rows", most_rows));
  return rows;
}

std::vector<KnownLimit> read_known(const Document& document, const Variables& v, std::vector<KnownLimit> given) {
  std::vector<KnownLimit> known;
  const Section* problem = document.find("problem");
  const std::vector<std::string> none;
  const auto texts = problem ? texts_at(*problem, "known").value_or(none) : none;
  for (const std::string& text : texts)
    for (Relation& r : read_relations(text, v.names, v.size(), problem->where_of("known"))) {
      if (r.equality)
        throw Error(problem->where_of("known"),
                    fmt::format("'{}' is an equality, which has no inside to search; solve it for one variable, or, if "
                                "it is linear, write it under linear = [...]",
                                text));
      refuse_about(r.excess.mentioned(), v, fmt::format("'{}'", text), problem->where_of("known"));
      known.push_back({text, [e = std::move(r.excess)](std::span<const double> x) { return e(x); }});
    }
  for (KnownLimit& limit : given) known.push_back(std::move(limit));
  return known;
}

// A bound that was not given may follow from the rows: a linear program each.
void implied_bounds(const std::vector<PlacedRow>& rows, Declared& d) {
  Variables& v = d.variables;
  const Index n = v.size(), m = static_cast<Index>(rows.size());
  QuadraticProgram p;
  for (Index i = 0; i < n; ++i) {
    if ((std::isfinite(v.lower[i]) && std::isfinite(v.upper[i])) ||
        (!d.in_set.empty() && d.in_set[static_cast<std::size_t>(i)]))
      continue;
    if (std::ranges::none_of(rows, [i](const PlacedRow& r) { return r.row.coefficients[i] != 0; })) continue;
    if (p.rows.size() == 0) {
      p.hessian = Matrix::Zero(n, 1);
      p.rows.resize(m, n);
      p.row_lower.resize(m);
      p.row_upper.resize(m);
      for (Index r = 0; r < m; ++r) {
        p.rows.row(r) = rows[static_cast<std::size_t>(r)].row.coefficients.transpose();
        p.row_lower[r] = rows[static_cast<std::size_t>(r)].row.lower;
        p.row_upper[r] = rows[static_cast<std::size_t>(r)].row.upper;
      }
    }
    p.lower = v.lower;
    p.upper = v.upper;
    for (const double sign : {1.0, -1.0}) {
      double& end = sign > 0 ? v.lower[i] : v.upper[i];
      if (std::isfinite(end)) continue;
      p.linear = sign * Vector::Unit(n, i);
      const QuadraticSolution s = solve(p);
      if (!s.solved()) continue;
      const double found = s.x[i] - sign * 1e-9 * (1 + std::abs(s.x[i]));
      end = v.type[static_cast<std::size_t>(i)] == VariableType::real ? found
            : sign > 0                                                ? std::ceil(found)
                                                                      : std::floor(found);
    }
  }
}

// Spells out which rows and bounds contradict each other.
[[noreturn]] void refuse_empty(const Document& document, const std::vector<PlacedRow>& rows, const Declared& d) {
  const Variables& v = d.variables;
  const Index n = v.size(), m = static_cast<Index>(rows.size());
  QuadraticProgram p;
  p.linear = Vector::Zero(n);
  p.rows.resize(m, n);
  p.row_lower.resize(m);
  p.row_upper.resize(m);
  for (Index r = 0; r < m; ++r) {
    const LinearRow& row = rows[static_cast<std::size_t>(r)].row;
    p.rows.row(r) = row.coefficients.transpose();
    p.row_lower[r] = row.lower;
    p.row_upper[r] = row.upper;
  }
  p.lower = v.lower;
  p.upper = v.upper;
  const QuadraticSolution s = solve(p);
  if (s.solved())
    throw Error(document.file, "the sets, bounds and linear rows have no point in common; relax one of them");
  std::vector<std::string> texts;
  std::string where;
  for (const Index r : s.conflict.rows) {
    const PlacedRow& row = rows[static_cast<std::size_t>(r)];
    if (where.empty()) where = row.where;
    texts.push_back("'" + row.row.text + "'");
  }
  for (const Index i : s.conflict.variables)
    texts.push_back(fmt::format("the bounds [{}, {}] of {}", v.lower[i], v.upper[i], d.label(i)));
  throw Error(where.empty() ? document.file : where,
              fmt::format("no point satisfies all of: {}; relax or remove one of them", fmt::join(texts, ", ")));
}

}  // namespace

Space read_space(const Document& document, std::vector<KnownLimit> given) {
  const auto singles = document.all("variable");
  const auto many = document.all("variables");
  if (singles.empty() && many.empty())
    throw Error(document.file,
                "the problem has no variables; add a [[variable]] table for each, or [variables] with count");
  if (!singles.empty() && !many.empty())
    throw Error(many.front()->where, "use [[variable]] tables or [variables], not both");
  if (many.size() > 1) throw Error(many[1]->where, "[variables] stands twice; one is enough");
  Declared declared = singles.empty() ? many_alike(*many.front()) : one_by_one(singles);
  read_conditions(declared.section, declared.variables);

  std::vector<Domain> sets;
  std::vector<std::vector<Index>> members;
  declared.in_set.assign(static_cast<std::size_t>(declared.variables.size()), false);
  const std::vector<PlacedRow> rows = read_rows(document, declared.variables);
  for (const Section* s : document.all("set")) {
    members.push_back(members_of(*s, declared));
    for (const Index i : members.back()) declared.in_set[static_cast<std::size_t>(i)] = true;
    sets.push_back(set_named(*s, static_cast<Index>(members.back().size())));
    reach(*s, members.back(), declared);
  }
  implied_bounds(rows, declared);
  settle(declared);
  std::vector<KnownLimit> known = read_known(document, declared.variables, std::move(given));
  std::vector<LinearRow> plain;
  for (const PlacedRow& r : rows) plain.push_back(r.row);
  const auto make = [&]() -> Space {
    try {
      return Space::of(declared.variables, sets, members, plain, std::move(known));
    } catch (const EmptySet&) {
      refuse_empty(document, rows, declared);
    } catch (const Error& e) {
      const auto all_sets = document.all("set");
      throw Error(all_sets.empty() ? document.file : all_sets.front()->where, e.what());
    }
  };
  Space space = make();
  for (std::size_t r = 0; r < rows.size(); ++r)
    if (plain[r].lower == plain[r].upper && std::ranges::find(space.plane_rows(), r) == space.plane_rows().end())
      throw Error(rows[r].where,
                  fmt::format("'{}' is an equality over a variable with scale = \"log\" or without bounds; "
                              "give it bounds and a linear scale, or write two inequalities",
                              plain[r].text));
  if (const Vector start = space.start(); start.size() > 0) {
    const bool partly = declared.variables.start.array().isNaN().any();
    const auto all_sets = document.all("set");
    if (!partly && !space.domain().contains(start, 1e-9))
      throw Error(
          !rows.empty()      ? rows.front().where
          : all_sets.empty() ? document.file
                             : all_sets.front()->where,
          rows.empty()
              ? std::string("the start of the variables is outside this set; choose a start inside or leave it out")
              : "the start of the variables does not satisfy the linear rows; choose a start that does or leave it "
                "out");
  }
  return space;
}

}  // namespace zeroth
