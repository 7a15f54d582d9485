// SPDX-License-Identifier: MIT
//
// The live page's server over real sockets: who is answered, and who is not.
#include "zeroth/report/page_server.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "scratch.hpp"
#include "stored_run.hpp"
#include "zeroth/core/error.hpp"

namespace zeroth {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using namespace testing_support;

class PageServerTest : public testing::Test {
 protected:
  PageServerTest() : store_(scratch_.path("s.db"), Store::Access::create) {
    StoredRun plan;
    plan.name = "served";
    plan.answer = [](std::int64_t k, std::vector<double>& x) -> std::vector<double> {
      x[0] = static_cast<double>(k);
      return {1.0, -1.0};
    };
    run_ = write_run(store_, plan, 20);
    server_ = std::make_unique<PageServer>(scratch_.path("s.db"), std::vector<std::int64_t>{}, 0);
    thread_ = std::thread([this] { server_->serve([this] { return stop_.load(); }); });
    const std::string url = server_->url(), before = "http://127.0.0.1:" + std::to_string(server_->port());
    EXPECT_THAT(url, StartsWith(before + "/"));
    path_ = url.substr(before.size());
    host_ = "127.0.0.1:" + std::to_string(server_->port());
  }
  ~PageServerTest() override {
    stop_ = true;
    thread_.join();
  }

  std::string ask(const std::string& request, std::uint32_t address = INADDR_LOOPBACK) const {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(server_->port()));
    to.sin_addr.s_addr = htonl(address);
    std::string answer = "no connection";
    if (::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0) {
      answer.clear();
      EXPECT_EQ(::send(fd, request.data(), request.size(), MSG_NOSIGNAL), static_cast<ssize_t>(request.size()));
      char buffer[4096];
      for (ssize_t got; (got = ::recv(fd, buffer, sizeof buffer, 0)) > 0;)
        answer.append(buffer, static_cast<std::size_t>(got));
    }
    ::close(fd);
    return answer;
  }
  std::string get(const std::string& path, const std::string& host, const std::string& more = "") const {
    return ask("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n" + more + "\r\n");
  }

  Scratch scratch_;
  Store store_;
  std::int64_t run_ = 0;
  std::unique_ptr<PageServer> server_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
  std::string path_, host_;
};

TEST_F(PageServerTest, AnswersWhoKnowsTheToken) {
  EXPECT_THAT(get(path_, host_), AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("text/html"), HasSubstr("\"live\":true"),
                                       HasSubstr("Cache-Control: no-store"), HasSubstr("nosniff"),
                                       HasSubstr("Referrer-Policy: no-referrer"), HasSubstr("X-Frame-Options: DENY")));
  EXPECT_THAT(get(path_ + "data", host_), AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("\"evaluations\":20")));
  EXPECT_THAT(get(path_ + "data", "localhost:" + std::to_string(server_->port())), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(get(path_ + "else", host_), StartsWith("HTTP/1.1 404"));
}

TEST_F(PageServerTest, RefusesEverybodyElse) {
  std::string wrong = path_;
  wrong[5] = wrong[5] == '0' ? '1' : '0';
  for (const std::string& path :
       {std::string("/"), std::string("/data"), wrong, wrong + "data", path_.substr(0, 20) + "/", std::string("//"),
        "/." + path_, path_.substr(0, path_.size() - 1)})
    EXPECT_THAT(get(path, host_), AllOf(StartsWith("HTTP/1.1 403"), Not(HasSubstr("served")))) << path;
}

// A name that an attacker lets point to 127.0.0.1 reaches the socket, but says its own name.
TEST_F(PageServerTest, RefusesOtherHostNames) {
  const std::string port = ":" + std::to_string(server_->port());
  for (const std::string& host : {"evil.example" + port, std::string("127.0.0.1"), std::string("127.0.0.1:1"),
                                  "127.0.0.1" + port + ".evil.example", "localhost.evil.example" + port})
    EXPECT_THAT(get(path_, host), AllOf(StartsWith("HTTP/1.1 403"), Not(HasSubstr("\"live\"")))) << host;
  EXPECT_THAT(ask("GET " + path_ + " HTTP/1.0\r\n\r\n"), HasSubstr(" 403"));
}

TEST_F(PageServerTest, OnlyGetIsAnswered) {
  for (const char* method : {"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"})
    EXPECT_THAT(ask(std::string(method) + " " + path_ + " HTTP/1.1\r\nHost: " + host_ +
                    "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
                AllOf(StartsWith("HTTP/1.1 405"), HasSubstr("Allow: GET"), Not(HasSubstr("<html"))))
        << method;
}

TEST_F(PageServerTest, ListensOnLoopbackOnly) {
  EXPECT_EQ(ask("GET / HTTP/1.0\r\n\r\n", (127u << 24) + 2), "no connection");  // 127.0.0.2 is this machine too
}

TEST_F(PageServerTest, NewAnswersAreSeenAndOldOnesNotSentAgain) {
  const std::string first = get(path_ + "data", host_);
  const auto at = first.find("ETag: ");
  ASSERT_NE(at, std::string::npos);
  const std::string known = "If-None-Match: " + first.substr(at + 6, first.find("\r\n", at) - at - 6) + "\r\n";
  EXPECT_THAT(get(path_ + "data", host_, known), AllOf(StartsWith("HTTP/1.1 304"), Not(HasSubstr("evaluations"))));
  insert_answer(store_, run_, 20, {1, 1}, {0.5, -0.5});
  std::string second;
  for (int i = 0; i < 40 && second.find("\"evaluations\":21") == std::string::npos; ++i) {
    second = get(path_ + "data", host_, known);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_THAT(second, AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("\"evaluations\":21")));
}

TEST_F(PageServerTest, GarbageDoesNotEndIt) {
  ask("\x16\x03\x01 garbage\r\n\r\n");
  ask("GET " + path_ + std::string(100'000, 'x') + " HTTP/1.1\r\nHost: " + host_ + "\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(get(path_, host_), StartsWith("HTTP/1.1 200"));
}

TEST_F(PageServerTest, ATakenPortIsNamed) {
  try {
    PageServer second(scratch_.path("s.db"), {}, server_->port());
    FAIL() << "two servers on one port";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr(std::to_string(server_->port())), HasSubstr("--port")));
  }
}

TEST_F(PageServerTest, TokensDiffer) {
  const PageServer second(scratch_.path("s.db"), {}, 0);
  EXPECT_NE(second.url().substr(second.url().size() - 33), server_->url().substr(server_->url().size() - 33));
}

// Connections that say nothing, or half of something, do not keep others from the page: the oldest of them are ended.
TEST_F(PageServerTest, IdleConnectionsDoNotMakeItUnreachable) {
  std::vector<int> idle;
  for (int k = 0; k < 200; ++k) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(server_->port()));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
    if (k % 2 == 0) EXPECT_EQ(::send(fd, "GET / HT", 8, MSG_NOSIGNAL), 8);
    idle.push_back(fd);
  }
  const auto begin = std::chrono::steady_clock::now();
  for (int k = 0; k < 3; ++k) EXPECT_THAT(get(path_, host_), HasSubstr("200 OK"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  for (const int fd : idle) ::close(fd);
}

}  // namespace
}  // namespace zeroth
