// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include "zeroth/cli/commands.hpp"
#include "zeroth/cli/output.hpp"
#include "zeroth/cli/templates.hpp"
#include "zeroth/core/error.hpp"
#include "zeroth/core/files.hpp"

namespace zeroth::cli {
namespace {

// Never over something that is there: O_EXCL leaves no moment in between.
void write_new(const std::filesystem::path& path, const std::string& text, int mode) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (fd < 0)
    throw Error(path.string(), errno == EEXIST
                                   ? std::string("exists already; move it away or choose another --directory")
                                   : fmt::format("cannot be written: {}", std::strerror(errno)));
  const auto written = ::write(fd, text.data(), text.size());
  ::close(fd);
  if (written != static_cast<ssize_t>(text.size()))
    throw Error(path.string(), "could not be written whole; is the disk full?");
}

// A path as a shell takes it.
std::string shell_word(const std::string& path) {
  const std::string plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:+@%";
  if (!path.empty() && path.find_first_not_of(plain) == std::string::npos) return path;
  std::string out = "'";
  for (const char c : path) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

void init_command(const std::string& language, const std::filesystem::path& directory) {
  const auto found = std::ranges::find_if(templates(), [&](const Template& t) { return t.language == language; });
  const auto problem = directory / "problem.toml";
  std::vector<std::pair<std::string, std::string>> files{{found->file, found->evaluator}};
  files.insert(files.end(), found->more.begin(), found->more.end());
  std::vector<std::filesystem::path> paths{problem};
  for (const auto& [name, text] : files) paths.push_back(directory / name);
  for (const auto& path : paths)
    if (may_exist(path)) throw Error(path.string(), "exists already; move it away or choose another --directory");
  std::filesystem::create_directories(directory);
  for (const auto& [name, text] : files)
    write_new(directory / name, text, &text == &files.front().second ? 0755 : 0644);
  write_new(problem, problem_template(*found), 0644);
  std::string written;
  for (std::size_t i = 0; i < paths.size(); ++i)
    written += (i == 0 ? "" : i + 1 == paths.size() ? " and " : ", ") + paths[i].string();
  print("wrote {}\n", written);
  print("next:");
  // Programs are built where their source is, wherever the reader stands.
  if (!found->first_step.empty()) {
    if (directory == ".") print("  {};", found->first_step);
    else print("  (cd {} && {});", shell_word(directory.string()), found->first_step);
  }
  print("  zeroth check {0};  zeroth solve {0}\n", shell_word(problem.string()));
}

}  // namespace

void add_init(CLI::App& app) {
  auto* command = app.add_subcommand("init", "Write a commented problem file and an evaluator that works");
  auto language = std::make_shared<std::string>("python");
  auto directory = std::make_shared<std::string>(".");
  std::vector<std::string> languages;
  for (const Template& t : templates()) languages.push_back(t.language);
  command->add_option("--language", *language, "of the evaluator")
      ->transform(CLI::IsMember(languages, CLI::ignore_case))
      ->capture_default_str();
  command->add_option("--directory", *directory, "where the files go")->capture_default_str();
  command->callback([language, directory] { init_command(*language, *directory); });
}

}  // namespace zeroth::cli
