// SPDX-License-Identifier: MIT
#include "zeroth/problem_file/document.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>

#include "zeroth/core/error.hpp"
#include "zeroth/core/text.hpp"

namespace zeroth {
namespace {

std::string place(const std::string& file, const toml::source_region& source) {
  return fmt::format("{}:{}", file, source.begin.line);
}

DocumentValue list_of(const toml::array& list, const std::string& key, const std::string& where) {
  std::vector<double> numbers;
  std::vector<std::string> texts;
  for (const toml::node& node : list) {
    if (const auto* i = node.as_integer()) numbers.push_back(static_cast<double>(i->get()));
    else if (const auto* d = node.as_floating_point()) numbers.push_back(d->get());
    else if (const auto* s = node.as_string()) texts.push_back(s->get());
    else throw Error(where, fmt::format("'{}' must be a list of numbers or a list of texts", key));
  }
  if (!numbers.empty() && !texts.empty())
    throw Error(where, fmt::format("'{}' mixes numbers and texts; it must be one or the other", key));
  if (!texts.empty()) return texts;
  return numbers;
}

DocumentValue value_of(const toml::node& node, const std::string& key, const std::string& where) {
  if (const auto* b = node.as_boolean()) return b->get();
  if (const auto* i = node.as_integer()) return i->get();
  if (const auto* d = node.as_floating_point()) return d->get();
  if (const auto* s = node.as_string()) return s->get();
  if (const auto* a = node.as_array()) return list_of(*a, key, where);
  throw Error(where, fmt::format("'{}' must be a number, a text, true or false, or a list of numbers or texts", key));
}

// `inner`, unless null, takes the tables in it, as sections by the names [name.key].
Section section_of(const toml::table& table, const std::string& name, const std::string& file,
                   std::vector<Section>* inner) {
  Section section{name, place(file, table.source()), {}};
  for (const auto& [key, node] : table) {
    const std::string label(key.str());
    const std::string where = place(file, key.source());
    if (const auto* within = node.as_table(); within && inner) {
      inner->push_back(section_of(*within, name + "." + label, file, nullptr));
      continue;
    }
    section.entries.emplace(label, DocumentEntry{value_of(node, label, where), where});
  }
  return section;
}

// Where a name or a value stands deeper than any that we know. The parser, and whatever walks over what it returns,
// recurses: one level per bracket and one per dot of a key, of which it sets no limit. Returns the line, or 0.
std::size_t line_nested_too_deep(std::string_view text) {
  constexpr int most_dots = 32;
  std::size_t line = 1;
  int depth = 0, dots = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') ++line;
    if (c == '#') {
      while (i + 1 < text.size() && text[i + 1] != '\n') ++i;
    } else if (c == '"' || c == '\'') {
      const bool block = text.substr(i, 3) == std::string(3, c);
      const std::string_view end = text.substr(i, block ? 3 : 1);
      // To its end, over escaped characters; one that stands in a line ends there at the latest.
      for (i += end.size(); i < text.size() && text.substr(i, end.size()) != end; ++i) {
        if (text[i] == '\\' && c == '"' && i + 1 < text.size()) ++i;
        if (text[i] == '\n') ++line;
        if (text[i] == '\n' && !block) break;
      }
      i += end.size() - 1;
    } else if (c == '[' || c == '{') {
      if (++depth > deepest_nesting) return line;
      dots = 0;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == '.') {
      if (++dots > most_dots) return line;
    } else if (c == '\n' || c == '=' || c == ',') {
      dots = 0;
    }
  }
  return 0;
}

toml::table parsed(std::string_view text, const std::string& file) {
  if (const auto line = line_nested_too_deep(text))
    throw Error(fmt::format("{}:{}", file, line), "nested more deeply than any problem file needs");
  return toml::parse(text, file);
}

}  // namespace

const DocumentEntry* Section::find(const std::string& key) const {
  const auto found = entries.find(key);
  return found == entries.end() ? nullptr : &found->second;
}

