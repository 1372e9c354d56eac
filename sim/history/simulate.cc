// SPDX-License-Identifier: Apache-2.0
#include "simulate.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rookery/api/service.h"
#include "rookery/db/server.h"
#include "rookery/testing/sim_platform.h"

namespace rookery::history {

namespace {

// Purpose. A call without a socket, to whichever service there is. What a machine without power
// says, nobody hears.
class ServiceTransport final : public Transport {
 public:
  ServiceTransport(api::Service* const& service, testing::SimFileSystem& files)
      : service_(service), files_(files) {}

  void make_ready() override {}

  Reply call(const Ask& ask) override {
    if (files_.is_dead()) {
      return {.fate = Fate::kNotSent};
    }
    api::Request request = api::Request::make(ask.method, ask.target);
    request.body = ask.body;
    if (ask.if_match.has_value()) {
      request.headers.add("If-Match", "\"" + *ask.if_match + "\"");
    }
    // Shared: whoever answers may still hold it when it is heard here.
    auto answered = std::make_shared<os::Event>();
    auto response = std::make_shared<api::Response>();
    service_->handle(std::move(request), [answered, response](api::Response r) {
      *response = std::move(r);
      answered->set();
    });
    answered->wait();
    if (files_.is_dead()) {
      return {.fate = Fate::kLost};
    }
    return {.fate = Fate::kAnswered, .status = response->status, .body = std::move(response->body)};
  }

 private:
  api::Service* const& service_;
  testing::SimFileSystem& files_;
};

class Simulation {
 public:
  Simulation(const SimulateOptions& options, Recorder& recorder)
      : options_(options), recorder_(recorder), random_(options.seed), machine_(options.seed) {}

  Result<void> go() {
    Result<void> result;
    const testing::SimulationReport report = machine_.run([&] { result = rounds(); });
    if (!report.finished()) {
      return Error(ErrorCode::io, report.text);
    }
    return result;
  }

 private:
  // A server and what it needs, in the order of their making.
  struct Running {
    std::unique_ptr<api::Log> log;
    std::unique_ptr<db::Server> server;
    std::unique_ptr<api::Service> service;
  };

  Result<void> rounds() {
    make_clients();
    for (std::uint32_t round = 0; round < options_.cuts; ++round) {
      RK_TRY_ASSIGN(Running running, start());
      if (round == 0) {
        RK_TRY(create_database());
      }
      run_until_cut();
      stop_dead(std::move(running));
    }
    RK_TRY_ASSIGN(const Running running, start());
    ServiceTransport transport(service_, machine_.files());
    Client(options_.clients, random_.next(), options_.workload, transport, recorder_)
        .look_at_everything();
    return running.server->close();
  }

  void run_until_cut() {
    testing::SimFileSystem& files = machine_.files();
    files.arm_cut({.at_mutation = files.mutations() + 1 + random_.below(options_.mutations_max),
                   .phase = static_cast<testing::CutPhase>(random_.below(3)),
                   .survival = static_cast<testing::Survival>(random_.below(3))});
    std::vector<std::unique_ptr<os::Thread>> threads;
    for (const auto& client : clients_) {
      threads.push_back(machine_.platform().threads.start("client", [&client] {
        while (client->step()) {
        }
      }));
    }
    for (const auto& thread : threads) {
      thread->join();
    }
  }

  void stop_dead(Running running) {
    Operation crash;
    crash.kind = Kind::kCrash;
    crash.from = recorder_.tick();
    static_cast<void>(running.server->close());  // which fails: nothing can be written
    service_ = nullptr;
    running.service.reset();
    running.server.reset();
    machine_.files().reopen();
    crash.to = recorder_.tick();
    recorder_.add(std::move(crash));
  }

  Result<Running> start() {
    os::Platform& platform = machine_.platform();
    Running running;
    RK_TRY_ASSIGN(running.log, api::Log::open(platform, {.mode = api::LogMode::kNone}));
    db::ServerOptions server_options;
    server_options.data_dir = "data";
    server_options.reserve_bytes = 0;
    RK_TRY_ASSIGN(running.server, db::Server::open(platform, server_options));
    running.service = std::make_unique<api::Service>(*running.server, platform, *running.log,
                                                     api::ServiceOptions{});
    service_ = running.service.get();
    return running;
  }

  Result<void> create_database() {
    ServiceTransport transport(service_, machine_.files());
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

  void make_clients() {
    for (std::uint32_t number = 0; number < options_.clients; ++number) {
      transports_.push_back(std::make_unique<ServiceTransport>(service_, machine_.files()));
      clients_.push_back(std::make_unique<Client>(number, random_.next(), options_.workload,
                                                  *transports_.back(), recorder_));
    }
  }

  const SimulateOptions& options_;
  Recorder& recorder_;
  Prng random_;
  testing::SimPlatform machine_;
  api::Service* service_ = nullptr;  // of the server that runs
  std::vector<std::unique_ptr<ServiceTransport>> transports_;
  std::vector<std::unique_ptr<Client>> clients_;
};

}  // namespace

Result<void> record_simulation(const SimulateOptions& options, Recorder& recorder) {
  return Simulation(options, recorder).go();
}

}  // namespace rookery::history
