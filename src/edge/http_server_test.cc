// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "rookery/edge/http_client.h"
#include "rookery/edge/worker_pool.h"
#include "rookery/os/platform.h"

#include "http_test_support.h"

namespace rookery::edge {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::string_view kGet = "GET /echo HTTP/1.1\r\nHost: x\r\n\r\n";

std::string post(std::string_view path, std::string_view body) {
  return "POST " + std::string(path) +
         " HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string(body);
}

TEST(HttpServer, AnswersAndKeepsTheConnection) {
  const TestServer server;
  RawClient client = server.connect();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(client.send(kGet));
    const std::string response = client.read_response();
    EXPECT_THAT(response, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(response, HasSubstr("\r\nRaven-Server-Version: 5.4.113\r\n"));
    EXPECT_THAT(response, HasSubstr("\r\nDate: "));
    EXPECT_THAT(response, Not(HasSubstr("Connection: close")));
    EXPECT_EQ(body_of(response), "GET /echo\n");
  }
  EXPECT_EQ(server.http->stats().connections_accepted, 1U);
  EXPECT_EQ(server.http->stats().requests, 3U);
}

TEST(HttpServer, AnswersPipelinedRequestsInOrder) {
  TestServer server;
  RawClient client = server.connect();
  std::string bytes = "GET /held HTTP/1.1\r\nHost: x\r\n\r\n";
  for (int i = 0; i < 20; ++i) {
    bytes += post("/echo?" + std::to_string(i), std::string(static_cast<std::size_t>(i), 'b'));
  }
  ASSERT_TRUE(client.send(bytes));
  server.handler.wait_for_held(1);
  // The later ones are there already; none may overtake the first.
  EXPECT_EQ(server.http->stats().requests, 1U);
  server.handler.release();
  EXPECT_EQ(body_of(client.read_response()), "released");
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(body_of(client.read_response()), "POST /echo?" + std::to_string(i) + "\n" +
                                                   std::string(static_cast<std::size_t>(i), 'b'));
  }
}

TEST(HttpServer, ReadsARequestThatComesByteByByte) {
  const TestServer server;
  RawClient client = server.connect();
  for (const char c : post("/echo", "hello")) {
    ASSERT_TRUE(client.send(std::string(1, c)));
  }
  EXPECT_EQ(body_of(client.read_response()), "POST /echo\nhello");
}

TEST(HttpServer, ReadsChunkedBodies) {
  const TestServer server;
  RawClient client = server.connect();
  ASSERT_TRUE(
      client.send("PUT /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                  "5\r\nhello\r\n1;ext=1\r\n \r\n5\r\nworld\r\n0\r\nTrailer: t\r\n\r\n" +
                  std::string(kGet)));
  EXPECT_EQ(body_of(client.read_response()), "PUT /echo\nhello world");
  EXPECT_EQ(body_of(client.read_response()), "GET /echo\n");
}

// Nobody has looked at them, and they would stand beside the headers.
TEST(HttpServer, DropsTheHeadersBehindAChunkedBody) {
  const TestServer server;
  RawClient client = server.connect();
  ASSERT_TRUE(
      client.send("PUT /headers HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                  "2\r\n{}\r\n0\r\nHost: y\r\nIf-Match: \"1\"\r\n\r\n" +
                  std::string(kGet)));
  EXPECT_EQ(body_of(client.read_response()), "Host=x;Transfer-Encoding=chunked;");
  EXPECT_EQ(body_of(client.read_response()), "GET /echo\n");
}

TEST(HttpServer, TakesUnusualMethodsAndTargets) {
  const TestServer server;
  RawClient client = server.connect();
  ASSERT_TRUE(client.send("RESET /echo?&a=1&?raft-request-id=2 HTTP/1.1\r\nHost: x\r\n\r\n"));
  EXPECT_EQ(body_of(client.read_response()), "RESET /echo?&a=1&?raft-request-id=2\n");
  ASSERT_TRUE(client.send("\r\nDELETE /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"));
  EXPECT_EQ(body_of(client.read_response()), "DELETE /echo\n{}");
}

TEST(HttpServer, SendsNoBodyForHeadAndNoContent) {
  const TestServer server;
  RawClient client = server.connect();
  ASSERT_TRUE(client.send("HEAD /echo HTTP/1.1\r\nHost: x\r\n\r\n"));
  const std::string head = client.read_response(true);
  EXPECT_THAT(head, HasSubstr("Content-Length: 11\r\n"));
  ASSERT_TRUE(client.send("GET /no-content HTTP/1.1\r\nHost: x\r\n\r\n" + std::string(kGet)));
  const std::string none = client.read_response();
  EXPECT_EQ(status_of(none), 204);
  EXPECT_THAT(none, Not(HasSubstr("Content-Length")));
  // The next response begins right behind: nothing of a body came before.
  EXPECT_EQ(body_of(client.read_response()), "GET /echo\n");
}

