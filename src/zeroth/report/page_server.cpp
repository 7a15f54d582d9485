// SPDX-License-Identifier: MIT
#include "zeroth/report/page_server.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <deque>
#include <filesystem>
#include <random>
#include <string_view>

#include "zeroth/core/error.hpp"
#include "zeroth/report/page.hpp"
#include "zeroth/report/page_data.hpp"

namespace zeroth {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int patience_ms = 100;            // how long a wait may keep `stop` from being asked
constexpr double reading_share = 0.25;      // of the time at most goes into reading the store
constexpr unsigned most_connections = 64;   // a browser uses six
constexpr std::size_t most_strangers = 32;  // connections over which nobody has shown the token
constexpr unsigned connection_seconds = 10;

std::string random_token() {
  std::random_device device;  // the kernel's generator
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", device());
  return token;
}

// Takes the same time wherever the first difference is.
bool same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

struct PageReply {
  unsigned status = MHD_HTTP_OK;
  std::string type = "text/plain; charset=utf-8", body, tag;
};

}  // namespace

struct PageServer::Inside {
  Inside(const std::string& store, std::vector<std::int64_t> runs)
      : source(store, std::move(runs), Store::Access::read),
        title(std::filesystem::path(store).filename().string()),
        token(random_token()),
        data(page_data(source, true)) {}
  ~Inside() {
    if (daemon) MHD_stop_daemon(daemon);
  }

  // What is new in the store, unless reading it has just taken its share of the time.
  void refresh() {
    const auto now = Clock::now();
    if (now < next_reading) return;
    if (source.refresh()) {
      data = page_data(source, true);
      ++edition;
    }
    next_reading = now + std::chrono::duration_cast<Clock::duration>((Clock::now() - now) / reading_share);
  }
  std::string tag() const { return fmt::format("\"{}-{}\"", token.substr(0, 8), edition); }

  PageReply answer(std::string_view method, std::string_view path, const char* host, const char* known_tag);

  // A connection over which no token has come yet. One too many ends the oldest, so that nobody can keep the page from
  // others by connecting and saying nothing.
  void welcome(MHD_Connection* connection) {
    strangers.push_back(connection);
    if (strangers.size() <= most_strangers) return;
    const MHD_ConnectionInfo* info = MHD_get_connection_info(strangers.front(), MHD_CONNECTION_INFO_CONNECTION_FD);
    if (info) ::shutdown(info->connect_fd, SHUT_RDWR);
    strangers.pop_front();
  }
  void forget(MHD_Connection* connection) { std::erase(strangers, connection); }

  ReportSource source;
  std::deque<MHD_Connection*> strangers;
  std::string title, token, data;
  std::int64_t edition = 0;
  Clock::time_point next_reading{};
  MHD_Daemon* daemon = nullptr;
  int port = 0;
};

PageReply PageServer::Inside::answer(std::string_view method, std::string_view path, const char* host,
                                     const char* known_tag) {
  if (method != MHD_HTTP_METHOD_GET) return {MHD_HTTP_METHOD_NOT_ALLOWED, "text/plain", "only GET is answered\n", ""};
  // A page elsewhere may have made its own name point to this machine; the browser then says that name here.
  if (!host || (host != fmt::format("127.0.0.1:{}", port) && host != fmt::format("localhost:{}", port)))
    return {MHD_HTTP_FORBIDDEN, "text/plain", "this host name is not served\n", ""};
  const std::size_t end = path.find('/', 1);
  if (path.empty() || path[0] != '/' || end == std::string_view::npos || !same_secret(path.substr(1, end - 1), token))
    return {MHD_HTTP_FORBIDDEN, "text/plain", "the address lacks the token that zeroth report printed\n", ""};
  const std::string_view rest = path.substr(end);
  if (rest == "/") {
    refresh();
    return {MHD_HTTP_OK, "text/html; charset=utf-8", page(title, data), ""};
  }
  if (rest == "/data") {
    refresh();
    if (known_tag && known_tag == tag()) return {MHD_HTTP_NOT_MODIFIED, "application/json", "", tag()};
    return {MHD_HTTP_OK, "application/json", data, tag()};
  }
  return {MHD_HTTP_NOT_FOUND, "text/plain", "there is no such page\n", ""};
}

