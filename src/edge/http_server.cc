// SPDX-License-Identifier: Apache-2.0
#include "rookery/edge/http_server.h"

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

#include "rookery/api/errors.h"
#include "rookery/base/check.h"

#include "await.h"
#include "io_thread.h"
#include "response_writer.h"

namespace rookery::edge {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr std::chrono::milliseconds kAcceptPause{100};

Error to_error(const error_code& error, const HttpServerOptions& options) {
  const ErrorCode code = error == asio::error::address_in_use ? ErrorCode::busy
                         : error == boost::system::errc::address_not_available ||
                                 error == asio::error::host_not_found ||
                                 error == asio::error::access_denied
                             ? ErrorCode::invalid_argument
                             : ErrorCode::io;
  return {code,
          fmt::format("cannot listen on {}:{}: {}", options.address, options.port, error.message()),
          error.category() == boost::system::system_category() ? error.value() : 0};
}

}  // namespace

class HttpServer::State {
 public:
  State(const HttpServerOptions& options, api::Log& log) : shared_(options.limits, log) {
    const std::uint32_t count = options.thread_count != 0
                                    ? options.thread_count
                                    : std::max(1U, std::thread::hardware_concurrency());
    for (std::uint32_t i = 0; i < count; ++i) {
      threads_.push_back(std::make_unique<IoThread>(shared_, i));
    }
    acceptor_ = std::make_unique<asio::ip::tcp::acceptor>(threads_.front()->loop());
  }

  State(const State&) = delete;
  State& operator=(const State&) = delete;

  ~State() {
    shutdown();
    // Its loop must outlive it.
    acceptor_.reset();
  }

  Result<void> listen(const HttpServerOptions& options) {
    error_code error;
    asio::ip::tcp::endpoint endpoint;
    const auto address = asio::ip::make_address(options.address, error);
    if (!error) {
      endpoint = {address, options.port};
    } else {
      asio::ip::tcp::resolver resolver(threads_.front()->loop());
      const auto found = resolver.resolve(asio::ip::tcp::v4(), options.address,
                                          std::to_string(options.port), error);
      if (error) {
        return to_error(error, options);
      }
      endpoint = *found.begin();
    }
    acceptor_->open(endpoint.protocol(), error);
    if (!error) {
      // On Linux this lets a port in TIME_WAIT be used again and never shares it with a listener.
      acceptor_->set_option(asio::socket_base::reuse_address(true), error);
    }
    if (!error) {
      acceptor_->bind(endpoint, error);
    }
    if (!error) {
      acceptor_->listen(asio::socket_base::max_listen_connections, error);
    }
    if (!error) {
      port_ = acceptor_->local_endpoint(error).port();
    }
    return error ? Result<void>(to_error(error, options)) : Result<void>();
  }

  void run(api::Handler& handler) {
    RK_CHECK(shared_.handler == nullptr);
    shared_.handler = &handler;
    asio::co_spawn(threads_.front()->loop(), accept_all(), asio::detached);
    for (const auto& thread : threads_) {
      thread->start();
    }
    running_ = true;
  }

  bool shutdown() {
    if (!running_) {
      return true;
    }
    running_ = false;
    shared_.draining.store(true);
    threads_.front()->mailbox()->post([this] {
      error_code ignored;
      acceptor_->close(ignored);
    });
    for (const auto& thread : threads_) {
      thread->drain();
    }
    const bool clean =
        shared_.wait_until_all_closed(IoThread::Clock::now() + shared_.limits.drain_time_max);
    for (const auto& thread : threads_) {
      thread->stop();
    }
    return clean;
  }

  void run_after(std::chrono::milliseconds delay, std::function<void()> task) {
    IoThread& thread = *threads_.front();
    thread.mailbox()->post([&thread, delay, task = std::move(task)] {
      auto timer = std::make_shared<asio::steady_timer>(thread.loop(), delay);
      timer->async_wait([timer, task](const error_code& error) {
        if (!error) {
          task();
        }
      });
    });
  }

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

  [[nodiscard]] HttpServerStats stats() const noexcept {
    return {.connections_open = shared_.connections_open.load(),
            .connections_accepted = shared_.connections_accepted.load(),
            .requests = shared_.requests.load(),
            .timed_out = shared_.timed_out.load(),
            .refused = shared_.refused.load()};
  }

 private:
  asio::awaitable<void> accept_all() {
    std::size_t next = 0;
    while (!shared_.draining.load()) {
      IoThread& target = *threads_[next++ % threads_.size()];
      auto [error, socket] = co_await acceptor_->async_accept(
          asio::any_io_executor(target.loop().get_executor()), kAwait);
      if (error == asio::error::operation_aborted || error == asio::error::bad_descriptor) {
        co_return;
      }
      if (error) {
        // Out of descriptors, most likely: the connection stays in the backlog, so look again later
        // instead of spinning on it.
        log_accept_failure(error);
        asio::steady_timer pause(threads_.front()->loop(), kAcceptPause);
        co_await pause.async_wait(kAwait);
        continue;
      }
      shared_.connections_accepted.fetch_add(1);
      if (shared_.connections_open.load() >= shared_.limits.connection_count_max) {
        turn_away(socket);
        continue;
      }
      shared_.connections_open.fetch_add(1);
      target.adopt(std::move(socket));
    }
  }

  void log_accept_failure(const error_code& error) {
    shared_.log.write(api::LogMode::kOperations, "http.accept_failed",
                      {{"error", error.message()}});
  }

  void turn_away(asio::ip::tcp::socket& socket) {
    shared_.refused.fetch_add(1);
    const api::Response response = api::error_response(
        api::Fault::kBusy, "", "the server has as many connections as it may have");
    std::string text;
    append_head(text, response, {.keep_alive = false});
    text += response.body;
    // It fits into the socket's empty buffer, so this never waits; what fails is the client's loss.
    error_code ignored;
    socket.non_blocking(true, ignored);
    socket.write_some(asio::buffer(text), ignored);
    socket.close(ignored);
  }

  ServerShared shared_;
  std::vector<std::unique_ptr<IoThread>> threads_;
  std::unique_ptr<asio::ip::tcp::acceptor> acceptor_;
  std::uint16_t port_ = 0;
  bool running_ = false;
};

HttpServer::HttpServer(std::unique_ptr<State> state) : state_(std::move(state)) {}

HttpServer::~HttpServer() = default;

Result<std::unique_ptr<HttpServer>> HttpServer::bind(const HttpServerOptions& options,
                                                     api::Log& log) {
  try {
    auto state = std::make_unique<State>(options, log);
    RK_TRY(state->listen(options));
    return std::unique_ptr<HttpServer>(new HttpServer(std::move(state)));
  } catch (const std::exception& e) {
    return Error(ErrorCode::io, fmt::format("cannot start the HTTP server: {}", e.what()));
  }
}

Result<void> HttpServer::serve(api::Handler& handler) {
  try {
    state_->run(handler);
    return {};
  } catch (const std::exception& e) {
    return Error(ErrorCode::io, fmt::format("cannot start the HTTP server: {}", e.what()));
  }
}

std::uint16_t HttpServer::port() const noexcept {
  return state_->port();
}

HttpServerStats HttpServer::stats() const noexcept {
  return state_->stats();
}

void HttpServer::run_after(std::chrono::milliseconds delay, std::function<void()> task) {
  state_->run_after(delay, std::move(task));
}

bool HttpServer::shutdown() {
  return state_->shutdown();
}

}  // namespace rookery::edge