TEST(HttpServer, SpeaksHttp10) {
  const TestServer server;
  RawClient client = server.connect();
  ASSERT_TRUE(client.send("GET /echo HTTP/1.0\r\n\r\n"));
  const std::string response = client.read_response();
  EXPECT_THAT(response, StartsWith("HTTP/1.0 200 OK\r\n"));
  EXPECT_THAT(response, HasSubstr("Connection: close"));
  EXPECT_TRUE(client.closed_by_server());
}

TEST(HttpServer, ClosesWhenTheClientAsksForIt) {
  const TestServer server;
  RawClient client = server.connect();
  ASSERT_TRUE(client.send("GET /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"));
  EXPECT_THAT(client.read_response(), HasSubstr("Connection: close"));
  EXPECT_TRUE(client.closed_by_server());
}

TEST(HttpServer, AnswersAClientThatHasFinishedSending) {
  const TestServer server;
  RawClient client = server.connect();
  ASSERT_TRUE(client.send(kGet));
  client.finish_sending();
  EXPECT_EQ(status_of(client.read_response()), 200);
  EXPECT_TRUE(client.closed_by_server());
}

TEST(HttpServer, SendsLargeBodies) {
  const TestServer server;
  RawClient client = server.connect();
  ASSERT_TRUE(client.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n"));
  EXPECT_EQ(body_of(client.read_response()), std::string(1 << 20, 'x'));
}

// Each is refused, with an error body, and the connection closed: what follows on it must not be
// read as a request.
TEST(HttpServer, RefusesWhatCouldBeReadInTwoWays) {
  const struct {
    std::string_view bytes;
    int status;
  } cases[] = {
      {"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n",
       400},
      {"POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n",
       400},
      {"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\n", 400},
      {"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 4, 5\r\n\r\n", 400},
      {"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400},
      {"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: +4\r\n\r\n", 400},
      {"POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n", 501},
      {"POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501},
      {"POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: identity\r\n\r\n", 501},
      {"POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
       "Transfer-Encoding: identity\r\n\r\n",
       400},
      {"POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
      {"POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked\r\n\r\n", 400},
      {"GET /echo HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400},
      {"GET /echo HTTP/1.1\r\n\r\n", 400},
      {"GET /echo HTTP/2.0\r\nHost: x\r\n\r\n", 400},
      {"GET /echo HTTP/1.1\nHost: x\n\n\r\n\r\n", 400},
      {"GET  /echo HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400},
      {"POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n", 400},
      {"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx",
       415},
      {"POST /echo HTTP/1.1\r\nHost: x\r\nExpect: magic\r\nContent-Length: 1\r\n\r\nx", 417},
  };

  TestServer server;
  for (const auto& one : cases) {
    RawClient client = server.connect();
    ASSERT_TRUE(client.send(std::string(one.bytes) + std::string(kGet)));
    client.finish_sending();
    const std::string response = client.read_response();
    EXPECT_EQ(status_of(response), one.status) << one.bytes << "\n" << response;
    EXPECT_THAT(response, HasSubstr("Connection: close")) << one.bytes;
    EXPECT_THAT(response, HasSubstr("\"Type\":")) << one.bytes;
    EXPECT_TRUE(client.closed_by_server()) << one.bytes;
  }
  EXPECT_EQ(server.http->stats().requests, 0U);
  EXPECT_EQ(server.http->stats().refused, std::size(cases));
}

// A browser sends what any page asks for, to this machine, too.
TEST(HttpServer, RefusesWhatPagesOfOtherSitesSend) {
  const struct {
    std::string_view method;
    std::string_view headers;
    int status;
  } cases[] = {
      {"POST", "", 200},
      {"POST", "Sec-Fetch-Site: same-origin\r\n", 200},
      {"POST", "Sec-Fetch-Site: none\r\n", 200},
      {"POST", "Sec-Fetch-Site: cross-site\r\n", 403},
      {"POST", "Sec-Fetch-Site: same-site\r\n", 403},  // another port of this machine
      {"GET", "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n", 403},
      {"GET",
       "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n",
       200},
      {"GET",
       "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\n", 403},
      {"POST",
       "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n",
       403},
      {"POST", "Origin: http://x\r\n", 200},
      {"POST", "Origin: http://y\r\n", 403},
      {"POST", "Origin: http://x:81\r\n", 403},
      {"POST", "Origin: null\r\n", 403},
  };

  const TestServer server;
  for (const auto& one : cases) {
    RawClient client = server.connect();
    ASSERT_TRUE(client.send(std::string(one.method) + " /echo HTTP/1.1\r\nHost: x\r\n" +
                            std::string(one.headers) + "\r\n"));
    const std::string response = client.read_response();
    EXPECT_EQ(status_of(response), one.status) << one.method << "\n" << one.headers << response;
    EXPECT_EQ(response.find("AuthorizationException") != std::string::npos, one.status == 403);
  }
}

TEST(HttpServer, RefusesATooLargeBodyBeforeReadingIt) {
  const TestServer server({.body_bytes_max = 1000});
  RawClient client = server.connect();
  // The body itself is never sent.
  ASSERT_TRUE(client.send("PUT /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n"));
  EXPECT_EQ(status_of(client.read_response()), 413);
  client.finish_sending();
  EXPECT_TRUE(client.closed_by_server());
  RawClient fits = server.connect();
  ASSERT_TRUE(fits.send(post("/echo", std::string(1000, 'x'))));
  EXPECT_EQ(status_of(fits.read_response()), 200);
}

TEST(HttpServer, RefusesATooLargeChunkedBody) {
  const TestServer server({.body_bytes_max = 1000});
  RawClient client = server.connect();
  ASSERT_TRUE(
      client.send("PUT /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n200\r\n" +
                  std::string(512, 'x') + "\r\n200\r\n" + std::string(512, 'x') + "\r\n"));
  EXPECT_EQ(status_of(client.read_response()), 413);
}

TEST(HttpServer, TellsAClientWhyWhileItIsStillSending) {
  const TestServer server({.body_bytes_max = 1000});
  RawClient client = server.connect();
  ASSERT_TRUE(client.send("PUT /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 8000000\r\n\r\n"));
  const std::string part(1 << 20, 'x');
  for (int i = 0; i < 8; ++i) {
    ASSERT_TRUE(client.send(part)) << "reset before the answer could be read";
  }
  EXPECT_EQ(status_of(client.read_response()), 413);
}

TEST(HttpServer, BoundsWhatAllBodiesTakeTogether) {
  TestServer server({.body_bytes_max = 1000, .body_bytes_total_max = 1500});
  RawClient first = server.connect();
  ASSERT_TRUE(first.send(post("/held", std::string(1000, 'x'))));
  server.handler.wait_for_held(1);
  RawClient second = server.connect();
  ASSERT_TRUE(second.send(post("/echo", std::string(1000, 'x'))));
  EXPECT_EQ(status_of(second.read_response()), 503);
  server.handler.release();
  EXPECT_EQ(status_of(first.read_response()), 200);
  RawClient third = server.connect();
  ASSERT_TRUE(third.send(post("/echo", std::string(1000, 'x'))));
  EXPECT_EQ(status_of(third.read_response()), 200);
}

TEST(HttpServer, RefusesTooLargeHeaders) {
  const TestServer server({.header_bytes_max = 4096});
  RawClient client = server.connect();
  ASSERT_TRUE(client.send("GET /echo HTTP/1.1\r\nHost: x\r\nA: " + std::string(5000, 'a')));
  EXPECT_EQ(status_of(client.read_response()), 431);
  RawClient fits = server.connect();
  ASSERT_TRUE(fits.send("GET /echo?" + std::string(3900, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n"));
  EXPECT_EQ(status_of(fits.read_response()), 200);
}

TEST(HttpServer, AsksForABodyThatWaitsToBeAskedFor) {
  const TestServer server({.body_bytes_max = 1000});
  RawClient client = server.connect();
  ASSERT_TRUE(client.send(
      "PUT /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"));
  EXPECT_EQ(client.read_response(), "HTTP/1.1 100 Continue\r\n\r\n");
  ASSERT_TRUE(client.send("hello"));
  EXPECT_EQ(body_of(client.read_response()), "PUT /echo\nhello");
  // And refuses one that it would not take, instead of asking for it.
  ASSERT_TRUE(client.send(
      "PUT /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5000\r\n\r\n"));
  EXPECT_EQ(status_of(client.read_response()), 413);
}

TEST(HttpServer, EndsConnectionsThatAreTooSlow) {
  const TestServer server({.header_time_max = std::chrono::milliseconds(300),
                           .idle_time_max = std::chrono::milliseconds(300),
                           .body_time_grace = std::chrono::milliseconds(300)});
  RawClient idle = server.connect();
  RawClient half_header = server.connect();
  ASSERT_TRUE(half_header.send("GET /echo HTTP/1.1\r\nHos"));
  RawClient half_body = server.connect();
  ASSERT_TRUE(half_body.send("PUT /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf"));
  EXPECT_TRUE(idle.closed_by_server());
  EXPECT_EQ(status_of(half_header.read_response()), 408);
  EXPECT_EQ(status_of(half_body.read_response()), 408);
  EXPECT_EQ(server.http->stats().timed_out, 2U);
}

TEST(HttpServer, EndsAConnectionWhoseClientDoesNotReadItsAnswers) {
  TestServer server(
      {.body_time_grace = std::chrono::milliseconds(200), .rate_bytes_per_s_min = 100'000'000});
  RawClient client = server.connect();
  std::string bytes;
  for (int i = 0; i < 64; ++i) {
    bytes += "GET /large HTTP/1.1\r\nHost: x\r\n\r\n";
  }
  ASSERT_TRUE(client.send(bytes));
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (server.http->stats().timed_out == 0 || server.http->stats().connections_open > 0) {
    ASSERT_LT(std::chrono::steady_clock::now(), limit) << "it still waits for its reader";
    std::this_thread::yield();
  }
  EXPECT_EQ(server.http->stats().timed_out, 1U);
}

TEST(HttpServer, BoundsItsConnections) {
  const TestServer server({.connection_count_max = 2});
  RawClient first = server.connect();
  RawClient second = server.connect();
  ASSERT_TRUE(first.send(kGet));
  ASSERT_TRUE(second.send(kGet));
  EXPECT_EQ(status_of(first.read_response()), 200);
  EXPECT_EQ(status_of(second.read_response()), 200);
  RawClient third = server.connect();
  EXPECT_EQ(status_of(third.read_response()), 503);
}

TEST(HttpServer, AnswersEvenWhenAHandlerLosesItsResponder) {
  const TestServer server;
  RawClient client = server.connect();
  ASSERT_TRUE(client.send("GET /dropped HTTP/1.1\r\nHost: x\r\n\r\n"));
  EXPECT_EQ(status_of(client.read_response()), 500);
}

TEST(HttpServer, FinishesWhatIsUnderWayWhenItShutsDown) {
  TestServer server;
  RawClient idle = server.connect();
  ASSERT_TRUE(idle.send(kGet));
  ASSERT_EQ(status_of(idle.read_response()), 200);
  RawClient busy = server.connect();
  ASSERT_TRUE(busy.send("GET /held HTTP/1.1\r\nHost: x\r\n\r\n"));
  server.handler.wait_for_held(1);
  bool clean = false;
  std::thread stopper([&] { clean = server.http->shutdown(); });
  // The idle one ends first, which shows that the draining has begun.
  EXPECT_TRUE(idle.closed_by_server());
  server.handler.release();
  const std::string response = busy.read_response();
  EXPECT_EQ(body_of(response), "released");
  EXPECT_THAT(response, HasSubstr("Connection: close"));
  stopper.join();
  EXPECT_TRUE(clean);
  EXPECT_FALSE(server.connect().connected());
}

TEST(HttpServer, ShutsDownInBoundedTimeWhateverItsHandlersDo) {
  TestServer server({.drain_time_max = std::chrono::milliseconds(100)});
  RawClient busy = server.connect();
  ASSERT_TRUE(busy.send("GET /held HTTP/1.1\r\nHost: x\r\n\r\n"));
  server.handler.wait_for_held(1);
  EXPECT_FALSE(server.http->shutdown());
  server.http.reset();
  EXPECT_TRUE(busy.closed_by_server());
  // An answer that comes too late finds nobody, and does no harm.
  server.handler.release();
}

TEST(HttpServer, RunsTasksLater) {
  const TestServer server;
  std::atomic<int> ran{0};
  const auto begun = std::chrono::steady_clock::now();
  server.http->run_after(std::chrono::milliseconds(50), [&] { ran.store(1); });
  server.http->run_after(std::chrono::hours(1), [&] { ran.store(2); });
  while (ran.load() == 0) {
    std::this_thread::yield();
  }
  EXPECT_GE(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(50));
  EXPECT_TRUE(server.http->shutdown());
  EXPECT_EQ(ran.load(), 1);
}

TEST(HttpServer, DoesNotShareItsPort) {
  const TestServer server;
  auto second =
      HttpServer::bind({.address = "127.0.0.1", .port = server.http->port()}, *server.log);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code(), ErrorCode::busy);
}

TEST(HttpServer, RefusesAnAddressThatIsNotItsOwn) {
  auto log = api::Log::open(os::real_platform(), {.mode = api::LogMode::kNone});
  const auto bound = HttpServer::bind({.address = "203.0.113.1", .port = 0}, *log.value());
  ASSERT_FALSE(bound.has_value());
  EXPECT_EQ(bound.error().code(), ErrorCode::invalid_argument);
}

TEST(HttpServer, ServesManyConnectionsOnSeveralThreads) {
  TestServer server({}, 2);
  std::vector<std::thread> clients;
  for (int t = 0; t < 8; ++t) {
    clients.emplace_back([&] {
      RawClient client = server.connect();
      for (int i = 0; i < 200; ++i) {
        ASSERT_TRUE(client.send(post("/echo", std::to_string(i))));
        ASSERT_EQ(body_of(client.read_response()), "POST /echo\n" + std::to_string(i));
      }
    });
  }
  for (std::thread& client : clients) {
    client.join();
  }
  EXPECT_EQ(server.http->stats().requests, 1600U);
}

std::string url_of(const TestServer& server) {
  return "http://127.0.0.1:" + std::to_string(server.http->port());
}

TEST(HttpClient, CallsAServer) {
  const TestServer server;
  const auto response = http_call({.method = "PUT",
                                   .url = url_of(server) + "/echo?id=" + percent_encode("a b/ü"),
                                   .body = "text"});
  ASSERT_TRUE(response.has_value());
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(response->body, "PUT /echo?id=a%20b%2F%C3%BC\ntext");
  EXPECT_EQ(response->headers.find("raven-server-version"), "5.4.113");
}

TEST(HttpClient, SaysWhyItGotNoAnswer) {
  EXPECT_EQ(http_call({.url = "ftp://x/"}).error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(http_call({.url = "http://127.0.0.1:1/"}).error().code(), ErrorCode::io);
}

TEST(HttpClient, GivesUpWhenItIsTold) {
  TestServer server;
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  std::thread user([&] {
    server.handler.wait_for_held(1);
    EXPECT_EQ(::write(pipe[1], "x", 1), 1);
  });
  const auto response = http_call({.url = url_of(server) + "/held", .cancel_descriptor = pipe[0]});
  user.join();
  ASSERT_FALSE(response.has_value());
  EXPECT_EQ(response.error().code(), ErrorCode::cancelled);
  // Told before it began.
  EXPECT_EQ(
      http_call({.url = url_of(server) + "/echo", .cancel_descriptor = pipe[0]}).error().code(),
      ErrorCode::cancelled);
  char byte = 0;
  EXPECT_EQ(::read(pipe[0], &byte, 1), 1) << "nothing is read by the call";
  const auto next = http_call({.url = url_of(server) + "/echo", .cancel_descriptor = pipe[0]});
  EXPECT_TRUE(next.has_value());
  server.handler.release();
  ::close(pipe[0]);
  ::close(pipe[1]);
}

TEST(HttpClient, RefusesAnAnswerThatIsTooLarge) {
  TestServer server;
  const auto response = http_call({.url = url_of(server) + "/large", .body_bytes_max = 1000});
  ASSERT_FALSE(response.has_value());
  EXPECT_EQ(response.error().code(), ErrorCode::too_large);
}

TEST(WorkerPool, RunsWhatItTookAndRefusesBeyondItsQueue) {
  std::atomic<int> ran{0};
  std::mutex gate;
  gate.lock();
  {
    WorkerPool pool("test", 1, 2);
    std::atomic<bool> busy{false};
    ASSERT_TRUE(pool.submit([&] {
      busy.store(true);
      const std::lock_guard wait(gate);
      ++ran;
    }));
    while (!busy.load()) {
      std::this_thread::yield();
    }
    EXPECT_TRUE(pool.submit([&] { ++ran; }));
    EXPECT_TRUE(pool.submit([&] { ++ran; }));
    EXPECT_FALSE(pool.submit([&] { ++ran; }));
    gate.unlock();
  }
  EXPECT_EQ(ran.load(), 3);
}

}  // namespace
}  // namespace rookery::edge
