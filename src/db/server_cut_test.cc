// SPDX-License-Identifier: Apache-2.0
// The power is cut at calls all through creating, writing, disabling and dropping databases. After
// each cut a server starts on what survived: what was acknowledged holds, what was under way has
// happened whole or not at all, no folder is left over, and every name can be used.
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rookery/base/prng.h"
#include "rookery/base/test_seed.h"
#include "rookery/testing/sim_platform.h"

#include "test_server.h"

namespace rookery::db {
namespace {

// What must be true of one name.
struct Expected {
  bool exists = false;
  bool disabled = false;
  std::set<std::string> documents;  // absent: what the next of that name finds (a soft drop)

  friend bool operator==(const Expected&, const Expected&) = default;

  [[nodiscard]] std::string text() const {
    std::string all = exists ? (disabled ? "disabled with" : "there with") : "absent";
    for (const std::string& id : documents) {
      all += " " + id;
    }
    return all;
  }
};

using World = std::map<std::string, Expected>;

// The world before and after the operation that is under way: each name may be as in either.
struct Knowledge {
  World before;
  World after;
};

struct Fork {
  testing::SimDisk disk;
  Knowledge knowledge;
  std::string at;
};

ServerOptions server_options() {
  ServerOptions options;
  options.data_dir = "data";
  options.reserve_bytes = 0;
  return options;
}

// A script of operations, each of which tells `knowledge` what it is about to do and has done.
class Script {
 public:
  Script(Server& server, Knowledge& knowledge) : server_(server), knowledge_(knowledge) {}

  void create(const std::string& name) {
    begin(name, [](Expected& now) { now.exists = true; });
    EXPECT_TRUE(server_.put_database(name, no_record(), std::nullopt).has_value());
    end();
  }

  void write(const std::string& name, const std::string& id) {
    begin(name, [&](Expected& now) { now.documents.insert(id); });
    const Result<DatabaseRef> database = server_.acquire_and_wait(name);
    ASSERT_TRUE(database.has_value()) << database.error().to_string();
    EXPECT_TRUE((*database)->execute(commands(put(id))).has_value());
    end();
  }

  void disable(const std::string& name, bool disabled) {
    begin(name, [&](Expected& now) { now.disabled = disabled; });
    EXPECT_TRUE(server_.set_disabled(name, disabled).has_value());
    end();
  }

  void drop(const std::string& name) {
    begin(name, [](Expected& now) { now = {}; });
    EXPECT_TRUE(server_.drop_database(name, true).has_value());
    end();
  }

  void drop_softly(const std::string& name) {
    begin(name, [](Expected& now) {
      now.exists = false;
      now.disabled = false;
    });
    EXPECT_TRUE(server_.drop_database(name, false).has_value());
    end();
  }

 private:
  void begin(const std::string& name, const std::function<void(Expected&)>& change) {
    change(knowledge_.after[name]);
    knowledge_.before[name];
  }

  void end() { knowledge_.before = knowledge_.after; }

