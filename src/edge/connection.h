// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "rookery/api/errors.h"
#include "rookery/api/http.h"

#include "io_thread.h"
#include "part_body.h"

// Purpose. One client connection: reads a request, has it answered, writes the answer, again.

namespace rookery::edge {

class PartWanted;

// Purpose. The share of one request in ServerShared::body_bytes.
class BodyBudget {
 public:
  explicit BodyBudget(ServerShared& shared) : shared_(shared) {}

  BodyBudget(const BodyBudget&) = delete;
  BodyBudget& operator=(const BodyBudget&) = delete;
  ~BodyBudget();
  // False, and nothing taken, if all connections together would hold too much.
  [[nodiscard]] bool grow_to(std::uint64_t bytes);

 private:
  ServerShared& shared_;
  std::uint64_t held_ = 0;
};

// Threads: the io thread it was dealt to.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Clock = IoThread::Clock;

  Connection(IoThread& thread, boost::asio::ip::tcp::socket socket);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  [[nodiscard]] boost::asio::awaitable<void> run();
  // Ends a wait that has lasted too long.
  void check_deadline(Clock::time_point now);
  void close_if_idle();

 private:
  template <typename T>
  friend class DeliverOnce;
  friend class StreamedBody;
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
  using StreamParser = boost::beast::http::request_parser<PartBody>;

  // What a step of reading came to.
  enum class Step { kDone, kClose, kAnswered };

  [[nodiscard]] boost::asio::awaitable<void> serve();
  [[nodiscard]] boost::asio::awaitable<bool> serve_one();
  [[nodiscard]] boost::asio::awaitable<Step> read_header(Parser& parser);
  [[nodiscard]] boost::asio::awaitable<Step> read_body(Parser& parser, BodyBudget& budget);
  [[nodiscard]] boost::asio::awaitable<bool> send_continue();
  [[nodiscard]] boost::asio::awaitable<bool> read_more();
  [[nodiscard]] boost::asio::awaitable<void> refuse(api::Fault fault, std::string message);
  [[nodiscard]] boost::asio::awaitable<void> linger();
  [[nodiscard]] boost::asio::awaitable<api::Response> answer(api::Request request);
  [[nodiscard]] boost::asio::awaitable<bool> write(const api::Response& response, bool keep_alive,
                                                   bool http_1_0, bool is_head);

  // connection_stream.cc
  [[nodiscard]] bool wants_stream(const Parser& parser) const;
  [[nodiscard]] boost::asio::awaitable<bool> serve_stream(Parser& head);
  [[nodiscard]] boost::asio::awaitable<void> answer_stream(StreamParser& parser);
  [[nodiscard]] boost::asio::awaitable<Result<std::string>> read_part(StreamParser& parser);
  [[nodiscard]] Error why_reading_ended();
  [[nodiscard]] boost::asio::awaitable<bool> write_stream(const api::Response& response,
                                                          bool keep_alive, bool http_1_0);
  void start_next_part(api::BodyStream& stream);
  void want_part(std::uint64_t request_number, std::shared_ptr<PartWanted> wanted);

  void begin_request(Parser& parser) const;
  void log_request(const std::string& method, const api::Response& response,
                   Clock::duration elapsed);
  void log_failure(const char* what);
  [[nodiscard]] api::Response make_refusal(api::Fault fault, const std::string& message);
  void start_answer(api::Request request);
  void deliver(api::Response response);
  void deliver(Result<std::string> part);
  void stop_reading();

  void allow(std::chrono::milliseconds duration) { deadline_ = Clock::now() + duration; }

  void allow_forever() { deadline_ = Clock::time_point::max(); }

  [[nodiscard]] std::chrono::milliseconds transfer_time(std::uint64_t bytes) const;

  // Of a chunk's head or of trailers that do not end: the parser takes whatever else there is. To
  // read on would read nothing, for ever.
  [[nodiscard]] bool buffer_is_full() const { return buffer_.size() == buffer_.max_size(); }

  [[nodiscard]] const HttpLimits& limits() const noexcept { return shared_.limits; }

  IoThread& thread_;
  ServerShared& shared_;
  boost::asio::ip::tcp::socket socket_;
  boost::asio::steady_timer answered_;
  boost::beast::flat_buffer buffer_;
  std::string head_;
  std::string target_;  // of the request being served, for error bodies
  std::optional<api::Response> response_;
  Clock::time_point deadline_ = Clock::time_point::max();
  std::optional<Result<std::string>> part_;  // of the answer being written
  std::shared_ptr<PartWanted> wanted_;       // what the handler of a streamed request waits for
  std::uint64_t request_number_ = 0;         // tells a late reader of a stream from one of this
  bool reading_part_ = false;                // waiting for more of a streamed body
  bool idle_ = false;                        // waiting for a request's first byte
  bool timed_out_ = false;                   // the deadline ended the wait
};

}  // namespace rookery::edge
