// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server_state.h"

// Purpose. What the parts of Server::State share: its workers, each a slice of one of its methods,
// and one error.

namespace rookery::db {

[[nodiscard]] inline Error unknown_database(std::string_view name) {
  return {ErrorCode::not_found, "database '" + std::string(name) + "' does not exist"};
}

class Server::State::LoadWorker final : public os::Worker {
 public:
  explicit LoadWorker(State& state) : state_(state) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "rk.load"; }

  bool run_once() override { return state_.load_one(); }

 private:
  State& state_;
};

class Server::State::TimeoutWorker final : public os::Worker {
 public:
  explicit TimeoutWorker(State& state) : state_(state) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "rk.load.wait"; }

  [[nodiscard]] os::Priority priority() const noexcept override { return os::Priority::kHigh; }

  bool run_once() override { return state_.expire_waiters(); }

 private:
  State& state_;
};

class Server::State::DeletionWorker final : public os::Worker {
 public:
  explicit DeletionWorker(State& state) : state_(state) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "rk.delete"; }

  [[nodiscard]] os::Priority priority() const noexcept override { return os::Priority::kLow; }

  bool run_once() override { return state_.delete_folders(); }

 private:
  State& state_;
};

class Server::State::IdleWorker final : public os::Worker {
 public:
  explicit IdleWorker(State& state) : state_(state) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "rk.idle"; }

  [[nodiscard]] os::Priority priority() const noexcept override { return os::Priority::kLow; }

  bool run_once() override { return state_.unload_idle(); }

 private:
  State& state_;
};

}  // namespace rookery::db
