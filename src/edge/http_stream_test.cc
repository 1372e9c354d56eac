// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rookery/edge/http_client.h"

#include "http_test_support.h"

// Bodies in parts, of requests and of answers.

namespace rookery::edge {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::chrono::seconds kWait{10};

template <typename Condition>
bool eventually(const Condition& condition) {
  const auto limit = std::chrono::steady_clock::now() + kWait;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > limit) {
      return false;
    }
    std::this_thread::yield();
  }
  return true;
}

// Purpose. Leaves what it gets to the test: requests to /pull come as streams.
class PullHandler final : public api::Handler {
 public:
  struct Taken {
    std::shared_ptr<api::BodyStream> stream;
    api::Responder respond;
  };

  void handle(api::Request request, api::Responder respond) noexcept override {
    if (request.path != "/pull") {
      respond(api::Response::json(request.method + "\n" + request.body));
      return;
    }
    const std::lock_guard lock(mutex_);
    taken_.push_back({std::move(request.stream), std::move(respond)});
  }

  [[nodiscard]] bool streams_body(std::string_view method, std::string_view target) const override {
    return method == "POST" && target.starts_with("/pull");
  }

  // The next request; waits for it.
  Taken take() {
    Taken out;
    EXPECT_TRUE(eventually([&] {
      const std::lock_guard lock(mutex_);
      if (taken_.empty()) {
        return false;
      }
      out = std::move(taken_.front());
      taken_.erase(taken_.begin());
      return true;
    }));
    return out;
  }

 private:
  std::mutex mutex_;
  std::vector<Taken> taken_;
};

std::future<Result<std::string>> begin_read(api::BodyStream& stream) {
  auto promise = std::make_shared<std::promise<Result<std::string>>>();
  auto future = promise->get_future();
  stream.read([promise](Result<std::string> part) { promise->set_value(std::move(part)); });
  return future;
}

Result<std::string> read(api::BodyStream& stream) {
  auto part = begin_read(stream);
  if (part.wait_for(kWait) != std::future_status::ready) {
    ADD_FAILURE() << "no part came";
    return ErrorCode::timed_out;
  }
  return part.get();
}

// Reads until `size` bytes are there, or the body ends.
std::string read_some(api::BodyStream& stream, std::size_t size) {
  std::string all;
  while (all.size() < size) {
    const Result<std::string> part = read(stream);
    if (!part.has_value() || part->empty()) {
      ADD_FAILURE() << "after " << all.size() << " bytes";
      break;
    }
    all += *part;
  }
  return all;
}

constexpr std::string_view kChunkedHead =
    "POST /pull HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
constexpr std::string_view kNext = "GET /next HTTP/1.1\r\nHost: x\r\n\r\n";

TEST(StreamedRequest, ComesInPartsWhileItIsSent) {
  PullHandler handler;
  const TestServer server({}, 2, &handler);
  RawClient client = server.connect();
  ASSERT_TRUE(client.send(std::string(kChunkedHead) + "3\r\nabc\r\n"));
  PullHandler::Taken taken = handler.take();
  EXPECT_EQ(read_some(*taken.stream, 3), "abc");
  ASSERT_TRUE(client.send("2\r\nde\r\n1\r\nf\r\n"));
  EXPECT_EQ(read_some(*taken.stream, 3), "def");
  // The end, and the next request right behind it.
  ASSERT_TRUE(client.send("0\r\n\r\n" + std::string(kNext)));
  const Result<std::string> last = read(*taken.stream);
  ASSERT_TRUE(last.has_value());
  EXPECT_EQ(*last, "");
  taken.respond(api::Response::empty(204));
  EXPECT_EQ(status_of(client.read_response()), 204);
  EXPECT_EQ(body_of(client.read_response()), "GET\n");
}

