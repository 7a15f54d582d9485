// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "zeroth/apps/network/images.hpp"
#include "zeroth/cli/commands.hpp"
#include "zeroth/cli/output.hpp"
#include "zeroth/core/options.hpp"
#include "zeroth/lab/data/data_set.hpp"

namespace zeroth::cli {

void add_data(CLI::App& app) {
  auto* command = app.add_subcommand("data", "Public data that problems are made of");
  command->require_subcommand(1);
  auto* get = command->add_subcommand("get", "Fetch a data set, check it byte for byte, print where it is");
  static std::string name, cache, from;
  std::string known;
  for (const auto& set : data_sets()) known += fmt::format("\n  {:<16} {}", set.name, set.summary);
  get->add_option("name", name, "which:" + known)->required();
  get->add_option("--cache", cache,
                  "directory that keeps it (default: $ZEROTH_DATA, else zeroth/ in $XDG_CACHE_HOME or ~/.cache)");
  get->add_option("--from", from, "take the published files from this directory instead of fetching them");
  get->callback([] {
    std::vector<std::string> names;
    for (const auto& set : data_sets()) {
      names.push_back(set.name);
      if (set.name != name) continue;
      const auto place = get_data(set, cache.empty() ? data_cache() : std::filesystem::path(cache), from,
                                  [](const std::string& line) { note("{}\n", line); });
      print("{}\n", place.string());
      return;
    }
    const std::string near = nearest_name(name, names);
    throw Error(fmt::format("there is no data set '{}'; {}", name,
                            near.empty() ? "see 'zeroth data get --help'" : "did you mean '" + near + "'?"));
  });
}

}  // namespace zeroth::cli
