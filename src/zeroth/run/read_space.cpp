// SPDX-License-Identifier: MIT
#include "zeroth/run/read_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "zeroth/core/error.hpp"

namespace zeroth {
namespace {

constexpr double not_given = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t most_variables = 10'000'000;

// What the user wrote, with infinite ends where they wrote nothing, and the places for later complaints.
struct Declared {
  Variables variables;
  std::vector<const Section*> section;  // of each variable
  std::string label(Index i) const {
    return variables.names.empty() ? fmt::format("variable {}", i)
                                   : fmt::format("variable '{}'", variables.names[static_cast<std::size_t>(i)]);
  }
  const Section& section_of(Index i) const { return *section[section.size() == 1 ? 0 : static_cast<std::size_t>(i)]; }
};

VariableType type_named(const std::string& name) {
  return name == "integer" ? VariableType::integer : name == "binary" ? VariableType::binary : VariableType::real;
}

void resize(Variables& v, Index count) {
  v.lower = Vector::Constant(count, -infinity);
  v.upper = Vector::Constant(count, infinity);
  v.start = Vector::Constant(count, not_given);
  v.type.assign(static_cast<std::size_t>(count), VariableType::real);
  v.log_scale.assign(static_cast<std::size_t>(count), false);
}

Declared one_by_one(const std::vector<const Section*>& sections) {
  Declared d{{}, sections};
  resize(d.variables, static_cast<Index>(sections.size()));
  for (std::size_t k = 0; k < sections.size(); ++k) {
    const Section& s = *sections[k];
    const auto i = static_cast<Index>(k);
    refuse_unknown_keys(s, {"name", "type", "lower", "upper", "scale", "start"});
    const auto name = text_at(s, "name");
    if (!name || name->empty())
      throw Error(s.where_of("name"), "[[variable]] needs a name, such as name = \"step_size\"");
    if (std::ranges::find(d.variables.names, *name) != d.variables.names.end())
      throw Error(s.where_of("name"), fmt::format("two variables have the name '{}'; names must differ", *name));
    d.variables.names.push_back(*name);
    d.variables.type[k] = type_named(choice_at(s, "type", {"real", "integer", "binary"}).value_or("real"));
    d.variables.log_scale[k] = choice_at(s, "scale", {"linear", "log"}).value_or("linear") == "log";
    if (const auto v = number_at(s, "lower")) d.variables.lower[i] = *v;
    if (const auto v = number_at(s, "upper")) d.variables.upper[i] = *v;
    if (const auto v = number_at(s, "start")) d.variables.start[i] = *v;
  }
  return d;
}

Declared many_alike(const Section& s) {
  refuse_unknown_keys(s, {"count", "type", "lower", "upper", "scale", "start"});
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
    if (std::isinf(v.lower[i]))
      complain("lower", "'lower' is missing or infinite; give a finite lower bound, such as lower = 0.0");
    if (std::isinf(v.upper[i]))
      complain("upper", "'upper' is missing or infinite; give a finite upper bound, such as upper = 1.0");
    if (v.lower[i] > v.upper[i])
      complain("lower", fmt::format("'lower' is {}, above 'upper' = {}; swap them", v.lower[i], v.upper[i]));
    if (v.log_scale[k] && v.lower[i] <= 0)
      complain("lower", fmt::format("'lower' is {}, but scale = \"log\" needs a bound above zero", v.lower[i]));
    if (v.type[k] != VariableType::real &&
        (v.lower[i] != std::floor(v.lower[i]) || v.upper[i] != std::floor(v.upper[i])))
      complain("lower", fmt::format("the bounds {} and {} of a whole variable must be whole", v.lower[i], v.upper[i]));
    const double start = v.start[i];
    if (!std::isnan(start) && (start < v.lower[i] || start > v.upper[i]))
      complain("start", fmt::format("'start' is {}, outside [{}, {}]; choose a start within the bounds", start,
                                    v.lower[i], v.upper[i]));
    if (!std::isnan(start) && v.type[k] != VariableType::real && start != std::floor(start))
      complain("start", fmt::format("'start' is {}, but the variable is whole", start));
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
    if (v.type[static_cast<std::size_t>(i)] != VariableType::real)
      complain("lies in a [set], whose points are not whole; use type = \"real\"");
    const bool bounded = std::isfinite(v.lower[i]) || std::isfinite(v.upper[i]);
    if (type == "halfspace") {
      if (bounded)
        complain("lies in a half-space and has bounds too; remove the bounds or make the half-space a constraint");
      v.lower[i] = -std::numeric_limits<double>::max();
      v.upper[i] = std::numeric_limits<double>::max();
      continue;
    }
    double low = type == "simplex" ? 0 : center[k] - extent, high = type == "simplex" ? extent : center[k] + extent;
    if (type == "polytope") {
      const Matrix vertices = vertices_of(s, static_cast<Index>(size));
      low = vertices.row(static_cast<Index>(k)).minCoeff();
      high = vertices.row(static_cast<Index>(k)).maxCoeff();
    }
    if (v.lower[i] > low || v.upper[i] < high)
      complain(
          fmt::format("has bounds [{}, {}] that cut into its {}, which reaches over [{}, {}]; widen or remove them",
                      v.lower[i], v.upper[i], type, low, high));
    v.lower[i] = low;
    v.upper[i] = high;
  }
}

}  // namespace

Space read_space(const Document& document) {
  const auto singles = document.all("variable");
  const auto many = document.all("variables");
  if (singles.empty() && many.empty())
    throw Error(document.file,
                "the problem has no variables; add a [[variable]] table for each, or [variables] with count");
  if (!singles.empty() && !many.empty())
    throw Error(many.front()->where, "use [[variable]] tables or [variables], not both");
  if (many.size() > 1) throw Error(many[1]->where, "[variables] stands twice; one is enough");
  Declared declared = singles.empty() ? many_alike(*many.front()) : one_by_one(singles);

  std::vector<Domain> sets;
  std::vector<std::vector<Index>> members;
  std::vector<bool> taken(static_cast<std::size_t>(declared.variables.size()), false);
  for (const Section* s : document.all("set")) {
    members.push_back(members_of(*s, declared));
    for (const Index i : members.back()) {
      if (taken[static_cast<std::size_t>(i)])
        throw Error(s->where_of("variables"),
                    declared.label(i) + " is in a set already; sets must not share variables");
      taken[static_cast<std::size_t>(i)] = true;
    }
    sets.push_back(set_named(*s, static_cast<Index>(members.back().size())));
    reach(*s, members.back(), declared);
  }
  settle(declared);
  Space space = Space::of(std::move(declared.variables), sets, members);
  if (const Vector start = space.start(); start.size() > 0 && !space.domain().contains(start, 1e-9)) {
    const auto all_sets = document.all("set");
    throw Error(all_sets.empty() ? document.file : all_sets.front()->where,
                "the start of the variables is outside this set; choose a start inside or leave it out");
  }
  return space;
}

}  // namespace zeroth
