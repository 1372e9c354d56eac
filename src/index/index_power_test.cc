// SPDX-License-Identifier: Apache-2.0
// Power cuts while documents are written, indexed and asked for, on a disk that keeps what it likes
// of what was not synced: an index may be behind afterwards, but an answer that it calls up to date
// is right, before and after it has caught up. The planted faults at the end are found by this.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rookery/base/canary.h"
#include "rookery/base/prng.h"
#include "rookery/base/test_seed.h"
#include "rookery/testing/sim_platform.h"

#include "expected_ids.h"
#include "random_conditions.h"
#include "test_indexes.h"

namespace rookery::index {
namespace {

using rookery::testing::CutPhase;
using rookery::testing::SimCall;
using rookery::testing::SimDisk;
using rookery::testing::SimPlatform;
using rookery::testing::Survival;

constexpr int kWrites = 40;
constexpr std::uint64_t kCutOneIn = 25;

const std::vector<std::string>& queries() {
  static const std::vector<std::string> kQueries = {
      "from Users where x = 1",
      "from Users where exists(y) and x != \"a\"",
      "from Users where z >= 0",
  };
  return kQueries;
}

Settings small_batches() {
  Settings settings;
  settings.batch_documents_max = 4;
  // Every document from a snapshot of its own.
  settings.slice_time = os::Duration::zero();
  settings.items_a_look = 1;
  settings.snapshot_time_max = os::Duration::zero();
  settings.superseded_kept = std::chrono::milliseconds(2);
  settings.retry_delay = std::chrono::milliseconds(20);
  settings.wait_default = std::chrono::milliseconds(20);
  return settings;
}

// What is wrong, or nullopt. An answer that says it is stale says nothing.
std::optional<std::string> check_answers(TestIndexes& test, std::optional<os::Duration> timeout) {
  for (const std::string& text : queries()) {
    const Result<Answer> answer = test.ask(text, "{}", timeout);
    if (!answer.has_value()) {
      return text + ": " + answer.error().to_string();
    }
    const auto wanted = expected_ids(test, text, "Users");
    if (answer->is_stale()) {
      if (timeout.has_value()) {
        return text + " is stale after waiting";
      }
      continue;
    }
    if (answer->sorted_ids() != *wanted) {
      return text + " finds " + std::to_string(answer->ids().size()) + " documents of " +
             std::to_string(wanted->size());
    }
  }
  return std::nullopt;
}

struct CutPoint {
  SimDisk disk;
  std::uint64_t seed = 0;
  std::string where;
};

class Trial {
 public:
  explicit Trial(std::uint64_t seed) : seed_(seed), prng_(seed) {}

  // What was wrong, or nullopt.
  std::optional<std::string> run() {
    SimPlatform machine(seed_);
    machine.files().set_observer([&](const SimCall& call, CutPhase phase) {
      if (phase == CutPhase::kBefore || !prng_.chance(kCutOneIn)) {
        return;
      }
      const std::uint64_t seed = prng_.next();
      cuts_.push_back(
          {machine.files().cut_copy(prng_.chance(3) ? Survival::kNothing : Survival::kSubset, seed),
           seed, call.path});
    });
    const testing::SimulationReport report = machine.run([&] { live(machine); });
    if (!report.finished()) {
      return report.text;
    }
    for (const CutPoint& cut : cuts_) {
      if (finding_.has_value()) {
        break;
      }
      check(cut);
    }
    return finding_;
  }

  [[nodiscard]] std::size_t cut_count() const { return cuts_.size(); }

 private:
  void live(SimPlatform& machine) {
    Prng prng(seed_ + 1);
    RandomConditions random(prng);
    TestIndexes test(machine.platform(), small_batches(), false);
    for (int i = 0; i < kWrites && !finding_.has_value(); ++i) {
      test.write([&](doc::DocumentWriter& writer) {
        for (std::uint64_t n = 1 + prng.below(4); n > 0; --n) {
          const std::string id = "users/" + std::to_string(prng.below(12));
          if (prng.chance(3)) {
            ASSERT_TRUE(writer.erase({.id = id}).has_value());
          } else {
            TestIndexes::put_in(writer, id, random.document(), prng.chance(5) ? "Dogs" : "Users");
          }
        }
      });
      // The indexes are made one after another, so that widening is cut as well.
      const bool waits = prng.chance(4);
      const std::string& text = queries()[prng.below(1 + static_cast<std::uint64_t>(i) / 12 % 3)];
      const Result<Answer> answer = test.ask(
          text, "{}", waits ? std::optional<os::Duration>(std::chrono::seconds(60)) : std::nullopt);
      if (!answer.has_value()) {
        finding_ = text + ": " + answer.error().to_string();
      } else if (!answer->is_stale() &&
                 answer->sorted_ids() != *expected_ids(test, text, "Users")) {
        finding_ = "before any cut: " + text;
      }
      if (prng.chance(8)) {
        static_cast<void>(test.documents().maintain());
      }
    }
    test.close();
  }

