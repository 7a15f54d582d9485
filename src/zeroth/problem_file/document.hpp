// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "zeroth/core/options.hpp"

namespace zeroth {

// A file of sections and keys, each value with the place where it stands: all that a problem file needs of TOML.
using DocumentValue =
    std::variant<bool, std::int64_t, double, std::string, std::vector<double>, std::vector<std::string>>;

struct DocumentEntry {
  DocumentValue value;
  std::string where;  // "file:line"
};

struct Section {
  std::string name;
  std::string where;
  std::map<std::string, DocumentEntry> entries;

  const DocumentEntry* find(const std::string& key) const;
  std::string where_of(const std::string& key) const;  // of the section if the key is not there
};

struct Document {
  std::string file;
  std::vector<Section> sections;  // [[name]] repeats

  const Section* find(std::string_view name) const;
  Section& section(const std::string& name);  // made if it is not there
  std::vector<const Section*> all(std::string_view name) const;
};

// Throws an Error "file:line: ..." for what is not TOML, and for nesting that no problem file has.
Document parse_document(std::string_view text, const std::string& file);

// "key=value", as after --set: a bare key belongs to [solver], "section.key" to that section. `option` is how the user
// wrote it, for messages.
void override_entry(Document& document, const std::string& assignment, const std::string& option = "--set");

std::string to_string(const DocumentValue& value);

// A key's value, or nothing if it is not there; an Error if it is something else than asked for.
std::optional<double> number_at(const Section& section, const std::string& key);
std::optional<std::int64_t> whole_at(const Section& section, const std::string& key);
std::optional<bool> flag_at(const Section& section, const std::string& key);
std::optional<std::string> text_at(const Section& section, const std::string& key);
std::optional<std::string> choice_at(const Section& section, const std::string& key,
                                     const std::vector<std::string>& choices);
std::optional<std::vector<std::string>> texts_at(const Section& section, const std::string& key);
// `count` numbers, written as a list or as one number for all.
std::optional<std::vector<double>> numbers_at(const Section& section, const std::string& key, std::size_t count);

// Throws if a section has a key that is not among `known`.
void refuse_unknown_keys(const Section& section, const std::vector<std::string>& known);

// As a Setting for core's option lists; a list of texts has no place there and is an Error.
Setting as_setting(const std::string& key, const DocumentEntry& entry);

}  // namespace zeroth
