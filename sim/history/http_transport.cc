// SPDX-License-Identifier: Apache-2.0
#include "http_transport.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace rookery::history {

namespace {

constexpr timeval kPatience{.tv_sec = 60, .tv_usec = 0};

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// Nothing, if the head doesn't say how long the body is.
std::optional<std::size_t> body_size(const std::string& head, int status) {
  if (status == 204 || status == 304) {
    return 0;
  }
  constexpr std::string_view kName = "\r\ncontent-length:";
  const std::string folded = lower(head);
  const std::size_t at = folded.find(kName);
  if (at == std::string::npos) {
    return std::nullopt;
  }
  const std::size_t digits = folded.find_first_of("0123456789", at + kName.size());
  std::size_t size = 0;
  if (digits == std::string::npos ||
      std::from_chars(folded.data() + digits, folded.data() + folded.size(), size).ec !=
          std::errc{}) {
    return std::nullopt;
  }
  return size;
}

}  // namespace

void HttpTransport::make_ready() {
  while (true) {
    // While connected, a newer server would mean that this connection is dead.
    const auto place = endpoint_.wait_for(failed_generation_);
    if (!place.has_value()) {
      disconnect();
      return;
    }
    if (socket_ >= 0 && place->generation == generation_) {
      return;
    }
    disconnect();
    generation_ = place->generation;
    if (connect(place->port)) {
      return;
    }
    failed_generation_ = generation_;
  }
}

bool HttpTransport::connect(std::uint16_t port) {
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int on = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof(kPatience));
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    disconnect();
    return false;
  }
  return true;
}

void HttpTransport::disconnect() {
  if (socket_ >= 0) {
    ::close(socket_);
    socket_ = -1;
  }
  received_.clear();
}

Reply HttpTransport::call(const Ask& ask) {
  if (socket_ < 0) {
    return {.fate = Fate::kNotSent};
  }
  std::string text = fmt::format("{} {} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n",
                                 ask.method, ask.target, ask.body.size());
  if (!ask.body.empty()) {
    text += "Content-Type: application/json\r\n";
  }
  if (ask.if_match.has_value()) {
    text += fmt::format("If-Match: \"{}\"\r\n", *ask.if_match);
  }
  text += "\r\n" + ask.body;
  Reply reply{.fate = Fate::kAnswered};
  if (!send_all(text) || !receive(reply)) {
    disconnect();
    return {.fate = Fate::kLost};
  }
  return reply;
}

bool HttpTransport::send_all(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) {
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool HttpTransport::receive_more() {
  std::array<char, 65536> bytes;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled below
  const ssize_t count = ::recv(socket_, bytes.data(), bytes.size(), 0);
  if (count <= 0) {
    return false;
  }
  received_.append(bytes.data(), static_cast<std::size_t>(count));
  return true;
}

bool HttpTransport::receive(Reply& reply) {
  std::size_t end = std::string::npos;
  while ((end = received_.find("\r\n\r\n")) == std::string::npos) {
    if (!receive_more()) {
      return false;
    }
  }
  const std::string head = received_.substr(0, end + 2);
  const std::size_t blank = head.find(' ');
  if (!head.starts_with("HTTP/1.1 ") ||
      std::from_chars(head.data() + blank + 1, head.data() + head.size(), reply.status).ec !=
          std::errc{}) {
    return false;
  }
  const auto size = body_size(head, reply.status);
  if (!size.has_value()) {
    return false;
  }
  received_.erase(0, end + 4);
  while (received_.size() < *size) {
    if (!receive_more()) {
      return false;
    }
  }
  reply.body = received_.substr(0, *size);
  received_.erase(0, *size);
  return true;
}

}  // namespace rookery::history
