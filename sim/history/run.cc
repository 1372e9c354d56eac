// SPDX-License-Identifier: Apache-2.0
#include "run.h"

#include <array>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "endpoint.h"
#include "http_transport.h"
#include "server_process.h"

namespace rookery::history {

namespace {

using std::chrono::milliseconds;

// As the journal, the data file and the headers are written, made, synced and replaced.
constexpr auto kCalls =
    std::to_array<std::string_view>({"pwrite64", "pwrite64", "pwritev", "pwritev2", "fdatasync",
                                     "fsync", "fallocate", "rename", "unlink", "openat"});
constexpr int kOpeningsMax = 20;

// Purpose. The clients, each on a thread of its own, until they are told that the run is over.
class Clients {
 public:
  Clients(const RunOptions& options, Endpoint& endpoint, Recorder& recorder) : endpoint_(endpoint) {
    Prng seeds(options.seed);
    for (std::uint32_t number = 0; number < options.clients; ++number) {
      threads_.emplace_back([&options, &endpoint, &recorder, number, seed = seeds.next()] {
        HttpTransport transport(endpoint);
        Client client(number, seed, options.workload, transport, recorder);
        while (client.step()) {
        }
      });
    }
  }

  Clients(const Clients&) = delete;
  Clients& operator=(const Clients&) = delete;

  ~Clients() {
    endpoint_.end();
    for (std::thread& thread : threads_) {
      thread.join();
    }
  }

 private:
  Endpoint& endpoint_;
  std::vector<std::thread> threads_;
};

class Run {
 public:
  Run(const RunOptions& options, Recorder& recorder)
      : options_(options), recorder_(recorder), random_(options.seed ^ 0x6b696c6cU) {}

  Result<RunReport> go() {
    RK_TRY(start(false));
    RK_TRY(create_database());
    const auto end = std::chrono::steady_clock::now() + options_.time;
    {
      const Clients clients(options_, endpoint_, recorder_);
      for (std::uint32_t left = options_.kills; left > 0; --left) {
        RK_TRY(kill_within(milliseconds_until(end) / (left + 1)));
        RK_TRY(start(options_.at_calls && left > 1));
      }
      if (server_->ends_within(milliseconds_until(end))) {
        return Error(ErrorCode::io, "the server ended by itself");
      }
    }
    crash();
    RK_TRY(judge());
    return report_;
  }

 private:
  static milliseconds milliseconds_until(std::chrono::steady_clock::time_point end) {
    const auto now = std::chrono::steady_clock::now();
    return std::max(milliseconds(1), std::chrono::duration_cast<milliseconds>(end - now));
  }

  // With a death planned, the server may not live to say where it listens.
  Result<void> start(bool to_die) {
    for (int i = 0; i < kOpeningsMax; ++i) {
      ServerCommand command{.binary = options_.binary, .folder = options_.folder};
      if (to_die && i + 1 < kOpeningsMax) {
        command.prefix = death_at_a_call();
      }
      Result<ServerProcess> server = ServerProcess::start(command);
      if (server.has_value()) {
        server_ = std::move(server).value();
        dies_by_itself_ = !command.prefix.empty();
        endpoint_.open(server_->port());
        return {};
      }
      if (command.prefix.empty()) {
        return server.error();
      }
      ++report_.kills;
      ++report_.kills_at_calls;
      ++report_.kills_while_opening;
    }
    return Error(ErrorCode::io, "the server did not start");
  }

  std::vector<std::string> death_at_a_call() {
    const std::string call(kCalls.at(random_.below(kCalls.size())));
    const std::uint64_t n = 1 + random_.below(std::uint64_t{1} << random_.below(12));
    const std::string death = "inject=" + call + ":signal=SIGKILL:when=" + std::to_string(n);
    return {"strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=" + call, "-e", death};
  }

  Result<void> create_database() {
    HttpTransport transport(endpoint_);
    transport.make_ready();
    const std::string& name = options_.workload.database;
    const Reply reply =
        transport.call({.method = "PUT",
                        .target = "/admin/databases?name=" + name + "&replicationFactor=1",
                        .body = R"({"DatabaseName":")" + name + R"("})"});
    if (reply.status != 201) {
      return Error(ErrorCode::io, "the database was not created: " + reply.body);
    }
    return {};
  }

  // At some moment of about `span`.
  Result<void> kill_within(milliseconds span) {
    const auto most = static_cast<std::uint64_t>(span.count());
    const milliseconds patience(most / 2 + random_.below(most + 1));
    if (server_->ends_within(patience)) {
      if (!dies_by_itself_) {
        return Error(ErrorCode::io, "the server ended by itself");
      }
      ++report_.kills_at_calls;
      ++report_.kills;
      endpoint_.close();
      note_crash(recorder_.tick());
      return {};
    }
    crash();
    return {};
  }

  void crash() {
    const Time from = recorder_.tick();
    endpoint_.close();
    server_->kill();
    ++report_.kills;
    note_crash(from);
  }

  void note_crash(Time from) {
    Operation crash;
    crash.kind = Kind::kCrash;
    crash.from = from;
    crash.to = recorder_.tick();
    recorder_.add(std::move(crash));
  }

  Result<void> judge() {
    RK_TRY_ASSIGN(server_,
                  ServerProcess::start({.binary = options_.binary, .folder = options_.folder}));
    Endpoint endpoint;
    endpoint.open(server_->port());
    HttpTransport transport(endpoint);
    Client(options_.clients, random_.next(), options_.workload, transport, recorder_)
        .look_at_everything();
    const int status = server_->stop();
    server_.reset();
    if (status != 0) {
      return Error(ErrorCode::io, "the server's exit status is " + std::to_string(status));
    }
    return {};
  }

  const RunOptions& options_;
  Recorder& recorder_;
  Prng random_;
  Endpoint endpoint_;
  std::optional<ServerProcess> server_;
  bool dies_by_itself_ = false;
  RunReport report_;
};

}  // namespace

Result<RunReport> record_run(const RunOptions& options, Recorder& recorder) {
  if (std::filesystem::exists(options.folder)) {
    return Error(ErrorCode::already_exists, options.folder + " is there already");
  }
  return Run(options, recorder).go();
}

}  // namespace rookery::history
