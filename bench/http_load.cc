// SPDX-License-Identifier: Apache-2.0
// Load over HTTP keep-alive from one thread: closed loop (each connection sends when it has its
// answer) or open loop (--rate: requests fall due by the clock, and waiting for a free connection
// counts as latency, so that a stall isn't hidden by the requests it kept from being sent).
//
// It understands what the servers under test answer (a status line, a Content-Length) and fails on
// anything else: an answer that it can't read or a status other than the expected ends the run.
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "articles.h"
#include "histogram.h"
#include "order.h"

namespace rookery::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  std::string mode = "get";  // get, put, or load (bulk batches, then ends)
  std::uint16_t port = 0;
  std::string database = "bench";
  std::uint32_t connections = 10;
  double seconds = 5;
  double rate = 0;  // requests a second, 0 = closed loop
  std::uint64_t keys = 1000;
  std::uint64_t seed = 1;
  bool articles = false;  // load: articles instead of orders
  bool buckets = false;
};

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "http_load: %s\n", what.c_str());
  std::exit(1);
}

std::uint64_t nanoseconds_between(Clock::time_point from, Clock::time_point to) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(to - from).count());
}

// One connection with at most one request under way.
struct Connection {
  int fd = -1;
  std::string out;
  std::size_t out_sent = 0;
  std::string in;
  std::uint64_t key_hash = 0;  // of the request under way
  Clock::time_point due;
  bool busy = false;
};

class Load {
 public:
  explicit Load(const Options& options) : options_(options), random_(options.seed) {
    for (int i = 0; i < kBodies; ++i) {
      bodies_.push_back(order_json(random_));
    }
  }

  int run();

 private:
  // Made beforehand: on two cores, work done here is taken from the server.
  static constexpr int kBodies = 4096;

  void connect_all();
  void build_request(Connection& connection);
  void build_load_request(Connection& connection);
  void start(Connection& connection, Clock::time_point due);
  void send_some(Connection& connection);
  void receive_some(Connection& connection);
  void finish(Connection& connection, int status);
  void start_what_is_due(Clock::time_point now);
  [[nodiscard]] int wait_milliseconds(Clock::time_point now) const;
  [[nodiscard]] bool more(Clock::time_point now) const;
  void report(Clock::time_point begun, Clock::time_point ended) const;

  const Options options_;
  std::mt19937_64 random_;
  std::vector<std::string> bodies_;
  int epoll_ = -1;
  std::vector<Connection> connections_;
  std::deque<Connection*> idle_;
  Clock::time_point begun_;
  Clock::time_point end_;
  std::uint64_t started_ = 0;
  std::uint64_t loaded_ = 0;
  std::uint64_t busy_ = 0;
  std::uint64_t bytes_in_ = 0;
  std::uint64_t keys_hash_ = 0;  // order-independent: the same work, whatever the schedule
  std::uint64_t unsent_ = 0;
  Histogram latency_;
};

