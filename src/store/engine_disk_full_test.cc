// SPDX-License-Identifier: Apache-2.0
// A full disk below the engine, with a reserve on it: who is refused, and who goes on.
#include <algorithm>

#include <gtest/gtest.h>

#include "rookery/store/space_reserve.h"

#include "engine_test_fixture.h"

namespace rookery::store {
namespace {

using testing::CallKind;
using testing::FaultEffect;
using testing::FaultRule;

constexpr std::uint64_t kVolume = 24 * 1024 * 1024;

class EngineDiskFullTest : public EngineTest {
 protected:
  void SetUp() override { files().set_capacity(kVolume); }

  // The environment uses the reserve to its end.
  void TearDown() override {
    environment_.reset();
    reserve_.reset();
  }

  void start() {
    auto made = SpaceReserve::open(sim_.platform(), "reserve", 512 * 1024);
    ASSERT_EQ(error_of(made), "");
    reserve_ = std::move(made).value();
    EnvironmentOptions options = small_options();
    options.reserve = reserve_.get();
    open(options);
  }

  void stop() {
    ASSERT_EQ(error_of(env().close()), "");
    environment_.reset();
    reserve_.reset();
  }

  std::string noise(std::size_t size) {
    std::string text(size, '\0');
    for (char& c : text) {
      c = static_cast<char>(prng_.next());
    }
    return text;
  }

  // Until a put is refused. Maintenance comes by now and then, as in life: never just in time.
  void fill() {
    for (int i = 0; i < 10'000; ++i) {
      const std::string key = "k" + std::to_string(next_key_++);
      const std::string value = noise(500 + prng_.below(20'000));
      const auto done = put(env(), key, value);
      if (!done) {
        EXPECT_EQ(done.error().code(), ErrorCode::no_space) << done.error().to_string();
        return;
      }
      model_[key] = value;
      if (prng_.chance(20)) {
        static_cast<void>(env().maintain());
      }
    }
    FAIL() << "the volume was never full";
  }

  void take_what_is_left() { files().set_capacity(files().used_bytes()); }

  // Twice, as whoever runs a batch alone that failed in company: the first one may learn that Temp/
  // has no room.
  Result<TxnId> erase(const std::string& key) {
    auto erased = try_erase(key);
    return erased ? std::move(erased) : try_erase(key);
  }

  Result<TxnId> try_erase(const std::string& key) {
    RK_TRY_ASSIGN(WriteTxn txn, env().begin_write());
    txn.allow_reserve();
    RK_TRY_ASSIGN(MutableTree tree, txn.tree("items"));
    RK_TRY(tree.erase(as_bytes(key)));
    return txn.commit();
  }

  void erase_one_in(std::uint64_t share) {
    for (auto entry = model_.begin(); entry != model_.end();) {
      if (!prng_.chance(share)) {
        ++entry;
        continue;
      }
      ASSERT_EQ(error_of(erase(entry->first)), "");
      entry = model_.erase(entry);
      if (prng_.chance(10)) {
        static_cast<void>(env().maintain());
      }
    }
  }

  std::unique_ptr<SpaceReserve> reserve_;
  Prng prng_{test_seed()};
  Model model_;
  int next_key_ = 0;
};

TEST_F(EngineDiskFullTest, DeletesGoOnAtZeroBytesBeforeAndAfterAStart) {
  start();
  fill();
  ASSERT_GT(model_.size(), 200U);
  take_what_is_left();
  erase_one_in(3);
  expect_contents(model_);
  // What the deletes freed lies in the data file, and is enough to write again.
  if (!put(env(), "small", "1")) {  // the first may learn that Temp/ has no room
    ASSERT_EQ(error_of(put(env(), "small", "1")), "");
  }
  model_["small"] = "1";
  stop();
  take_what_is_left();  // what the stop gave back, somebody else has taken
  start();
  expect_contents(model_);
  erase_one_in(3);
  expect_contents(model_);
  stop();
  take_what_is_left();
  start();
  expect_contents(model_);
  EXPECT_EQ(put(env(), "more", noise(1000)).error().code(), ErrorCode::no_space);
  files().set_capacity(2 * kVolume);
  ASSERT_EQ(error_of(env().maintain()), "");
  EXPECT_FALSE(reserve_->disk_full());
  ASSERT_EQ(error_of(put(env(), "big", noise(100'000))), "");
  expect_sound();
}

TEST_F(EngineDiskFullTest, NothingAcknowledgedLacksRoomAtHome) {
  start();
  fill();
  take_what_is_left();
  ASSERT_EQ(error_of(env().sync_all()), "");
  EXPECT_EQ(env().stats().unsynced_pages, 0U);
  expect_sound();
}

TEST_F(EngineDiskFullTest, WhatIsRefusedLeavesNothing) {
  start();
  fill();
  expect_contents(model_);
  cut_power();
  reserve_.reset();
  files().set_capacity(kVolume);
  start();
  expect_contents(model_);
  expect_sound();
}

// A thin device: what it has no room for is told by fdatasync.
TEST_F(EngineDiskFullTest, DeletesGoOnWhileADataSyncHasNoSpace) {
  start();
  ASSERT_EQ(error_of(put(env(), "a", "1")), "");
  ASSERT_EQ(error_of(put(env(), "b", "2")), "");
  FaultRule rule;
  rule.kind = CallKind::kSync;
  rule.path_contains = "data.rks";
  rule.effect = FaultEffect::kFailAndForget;
  rule.times = FaultRule::kForever;
  rule.os_errno = ENOSPC;
  const auto fault = files().add_fault(rule);
  EXPECT_EQ(env().sync_all().error().code(), ErrorCode::no_space);
  EXPECT_EQ(put(env(), "c", "3").error().code(), ErrorCode::no_space);
  ASSERT_EQ(error_of(erase("a")), "");
  expect_contents({{"b", "2"}});
  files().remove_fault(fault);
  ASSERT_EQ(error_of(env().sync_all()), "");
  ASSERT_EQ(error_of(put(env(), "c", "3")), "");
  files().drop_caches();
  cut_power();
  reserve_.reset();
  start();
  expect_contents({{"b", "2"}, {"c", "3"}});
  expect_sound();
}

// What little a thin device has got back is for the sync that waits, not for a big new journal.
TEST_F(EngineDiskFullTest, NoJournalIsMadeAheadWhileADataSyncHasNoSpace) {
  start();
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(error_of(put(env(), "k" + std::to_string(i), "v")), "");
  }
  FaultRule rule;
  rule.kind = CallKind::kSync;
  rule.path_contains = "data.rks";
  rule.effect = FaultEffect::kFailAndForget;
  rule.times = FaultRule::kForever;
  rule.os_errno = ENOSPC;
  const auto fault = files().add_fault(rule);
  EXPECT_FALSE(env().sync_all().has_value());
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(error_of(erase("k" + std::to_string(i))), "");
  }
  const auto made_ahead = [&] {
    const auto names = files().list("db/Journals").value();
    return std::count_if(names.begin(), names.end(),
                         [](const std::string& name) { return name.starts_with("spare"); });
  };
  static_cast<void>(env().maintain());
  EXPECT_EQ(made_ahead(), 0);
  files().remove_fault(fault);
  ASSERT_EQ(error_of(env().sync_all()), "");
  static_cast<void>(env().maintain());
  EXPECT_EQ(made_ahead(), 1);
}

}  // namespace
}  // namespace rookery::store
