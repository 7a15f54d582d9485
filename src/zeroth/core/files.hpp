// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string_view>

namespace zeroth {

// Whether there is such a file, or nobody may tell: whoever opens it then says why not.
bool may_exist(const std::filesystem::path& path);

// Whether the path names an SQLite file (a store, perhaps) or one that SQLite keeps beside it.
bool belongs_to_sqlite(const std::filesystem::path& path);

// Throws Error if an output would be written over answers that somebody waited for.
void refuse_to_overwrite_a_store(const std::filesystem::path& path);

// Writes a file whole or not at all: into a temporary one beside it, which then takes its place. Never over a store.
// What is not an ordinary file (a pipe, /dev/stdout) is written to directly. Throws Error.
void replace_file(const std::filesystem::path& path, std::string_view text);

}  // namespace zeroth
