// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "rookery/api/log.h"
#include "rookery/api/service.h"
#include "rookery/api/version.h"
#include "rookery/db/server.h"
#include "rookery/edge/http_server.h"
#include "rookery/edge/worker_pool.h"
#include "rookery/os/memory_file_system.h"

#include "commands.h"
#include "configuration.h"
#include "life_watch.h"
#include "serve_settings.h"
#include "service_notifier.h"

namespace rookery::cli {

namespace {

constexpr std::uint32_t kWorkerThreads = 4;
constexpr std::size_t kWorkerQueueMax = 4096;
// In the working directory.
constexpr std::string_view kDefaultFile = "settings.json";

std::vector<std::string> environment_of_process() {
  std::vector<std::string> out;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    out.emplace_back(*entry);
  }
  return out;
}

// A database holds a few descriptors, a connection one: the usual soft limit of 1024 is used up
// soon.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    static_cast<void>(::setrlimit(RLIMIT_NOFILE, &limit));
  }
}

std::string random_id(os::Random& random) {
  std::array<std::byte, 16> bytes{};
  random.fill(bytes);
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    out += (i == 4 || i == 6 || i == 8 || i == 10) ? "-" : "";
    out += fmt::format("{:02x}", static_cast<unsigned>(bytes[i]));
  }
  return out;
}

void log_configuration(api::Log& log, const Configuration& configuration,
                       const ServeSettings& settings) {
  log.write(api::LogMode::kOperations, "server.starting",
            {{"version", std::string(api::kProductVersion)},
             {"pid", std::to_string(::getpid())},
             {"data", settings.run_in_memory ? std::string("memory") : settings.server.data_dir}});
  if (!configuration.file().empty()) {
    log.write(api::LogMode::kOperations, "config.file", {{"path", configuration.file()}});
  }
  for (const Setting& setting : configuration.changed()) {
    log.write(api::LogMode::kOperations, "config.setting",
              {{"key", setting.key}, {"value", setting.value}, {"source", setting.source}});
  }
  for (const Setting& setting : configuration.overridden()) {
    log.write(api::LogMode::kOperations, "config.overridden",
              {{"key", setting.key}, {"value", setting.value}, {"source", setting.source}});
  }
  for (const std::string& key : configuration.unknown()) {
    log.write(api::LogMode::kOperations, "config.unknown_key", {{"key", key}});
  }
  for (const std::string& key : configuration.without_effect()) {
    log.write(api::LogMode::kOperations, "config.no_effect", {{"key", key}});
  }
}

// Known keys do their work silently; the others must be seen, whatever Logs.Mode says.
void warn_of_unknown_keys(const Configuration& configuration) {
  for (const std::string& key : configuration.unknown()) {
    fmt::print(stderr, "rookery: warning: unknown configuration key {}, ignored\n", key);
  }
}

// For a person who wonders why the server does what it does.
void print_settings(const Configuration& configuration) {
  fmt::print("file: {}\n", configuration.file().empty() ? "none" : configuration.file());
  for (const Setting& setting : configuration.changed()) {
    fmt::print("{} = {}  ({})\n", setting.key, setting.value, setting.source);
  }
  for (const Setting& setting : configuration.overridden()) {
    fmt::print("overridden: {} = {}  ({})\n", setting.key, setting.value, setting.source);
  }
  for (const std::string& key : configuration.without_effect()) {
    fmt::print("without an effect yet: {}\n", key);
  }
}

// Purpose. Everything that runs, in the order in which it must be taken down again.
class RunningServer {
 public:
  RunningServer(const ServeSettings& settings, api::Log& log)
      : settings_(settings),
        log_(log),
        memory_(settings.run_in_memory ? std::make_unique<os::MemoryFileSystem>() : nullptr),
        platform_{
            memory_ != nullptr ? static_cast<os::FileSystem&>(*memory_) : os::real_platform().files,
            os::real_platform().clock, os::real_platform().random, os::real_platform().threads} {}

  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;

  ~RunningServer() { stop(); }

  Result<std::string> start() {
    RK_TRY_ASSIGN(http_, edge::HttpServer::bind(settings_.http, log_));
    db::ServerOptions options = settings_.server;
    options.log = [&log = log_](db::LogLevel level, std::string_view message) {
      static constexpr std::array<std::string_view, 3> kEvents = {"db.info", "db.warning",
                                                                  "db.error"};
      log.write(
          level == db::LogLevel::kInfo ? api::LogMode::kInformation : api::LogMode::kOperations,
          kEvents[static_cast<std::size_t>(level)], {{"message", std::string(message)}});
    };
    RK_TRY_ASSIGN(server_, db::Server::open(platform_, std::move(options)));
    pool_ = std::make_unique<edge::WorkerPool>("rk.work", kWorkerThreads, kWorkerQueueMax);
    const bool v6 = settings_.url.host.find(':') != std::string::npos;
    const std::string host = v6 ? fmt::format("[{}]", settings_.url.host) : settings_.url.host;
    const std::string url =
        settings_.public_url.value_or(fmt::format("http://{}:{}", host, http_->port()));
    api::ServiceOptions service;
    service.server_url = url;
    service.tcp_url = settings_.tcp_url.value_or("");
    service.node_tag = settings_.server.node_tag;
    service.topology_id = random_id(platform_.random);
    service.document_bytes_max = settings_.document_bytes_max;
    service.query_time_max = settings_.query_time_max;
    service.offload = [pool = pool_.get()](std::function<void()> task) {
      return pool->submit(std::move(task));
    };
    service.run_after = [http = http_.get()](std::chrono::milliseconds delay,
                                             std::function<void()> task) {
      http->run_after(delay, std::move(task));
    };
    service_ = std::make_unique<api::Service>(*server_, platform_, log_, std::move(service));
    RK_TRY(http_->serve(*service_));
    return url;
  }

