// SPDX-License-Identifier: Apache-2.0
// Any bytes as what a connection receives: each request is refused with a fault, or its head is
// within the limits and can be read in one way only; and where the bytes are cut on their way makes
// no difference to what is accepted. The first byte of an input says where.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "rookery/api/http.h"
#include "rookery/base/check.h"

#include "request_rules.h"

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace edge = rookery::edge;
namespace http = boost::beast::http;

using Parser = http::request_parser<http::string_body>;

constexpr std::uint32_t kHeaderBytesMax = 1024;
constexpr std::uint64_t kBodyBytesMax = 4096;

// A request that was accepted.
struct Accepted {
  std::string target;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;

  bool operator==(const Accepted&) const = default;
};

void check_refusal(const edge::HeadRefusal& refusal) {
  RK_CHECK(rookery::api::fault_row(refusal.fault).status >= 400);
  RK_CHECK(!refusal.message.empty());
}

void check_head_is_unambiguous(const edge::BeastRequest& head) {
  RK_CHECK(head.count(http::field::host) <= 1);
  RK_CHECK(head.count(http::field::transfer_encoding) <= 1);
  // One length, though it may be said twice (RFC 9112 section 6.3).
  const auto [first, last] = head.equal_range(http::field::content_length);
  RK_CHECK(std::all_of(
      first, last, [first = first](const auto& field) { return field.value() == first->value(); }));
  const bool has_length = head.count(http::field::content_length) > 0;
  RK_CHECK(!has_length || head.count(http::field::transfer_encoding) == 0);
}

Accepted read_request(edge::BeastRequest message) {
  check_head_is_unambiguous(message);
  RK_CHECK(message.body().size() <= kBodyBytesMax);
  const rookery::api::Request request = edge::to_request(std::move(message));
  RK_CHECK(request.target.size() <= kHeaderBytesMax);
  RK_CHECK(request.path.size() <= request.target.size());
  for (const auto& field : request.query) {
    RK_CHECK(request.query.has(field.name));
  }
  Accepted accepted;
  accepted.target = request.method + " " + request.target;
  accepted.body = request.body;
  for (const auto& field : request.headers) {
    RK_CHECK(request.headers.find(field.name).has_value());
    accepted.headers.emplace_back(field.name, field.value);
  }
  return accepted;
}

// Purpose. A connection without its socket: reads as connection.cc does.
class Connection {
 public:
  Connection() { limits_.header_bytes_max = kHeaderBytesMax; }

  void receive(std::string_view bytes) {
    const auto into = buffer_.prepare(bytes.size());
    buffer_.commit(asio::buffer_copy(into, asio::buffer(bytes.data(), bytes.size())));
    while (!closed_ && step()) {
    }
  }

  [[nodiscard]] const std::vector<Accepted>& accepted() const { return accepted_; }

 private:
  // False: more bytes are needed.
  bool step() {
    if (!parser_.has_value()) {
      if (!edge::skip_empty_line(buffer_)) {
        return false;
      }
      parser_.emplace();
      parser_->header_limit(kHeaderBytesMax);
      parser_->body_limit(kBodyBytesMax);
    }
    const bool head_known = parser_->is_header_done();
    beast::error_code error;
    if (buffer_.size() > 0) {
      buffer_.consume(parser_->put(buffer_.data(), error));
    }
    if (error && error != http::error::need_more) {
      return refuse(edge::refusal_of(error, limits_));
    }
    if (!head_known && parser_->is_header_done()) {
      if (const auto refusal = edge::check_head(parser_->get()); refusal.has_value()) {
        return refuse(*refusal);
      }
      head_ = edge::head_before_trailers(parser_->get());
      parser_->eager(true);
      return parser_->is_done() ? finish() : true;
    }
    return parser_->is_done() ? finish() : !error && buffer_.size() > 0;
  }

  bool finish() {
    const bool keep_alive = parser_->keep_alive();
    edge::BeastRequest message = parser_->release();
    edge::drop_trailers(message, std::move(head_));
    accepted_.push_back(read_request(std::move(message)));
    parser_.reset();
    closed_ = !keep_alive;
    return true;
  }

  bool refuse(const edge::HeadRefusal& refusal) {
    check_refusal(refusal);
    closed_ = true;
    return false;
  }

  edge::HttpLimits limits_;
  beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  std::optional<edge::BeastRequest::header_type> head_;
  std::vector<Accepted> accepted_;
  bool closed_ = false;
};

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  Connection whole;
  whole.receive(text);
  Connection in_two;
  const std::size_t cut = std::min<std::size_t>(data[0], text.size());
  in_two.receive(text.substr(0, cut));
  in_two.receive(text.substr(cut));
  // Beast counts the head's size by what it was given at once: near the limit the pieces matter.
  RK_CHECK(text.size() > kHeaderBytesMax || whole.accepted() == in_two.accepted());
  return 0;
}