  void check(const CutPoint& cut) {
    testing::SimPlatformOptions options;
    options.disk = cut.disk;
    SimPlatform machine(cut.seed, std::move(options));
    std::optional<std::string> wrong;
    const testing::SimulationReport report = machine.run([&] {
      TestIndexes test(machine.platform(), small_batches(), true);
      wrong = check_answers(test, std::nullopt);
      if (!wrong.has_value()) {
        EXPECT_TRUE(test.indexes().set_paused("", false));
        wrong = check_answers(test, std::chrono::seconds(60));
      }
      if (!wrong.has_value()) {
        const auto problems = test.indexes().verify();
        if (!problems.has_value() || !problems->empty()) {
          wrong = problems.has_value() ? problems->front() : problems.error().to_string();
        }
      }
      test.abandon();
    });
    if (!report.finished()) {
      finding_ = report.text;
    } else if (wrong.has_value()) {
      finding_ = "after a cut at " + cut.where + ": " + *wrong;
    }
  }

  const std::uint64_t seed_;
  Prng prng_;
  std::vector<CutPoint> cuts_;
  std::optional<std::string> finding_;
};

TEST(IndexPower, AnswersThatSayTheyAreUpToDateAreRightAfterAnyCut) {
  std::size_t cuts = 0;
  for (std::uint64_t i = 0; i < 4; ++i) {
    const std::uint64_t seed = test_seed() + i;
    Trial trial(seed);
    const std::optional<std::string> finding = trial.run();
    ASSERT_FALSE(finding.has_value()) << "seed " << seed << ": " << *finding;
    cuts += trial.cut_count();
  }
  EXPECT_GT(cuts, 40U);
  std::printf("%zu cuts\n", cuts);
}

// The volume is full: the index says that it is stale and goes on by itself when there is room.
TEST(IndexPower, AFullDiskMakesAnIndexWait) {
  SimPlatform machine(test_seed());
  const testing::SimulationReport report = machine.run([&] {
    TestIndexes test(machine.platform(), small_batches(), true);
    const std::string filler(2000, 'x');
    for (int i = 0; i < 60; ++i) {
      test.put("users/" + std::to_string(i),
               R"({"x":1,"y":")" + filler + std::to_string(i) + "\"}");
    }
    const Result<Answer> made = test.ask(
        "from Users where x = 1 and y != 2", "{}", std::nullopt,
        [](QueryRequest& request) { request.wait_timeout = std::chrono::milliseconds(1); });
    ASSERT_TRUE(made.has_value()) << made.error().to_string();
    machine.files().set_capacity(machine.files().used_bytes());
    ASSERT_TRUE(test.indexes().set_paused("", false));
    const Result<Answer> full =
        test.ask("from Users where x = 1", "{}", os::Duration(std::chrono::milliseconds(200)));
    ASSERT_FALSE(full.has_value());
    EXPECT_EQ(full.error().code(), ErrorCode::timed_out);
    const auto info = test.indexes().info("Auto/Users/ByxAndy");
    ASSERT_TRUE(info.has_value() && info->has_value());
    EXPECT_EQ((*info)->state, IndexState::kNormal);
    EXPECT_GT((*info)->error_count, 0U);
    machine.files().set_capacity(testing::SimFileSystemOptions::kUnlimited);
    EXPECT_EQ(test.expect("from Users where x = 1").total(), 60);
    test.close();
  });
  EXPECT_TRUE(report.finished()) << report.text;
}

// What an index holds of the journals does not depend on whether it indexes (I21).
TEST(IndexPower, AnIndexThatIsPausedOrDisabledIsFlushedAllTheSame) {
  for (const bool disabled : {false, true}) {
    SimPlatform machine(test_seed());
    const testing::SimulationReport report = machine.run([&] {
      TestIndexes test(machine.platform(), small_batches(), false);
      test.put("users/1", R"({"x":1})");
      EXPECT_EQ(test.expect("from Users where x = 1").total(), 1);
      if (disabled) {
        ASSERT_TRUE(test.indexes().set_disabled("Auto/Users/Byx", true).has_value());
      } else {
        ASSERT_TRUE(test.indexes().set_paused("", true));
      }
      std::uint64_t headers = 0;
      machine.files().set_observer([&headers](const SimCall& call, CutPhase phase) {
        const bool is_header = call.path.find("Indexes/") != std::string::npos &&
                               call.path.find("/header.") != std::string::npos;
        headers += is_header && phase == CutPhase::kBefore ? 1 : 0;
      });
      machine.clock().sleep_for(std::chrono::minutes(1));
      machine.files().set_observer(nullptr);
      EXPECT_GT(headers, 0U) << (disabled ? "disabled" : "paused");
      test.close();
    });
    EXPECT_TRUE(report.finished()) << report.text;
  }
}

#if defined(RK_SIM)
class IndexCanary : public ::testing::TestWithParam<Canary> {};

TEST_P(IndexCanary, IsFound) {
  std::optional<std::string> finding;
  for (std::uint64_t i = 0; i < 12 && !finding.has_value(); ++i) {
    set_canary(GetParam());
    finding = Trial(1000 + i).run();
    set_canary(Canary::kNone);
    if (finding.has_value()) {
      std::printf("%s found at seed %llu: %s\n", std::string(canary_name(GetParam())).c_str(),
                  static_cast<unsigned long long>(1000 + i), finding->c_str());
      EXPECT_EQ(Trial(1000 + i).run(), std::nullopt);
    }
  }
  EXPECT_TRUE(finding.has_value()) << "not found";
}

INSTANTIATE_TEST_SUITE_P(Planted, IndexCanary,
                         ::testing::Values(Canary::kIndexProgressFirst,
                                           Canary::kIndexTombstoneSkipped,
                                           Canary::kIndexWideningDropsField));
#endif

}  // namespace
}  // namespace rookery::index
