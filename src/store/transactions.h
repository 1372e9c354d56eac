// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "rookery/store/environment.h"

#include "catalog_cache.h"
#include "engine.h"
#include "write_context.h"

// Purpose. What is behind ReadTxn and WriteTxn: pages, and the structures opened by name. Trees
// hold on to these objects, which stay where they are when the transaction object moves.

namespace rookery::store {

class ReadTxn::Rep final : public PageReader {
 public:
  Rep(Engine& engine, const StateChain::Snapshot& snapshot)
      : engine_(engine),
        snapshot_(snapshot),
        opened_(engine.read_clock()),
        catalog_(*this, snapshot.state->meta.catalog) {}

  ~Rep() override { engine_.end_read(snapshot_); }

  [[nodiscard]] Result<PageView> page(PageNo number) override {
    RK_TRY(engine_.check_age(opened_));
    return read_page(*snapshot_.state, number);
  }

  [[nodiscard]] const EnvironmentState& state() const noexcept { return *snapshot_.state; }

  [[nodiscard]] CatalogCache& catalog() noexcept { return catalog_; }

 private:
  Engine& engine_;
  const StateChain::Snapshot snapshot_;
  const os::MonotonicTime opened_;
  CatalogCache catalog_;
};

class WriteTxn::Rep {
 public:
  Rep(Engine& engine, std::unique_ptr<WriteContext> context, std::uint64_t generation)
      : engine_(engine), context_(std::move(context)), generation_(generation) {}

  Rep(const Rep&) = delete;
  Rep& operator=(const Rep&) = delete;

  ~Rep() { roll_back(); }

  // Requires: neither committed nor rolled back.
  [[nodiscard]] WriteContext& context() noexcept {
    RK_CHECK(context_ != nullptr);
    return *context_;
  }

  void allow_reserve() noexcept { allow_reserve_ = true; }

  void roll_back() {
    if (context_ != nullptr) {
      engine_.roll_back(std::move(context_));
    }
  }

  [[nodiscard]] Result<TxnId> commit() {
    RK_CHECK(context_ != nullptr);
    return engine_.commit_and_wait(std::move(context_), generation_, allow_reserve_);
  }

  [[nodiscard]] Result<TxnId> commit_async(Engine::CommitCallback done) {
    RK_CHECK(context_ != nullptr);
    return engine_.enqueue(std::move(context_), generation_, allow_reserve_, std::move(done));
  }

 private:
  Engine& engine_;
  std::unique_ptr<WriteContext> context_;
  std::uint64_t generation_;
  bool allow_reserve_ = false;
};

}  // namespace rookery::store
