// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "rookery/base/prng.h"
#include "rookery/base/test_seed.h"
#include "rookery/store/environment.h"
#include "rookery/testing/sim_platform.h"

// Purpose. What tests of the engine share: an environment on a lying disk, a key-value workload on
// a tree, and the model that it is compared with.

namespace rookery::store {

// "" if ok, so that a failed expectation prints the error.
template <typename T>
[[nodiscard]] std::string error_of(const Result<T>& result) {
  return result ? std::string() : result.error().to_string();
}

using Model = std::map<std::string, std::string>;

inline EnvironmentOptions small_options() {
  EnvironmentOptions options;
  options.path = "db";
  options.journal_size_first_bytes = 64 * 1024;
  options.journal_size_max_bytes = 256 * 1024;
  options.scratch_memory_bytes_max = 4 * 1024 * 1024;
  options.scratch_total_bytes_max = 16 * 1024 * 1024;
  return options;
}

inline std::string random_text(Prng& prng, std::size_t size) {
  std::string text(size, '\0');
  for (char& c : text) {
    c = static_cast<char>('a' + prng.below(16));
  }
  return text;
}

// Some puts and erases, the same in the transaction and in the model.
inline Result<void> random_changes(WriteTxn& txn, Model& model, Prng& prng) {
  RK_TRY_ASSIGN(MutableTree tree, txn.tree("items"));
  const std::uint64_t count = 1 + prng.below(8);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string key = "key-" + std::to_string(prng.below(200));
    if (prng.chance(3)) {
      RK_TRY(tree.erase(as_bytes(key)));
      model.erase(key);
    } else {
      // One in eight lies over several pages.
      const std::size_t size = prng.chance(8) ? 9000 + prng.below(60'000) : prng.below(600);
      std::string value = random_text(prng, size);
      RK_TRY(tree.put(as_bytes(key), as_bytes(value)));
      model[key] = std::move(value);
    }
  }
  return {};
}

// Whatever a snapshot holds under "items".
inline Result<Model> contents(ReadTxn& txn) {
  RK_TRY_ASSIGN(const Tree tree, txn.tree("items"));
  Model model;
  TreeCursor cursor = tree.cursor();
  RK_TRY_ASSIGN(bool more, cursor.first());
  while (more) {
    RK_TRY_ASSIGN(const TreeEntry entry, cursor.entry());
    model[std::string(as_text(entry.key))] = std::string(as_text(entry.value));
    RK_TRY_ASSIGN(more, cursor.next());
  }
  return model;
}

inline Result<Model> contents(Environment& environment) {
  RK_TRY_ASSIGN(ReadTxn txn, environment.begin_read());
  return contents(txn);
}

// Puts one key and commits.
inline Result<TxnId> put(Environment& environment, const std::string& key,
                         const std::string& value) {
  RK_TRY_ASSIGN(WriteTxn txn, environment.begin_write());
  RK_TRY_ASSIGN(MutableTree tree, txn.tree("items"));
  RK_TRY(tree.put(as_bytes(key), as_bytes(value)));
  return txn.commit();
}

class EngineTest : public ::testing::Test {
 protected:
  void TearDown() override { environment_.reset(); }

  // Never a reason to see old state: opens what is on the disk.
  void open(EnvironmentOptions options = small_options()) {
    auto opened = try_open(std::move(options));
    ASSERT_EQ(error_of(opened), "");
    environment_ = std::move(opened).value();
  }

  Result<std::unique_ptr<Environment>> try_open(EnvironmentOptions options = small_options()) {
    return Environment::open(sim_.platform(), std::move(options));
  }

  // As a process that dies: what it wrote is still in the caches of the machine. (A copy of the
  // folder's state is not needed: everything in flight is lost with the process.)
  void cut_power(testing::Survival survival = testing::Survival::kNothing) {
    files().power_cut(survival);
    environment_.reset();
    files().reopen();
  }

  void expect_sound() {
    const auto report = environment_->verify();
    ASSERT_EQ(error_of(report), "");
    for (const std::string& problem : report->problems) {
      ADD_FAILURE() << problem;
    }
  }

  void expect_contents(const Model& expected) {
    const auto found = contents(*environment_);
    ASSERT_EQ(error_of(found), "");
    ASSERT_EQ(found->size(), expected.size());
    ASSERT_TRUE(*found == expected);
  }

  testing::SimFileSystem& files() { return sim_.files(); }

  Environment& env() { return *environment_; }

  testing::SimPlatform sim_{test_seed()};
  std::unique_ptr<Environment> environment_;
};

}  // namespace rookery::store