  // Lets what is under way finish, in bounded time. False if something did not, or failed.
  bool stop() {
    bool clean = true;
    if (http_ != nullptr) {
      clean = http_->shutdown();
    }
    if (pool_ != nullptr) {
      pool_->stop();
    }
    if (server_ != nullptr) {
      const Result<void> closed = server_->close();
      if (!closed.has_value()) {
        log_.write(api::LogMode::kOperations, "server.close_failed",
                   {{"error", closed.error().to_string()}});
        clean = false;
      }
    }
    http_.reset();
    return clean;
  }

 private:
  const ServeSettings& settings_;
  api::Log& log_;
  std::unique_ptr<os::MemoryFileSystem> memory_;
  os::Platform platform_;
  std::unique_ptr<db::Server> server_;
  std::unique_ptr<edge::WorkerPool> pool_;
  std::unique_ptr<api::Service> service_;
  std::unique_ptr<edge::HttpServer> http_;
};

// A service manager that cannot be told may end the server later: the log must say why.
void notify(const ServiceNotifier& notifier, api::Log& log, const std::string& state) {
  if (const Result<void> sent = notifier.send(state); !sent.has_value()) {
    log.write(api::LogMode::kOperations, "service.notify_failed",
              {{"error", sent.error().to_string()}});
  }
}

std::string notify_socket() {
  // Nothing changes the environment. NOLINTNEXTLINE(concurrency-mt-unsafe)
  const char* socket = std::getenv("NOTIFY_SOCKET");
  return socket == nullptr ? std::string() : std::string(socket);
}

int serve(const Configuration& configuration, const ServeSettings& settings, LifeWatch& watch) {
  Result<std::unique_ptr<api::Log>> log = api::Log::open(os::real_platform(), settings.log);
  if (!log.has_value()) {
    print_error(log.error());
    return kExitFailed;
  }
  log_configuration(*log.value(), configuration, settings);
  RunningServer server(settings, *log.value());
  const Result<std::string> url = server.start();
  if (!url.has_value()) {
    print_error(url.error());
    return kExitFailed;
  }
  // The one line that test drivers and scripts wait for.
  fmt::print("Server available on: {}\n", *url);
  std::fflush(stdout);
  log.value()->write(api::LogMode::kOperations, "server.ready", {{"url", *url}});
  if (settings.reach > Reach::kLocal) {
    log.value()->write(
        api::LogMode::kOperations, "server.unsecured",
        {{"listens", settings.http.address},
         {"reach", settings.reach == Reach::kPublicNetwork ? "PublicNetwork" : "PrivateNetwork"}});
  }
  const ServiceNotifier notifier(notify_socket());
  notify(notifier, *log.value(), fmt::format("READY=1\nSTATUS=Serving on {}", *url));
  const StopReason reason = watch.wait();
  watch.let_signals_through();
  notify(notifier, *log.value(), "STOPPING=1\nSTATUS=Stopping");
  log.value()->write(api::LogMode::kOperations, "server.stopping",
                     {{"reason", std::string(stop_reason_name(reason))}});
  const bool clean = server.stop();
  log.value()->write(api::LogMode::kOperations, "server.stopped",
                     {{"clean", clean ? "true" : "false"}});
  return kExitOk;
}

}  // namespace

int run_serve(std::vector<std::string> arguments) {
  const bool only_print = std::erase(arguments, "--print-settings") != 0;
  const Result<Configuration> configuration =
      Configuration::load({.arguments = std::move(arguments),
                           .environment = environment_of_process(),
                           .default_file = std::string(kDefaultFile)});
  if (!configuration.has_value()) {
    print_error(configuration.error());
    return kExitUsage;
  }
  warn_of_unknown_keys(*configuration);
  if (only_print) {
    print_settings(*configuration);
  }
  const Result<ServeSettings> settings = ServeSettings::read(*configuration);
  if (!settings.has_value()) {
    print_error(settings.error());
    return kExitUsage;
  }
  if (only_print) {
    return kExitOk;
  }
  raise_descriptor_limit();
  // Before any thread: the others inherit the signals blocked here.
  Result<LifeWatch> watch = LifeWatch::begin(settings->parent_process_id);
  if (!watch.has_value()) {
    print_error(watch.error());
    return kExitFailed;
  }
  return serve(*configuration, *settings, *watch);
}

}  // namespace rookery::cli
