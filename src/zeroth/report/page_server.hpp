// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace zeroth {

// The report page of a store, live. It listens on 127.0.0.1 alone, answers GET alone, and only to requests that know
// the random token in the address and name this very host (so that no other page in the browser can ask). The store is
// opened for reading only. One thread: the caller's.
class PageServer {
 public:
  // `port` 0: any free one.
  PageServer(const std::string& store, std::vector<std::int64_t> runs, int port);
  ~PageServer();
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;

  int port() const;
  std::string url() const;  // with the token
  // Answers requests until `stop` says so; it is asked several times a second.
  void serve(const std::function<bool()>& stop);

  struct Inside;

 private:
  std::unique_ptr<Inside> inside_;
};

}  // namespace zeroth
