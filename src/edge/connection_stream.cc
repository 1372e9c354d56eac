// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include <boost/asio/write.hpp>
#include <boost/beast/http/error.hpp>

#include "await.h"
#include "connection.h"
#include "deliver_once.h"
#include "request_rules.h"
#include "response_writer.h"
#include "streamed_body.h"

// Bodies in parts, in both directions. A part is read from the socket only when the handler asks
// for it, and asked of an answer's stream only when the one before is written: TCP does the rest.

namespace rookery::edge {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

namespace {

Error malformed_body(const error_code& error) {
  return {ErrorCode::malformed, "not an HTTP body: " + error.message()};
}

}  // namespace

PartWanted::~PartWanted() {
  if (done_) {
    done_(Error(ErrorCode::io, "the connection has ended"));
  }
}

void PartWanted::give(Result<std::string> part) {
  const api::BodyStream::PartHandler done = std::exchange(done_, nullptr);
  done(std::move(part));
}

void StreamedBody::read(PartHandler done) noexcept {
  auto wanted = std::make_shared<PartWanted>(std::move(done));
  // A connection may only be held, and so may only die, on its own thread.
  mailbox_->post([weak = connection_, number = request_number_, wanted = std::move(wanted)] {
    if (const auto connection = weak.lock()) {
      connection->want_part(number, wanted);
    }
  });
}

void Connection::want_part(std::uint64_t request_number, std::shared_ptr<PartWanted> wanted) {
  // Of a request that was answered before it was read to its end: too late.
  if (request_number != request_number_) {
    return;
  }
  wanted_ = std::move(wanted);
  answered_.cancel();
}

bool Connection::wants_stream(const Parser& parser) const {
  if (parser.is_done()) {
    return false;
  }
  const auto method = parser.get().method_string();
  return shared_.handler->streams_body({method.data(), method.size()}, target_);
}

asio::awaitable<bool> Connection::serve_stream(Parser& head) {
  StreamParser parser(std::move(head));
  parser.body_limit(boost::none);  // each consumer bounds what it holds
  parser.eager(true);
  shared_.requests.fetch_add(1, std::memory_order_relaxed);
  if (expects_continue(parser.get()) && !co_await send_continue()) {
    co_return false;
  }
  allow_forever();
  const bool keep_alive = parser.keep_alive();
  const bool http_1_0 = parser.get().version() == 10;
  const std::string method(parser.get().method_string());
  const auto started = Clock::now();
  api::Request request = head_to_request(parser.get());
  ++request_number_;
  request.stream =
      std::make_shared<StreamedBody>(weak_from_this(), thread_.mailbox(), request_number_);
  start_answer(std::move(request));
  co_await answer_stream(parser);
  ++request_number_;
  wanted_.reset();
  const api::Response response = std::move(*response_);
  if (shared_.log.enabled(api::LogMode::kInformation)) {
    log_request(method, response, Clock::now() - started);
  }
  const bool go_on = parser.is_done() && keep_alive && !shared_.draining.load();
  const bool written = co_await write(response, go_on, http_1_0, false);
  if (written && !parser.is_done()) {
    co_await linger();
  }
  co_return written&& go_on;
}

// Hands out parts until the handler has answered.
asio::awaitable<void> Connection::answer_stream(StreamParser& parser) {
  while (!response_.has_value()) {
    if (wanted_ == nullptr) {
      co_await answered_.async_wait(kAwait);
      continue;
    }
    const std::shared_ptr<PartWanted> wanted = std::move(wanted_);
    wanted_.reset();
    Result<std::string> part = co_await read_part(parser);
    wanted->give(std::move(part));
  }
}

// Empty at the end of the body.
asio::awaitable<Result<std::string>> Connection::read_part(StreamParser& parser) {
  for (;;) {
    if (buffer_.size() > 0 && !parser.is_done()) {
      error_code error;
      buffer_.consume(parser.put(buffer_.data(), error));
      if (error && error != http::error::need_more) {
        co_return malformed_body(error);
      }
    }
    std::string part = std::move(parser.get().body());
    parser.get().body().clear();
    if (!part.empty() || parser.is_done()) {
      co_return Result<std::string>(std::move(part));
    }
    if (buffer_is_full()) {
      co_return malformed_body(http::error::bad_chunk);
    }
    // The answer may have come while bytes that make no part were on their way.
    if (response_.has_value() || shared_.draining.load()) {
      co_return why_reading_ended();
    }
    allow(limits().stream_idle_time_max);
    reading_part_ = true;
    const bool more = co_await read_more();
    reading_part_ = false;
    allow_forever();
    if (!more) {
      co_return why_reading_ended();
    }
  }
}

Error Connection::why_reading_ended() {
  if (response_.has_value()) {
    return {ErrorCode::cancelled, "the request has been answered"};
  }
  if (timed_out_) {
    timed_out_ = false;
    shared_.timed_out.fetch_add(1);
    return {ErrorCode::timed_out, "nothing more of the body has arrived for too long"};
  }
  if (shared_.draining.load()) {
    return {ErrorCode::shutting_down, "the server is shutting down"};
  }
  return {ErrorCode::io, "the connection ended before the body did"};
}

void Connection::start_next_part(api::BodyStream& stream) {
  part_.reset();
  auto carrier = std::make_shared<DeliverOnce<Result<std::string>>>(
      weak_from_this(), thread_.mailbox(),
      Error(ErrorCode::io, "the rest of the answer was dropped"));
  stream.read(
      [carrier = std::move(carrier)](Result<std::string> part) { carrier->send(std::move(part)); });
}

asio::awaitable<bool> Connection::write_stream(const api::Response& response, bool keep_alive,
                                               bool http_1_0) {
  head_.clear();
  append_head(
      head_, response,
      {.keep_alive = keep_alive && !http_1_0, .http_1_0 = http_1_0, .date = thread_.date()});
  for (;;) {
    start_next_part(*response.stream);
    while (!part_.has_value()) {
      co_await answered_.async_wait(kAwait);
    }
    if (!part_->has_value()) {
      // All that can be said by now: the body stays without its end.
      log_failure(std::string(part_->error().message()).c_str());
      co_return false;
    }
    const std::string part = std::move(*part_).value();
    const bool last = part.empty();
    if (!http_1_0) {
      append_chunk_head(head_, part.size());
    }
    static constexpr std::string_view kLineEnd = "\r\n";
    const std::array<asio::const_buffer, 3> parts = {
        asio::buffer(head_), asio::buffer(part),
        http_1_0 ? asio::const_buffer() : asio::buffer(kLineEnd.data(), kLineEnd.size())};
    allow(transfer_time(part.size()));
    const auto [error, count] = co_await asio::async_write(socket_, parts, kAwait);
    static_cast<void>(count);
    allow_forever();
    head_.clear();
    if (timed_out_) {
      shared_.timed_out.fetch_add(1);
    }
    if (error) {
      co_return false;
    }
    if (last) {
      co_return !http_1_0;
    }
  }
}

}  // namespace rookery::edge
