// SPDX-License-Identifier: Apache-2.0
// The merger under a seeded scheduler, on a disk that fails: what was told to be stored is stored,
// what was told not to be is not, each batch hears once, and neighbours and order are kept.
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rookery/base/prng.h"
#include "rookery/base/test_seed.h"
#include "rookery/db/database.h"
#include "rookery/testing/sim_platform.h"

#include "test_server.h"

namespace rookery::db {
namespace {

using Answers = std::vector<std::optional<Result<BatchResult>>>;

struct Load {
  std::size_t clients = 3;
  std::size_t batches_each = 12;
};

DatabaseOptions options() {
  DatabaseOptions options;
  options.name = "db";
  options.environment.path = "db";
  options.limits.batches_per_txn_max = 4;
  return options;
}

std::string id_of(std::size_t batch) {
  return "d/" + std::to_string(batch);
}

// One in four does what must fail, at its first or at its last command; one in eight deletes what
// is not there.
enum class Kind : std::uint8_t { kGood, kConflictFirst, kConflictLast, kNothing };

Kind kind_of(std::size_t batch, std::uint64_t seed) {
  Prng random(seed * 7919 + batch);
  const std::uint64_t draw = random.below(8);
  return draw == 0   ? Kind::kConflictFirst
         : draw == 1 ? Kind::kConflictLast
         : draw == 2 ? Kind::kNothing
                     : Kind::kGood;
}

std::vector<Command> commands_of(std::size_t batch, Kind kind) {
  switch (kind) {
    case Kind::kGood:
      return commands(put(id_of(batch)), put("counter/" + std::to_string(batch % 3)));
    case Kind::kConflictFirst:
      return commands(put("taken", "{}", ""), put(id_of(batch)));
    case Kind::kConflictLast:
      return commands(put(id_of(batch)), put("taken", "{}", ""));
    case Kind::kNothing:
      return commands(erase("nothing"));
  }
  return {};
}

class Trial {
 public:
  Trial(std::uint64_t seed, const Load& load) : seed_(seed), load_(load), machine_(seed) {}

  testing::SimFileSystem& files() { return machine_.files(); }

  // Runs the load, with `arm` called once the database is open, and compares what is there
  // afterwards, read through a fresh opening, with what clients were told.
  void go(const std::function<void()>& arm) {
    SCOPED_TRACE("seed " + std::to_string(seed_));
    answers_.resize(load_.clients * load_.batches_each);
    const testing::SimulationReport report = machine_.run([&] {
      write(arm);
      compare();
    });
    EXPECT_TRUE(report.finished()) << report.text;
  }

  std::map<ErrorCode, int> errors() const {
    std::map<ErrorCode, int> counts;
    for (const auto& answer : answers_) {
      if (answer.has_value() && !answer->has_value()) {
        ++counts[answer->error().code()];
      }
    }
    return counts;
  }

 private:
  std::unique_ptr<Database> open(os::Executor& foreground, os::Executor& background) {
    Result<std::unique_ptr<Database>> database =
        Database::open(machine_.platform(), {foreground, background, background}, options());
    EXPECT_TRUE(database.has_value()) << database.error().to_string();
    return database.has_value() ? std::move(*database) : nullptr;
  }

  void write(const std::function<void()>& arm) {
    os::Executor foreground(machine_.platform(), "fore", 2);
    os::Executor background(machine_.platform(), "back", 1);
    const std::unique_ptr<Database> database = open(foreground, background);
    ASSERT_NE(database, nullptr);
    ASSERT_TRUE(database->execute(commands(put("taken"))).has_value());
    arm();
    {
      std::vector<std::unique_ptr<os::Thread>> clients;
      for (std::size_t client = 0; client < load_.clients; ++client) {
        clients.push_back(machine_.platform().threads.start("client", [this, &database, client] {
          for (std::size_t i = 0; i < load_.batches_each; ++i) {
            submit(*database, client * load_.batches_each + i);
            static_cast<void>(
                machine_.platform().clock.monotonic());  // a point where others may run
          }
        }));
      }
    }
    static_cast<void>(database->close());  // answers all of them; on a bad disk it fails
    files().clear_faults();
    for (std::size_t batch = 0; batch < answers_.size(); ++batch) {
      EXPECT_TRUE(answers_[batch].has_value()) << "batch " << batch << " was never answered";
    }
  }

