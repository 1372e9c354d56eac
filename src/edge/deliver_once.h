// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "connection.h"

// Purpose. Carries one value to its connection, from any thread.

namespace rookery::edge {

// Purpose. See the file's head. Dropped without a value it delivers one that says so: a request
// must never hang because a handler lost its callback.
// Threads: any; the first send() counts.
template <typename T>
class DeliverOnce {
 public:
  DeliverOnce(std::weak_ptr<Connection> connection, std::shared_ptr<Mailbox> mailbox, T if_dropped)
      : connection_(std::move(connection)),
        mailbox_(std::move(mailbox)),
        if_dropped_(std::move(if_dropped)) {}

  DeliverOnce(const DeliverOnce&) = delete;
  DeliverOnce& operator=(const DeliverOnce&) = delete;

  ~DeliverOnce() {
    if (!sent_.load()) {
      send(std::move(if_dropped_));
    }
  }

  void send(T value) {
    if (sent_.exchange(true)) {
      return;
    }
    // A connection may only be held, and so may only die, on its own thread.
    if (mailbox_->is_loop_thread()) {
      if (const auto connection = connection_.lock()) {
        connection->deliver(std::move(value));
      }
      return;
    }
    mailbox_->post([weak = connection_, held = std::make_shared<T>(std::move(value))] {
      if (const auto connection = weak.lock()) {
        connection->deliver(std::move(*held));
      }
    });
  }

 private:
  const std::weak_ptr<Connection> connection_;
  const std::shared_ptr<Mailbox> mailbox_;
  T if_dropped_;
  std::atomic<bool> sent_{false};
};

}  // namespace rookery::edge
