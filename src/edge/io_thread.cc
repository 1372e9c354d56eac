// SPDX-License-Identifier: Apache-2.0
#include "io_thread.h"

#include <exception>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <pthread.h>

#include "connection.h"

namespace rookery::edge {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::milliseconds kSweepInterval{100};

std::string http_date() {
  return fmt::format(
      "{:%a, %d %b %Y %H:%M:%S GMT}",
      fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

}  // namespace

void ServerShared::connection_closed() {
  // Under the lock, or the waiter could look before and sleep after.
  const std::lock_guard lock(closed_mutex_);
  if (connections_open.fetch_sub(1) == 1) {
    all_closed_.notify_all();
  }
}

bool ServerShared::wait_until_all_closed(std::chrono::steady_clock::time_point limit) {
  std::unique_lock lock(closed_mutex_);
  return all_closed_.wait_until(lock, limit, [this] { return connections_open.load() == 0; });
}

void Mailbox::post(std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  if (loop_ != nullptr) {
    asio::post(*loop_, std::move(task));
  }
}

void Mailbox::close() {
  const std::lock_guard lock(mutex_);
  loop_ = nullptr;
}

IoThread::IoThread(ServerShared& shared, std::uint32_t index)
    : shared_(shared),
      index_(index),
      date_(http_date()),
      mailbox_(std::make_shared<Mailbox>(loop_)) {}

IoThread::~IoThread() {
  stop();
}

void IoThread::start() {
  sweep_later();
  thread_ = std::thread([this] {
    mailbox_->set_thread(std::this_thread::get_id());
    for (;;) {
      try {
        loop_.run();
        return;
      } catch (const std::exception& e) {
        // Nothing is known to throw out of a handler here; a loop that dies would be worse.
        shared_.log.write(api::LogMode::kOperations, "http.loop_failed", {{"error", e.what()}});
      }
    }
  });
  static_cast<void>(
      ::pthread_setname_np(thread_.native_handle(), fmt::format("rk.io.{}", index_).c_str()));
}

void IoThread::adopt(asio::ip::tcp::socket socket) {
  asio::post(loop_, [this, socket = std::move(socket)]() mutable {
    auto connection = std::make_shared<Connection>(*this, std::move(socket));
    // The lambda's frame holds the connection for as long as its coroutine runs.
    asio::co_spawn(
        loop_, [connection]() -> asio::awaitable<void> { co_await connection->run(); },
        asio::detached);
  });
}

void IoThread::drain() {
  mailbox_->post([this] {
    for (Connection* connection : connections_) {
      connection->close_if_idle();
    }
  });
}

void IoThread::stop() {
  mailbox_->close();
  loop_.stop();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void IoThread::sweep_later() {
  sweep_timer_.expires_after(kSweepInterval);
  sweep_timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) {
      sweep();
      sweep_later();
    }
  });
}

void IoThread::sweep() {
  date_ = http_date();
  const Clock::time_point now = Clock::now();
  for (Connection* connection : connections_) {
    connection->check_deadline(now);
  }
}

}  // namespace rookery::edge
