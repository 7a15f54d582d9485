// SPDX-License-Identifier: MIT
#include "zeroth/engine/limits.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>

#include "zeroth/core/error.hpp"

namespace zeroth {
namespace {

// The store, the log, standard streams, what a Python program has open, the pipes of a process that is being started.
constexpr std::uint64_t room_for_the_rest = 128;

rlimit as_it_was{};
bool raised = false;

}  // namespace

void reserve_descriptors(int workers, int each) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const std::uint64_t fewest = static_cast<std::uint64_t>(workers) * static_cast<std::uint64_t>(each) + 32;
  const std::uint64_t wanted = fewest - 32 + room_for_the_rest;
  if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= wanted) return;
  if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < fewest)
    throw Error(
        fmt::format("{} evaluations at a time need {} open files, but the limit of this session is {} (ulimit "
                    "-Hn); ask for at most {} at a time, or raise the limit",
                    workers, fewest, limit.rlim_max,
                    limit.rlim_max < 32 + static_cast<std::uint64_t>(each)
                        ? 0
                        : (limit.rlim_max - 32) / static_cast<std::uint64_t>(each)));
  if (!raised) as_it_was = limit;
  limit.rlim_cur = limit.rlim_max == RLIM_INFINITY ? wanted : std::min<rlim_t>(wanted, limit.rlim_max);
  if (::setrlimit(RLIMIT_NOFILE, &limit) == 0) raised = true;
}

void give_back_descriptor_limit() noexcept {
  if (!raised) return;
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = as_it_was.rlim_cur;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace zeroth