namespace {

MHD_Result on_request(void* closure, MHD_Connection* connection, const char* url, const char* method, const char*,
                      const char*, std::size_t* upload_size, void** state) {
  auto* inside = static_cast<PageServer::Inside*>(closure);
  static int headers_seen;
  const bool get = std::string_view(method) == MHD_HTTP_METHOD_GET;
  if (get && *state == nullptr) {  // the first call is for the headers alone
    *state = &headers_seen;
    return MHD_YES;
  }
  if (get && *upload_size > 0) {  // a body that nobody asked for
    *upload_size = 0;
    return MHD_YES;
  }
  PageReply reply;
  try {
    reply = inside->answer(method, url, MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST),
                           MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_IF_NONE_MATCH));
    if (reply.status != MHD_HTTP_FORBIDDEN) inside->forget(connection);
  } catch (const std::exception& e) {  // the store can be damaged or moved away while we serve it
    reply = {MHD_HTTP_INTERNAL_SERVER_ERROR, "text/plain; charset=utf-8", std::string(e.what()) + "\n", ""};
  }
  MHD_Response* response = MHD_create_response_from_buffer(reply.body.size(), reply.body.data(), MHD_RESPMEM_MUST_COPY);
  if (!response) return MHD_NO;
  const auto header = [&](const char* name, const std::string& value) {
    MHD_add_response_header(response, name, value.c_str());
  };
  header("Content-Type", reply.type);
  header("Cache-Control", "no-store");
  header("X-Content-Type-Options", "nosniff");
  header("X-Frame-Options", "DENY");
  header("Referrer-Policy", "no-referrer");
  header("Cross-Origin-Resource-Policy", "same-origin");
  if (reply.status == MHD_HTTP_METHOD_NOT_ALLOWED) header("Allow", "GET");
  if (!reply.tag.empty()) header("ETag", reply.tag);
  const MHD_Result queued = MHD_queue_response(connection, reply.status, response);
  MHD_destroy_response(response);
  return queued;
}

void on_connection(void* closure, MHD_Connection* connection, void**, MHD_ConnectionNotificationCode code) {
  auto* inside = static_cast<PageServer::Inside*>(closure);
  if (code == MHD_CONNECTION_NOTIFY_STARTED) inside->welcome(connection);
  else inside->forget(connection);
}

void ignore_log(void*, const char*, va_list) {}

}  // namespace

PageServer::PageServer(const std::string& store, std::vector<std::int64_t> runs, int port)
    : inside_(std::make_unique<Inside>(store, std::move(runs))) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  errno = 0;
  inside_->daemon = MHD_start_daemon(MHD_USE_AUTO | MHD_USE_ERROR_LOG, 0, nullptr, nullptr, &on_request, inside_.get(),
                                     MHD_OPTION_EXTERNAL_LOGGER, &ignore_log, nullptr, MHD_OPTION_SOCK_ADDR,
                                     reinterpret_cast<sockaddr*>(&address), MHD_OPTION_CONNECTION_LIMIT,
                                     most_connections, MHD_OPTION_CONNECTION_TIMEOUT, connection_seconds,
                                     MHD_OPTION_NOTIFY_CONNECTION, &on_connection, inside_.get(), MHD_OPTION_END);
  if (!inside_->daemon)
    throw Error(fmt::format("cannot listen on 127.0.0.1:{}: {}; choose another --port, or 0 for a free one", port,
                            errno ? std::strerror(errno) : "unknown reason"));
  inside_->port = MHD_get_daemon_info(inside_->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
}

PageServer::~PageServer() = default;

int PageServer::port() const { return inside_->port; }

std::string PageServer::url() const { return fmt::format("http://127.0.0.1:{}/{}/", inside_->port, inside_->token); }

void PageServer::serve(const std::function<bool()>& stop) {
  while (!stop()) {
    if (MHD_run_wait(inside_->daemon, patience_ms) == MHD_NO && errno != EINTR)
      throw std::runtime_error(fmt::format("the page's server stopped: {}", std::strerror(errno)));
  }
}

}  // namespace zeroth
