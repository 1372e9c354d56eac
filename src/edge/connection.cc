// SPDX-License-Identifier: Apache-2.0
#include "connection.h"

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include <boost/asio/write.hpp>
#include <boost/beast/http/error.hpp>

#include "await.h"
#include "deliver_once.h"
#include "request_rules.h"
#include "response_writer.h"

namespace rookery::edge {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

namespace {

constexpr std::size_t kReadBytes = 64 * 1024;
constexpr std::size_t kReadBytesFirst = 4 * 1024;
// How long an unread rest of a refused request is swallowed, so that the client gets to read why
// before the connection is reset under it.
constexpr std::chrono::milliseconds kLingerTime{5000};

}  // namespace

BodyBudget::~BodyBudget() {
  shared_.body_bytes.fetch_sub(held_);
}

bool BodyBudget::grow_to(std::uint64_t bytes) {
  if (bytes <= held_) {
    return true;
  }
  const std::uint64_t more = bytes - held_;
  if (shared_.body_bytes.fetch_add(more) + more > shared_.limits.body_bytes_total_max) {
    shared_.body_bytes.fetch_sub(more);
    return false;
  }
  held_ = bytes;
  return true;
}

Connection::Connection(IoThread& thread, asio::ip::tcp::socket socket)
    : thread_(thread),
      shared_(thread.shared()),
      socket_(std::move(socket)),
      answered_(thread.loop()),
      buffer_(thread.shared().limits.header_bytes_max + kReadBytes) {
  answered_.expires_at(Clock::time_point::max());
  thread_.add(*this);
}

Connection::~Connection() {
  thread_.remove(*this);
  shared_.connection_closed();
}

void Connection::check_deadline(Clock::time_point now) {
  if (now < deadline_) {
    return;
  }
  timed_out_ = true;
  allow_forever();
  stop_reading();
}

void Connection::close_if_idle() {
  // A client that streams a body may go on for ever.
  if (idle_ || reading_part_) {
    stop_reading();
  }
}

void Connection::deliver(api::Response response) {
  response_ = std::move(response);
  answered_.cancel();
  if (reading_part_) {
    stop_reading();
  }
}

void Connection::deliver(Result<std::string> part) {
  part_ = std::move(part);
  answered_.cancel();
}

void Connection::stop_reading() {
  error_code ignored;
  socket_.cancel(ignored);
}

std::chrono::milliseconds Connection::transfer_time(std::uint64_t bytes) const {
  return limits().body_time_grace +
         std::chrono::milliseconds(bytes * 1000 /
                                   std::max<std::uint64_t>(1, limits().rate_bytes_per_s_min));
}

asio::awaitable<void> Connection::run() {
  try {
    co_await serve();
  } catch (const std::exception& e) {
    // Asio and Beast throw when memory runs out; this connection ends, the others go on.
    log_failure(e.what());
  }
  error_code ignored;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
  socket_.close(ignored);
}

asio::awaitable<void> Connection::serve() {
  error_code ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  while (co_await serve_one()) {
  }
}

void Connection::begin_request(Parser& parser) const {
  parser.header_limit(static_cast<std::uint32_t>(limits().header_bytes_max));
  // A body that is read as a stream has no limit: read_body() sets that of the others.
  parser.body_limit(boost::none);
}

asio::awaitable<bool> Connection::serve_one() {
  Parser parser;
  begin_request(parser);
  target_.clear();
  BodyBudget budget(shared_);
  if (co_await read_header(parser) != Step::kDone) {
    co_return false;
  }
  if (auto refusal = check_head(parser.get())) {
    co_await refuse(refusal->fault, std::move(refusal->message));
    co_return false;
  }
  if (wants_stream(parser)) {
    co_return co_await serve_stream(parser);
  }
  auto head = head_before_trailers(parser.get());
  if (co_await read_body(parser, budget) != Step::kDone) {
    co_return false;
  }
  allow_forever();
  shared_.requests.fetch_add(1, std::memory_order_relaxed);

  const bool keep_alive = parser.keep_alive();
  const bool http_1_0 = parser.get().version() == 10;
  auto message = parser.release();
  drop_trailers(message, std::move(head));
  const bool is_head = message.method() == http::verb::head;
  const auto started = Clock::now();
  const bool logged = shared_.log.enabled(api::LogMode::kInformation);
  const std::string method = logged ? std::string(message.method_string()) : std::string();
  api::Request request = to_request(std::move(message));
  const api::Response response = co_await answer(std::move(request));
  if (logged) {
    log_request(method, response, Clock::now() - started);
  }
  const bool go_on = keep_alive && !shared_.draining.load();
  co_return co_await write(response, go_on, http_1_0, is_head) && go_on;
}

// False when the connection ended, failed or ran out of time.
asio::awaitable<bool> Connection::read_more() {
  const std::size_t want = buffer_.size() == 0 ? kReadBytesFirst : kReadBytes;
  const std::size_t room = std::min(want, buffer_.max_size() - buffer_.size());
  const auto [error, count] = co_await socket_.async_read_some(buffer_.prepare(room), kAwait);
  if (error) {
    co_return false;
  }
  buffer_.commit(count);
  co_return true;
}

asio::awaitable<Connection::Step> Connection::read_header(Parser& parser) {
  allow(limits().idle_time_max);
  bool begun = false;
  for (;;) {
    if (buffer_.size() > 0 && !begun) {
      begun = true;
      allow(limits().header_time_max);
    }
    // Behind the request line an empty line is the end of the headers.
    if (!begun || (!parser.got_some() && !skip_empty_line(buffer_))) {
      idle_ = buffer_.size() == 0;
      if (idle_ && shared_.draining.load()) {
        co_return Step::kClose;
      }
    } else {
      error_code error;
      buffer_.consume(parser.put(buffer_.data(), error));
      const auto target = parser.get().target();
      target_.assign(target.data(), target.size());
      if (!error) {
        co_return Step::kDone;
      }
      if (error != http::error::need_more) {
        auto refusal = refusal_of(error, limits());
        co_await refuse(refusal.fault, std::move(refusal.message));
        co_return Step::kAnswered;
      }
    }
    const bool more = co_await read_more();
    idle_ = false;
    if (!more) {
      if (timed_out_ && buffer_.size() > 0) {
        co_await refuse(api::Fault::kRequestTimeout, "the headers took too long to arrive");
      }
      co_return Step::kClose;
    }
  }
}

// Unless the body is on its way already.
asio::awaitable<bool> Connection::send_continue() {
  if (buffer_.size() > 0) {
    co_return true;
  }
  allow(limits().body_time_grace);
  static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  const auto [error, count] =
      co_await asio::async_write(socket_, asio::buffer(kContinue.data(), kContinue.size()), kAwait);
  static_cast<void>(count);
  co_return !error;
}

asio::awaitable<Connection::Step> Connection::read_body(Parser& parser, BodyBudget& budget) {
  if (parser.is_done()) {
    co_return Step::kDone;
  }
  const std::uint64_t announced = parser.content_length().value_or(0);
  if (announced > limits().body_bytes_max) {
    auto refusal = refusal_of(http::error::body_limit, limits());
    co_await refuse(refusal.fault, std::move(refusal.message));
    co_return Step::kAnswered;
  }
  parser.body_limit(limits().body_bytes_max);
  if (!budget.grow_to(announced)) {
    co_await refuse(api::Fault::kBusy, "the server is receiving as much as it can hold");
    co_return Step::kAnswered;
  }
  if (expects_continue(parser.get()) && !co_await send_continue()) {
    co_return Step::kClose;
  }
  parser.eager(true);
  const auto started = Clock::now();
  while (!parser.is_done()) {
    error_code error;
    if (buffer_.size() > 0) {
      buffer_.consume(parser.put(buffer_.data(), error));
    }
    if (error && error != http::error::need_more) {
      auto refusal = refusal_of(error, limits());
      co_await refuse(refusal.fault, std::move(refusal.message));
      co_return Step::kAnswered;
    }
    if (parser.is_done()) {
      break;
    }
    const std::uint64_t received = parser.get().body().size();
    if (!budget.grow_to(received)) {
      co_await refuse(api::Fault::kBusy, "the server is receiving as much as it can hold");
      co_return Step::kAnswered;
    }
    if (buffer_is_full()) {
      auto refusal = refusal_of(http::error::bad_chunk, limits());
      co_await refuse(refusal.fault, std::move(refusal.message));
      co_return Step::kAnswered;
    }
    deadline_ = started + transfer_time(received);
    if (!co_await read_more()) {
      if (timed_out_) {
        co_await refuse(api::Fault::kRequestTimeout, "the body took too long to arrive");
      }
      co_return Step::kClose;
    }
  }
  co_return Step::kDone;
}

// Plain functions, since GCC 12 destroys aggregates twice that are made inside a coroutine's
// expressions.
void Connection::log_request(const std::string& method, const api::Response& response,
                             Clock::duration elapsed) {
  const auto us = std::chrono::duration_cast<std::chrono::microseconds>(elapsed);
  shared_.log.write(api::LogMode::kInformation, "http.request",
                    {{"method", method},
                     {"target", target_},
                     {"status", std::to_string(response.status)},
                     {"bytes", std::to_string(response.body.size())},
                     {"us", std::to_string(us.count())}});
}

void Connection::log_failure(const char* what) {
  shared_.log.write(api::LogMode::kOperations, "http.connection_failed", {{"error", what}});
}

api::Response Connection::make_refusal(api::Fault fault, const std::string& message) {
  (timed_out_ ? shared_.timed_out : shared_.refused).fetch_add(1);
  timed_out_ = false;
  api::Response response = api::error_response(fault, target_, message);
  shared_.log.write(api::LogMode::kInformation, "http.refused",
                    {{"status", std::to_string(response.status)}, {"reason", message}});
  return response;
}

asio::awaitable<void> Connection::refuse(api::Fault fault, std::string message) {
  const api::Response response = make_refusal(fault, message);
  if (co_await write(response, false, false, false)) {
    co_await linger();
  }
}

asio::awaitable<void> Connection::linger() {
  error_code ignored;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  allow(kLingerTime);
  std::array<char, 16 * 1024> rest{};
  while (!timed_out_) {
    const auto [error, count] = co_await socket_.async_read_some(asio::buffer(rest), kAwait);
    static_cast<void>(count);
    if (error) {
      break;
    }
  }
}

void Connection::start_answer(api::Request request) {
  response_.reset();
  auto reply = std::make_shared<DeliverOnce<api::Response>>(
      weak_from_this(), thread_.mailbox(),
      api::error_response(api::Fault::kInternal, "", "the request was dropped unanswered"));
  shared_.handler->handle(std::move(request), [reply = std::move(reply)](api::Response response) {
    reply->send(std::move(response));
  });
}

asio::awaitable<api::Response> Connection::answer(api::Request request) {
  start_answer(std::move(request));
  while (!response_.has_value()) {
    co_await answered_.async_wait(kAwait);
  }
  co_return std::move(*response_);
}

asio::awaitable<bool> Connection::write(const api::Response& response, bool keep_alive,
                                        bool http_1_0, bool is_head) {
  if (response.stream != nullptr && !is_head) {
    co_return co_await write_stream(response, keep_alive, http_1_0);
  }
  head_.clear();
  append_head(head_, response,
              {.keep_alive = keep_alive, .http_1_0 = http_1_0, .date = thread_.date()});
  const bool without_body = is_head || status_has_no_body(response.status);
  const std::array<asio::const_buffer, 2> parts = {
      asio::buffer(head_), without_body ? asio::const_buffer() : asio::buffer(response.body)};
  allow(transfer_time(response.body.size()));
  const auto [error, count] = co_await asio::async_write(socket_, parts, kAwait);
  static_cast<void>(count);
  if (timed_out_) {
    shared_.timed_out.fetch_add(1);
  }
  co_return !error;
}

}  // namespace rookery::edge