void Load::connect_all() {
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  connections_.resize(options_.connections);
  for (Connection& connection : connections_) {
    connection.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(options_.port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(connection.fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      fail(std::string("connect: ") + std::strerror(errno));
    }
    const int on = 1;
    setsockopt(connection.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    fcntl(connection.fd, F_SETFL, O_NONBLOCK);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = &connection;
    if (epoll_ctl(epoll_, EPOLL_CTL_ADD, connection.fd, &event) != 0) {
      fail(std::string("epoll_ctl: ") + std::strerror(errno));
    }
    idle_.push_back(&connection);
  }
}

void Load::build_request(Connection& connection) {
  std::string& out = connection.out;
  out.clear();
  if (options_.mode == "load") {
    build_load_request(connection);
    return;
  }
  std::string id;
  if (options_.mode == "get") {
    id = "orders/" + std::to_string(random_() % options_.keys);
    out += "GET /databases/" + options_.database + "/docs?id=" + id +
           " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
  } else {
    id = "orders/" + std::to_string(options_.seed) + "-" + std::to_string(started_);
    const std::string& body = bodies_[random_() % bodies_.size()];
    out += "PUT /databases/" + options_.database + "/docs?id=" + id +
           " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  connection.key_hash = std::hash<std::string>{}(id);
}

// A hundred documents a batch, numbered from 0 to keys - 1.
void Load::build_load_request(Connection& connection) {
  std::string body = "{\"Commands\":[";
  const std::uint64_t end = std::min(options_.keys, loaded_ + 100);
  connection.key_hash = 0;
  for (; loaded_ < end; ++loaded_) {
    const std::string id = (options_.articles ? "articles/" : "orders/") + std::to_string(loaded_);
    body += R"({"Id":")" + id + R"(","ChangeVector":null,"Type":"PUT","Document":)";
    body += options_.articles ? article_json(loaded_) : bodies_[random_() % bodies_.size()];
    body += "},";
    connection.key_hash += std::hash<std::string>{}(id);
  }
  body.back() = ']';
  body += '}';
  connection.out += "POST /databases/" + options_.database +
                    "/bulk_docs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                    "Content-Length: " +
                    std::to_string(body.size()) + "\r\n\r\n" + body;
}

void Load::start(Connection& connection, Clock::time_point due) {
  build_request(connection);
  ++started_;
  ++busy_;
  connection.busy = true;
  connection.due = due;
  connection.out_sent = 0;
  send_some(connection);
}

void Load::send_some(Connection& connection) {
  while (connection.out_sent < connection.out.size()) {
    const ssize_t sent = send(connection.fd, connection.out.data() + connection.out_sent,
                              connection.out.size() - connection.out_sent, MSG_NOSIGNAL);
    if (sent < 0 && errno == EAGAIN) {
      epoll_event event{};
      event.events = EPOLLIN | EPOLLOUT;
      event.data.ptr = &connection;
      epoll_ctl(epoll_, EPOLL_CTL_MOD, connection.fd, &event);
      return;
    }
    if (sent <= 0) {
      fail(std::string("send: ") + std::strerror(errno));
    }
    connection.out_sent += static_cast<std::size_t>(sent);
  }
}

// The length of the answer at the start of `in` and its status; 0 if it isn't whole yet.
std::size_t whole_answer(std::string_view in, int& status) {
  const std::size_t head = in.find("\r\n\r\n");
  if (head == std::string_view::npos) {
    return 0;
  }
  if (!in.starts_with("HTTP/1.1 ") ||
      std::from_chars(in.data() + 9, in.data() + 12, status).ec != std::errc{}) {
    fail("no status line: " + std::string(in.substr(0, 80)));
  }
  constexpr std::string_view kLength = "\r\nContent-Length: ";
  const std::size_t at = in.find(kLength);
  std::size_t length = 0;
  if (at == std::string_view::npos || at > head ||
      std::from_chars(in.data() + at + kLength.size(), in.data() + head, length).ec !=
          std::errc{}) {
    fail("no Content-Length: " + std::string(in.substr(0, head)));
  }
  return in.size() >= head + 4 + length ? head + 4 + length : 0;
}

void Load::receive_some(Connection& connection) {
  char chunk[64 * 1024];
  for (;;) {
    const ssize_t got = recv(connection.fd, chunk, sizeof chunk, 0);
    if (got < 0 && errno == EAGAIN) {
      return;
    }
    if (got <= 0) {
      fail(got == 0 ? "the server closed a connection"
                    : std::string("recv: ") + std::strerror(errno));
    }
    connection.in.append(chunk, static_cast<std::size_t>(got));
    bytes_in_ += static_cast<std::uint64_t>(got);
    int status = 0;
    const std::size_t size = whole_answer(connection.in, status);
    if (size != 0) {
      if (!connection.busy || size != connection.in.size()) {
        fail("an answer that nobody asked for");
      }
      finish(connection, status);
      return;
    }
  }
}

void Load::finish(Connection& connection, int status) {
  const int expected = options_.mode == "get" ? 200 : 201;
  if (status != expected) {
    fail("status " + std::to_string(status) + ": " + connection.in.substr(0, 600));
  }
  latency_.add(nanoseconds_between(connection.due, Clock::now()));
  keys_hash_ += connection.key_hash;
  connection.in.clear();
  connection.busy = false;
  --busy_;
  idle_.push_back(&connection);
}

bool Load::more(Clock::time_point now) const {
  return options_.mode == "load" ? loaded_ < options_.keys : now < end_;
}

void Load::start_what_is_due(Clock::time_point now) {
  while (!idle_.empty() && more(now)) {
    Clock::time_point due = now;
    if (options_.rate > 0) {
      due = begun_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(
                         static_cast<double>(started_) / options_.rate));
      if (due > now) {
        return;
      }
    }
    Connection* connection = idle_.front();
    idle_.pop_front();
    start(*connection, due);
    now = Clock::now();
  }
}

int Load::wait_milliseconds(Clock::time_point now) const {
  // An open loop polls: epoll's milliseconds are too coarse to send by.
  return options_.rate > 0 && more(now) && !idle_.empty() ? 0 : 100;
}

int Load::run() {
  connect_all();
  begun_ = Clock::now();
  end_ = begun_ + std::chrono::duration_cast<Clock::duration>(
                      std::chrono::duration<double>(options_.seconds));
  start_what_is_due(begun_);
  epoll_event events[256];
  Clock::time_point now = begun_;
  while (busy_ > 0 || more(now)) {
    const int count = epoll_wait(epoll_, events, 256, wait_milliseconds(now));
    for (int i = 0; i < count; ++i) {
      auto& connection = *static_cast<Connection*>(events[i].data.ptr);
      if ((events[i].events & EPOLLOUT) != 0) {
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.ptr = &connection;
        epoll_ctl(epoll_, EPOLL_CTL_MOD, connection.fd, &event);
        send_some(connection);
      }
      if ((events[i].events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) {
        receive_some(connection);
      }
    }
    now = Clock::now();
    start_what_is_due(now);
  }
  if (options_.rate > 0) {
    const auto due = static_cast<std::uint64_t>(options_.rate * options_.seconds);
    unsent_ = due > started_ ? due - started_ : 0;
  }
  report(begun_, Clock::now());
  return 0;
}

void Load::report(Clock::time_point begun, Clock::time_point ended) const {
  const double seconds = static_cast<double>(nanoseconds_between(begun, ended)) / 1e9;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const double cpu = static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                     static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
  std::printf(
      "{\"mode\":\"%s\",\"connections\":%u,\"rate\":%.0f,\"seconds\":%.3f,"
      "\"requests\":%llu,\"per_second\":%.1f,\"unsent\":%llu,\"bytes_in\":%llu,",
      options_.mode.c_str(), options_.connections, options_.rate, seconds,
      static_cast<unsigned long long>(latency_.count()),
      static_cast<double>(latency_.count()) / seconds, static_cast<unsigned long long>(unsent_),
      static_cast<unsigned long long>(bytes_in_));
  for (const auto& [name, share] :
       {std::pair{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p999", 0.999}}) {
    std::printf("\"%s_us\":%.1f,", name, static_cast<double>(latency_.quantile(share)) / 1e3);
  }
  std::printf("\"max_us\":%.1f,\"cpu_seconds\":%.3f,\"keys_hash\":\"%016llx\"",
              static_cast<double>(latency_.max()) / 1e3, cpu,
              static_cast<unsigned long long>(keys_hash_));
  if (options_.buckets) {
    const char* separator = ",\"buckets\":[";
    latency_.for_each([&](std::uint64_t bound, std::uint64_t count) {
      std::printf("%s[%llu,%llu]", separator, static_cast<unsigned long long>(bound),
                  static_cast<unsigned long long>(count));
      separator = ",";
    });
    std::printf("]");
  }
  std::printf("}\n");
}

}  // namespace
}  // namespace rookery::bench

int main(int argc, char** argv) {
  rookery::bench::Options options;
  CLI::App app{"Load over HTTP keep-alive, closed or open loop; prints one JSON line"};
  app.add_option("--mode", options.mode)->check(CLI::IsMember({"get", "put", "load"}));
  app.add_option("--port", options.port)->required();
  app.add_option("--database", options.database);
  app.add_option("--connections", options.connections)->check(CLI::Range(1, 10'000));
  app.add_option("--seconds", options.seconds);
  app.add_option("--rate", options.rate, "open loop: requests a second");
  app.add_option("--keys", options.keys)->check(CLI::PositiveNumber);
  app.add_option("--seed", options.seed);
  app.add_flag("--articles", options.articles, "load articles instead of orders");
  app.add_flag("--buckets", options.buckets, "print the whole histogram");
  CLI11_PARSE(app, argc, argv);
  return rookery::bench::Load(options).run();
}