  Server& server_;
  Knowledge& knowledge_;
};

void run_script(os::Platform& platform, Knowledge& knowledge) {
  Result<std::unique_ptr<Server>> server = Server::open(platform, server_options());
  ASSERT_TRUE(server.has_value()) << server.error().to_string();
  Script script(**server, knowledge);
  script.create("a");
  script.write("a", "1");
  script.create("soft");
  script.write("soft", "1");
  script.drop_softly("soft");
  script.create("b");
  script.write("b", "1");
  script.write("b", "2");
  script.create("soft");
  script.drop("a");
  script.create("a");
  script.write("a", "other");
  script.disable("b", true);
  script.drop("b");
  script.disable("a", true);
  script.disable("a", false);
  script.create("new");
  script.drop_softly("new");
  EXPECT_TRUE((*server)->close().has_value());
}

// What is true of the name now.
Expected look_at(Server& server, const std::string& name) {
  Expected found;
  const Result<std::optional<DatabaseRecord>> record = server.record(name);
  EXPECT_TRUE(record.has_value());
  found.exists = record->has_value();
  if (!found.exists) {
    return found;
  }
  found.disabled = (*record)->disabled;
  if (found.disabled) {
    EXPECT_TRUE(server.set_disabled(name, false).has_value());
  }
  const Result<DatabaseRef> database = server.acquire_and_wait(name);
  EXPECT_TRUE(database.has_value()) << name << ": " << database.error().to_string();
  if (!database) {
    return found;
  }
  const Result<doc::Snapshot> snapshot = (*database)->snapshot();
  EXPECT_TRUE(snapshot.has_value());
  EXPECT_TRUE((*snapshot)
                  ->scan_prefix({},
                                [&](const doc::DocumentView& document) -> Result<bool> {
                                  found.documents.emplace(document.id);
                                  return true;
                                })
                  .has_value());
  return found;
}

void check(const Fork& fork, std::uint64_t seed) {
  SCOPED_TRACE("cut at " + fork.at);
  testing::SimPlatformOptions machine_options;
  machine_options.disk = fork.disk;
  testing::SimPlatform machine(seed, machine_options);
  const testing::SimulationReport report = machine.run([&] {
    os::Platform& platform = machine.platform();
    Result<std::unique_ptr<Server>> server = Server::open(platform, server_options());
    ASSERT_TRUE(server.has_value()) << server.error().to_string();
    for (const auto& [name, after] : fork.knowledge.after) {
      const auto before = fork.knowledge.before.find(name);
      Expected found = look_at(**server, name);
      if (!found.exists) {
        EXPECT_TRUE((*server)->put_database(name, no_record(), std::nullopt).has_value());
        found.documents = look_at(**server, name).documents;
      }
      EXPECT_TRUE(found == after ||
                  (before != fork.knowledge.before.end() && found == before->second))
          << name << " is " << found.text() << ", should be " << after.text();
    }
    EXPECT_TRUE((*server)->close().has_value());
    // Deletions that were under way have ended, half-made folders are gone: by the next start.
    server->reset();
    server = Server::open(platform, server_options());
    ASSERT_TRUE(server.has_value()) << server.error().to_string();
    (*server)->wait_for_deletions();
    EXPECT_TRUE((*server)->close().has_value());
    std::vector<std::string> names;
    for (const DatabaseSummary& summary : (*server)->list()) {
      names.push_back(summary.name);
    }
    EXPECT_EQ(*platform.files.list("data/Databases"), names);  // each was made again if absent
  });
  EXPECT_TRUE(report.finished()) << report.text;
}

TEST(ServerCut, LeavesEachDatabaseWholeOrAbsent) {
  std::vector<Fork> forks;
  Prng random(test_seed());
  testing::SimPlatform machine(random.next());
  Knowledge knowledge;
  machine.files().set_observer([&](const testing::SimCall& call, testing::CutPhase phase) {
    const auto survival = static_cast<testing::Survival>(random.below(3));
    forks.push_back({machine.files().cut_copy(survival, random.next()), knowledge,
                     std::string(call_name(call.kind)) + " " + std::to_string(call.mutation) +
                         " phase " + std::to_string(static_cast<int>(phase)) + " of " + call.path});
  });
  const testing::SimulationReport report =
      machine.run([&] { run_script(machine.platform(), knowledge); });
  ASSERT_TRUE(report.finished()) << report.text;
  ASSERT_GE(forks.size(), 100U);
  // All of them take long; a share, chosen by the seed, each time.
  constexpr std::size_t kChecked = 60;
  for (std::size_t i = 0; i < kChecked; ++i) {
    check(forks.at(random.below(forks.size())), random.next());
    if (HasFailure()) {
      break;
    }
  }
  RecordProperty("forks", static_cast<int>(forks.size()));
}

}  // namespace
}  // namespace rookery::db
