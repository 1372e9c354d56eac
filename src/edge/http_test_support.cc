// SPDX-License-Identifier: Apache-2.0
#include "http_test_support.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <thread>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "rookery/base/check.h"
#include "rookery/os/platform.h"

namespace rookery::edge {

namespace {

constexpr std::size_t kLargeBytes = 1 << 20;
constexpr int kWaitSeconds = 10;

}  // namespace

void EchoHandler::handle(api::Request request, api::Responder respond) noexcept {
  if (request.path == "/held") {
    const std::lock_guard lock(mutex_);
    held_.push_back(std::move(respond));
  } else if (request.path == "/large") {
    respond(api::Response::json(std::string(kLargeBytes, 'x')));
  } else if (request.path == "/headers") {
    std::string names;
    for (const api::Field& field : request.headers) {
      names += field.name + "=" + field.value + ";";
    }
    respond(api::Response::json(std::move(names)));
  } else if (request.path == "/no-content") {
    respond(api::Response::empty(204));
  } else if (request.path != "/dropped") {
    respond(api::Response::json(request.method + " " + request.target + "\n" + request.body));
  }
}

void EchoHandler::release() {
  std::vector<api::Responder> held;
  {
    const std::lock_guard lock(mutex_);
    held.swap(held_);
  }
  for (const api::Responder& respond : held) {
    respond(api::Response::json("released"));
  }
}

std::size_t EchoHandler::held_count() {
  const std::lock_guard lock(mutex_);
  return held_.size();
}

void EchoHandler::wait_for_held(std::size_t count) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(kWaitSeconds);
  while (held_count() < count) {
    RK_CHECK(std::chrono::steady_clock::now() < limit);
    std::this_thread::yield();
  }
}

RawClient::RawClient(std::uint16_t port)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  timeval wait{.tv_sec = kWaitSeconds, .tv_usec = 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
  ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(socket_);
    socket_ = -1;
  }
}

RawClient::~RawClient() {
  if (socket_ >= 0) {
    ::close(socket_);
  }
}

bool RawClient::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) {
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

std::size_t RawClient::send_until_full(std::size_t size) const {
  constexpr int kQuietMs = 300;
  const std::string bytes(64 * 1024, 'x');
  std::size_t sent = 0;
  while (sent < size) {
    const ssize_t count = ::send(socket_, bytes.data(), std::min(bytes.size(), size - sent),
                                 MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count > 0) {
      sent += static_cast<std::size_t>(count);
      continue;
    }
    pollfd writable{.fd = socket_, .events = POLLOUT, .revents = 0};
    if (errno != EAGAIN || ::poll(&writable, 1, kQuietMs) <= 0) {
      break;
    }
  }
  return sent;
}

void RawClient::finish_sending() const {
  ::shutdown(socket_, SHUT_WR);
}

bool RawClient::receive() {
  std::array<char, 64 * 1024> bytes{};
  const ssize_t count = ::recv(socket_, bytes.data(), bytes.size(), 0);
  if (count <= 0) {
    return false;
  }
  buffer_.append(bytes.data(), static_cast<std::size_t>(count));
  return true;
}

std::string RawClient::read_response(bool without_body) {
  std::size_t head_end = 0;
  while ((head_end = buffer_.find("\r\n\r\n")) == std::string::npos) {
    if (!receive()) {
      return std::exchange(buffer_, {});
    }
  }
  std::size_t size = head_end + 4;
  const std::size_t length = buffer_.find("Content-Length: ");
  if (!without_body && length != std::string::npos && length < head_end) {
    size += std::strtoul(buffer_.c_str() + length + 16, nullptr, 10);
  }
  while (buffer_.size() < size) {
    if (!receive()) {
      break;
    }
  }
  std::string out = buffer_.substr(0, size);
  buffer_.erase(0, size);
  return out;
}

std::string RawClient::read_to_end() {
  while (receive()) {
  }
  return std::exchange(buffer_, {});
}

TestServer::TestServer(HttpLimits limits, std::uint32_t thread_count, api::Handler* other_handler) {
  auto opened = api::Log::open(os::real_platform(), {.mode = api::LogMode::kNone});
  RK_CHECK(opened.has_value());
  log = std::move(opened).value();
  auto bound = HttpServer::bind(
      {.address = "127.0.0.1", .port = 0, .thread_count = thread_count, .limits = limits}, *log);
  RK_CHECK(bound.has_value());
  http = std::move(bound).value();
  RK_CHECK(http->serve(other_handler != nullptr ? *other_handler : handler).has_value());
}

int status_of(std::string_view response) {
  int status = 0;
  if (response.starts_with("HTTP/1.") && response.size() > 12) {
    std::from_chars(response.data() + 9, response.data() + 12, status);
  }
  return status;
}

std::string body_of(std::string_view response) {
  const std::size_t end = response.find("\r\n\r\n");
  return end == std::string_view::npos ? std::string() : std::string(response.substr(end + 4));
}

}  // namespace rookery::edge
