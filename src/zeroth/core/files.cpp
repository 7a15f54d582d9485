// SPDX-License-Identifier: MIT
#include "zeroth/core/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "zeroth/core/error.hpp"

namespace zeroth {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

  bool write_all(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = ::write(fd_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
  }

 private:
  int fd_;
};

bool begins_as_sqlite_files_do(const std::filesystem::path& path) {
  constexpr std::string_view magic("SQLite format 3\0", 16);
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, magic.size()> head{};
  return file.get() >= 0 && ::read(file.get(), head.data(), head.size()) == static_cast<ssize_t>(head.size()) &&
         std::string_view(head.data(), head.size()) == magic;
}

[[noreturn]] void cannot_write(const std::filesystem::path& path, int why) {
  throw Error(path.string(), fmt::format("cannot be written: {}; choose another path", std::strerror(why)));
}

void write_directly(const std::filesystem::path& path, std::string_view text) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.get() < 0 || !file.write_all(text)) cannot_write(path, errno);
}

}  // namespace

bool may_exist(const std::filesystem::path& path) {
  std::error_code unknown;
  const bool there = std::filesystem::exists(path, unknown);
  return there || unknown;
}

bool belongs_to_sqlite(const std::filesystem::path& path) {
  if (begins_as_sqlite_files_do(path)) return true;
  const std::string name = path.string();
  for (const std::string_view suffix : {"-wal", "-shm", "-journal"})
    if (name.ends_with(suffix) && begins_as_sqlite_files_do(name.substr(0, name.size() - suffix.size()))) return true;
  return false;
}

void refuse_to_overwrite_a_store(const std::filesystem::path& path) {
  if (belongs_to_sqlite(path))
    throw Error(path.string(), "is a store (an SQLite file) and will not be overwritten; choose another path");
}

void replace_file(const std::filesystem::path& path, std::string_view text) {
  refuse_to_overwrite_a_store(path);
  std::error_code ignored;
  struct stat old {};
  const bool exists = ::stat(path.c_str(), &old) == 0;
  if (exists && !S_ISREG(old.st_mode)) return write_directly(path, text);
  // A link stays a link: what it points to is replaced.
  const std::filesystem::path target = exists ? std::filesystem::canonical(path, ignored) : path;
  std::string temporary = (target.parent_path() / ".zeroth-XXXXXX").string();
  const Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (file.get() < 0) {
    if (exists && errno == EACCES) return write_directly(target, text);  // a file of ours in a directory of others
    cannot_write(path, errno);
  }
  const mode_t mask = ::umask(0);
  ::umask(mask);
  const mode_t mode = exists ? old.st_mode & 07777u : 0666u & ~mask;
  if (!file.write_all(text) || ::fchmod(file.get(), mode) != 0 || ::rename(temporary.c_str(), target.c_str()) != 0) {
    const int why = errno;
    ::unlink(temporary.c_str());
    cannot_write(path, why);
  }
}

}  // namespace zeroth