  void submit(Database& database, std::size_t batch) {
    database.submit(
        {commands_of(batch, kind_of(batch, seed_)), [this, batch](Result<BatchResult> result) {
           EXPECT_FALSE(answers_[batch].has_value()) << "answered twice";
           answers_[batch].emplace(std::move(result));
         }});
  }

  void compare() {
    os::Executor foreground(machine_.platform(), "fore", 1);
    os::Executor background(machine_.platform(), "back", 1);
    const std::unique_ptr<Database> database = open(foreground, background);
    ASSERT_NE(database, nullptr);
    for (std::size_t batch = 0; batch < answers_.size(); ++batch) {
      const bool is_there = !stored(*database, id_of(batch)).empty();
      const Result<BatchResult>& answer = *answers_[batch];
      const Kind kind = kind_of(batch, seed_);
      SCOPED_TRACE("batch " + std::to_string(batch) + " was told " +
                   (answer.has_value() ? "ok" : answer.error().to_string()));
      if (kind != Kind::kGood) {
        EXPECT_FALSE(is_there);
        EXPECT_FALSE(answer.has_value() && kind != Kind::kNothing);
      } else if (answer.has_value()) {
        EXPECT_TRUE(is_there);
      } else if (answer.error().code() != ErrorCode::outcome_unknown) {
        EXPECT_FALSE(is_there);
      }
    }
    const Result<store::VerifyReport> report = database->verify();
    ASSERT_TRUE(report.has_value());
    EXPECT_EQ(report->problems, std::vector<std::string>{});
    EXPECT_TRUE(database->close().has_value());
  }

  const std::uint64_t seed_;
  const Load load_;
  testing::SimPlatform machine_;
  Answers answers_;
};

TEST(MergerSim, KeepsItsWordOnASoundDisk) {
  for (std::uint64_t i = 0; i < 10; ++i) {
    Trial trial(test_seed() + i, {});
    trial.go([] {});
    for (const auto& [code, count] : trial.errors()) {
      EXPECT_EQ(code, ErrorCode::concurrency);
    }
    if (HasFailure()) {
      return;
    }
  }
}

// The n-th write to a journal fails, for each n: with nothing written, partly written, or all of it
// written and yet an error.
TEST(MergerSim, KeepsItsWordWhenJournalWritesFail) {
  int not_stored = 0;
  for (std::uint64_t n = 0; n < 12; ++n) {
    for (const testing::FaultEffect effect :
         {testing::FaultEffect::kFail, testing::FaultEffect::kFailPartly,
          testing::FaultEffect::kFailButPersist}) {
      SCOPED_TRACE("write " + std::to_string(n));
      Trial trial(test_seed() + n, {});
      trial.go([&] {
        trial.files().add_fault({.kind = testing::CallKind::kWrite,
                                 .path_contains = "Journals/",
                                 .skip = n,
                                 .times = 1,
                                 .effect = effect});
      });
      const std::map<ErrorCode, int> errors = trial.errors();
      not_stored += errors.contains(ErrorCode::not_stored) ? 1 : 0;
      if (HasFailure()) {
        return;
      }
    }
  }
  // Else the faults hit nothing and this test shows nothing.
  EXPECT_GE(not_stored, 6);
}

// Every write to a journal fails for good: all hear of it, reads go on.
TEST(MergerSim, TellsEveryoneWhenTheDiskIsGone) {
  Trial trial(test_seed(), {});
  trial.go([&] {
    trial.files().add_fault({.mutating_only = true, .times = testing::FaultRule::kForever});
  });
  const std::map<ErrorCode, int> errors = trial.errors();
  int lost = 0;
  for (const auto& [code, count] : errors) {
    lost += code == ErrorCode::concurrency ? 0 : count;
  }
  EXPECT_GE(lost, 1);
}

}  // namespace
}  // namespace rookery::db
