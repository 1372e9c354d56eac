// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_set>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "rookery/edge/http_server.h"

// Purpose. One event loop on one thread, with the connections dealt to it.

namespace rookery::edge {

class Connection;

// Purpose. What the io threads share.
// Threads: constants once they run, and atomics.
struct ServerShared {
  ServerShared(const HttpLimits& the_limits, api::Log& the_log)
      : limits(the_limits), log(the_log) {}

  const HttpLimits limits;
  api::Log& log;
  api::Handler* handler = nullptr;  // set before the threads start
  std::atomic<bool> draining{false};
  std::atomic<std::uint64_t> connections_open{0};
  std::atomic<std::uint64_t> connections_accepted{0};
  std::atomic<std::uint64_t> requests{0};
  std::atomic<std::uint64_t> timed_out{0};
  std::atomic<std::uint64_t> refused{0};
  std::atomic<std::uint64_t> body_bytes{0};  // being received or held by handlers

  void connection_closed();
  // False if `limit` came before the last connection had closed.
  [[nodiscard]] bool wait_until_all_closed(std::chrono::steady_clock::time_point limit);

 private:
  std::mutex closed_mutex_;
  std::condition_variable all_closed_;
};

// Purpose. Where another thread leaves an answer. It outlives the loop, so that a handler that
// answers late finds a closed box and not a destroyed loop.
// Threads: any.
class Mailbox {
 public:
  explicit Mailbox(boost::asio::io_context& loop) : loop_(&loop) {}

  // Runs `task` on the loop's thread; drops it when the loop is closed.
  void post(std::function<void()> task);

  [[nodiscard]] bool is_loop_thread() const noexcept {
    return std::this_thread::get_id() == thread_.load(std::memory_order_relaxed);
  }

  void set_thread(std::thread::id id) noexcept { thread_.store(id, std::memory_order_relaxed); }

  void close();

 private:
  std::mutex mutex_;
  boost::asio::io_context* loop_;  // guarded by mutex_; null once closed
  std::atomic<std::thread::id> thread_{};
};

// Threads: start(), stop() and accept() by others; all else on its own thread.
class IoThread {
 public:
  using Clock = std::chrono::steady_clock;

  IoThread(ServerShared& shared, std::uint32_t index);
  IoThread(const IoThread&) = delete;
  IoThread& operator=(const IoThread&) = delete;
  ~IoThread();  // stop()

  void start();
  // Takes a fresh connection over. Any thread.
  void adopt(boost::asio::ip::tcp::socket socket);
  // Closes idle connections; the others close after their answer. Any thread.
  void drain();
  // Ends the loop, whatever it does, and joins.
  void stop();

  [[nodiscard]] boost::asio::io_context& loop() noexcept { return loop_; }

  [[nodiscard]] const std::shared_ptr<Mailbox>& mailbox() const noexcept { return mailbox_; }

  [[nodiscard]] ServerShared& shared() noexcept { return shared_; }

  // Of the Date header; refreshed several times a second.
  [[nodiscard]] const std::string& date() const noexcept { return date_; }

  void add(Connection& connection) { connections_.insert(&connection); }

  void remove(Connection& connection) { connections_.erase(&connection); }

 private:
  void sweep_later();
  void sweep();

  ServerShared& shared_;
  const std::uint32_t index_;
  std::string date_;
  // Before the loop: destroying the loop destroys connections, which leave this set.
  std::unordered_set<Connection*> connections_;
  boost::asio::io_context loop_{1};
  boost::asio::steady_timer sweep_timer_{loop_};
  std::shared_ptr<Mailbox> mailbox_;
  std::thread thread_;
};

}  // namespace rookery::edge