TEST(StreamedRequest, MayHaveALength) {
  PullHandler handler;
  const TestServer server({.body_bytes_max = 10}, 2, &handler);
  RawClient client = server.connect();
  // More than any whole body may have.
  ASSERT_TRUE(client.send("POST /pull HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n" +
                          std::string(100'000, 'x') + std::string(kNext)));
  PullHandler::Taken taken = handler.take();
  EXPECT_EQ(read_some(*taken.stream, 100'000), std::string(100'000, 'x'));
  taken.respond(api::Response::empty(204));
  EXPECT_EQ(status_of(client.read_response()), 204);
  EXPECT_EQ(body_of(client.read_response()), "GET\n");
}

TEST(StreamedRequest, IsNotReadBeforeItIsAskedFor) {
  constexpr std::size_t kAll = std::size_t{256} << 20U;
  PullHandler handler;
  const TestServer server({}, 2, &handler);
  RawClient client = server.connect();
  ASSERT_TRUE(client.send(
      "POST /pull HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(kAll) + "\r\n\r\n"));
  PullHandler::Taken taken = handler.take();
  // The kernel's buffers are all that takes anything.
  const std::size_t first = client.send_until_full(kAll);
  EXPECT_LT(first, kAll / 4);
  EXPECT_EQ(read_some(*taken.stream, first).size(), first);
  EXPECT_GT(client.send_until_full(64 * 1024), 0U);
  taken.respond(api::Response::empty(204));
}

TEST(StreamedRequest, IsOverWhenItIsAnswered) {
  PullHandler handler;
  const TestServer server({}, 2, &handler);
  RawClient client = server.connect();
  ASSERT_TRUE(client.send(std::string(kChunkedHead) + "3\r\nabc\r\n"));
  PullHandler::Taken taken = handler.take();
  EXPECT_EQ(read_some(*taken.stream, 3), "abc");
  auto waiting = begin_read(*taken.stream);
  taken.respond(api::Response::json("{\"why\":1}", 500));
  ASSERT_EQ(waiting.wait_for(kWait), std::future_status::ready);
  EXPECT_FALSE(waiting.get().has_value());
  // A client that is still sending gets to read why.
  ASSERT_TRUE(client.send("3\r\ndef\r\n"));
  const std::string response = client.read_response();
  EXPECT_EQ(status_of(response), 500);
  EXPECT_EQ(body_of(response), "{\"why\":1}");
  EXPECT_THAT(response, HasSubstr("Connection: close"));
  client.finish_sending();
  EXPECT_TRUE(client.closed_by_server());
  EXPECT_FALSE(read(*taken.stream).has_value());
}

TEST(StreamedRequest, TellsItsReaderThatTheConnectionBroke) {
  PullHandler handler;
  const TestServer server({}, 2, &handler);
  PullHandler::Taken taken;
  {
    RawClient client = server.connect();
    ASSERT_TRUE(client.send(std::string(kChunkedHead) + "3\r\nabc\r\n"));
    taken = handler.take();
    EXPECT_EQ(read_some(*taken.stream, 3), "abc");
  }
  const Result<std::string> part = read(*taken.stream);
  ASSERT_FALSE(part.has_value());
  EXPECT_EQ(part.error().code(), ErrorCode::io);
  taken.respond(api::Response::empty(204));
  EXPECT_TRUE(eventually([&] { return server.http->stats().connections_open == 0; }));
}

TEST(StreamedRequest, TellsItsReaderThatAChunkIsNone) {
  PullHandler handler;
  const TestServer server({}, 2, &handler);
  RawClient client = server.connect();
  ASSERT_TRUE(client.send(std::string(kChunkedHead) + "3\r\nabc\r\nzz\r\n"));
  PullHandler::Taken taken = handler.take();
  Result<std::string> part = read(*taken.stream);
  while (part.has_value()) {
    ASSERT_FALSE(part->empty());
    part = read(*taken.stream);
  }
  EXPECT_EQ(part.error().code(), ErrorCode::malformed);
  taken.respond(api::Response::json("{}", 400));
  EXPECT_EQ(status_of(client.read_response()), 400);
}

// The parser takes nothing of it before it ends.
TEST(StreamedRequest, RefusesAChunkWhoseHeadDoesNotEnd) {
  PullHandler handler;
  const TestServer server({}, 2, &handler);
  const std::string endless = "3;a=" + std::string(256 * 1024, 'x');
  RawClient client = server.connect();
  ASSERT_TRUE(client.send(std::string(kChunkedHead) + "3\r\nabc\r\n"));
  PullHandler::Taken taken = handler.take();
  EXPECT_EQ(read_some(*taken.stream, 3), "abc");
  auto waiting = begin_read(*taken.stream);
  ASSERT_TRUE(client.send(endless));
  ASSERT_EQ(waiting.wait_for(kWait), std::future_status::ready);
  const Result<std::string> part = waiting.get();
  ASSERT_FALSE(part.has_value());
  EXPECT_EQ(part.error().code(), ErrorCode::malformed);
  taken.respond(api::Response::json("{}", 400));
  EXPECT_EQ(status_of(client.read_response()), 400);
  // As a whole body does.
  RawClient other = server.connect();
  ASSERT_TRUE(other.send("POST /whole HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" +
                         endless));
  EXPECT_EQ(status_of(other.read_response()), 400);
}

TEST(StreamedRequest, MayNotBeQuietForTooLong) {
  PullHandler handler;
  const TestServer server({.body_time_grace = std::chrono::milliseconds(100),
                           .stream_idle_time_max = std::chrono::milliseconds(300)},
                          2, &handler);
  RawClient client = server.connect();
  ASSERT_TRUE(client.send(std::string(kChunkedHead) + "3\r\nabc\r\n"));
  PullHandler::Taken taken = handler.take();
  EXPECT_EQ(read_some(*taken.stream, 3), "abc");
  const Result<std::string> part = read(*taken.stream);
  ASSERT_FALSE(part.has_value());
  EXPECT_EQ(part.error().code(), ErrorCode::timed_out);
  taken.respond(api::Response::json("{}", 408));
  EXPECT_EQ(status_of(client.read_response()), 408);
  EXPECT_EQ(server.http->stats().timed_out, 1U);
}

TEST(StreamedRequest, EndsWhenTheServerShutsDown) {
  PullHandler handler;
  TestServer server({}, 2, &handler);
  RawClient client = server.connect();
  ASSERT_TRUE(client.send(std::string(kChunkedHead) + "3\r\nabc\r\n"));
  PullHandler::Taken taken = handler.take();
  EXPECT_EQ(read_some(*taken.stream, 3), "abc");
  auto waiting = begin_read(*taken.stream);
  bool clean = false;
  std::thread stopper([&] { clean = server.http->shutdown(); });
  EXPECT_EQ(waiting.wait_for(kWait), std::future_status::ready);
  const Result<std::string> part = waiting.get();
  EXPECT_EQ(part.error().code(), ErrorCode::shutting_down);
  taken.respond(api::Response::json("{}", 503));
  EXPECT_EQ(status_of(client.read_response()), 503);
  client.finish_sending();
  stopper.join();
  EXPECT_TRUE(clean);
}

TEST(StreamedRequest, AsksForABodyThatWaitsToBeAskedFor) {
  PullHandler handler;
  const TestServer server({}, 2, &handler);
  RawClient client = server.connect();
  ASSERT_TRUE(client.send(
      "POST /pull HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"));
  EXPECT_EQ(client.read_response(), "HTTP/1.1 100 Continue\r\n\r\n");
  ASSERT_TRUE(client.send("hello"));
  PullHandler::Taken taken = handler.take();
  EXPECT_EQ(read_some(*taken.stream, 5), "hello");
  taken.respond(api::Response::empty(204));
  EXPECT_EQ(status_of(client.read_response()), 204);
}

// Purpose. An answer of `part_count` parts of `part_bytes`; /broken fails behind them.
class PartsHandler final : public api::Handler {
 public:
  class Parts final : public api::BodyStream {
   public:
    explicit Parts(PartsHandler& owner, bool breaks) : owner_(owner), breaks_(breaks) {}

    ~Parts() override { owner_.alive.fetch_sub(1); }

    void read(PartHandler done) noexcept override {
      const std::size_t number = made_++;
      if (number >= owner_.part_count) {
        done(breaks_ ? Result<std::string>(ErrorCode::io) : Result<std::string>(std::string()));
        return;
      }
      owner_.made.fetch_add(1);
      // From another thread, as most parts come.
      std::thread([done = std::move(done), number, size = owner_.part_bytes] {
        done(std::string(size, static_cast<char>('a' + number % 26)));
      }).detach();
    }

   private:
    PartsHandler& owner_;
    const bool breaks_;
    std::size_t made_ = 0;
  };

  void handle(api::Request request, api::Responder respond) noexcept override {
    if (request.path == "/next") {
      respond(api::Response::json("next"));
      return;
    }
    alive.fetch_add(1);
    api::Response response;
    response.stream = std::make_shared<Parts>(*this, request.path == "/broken");
    respond(std::move(response));
  }

  std::size_t part_count = 3;
  std::size_t part_bytes = 2;
  std::atomic<std::size_t> made{0};
  std::atomic<int> alive{0};
};

TEST(StreamedAnswer, GoesOutInChunks) {
  PartsHandler handler;
  const TestServer server({}, 2, &handler);
  RawClient client = server.connect();
  ASSERT_TRUE(client.send("GET /parts HTTP/1.1\r\nHost: x\r\n\r\n" + std::string(kNext)));
  client.finish_sending();
  const std::string all = client.read_to_end();
  EXPECT_THAT(all, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(all, HasSubstr("\r\nTransfer-Encoding: chunked\r\n"));
  EXPECT_THAT(all, HasSubstr("\r\n\r\n2\r\naa\r\n2\r\nbb\r\n2\r\ncc\r\n0\r\n\r\nHTTP/1.1 200 OK"));
  EXPECT_THAT(all, EndsWith("next"));
  EXPECT_EQ(handler.alive.load(), 0);
}

TEST(StreamedAnswer, EndsWithTheConnectionInHttp10) {
  PartsHandler handler;
  const TestServer server({}, 2, &handler);
  RawClient client = server.connect();
  ASSERT_TRUE(client.send("GET /parts HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
  const std::string all = client.read_to_end();
  EXPECT_THAT(all, HasSubstr("Connection: close"));
  EXPECT_THAT(all, testing::Not(HasSubstr("chunked")));
  EXPECT_EQ(body_of(all), "aabbcc");
}

TEST(StreamedAnswer, HasNoEndIfItBreaks) {
  PartsHandler handler;
  const TestServer server({}, 2, &handler);
  RawClient client = server.connect();
  ASSERT_TRUE(client.send("GET /broken HTTP/1.1\r\nHost: x\r\n\r\n"));
  EXPECT_THAT(client.read_to_end(), EndsWith("2\r\ncc\r\n"));
}

TEST(StreamedAnswer, IsMadeNoFasterThanItIsRead) {
  PartsHandler handler;
  handler.part_count = 4096;
  handler.part_bytes = 64 * 1024;
  const TestServer server({}, 2, &handler);
  {
    RawClient client = server.connect();
    ASSERT_TRUE(client.send("GET /parts HTTP/1.1\r\nHost: x\r\n\r\n"));
    // Until nothing more is made for a while.
    std::size_t before = 0;
    do {
      before = handler.made.load();
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
    } while (before == 0 || handler.made.load() != before);
    EXPECT_LT(handler.made.load(), 1024U);
  }
  // The client is gone, and with it what made the answer.
  EXPECT_TRUE(eventually([&] { return handler.alive.load() == 0; }));
  EXPECT_LT(handler.made.load(), 1024U);
}

TEST(HttpDownload, GivesAnAnswerToItsSinkAsItComes) {
  PartsHandler handler;
  handler.part_count = 200;
  handler.part_bytes = 20'000;
  const TestServer server({}, 2, &handler);
  const std::string url = "http://127.0.0.1:" + std::to_string(server.http->port());
  std::size_t bytes = 0;
  std::size_t largest = 0;
  const auto response =
      http_download({.url = url + "/parts"}, [&](std::string_view part) -> Result<void> {
        bytes += part.size();
        largest = std::max(largest, part.size());
        return {};
      });
  ASSERT_TRUE(response.has_value());
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(response->body, "");
  EXPECT_EQ(bytes, 4'000'000U);
  EXPECT_LT(largest, 400'000U);
}

TEST(HttpDownload, FailsIfTheAnswerDoesOrItsSink) {
  PartsHandler handler;
  const TestServer server({}, 2, &handler);
  const std::string url = "http://127.0.0.1:" + std::to_string(server.http->port());
  std::string got;
  const auto broken =
      http_download({.url = url + "/broken"}, [&](std::string_view part) -> Result<void> {
        got += part;
        return {};
      });
  ASSERT_FALSE(broken.has_value());
  EXPECT_EQ(broken.error().code(), ErrorCode::io);
  EXPECT_EQ(got, "aabbcc");
  const auto full = http_download(
      {.url = url + "/parts"}, [&](std::string_view) { return Result<void>(ErrorCode::no_space); });
  ASSERT_FALSE(full.has_value());
  EXPECT_EQ(full.error().code(), ErrorCode::no_space);
}

}  // namespace
}  // namespace rookery::edge