std::string Section::where_of(const std::string& key) const {
  const DocumentEntry* entry = find(key);
  return entry ? entry->where : where;
}

const Section* Document::find(std::string_view name) const {
  const auto found = std::ranges::find_if(sections, [&](const Section& s) { return s.name == name; });
  return found == sections.end() ? nullptr : &*found;
}

Section& Document::section(const std::string& name) {
  const auto found = std::ranges::find_if(sections, [&](const Section& s) { return s.name == name; });
  if (found != sections.end()) return *found;
  return sections.emplace_back(Section{name, file, {}});
}

std::vector<const Section*> Document::all(std::string_view name) const {
  std::vector<const Section*> found;
  for (const Section& s : sections)
    if (s.name == name) found.push_back(&s);
  return found;
}

Document parse_document(std::string_view text, const std::string& file) {
  Document document{file, {}};
  toml::table root;
  try {
    root = parsed(text, file);
  } catch (const toml::parse_error& e) {
    throw Error(place(file, e.source()), fmt::format("not valid TOML: {}", e.description()));
  }
  for (const auto& [key, node] : root) {
    const std::string name(key.str());
    if (const auto* table = node.as_table()) {
      std::vector<Section> inner;
      document.sections.push_back(section_of(*table, name, file, &inner));
      std::ranges::move(inner, std::back_inserter(document.sections));
    } else if (const auto* list = node.as_array(); list && !list->empty() && list->is_homogeneous<toml::table>()) {
      for (const toml::node& entry : *list)
        document.sections.push_back(section_of(*entry.as_table(), name, file, nullptr));
    } else {
      throw Error(place(file, key.source()),
                  fmt::format("'{}' stands outside any section; keys belong under [problem], [solver] or another "
                              "section header",
                              name));
    }
  }
  return document;
}

void override_entry(Document& document, const std::string& assignment, const std::string& option) {
  const std::string where = option == "--set" ? "--set " + assignment : option;
  const auto equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0)
    throw Error(where, "must have the form key=value or section.key=value");
  std::string section = "solver", key = assignment.substr(0, equals);
  if (const auto dot = key.rfind('.'); dot != std::string::npos) {
    section = key.substr(0, dot);
    key = key.substr(dot + 1);
  }
  const std::string text = assignment.substr(equals + 1);
  DocumentValue value = text;  // what is not a TOML value is a bare text, so that --set noise=t5 needs no quotes
  try {
    const toml::table table = parsed("v = " + text, where);
    if (table.size() == 1 && table.contains("v")) value = value_of(*table.get("v"), key, where);
  } catch (const toml::parse_error&) {
  }
  document.section(section).entries.insert_or_assign(key, DocumentEntry{std::move(value), where});
}

std::string to_string(const DocumentValue& value) {
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value))
    return fmt::format("[\"{}\"]", fmt::join(*texts, "\", \""));
  if (const auto* text = std::get_if<std::string>(&value)) return fmt::format("\"{}\"", *text);
  return to_string(as_setting("", {value, ""}).value);
}

void refuse_unknown_keys(const Section& section, const std::vector<std::string>& known) {
  for (const auto& [key, entry] : section.entries) {
    if (std::ranges::find(known, key) != known.end()) continue;
    const std::string near = nearest_name(key, known);
    throw Error(entry.where, fmt::format("[{}] has no key '{}'; {}", section.name, key,
                                         near.empty() ? fmt::format("it has: {}", fmt::join(known, ", "))
                                                      : fmt::format("did you mean '{}'?", near)));
  }
}

Setting as_setting(const std::string& key, const DocumentEntry& entry) {
  return std::visit(
      [&](const auto& value) -> Setting {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::vector<std::string>>)
          throw Error(entry.where, fmt::format("'{}' cannot be a list of texts", key));
        else return {value, entry.where};
      },
      entry.value);
}

}  // namespace zeroth
