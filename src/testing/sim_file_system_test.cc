// SPDX-License-Identifier: Apache-2.0
#include "rookery/testing/sim_file_system.h"

#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rookery/base/prng.h"
#include "rookery/base/test_seed.h"
#include "rookery/testing/sim_platform.h"

namespace rookery::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::size_t kSectorBytes = 512;

std::unique_ptr<os::File> create(os::FileSystem& files, std::string_view path,
                                 bool durable = false) {
  return files.open(path, {.creation = os::Creation::kOpenOrCreate, .write_through = durable})
      .value();
}

void write(os::File& file, std::uint64_t offset, std::string_view text) {
  ASSERT_TRUE(file.write_at(offset, as_bytes(text)).has_value());
}

std::string read_all(os::FileSystem& files, std::string_view path) {
  auto file = files.open(path, {.access = os::Access::kReadOnly}).value();
  std::string text(file->info().value().size_bytes, '?');
  text.resize(file->read_at(0, std::as_writable_bytes(std::span(text))).value());
  return text;
}

void cut_and_reopen(SimFileSystem& files, Survival survival) {
  files.power_cut(survival);
  files.reopen();
}

TEST(SimFileSystem, LosesWhatWasNotSynced) {
  SimFileSystem files;
  auto file = create(files, "/f");
  ASSERT_TRUE(files.sync_directory("/").has_value());
  write(*file, 0, std::string(1000, 'a'));
  ASSERT_TRUE(file->sync_data().has_value());
  write(*file, 500, std::string(1000, 'b'));
  cut_and_reopen(files, Survival::kNothing);
  EXPECT_EQ(read_all(files, "/f"), std::string(1000, 'a'));
}

TEST(SimFileSystem, KeepsEverythingIfTheCutIsKind) {
  SimFileSystem files;
  auto file = create(files, "/f");
  write(*file, 0, std::string(1000, 'a'));
  cut_and_reopen(files, Survival::kEverything);
  EXPECT_EQ(read_all(files, "/f"), std::string(1000, 'a'));
}

TEST(SimFileSystem, LosesTheNameOfASyncedFile) {
  SimFileSystem files;
  auto file = create(files, "/f");
  write(*file, 0, "data");
  ASSERT_TRUE(file->sync_data().has_value());
  cut_and_reopen(files, Survival::kNothing);
  EXPECT_THAT(files.list("/").value(), IsEmpty());
}

TEST(SimFileSystem, HandlesOfADeadMachineStayDead) {
  SimFileSystem files;
  auto file = create(files, "/f");
  auto map = file->map(4096, os::Access::kReadOnly).value();
  write(*file, 0, "seen");
  ASSERT_TRUE(file->sync_data().has_value());
  ASSERT_TRUE(files.sync_directory("/").has_value());
  ASSERT_EQ(file->try_lock().value(), std::nullopt);
  files.power_cut(Survival::kEverything);
  EXPECT_EQ(files.open("/f", {}).error().os_errno(), EIO);
  EXPECT_EQ(file->write_at(0, as_bytes("x")).error().code(), ErrorCode::io);
  files.reopen();
  EXPECT_EQ(file->write_at(0, as_bytes("x")).error().code(), ErrorCode::io);
  EXPECT_EQ(std::memcmp(map->data(), "seen", 4), 0);  // memory that the dead process still holds
  auto again = create(files, "/f");
  EXPECT_EQ(again->try_lock().value(), std::nullopt);  // no lock survives
  file.reset();
  EXPECT_EQ(read_all(files, "/f"), "seen");
}

TEST(SimFileSystem, TearsAnUnsyncedWriteAtEverySector) {
  std::set<std::string> outcomes;
  SimFileSystem files;
  auto file = create(files, "/f");
  ASSERT_TRUE(files.sync_directory("/").has_value());
  write(*file, 0, std::string(4 * kSectorBytes, 'a'));
  ASSERT_TRUE(file->sync_data().has_value());
  write(*file, 0, std::string(4 * kSectorBytes, 'b'));
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SimFileSystem after({}, files.cut_copy(Survival::kSubset, seed));
    const std::string text = read_all(after, "/f");
    ASSERT_EQ(text.size(), 4 * kSectorBytes);
    std::string pattern;
    for (std::size_t sector = 0; sector < 4; ++sector) {
      const std::string bytes = text.substr(sector * kSectorBytes, kSectorBytes);
      ASSERT_EQ(bytes, std::string(kSectorBytes, bytes[0]));  // a sector is written whole
      pattern += bytes[0];
    }
    outcomes.insert(pattern);
  }
  EXPECT_EQ(outcomes.size(), 16U);
}

TEST(SimFileSystem, MayKeepAnyVersionSinceTheLastSync) {
  std::set<std::string> outcomes;
  SimFileSystem files;
  auto file = create(files, "/f");
  ASSERT_TRUE(files.sync_directory("/").has_value());
  for (const char* version : {"1", "2", "3"}) {
    write(*file, 0, version);
  }
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SimFileSystem after({}, files.cut_copy(Survival::kSubset, seed));
    outcomes.insert(read_all(after, "/f"));
  }
  EXPECT_THAT(outcomes, ElementsAre("", std::string(1, '\0'), "1", "2", "3"));
}

TEST(SimFileSystem, WriteThroughIsDurableAtReturn) {
  SimFileSystem files;
  auto other = create(files, "/f");
  auto file = create(files, "/f", true);
  ASSERT_TRUE(files.sync_directory("/").has_value());
  write(*other, 4096, "not synced");
  write(*file, 0, std::string(2000, 'd'));
  cut_and_reopen(files, Survival::kNothing);
  EXPECT_EQ(read_all(files, "/f").substr(0, 2000), std::string(2000, 'd'));
  EXPECT_EQ(read_all(files, "/f").find("not"), std::string::npos);
}

TEST(SimFileSystem, ACutInsideAWriteThroughWriteKeepsAnySubset) {
  std::set<std::string> outcomes;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SimFileSystem files({.seed = seed});
    auto file = create(files, "/f", true);
    ASSERT_TRUE(files.sync_directory("/").has_value());
    write(*file, 0, std::string(3 * kSectorBytes, 'a'));
    files.arm_cut({.at_mutation = files.mutations() + 1, .survival = Survival::kNothing});
    EXPECT_EQ(file->write_at(0, as_bytes(std::string(3 * kSectorBytes, 'b'))).error().code(),
              ErrorCode::io);
    EXPECT_TRUE(files.is_dead());
    files.reopen();
    const std::string text = read_all(files, "/f");
    outcomes.insert({text[0], text[kSectorBytes], text[2 * kSectorBytes]});
  }
  EXPECT_EQ(outcomes.size(), 8U);
}

TEST(SimFileSystem, CutsBeforeAndAfterTheChosenCall) {
  for (const CutPhase phase : {CutPhase::kBefore, CutPhase::kAfter}) {
    SimFileSystem files;
    auto file = create(files, "/f", true);
    ASSERT_TRUE(files.sync_directory("/").has_value());
    files.arm_cut({.at_mutation = files.mutations() + 2, .phase = phase});
    write(*file, 0, "one");
    EXPECT_FALSE(file->write_at(0, as_bytes("two")).has_value());
    EXPECT_FALSE(file->write_at(0, as_bytes("three")).has_value());
    files.reopen();
    EXPECT_EQ(read_all(files, "/f"), phase == CutPhase::kBefore ? "one" : "two");
  }
}

TEST(SimFileSystem, DirectoryChangesSurviveEachForItself) {
  std::set<std::string> outcomes;
  SimFileSystem files;
  for (const char* name : {"/a", "/b", "/c"}) {
    create(files, name);
  }
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SimFileSystem after({}, files.cut_copy(Survival::kSubset, seed));
    std::string names;
    const std::vector<std::string> listed = after.list("/").value();
    for (const std::string& name : listed) {
      names += name;
    }
    outcomes.insert(names);
  }
  EXPECT_EQ(outcomes.size(), 8U);
}

// temp is renamed over target: a reader after the cut finds the old or the new one, never none.
TEST(SimFileSystem, ARenameIsKeptOrLostWhole) {
  std::set<std::string> outcomes;
  SimFileSystem files;
  auto target = create(files, "/target", true);
  write(*target, 0, "old");
  auto temp = create(files, "/temp", true);
  write(*temp, 0, "new");
  ASSERT_TRUE(files.sync_directory("/").has_value());
  ASSERT_TRUE(files.rename("/temp", "/target").has_value());
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SimFileSystem after({}, files.cut_copy(Survival::kSubset, seed));
    const std::string text = read_all(after, "/target");
    EXPECT_EQ(after.info("/temp").value().has_value(), text == "old");
    outcomes.insert(text);
  }
  EXPECT_THAT(outcomes, ElementsAre("new", "old"));
  ASSERT_TRUE(files.sync_directory("/").has_value());
  cut_and_reopen(files, Survival::kNothing);
  EXPECT_EQ(read_all(files, "/target"), "new");
}

TEST(SimFileSystem, AMoveIsDurableOnlyAfterBothDirectories) {
  SimFileSystem files;
  ASSERT_TRUE(files.create_directory("/from").has_value());
  ASSERT_TRUE(files.create_directory("/to").has_value());
  create(files, "/from/f");
  ASSERT_TRUE(files.sync_directory("/").has_value());
  ASSERT_TRUE(files.sync_directory("/from").has_value());
  ASSERT_TRUE(files.rename("/from/f", "/to/f").has_value());
  ASSERT_TRUE(files.sync_directory("/to").has_value());
  SimFileSystem half({}, files.cut_copy(Survival::kNothing, 1));
  EXPECT_THAT(half.list("/from").value(), ElementsAre("f"));
  EXPECT_THAT(half.list("/to").value(), IsEmpty());
  ASSERT_TRUE(files.sync_directory("/from").has_value());
  SimFileSystem whole({}, files.cut_copy(Survival::kNothing, 1));
  EXPECT_THAT(whole.list("/from").value(), IsEmpty());
  EXPECT_THAT(whole.list("/to").value(), ElementsAre("f"));
}

TEST(SimFileSystem, ANameGoesThroughItsStatesInOrder) {
  SimFileSystem files;
  write(*create(files, "/f", true), 0, "1");
  ASSERT_TRUE(files.remove_file("/f").has_value());
  write(*create(files, "/f", true), 0, "2");
  std::set<std::string> outcomes;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SimFileSystem after({}, files.cut_copy(Survival::kSubset, seed));
    const bool there = after.info("/f").value().has_value();
    outcomes.insert(there ? read_all(after, "/f") : "none");
  }
  EXPECT_THAT(outcomes, ElementsAre("1", "2", "none"));
  // Syncing the directory after an unsynced rename away settles what came before it too.
  ASSERT_TRUE(files.rename("/f", "/g").has_value());
  ASSERT_TRUE(files.sync_directory("/").has_value());
  cut_and_reopen(files, Survival::kNothing);
  EXPECT_THAT(files.list("/").value(), ElementsAre("g"));
}

// Renamed away, and its old name given to another: the other under that name without the first
// under its new one would mean that the first was lost, which no order of these changes can do.
TEST(SimFileSystem, ALaterChangeOfANameNeedsTheEarlier) {
  SimFileSystem files;
  write(*create(files, "/a", true), 0, "1");
  ASSERT_TRUE(files.sync_directory("/").has_value());
  ASSERT_TRUE(files.rename("/a", "/b").has_value());
  write(*create(files, "/a", true), 0, "2");
  std::set<std::string> outcomes;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SimFileSystem after({}, files.cut_copy(Survival::kSubset, seed));
    std::string outcome;
    const std::vector<std::string> names = after.list("/").value();
    for (const std::string& name : names) {
      outcome += name + read_all(after, "/" + name) + " ";
    }
    outcomes.insert(outcome);
  }
  EXPECT_THAT(outcomes, ElementsAre("a1 ", "a2 b1 ", "b1 "));
}

TEST(SimFileSystem, ASyncSettlesWhatItsNamesWentThrough) {
  SimFileSystem files;
  ASSERT_TRUE(files.create_directory("/d").has_value());
  write(*create(files, "/a", true), 0, "1");
  ASSERT_TRUE(files.sync_directory("/").has_value());
  ASSERT_TRUE(files.rename("/a", "/d/b").has_value());  // waits for both directories
  write(*create(files, "/a", true), 0, "2");
  ASSERT_TRUE(files.sync_directory("/").has_value());  // of one only, but "a" needs it
  cut_and_reopen(files, Survival::kNothing);
  EXPECT_EQ(read_all(files, "/a"), "2");
  EXPECT_EQ(read_all(files, "/d/b"), "1");
}

TEST(SimFileSystem, AnUnlinkedFileComesBackWithItsBytes) {
  SimFileSystem files;
  auto file = create(files, "/f", true);
  write(*file, 0, std::string(10'000, 'k'));
  ASSERT_TRUE(files.sync_directory("/").has_value());
  ASSERT_TRUE(files.remove_file("/f").has_value());
  file.reset();
  EXPECT_EQ(files.used_bytes(), 0U);
  cut_and_reopen(files, Survival::kNothing);
  EXPECT_EQ(read_all(files, "/f"), std::string(10'000, 'k'));
  EXPECT_EQ(files.used_bytes(), 3U * 4096U);
}

// The fsync trap (I13): the second sync says ok, reads look right, and the bytes are gone.
TEST(SimFileSystem, ASyncThatForgetsLiesAfterwards) {
  SimFileSystem files;
  auto file = create(files, "/f");
  write(*file, 0, std::string(600, 'o'));
  ASSERT_TRUE(file->sync_data().has_value());
  ASSERT_TRUE(files.sync_directory("/").has_value());
  const std::uint64_t fault = files.add_fault(
      {.kind = CallKind::kSync, .effect = FaultEffect::kFailAndForget, .os_errno = ENOSPC});
  write(*file, 0, std::string(600, 'n'));
  EXPECT_EQ(file->sync_data().error().code(), ErrorCode::no_space);
  EXPECT_TRUE(file->sync_data().has_value());
  EXPECT_EQ(files.fault_hits(fault), 1U);
  EXPECT_EQ(read_all(files, "/f"), std::string(600, 'n'));
  SimFileSystem after({}, files.cut_copy(Survival::kEverything, 1));
  EXPECT_EQ(read_all(after, "/f"), std::string(600, 'o'));
  write(*file, 0, "N");  // one sector again
  ASSERT_TRUE(file->sync_data().has_value());
  files.drop_caches();
  EXPECT_EQ(read_all(files, "/f"),
            "N" + std::string(kSectorBytes - 1, 'n') + std::string(600 - kSectorBytes, 'o'));
}

TEST(SimFileSystem, FailsTheCallsItIsToldTo) {
  SimFileSystem files;
  ASSERT_TRUE(files.create_directory("/data").has_value());
  auto journal = create(files, "/data/journal");
  auto pages = create(files, "/data/pages");
  // By path and kind: the second write to the journal, twice.
  files.add_fault({.kind = CallKind::kWrite,
                   .path_contains = "journal",
                   .skip = 1,
                   .times = 2,
                   .os_errno = ENOSPC});
  write(*pages, 0, "x");
  write(*journal, 0, "1");
  for (int i = 0; i < 2; ++i) {
    const Result<void> failed = journal->write_at(0, as_bytes("2"));
    EXPECT_EQ(failed.error().code(), ErrorCode::no_space);
    EXPECT_THAT(std::string(failed.error().message()), ::testing::HasSubstr("/data/journal"));
  }
  EXPECT_EQ(read_all(files, "/data/journal"), "1");  // nothing has happened
  write(*journal, 0, "3");
  files.clear_faults();
  // By index among the mutating calls.
  files.add_fault({.mutating_only = true, .skip = 1});
  write(*pages, 0, "y");
  EXPECT_EQ(journal->sync_data().error().os_errno(), EIO);
  EXPECT_TRUE(journal->sync_data().has_value());
  // Reads and directories too.
  const std::uint64_t rule = files.add_fault({.times = FaultRule::kForever});
  EXPECT_FALSE(files.list("/data").has_value());
  EXPECT_FALSE(files.rename("/data/pages", "/data/p").has_value());
  EXPECT_FALSE(files.open("/data/new", {.creation = os::Creation::kCreateNew}).has_value());
  std::string text(1, '?');
  EXPECT_FALSE(pages->read_at(0, std::as_writable_bytes(std::span(text))).has_value());
  EXPECT_EQ(files.fault_hits(rule), 4U);
  files.remove_fault(rule);
  EXPECT_THAT(files.list("/data").value(), ElementsAre("journal", "pages"));
}

TEST(SimFileSystem, AnErrorMayHidePersistedBytes) {
  SimFileSystem files;
  auto file = create(files, "/f", true);
  ASSERT_TRUE(files.sync_directory("/").has_value());
  files.add_fault({.kind = CallKind::kWrite, .effect = FaultEffect::kFailButPersist});
  EXPECT_EQ(file->write_at(0, as_bytes("kept")).error().os_errno(), EIO);
  cut_and_reopen(files, Survival::kNothing);
  EXPECT_EQ(read_all(files, "/f"), "kept");
}

TEST(SimFileSystem, ALostWriteIsSeenUntilTheCacheDrops) {
  SimFileSystem files;
  auto file = create(files, "/f");
  write(*file, 0, std::string(kSectorBytes, 'o'));
  ASSERT_TRUE(file->sync_data().has_value());
  files.add_fault({.kind = CallKind::kWrite, .effect = FaultEffect::kLose});
  write(*file, 0, std::string(kSectorBytes, 'n'));
  ASSERT_TRUE(file->sync_data().has_value());
  EXPECT_EQ(read_all(files, "/f")[0], 'n');
  files.drop_caches();
  EXPECT_EQ(read_all(files, "/f")[0], 'o');
}

TEST(SimFileSystem, RunsOutOfSpaceAndRecovers) {
  SimFileSystem files({.capacity_bytes = 8 * 4096});
  auto file = create(files, "/f");
  ASSERT_TRUE(file->allocate(0, 6 * 4096).has_value());
  EXPECT_EQ(file->allocate(0, 9 * 4096).error().code(), ErrorCode::no_space);
  EXPECT_EQ(file->info().value().size_bytes, 6U * 4096U);  // all or nothing
  // A write is short: what fits is there.
  EXPECT_EQ(file->write_at(5 * 4096, as_bytes(std::string(4 * 4096, 'x'))).error().code(),
            ErrorCode::no_space);
  EXPECT_EQ(file->info().value().size_bytes, 8U * 4096U);
  EXPECT_EQ(files.space("/").value().available_bytes, 0U);
  write(*file, 0, "overwriting needs no space");
  files.set_capacity(9 * 4096);
  write(*file, 8 * 4096, "x");
  ASSERT_TRUE(file->punch_hole(0, 4096).has_value());
  EXPECT_EQ(files.space("/").value().available_bytes, 4096U);
}

TEST(SimFileSystem, RotAndFailedMapsAreSeen) {
  SimFileSystem files;
  auto file = create(files, "/f");
  write(*file, 0, "rot");
  auto map = file->map(4096, os::Access::kReadOnly).value();
  files.flip_bits("/f", 0, 0x01);
  EXPECT_EQ(read_all(files, "/f"), "sot");
  EXPECT_EQ(map->data()[0], std::byte{'s'});
  files.fail_maps("/f");
  EXPECT_TRUE(map->faulted());
  EXPECT_EQ(map->data()[0], std::byte{0});
  EXPECT_TRUE(file->map(4096, os::Access::kReadOnly).value()->faulted());
  EXPECT_EQ(read_all(files, "/f"), "sot");  // calls still work
}

TEST(SimFileSystem, MapsFailBetweenALookAndTheNext) {
  SimFileSystem files;
  auto file = create(files, "/f");
  write(*file, 0, "rot");
  auto map = file->map(4096, os::Access::kReadOnly).value();
  files.fail_maps_after("/f", 2);
  EXPECT_FALSE(map->faulted());
  EXPECT_EQ(map->data()[0], std::byte{'r'});
  EXPECT_FALSE(map->faulted());
  EXPECT_EQ(map->data()[0], std::byte{0});
  EXPECT_TRUE(map->faulted());
}

TEST(SimFileSystem, DirectTransfersMustBeAligned) {
  SimFileSystem files;
  auto file = files.open("/f", {.creation = os::Creation::kCreateNew, .direct = true}).value();
  EXPECT_TRUE(file->is_direct());
  EXPECT_EQ(file->write_at(0, as_bytes("short")).error().os_errno(), EINVAL);
  SimFileSystem refusing({.refuse_direct = true});
  auto buffered =
      refusing.open("/f", {.creation = os::Creation::kCreateNew, .direct = true}).value();
  EXPECT_FALSE(buffered->is_direct());
  EXPECT_TRUE(buffered->write_at(0, as_bytes("short")).has_value());
}

TEST(SimFileSystem, WritesThroughAMapAreDurableOnlyAfterASync) {
  SimFileSystem files;
  auto file = create(files, "/f");
  ASSERT_TRUE(file->allocate(0, 8192).has_value());
  ASSERT_TRUE(file->sync_data().has_value());
  ASSERT_TRUE(files.sync_directory("/").has_value());
  auto map = file->map(8192, os::Access::kReadWrite).value();
  map->writable_data()[5000] = std::byte{'m'};
  SimFileSystem lost({}, files.cut_copy(Survival::kNothing, 1));
  EXPECT_EQ(read_all(lost, "/f")[5000], '\0');
  SimFileSystem kept({}, files.cut_copy(Survival::kEverything, 1));
  EXPECT_EQ(read_all(kept, "/f")[5000], 'm');
  ASSERT_TRUE(file->sync_data().has_value());
  SimFileSystem synced({}, files.cut_copy(Survival::kNothing, 1));
  EXPECT_EQ(read_all(synced, "/f")[5000], 'm');
}

TEST(SimFileSystem, CountsCalls) {
  SimFileSystem files;
  auto file = create(files, "/f");
  write(*file, 0, "x");
  write(*file, 1, "y");
  ASSERT_TRUE(file->sync_data().has_value());
  static_cast<void>(file->info().value());
  EXPECT_EQ(files.calls_of(CallKind::kWrite), 2U);
  EXPECT_EQ(files.calls_of(CallKind::kCreate), 1U);
  EXPECT_EQ(files.mutations(), 4U);
  EXPECT_EQ(files.calls(), 5U);
}

TEST(SimFileSystem, AReaderSeesHalfAWriteInSimulation) {
  int torn = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const SimulationReport report = run_simulation(seed, [&](SimPlatform& machine) {
      auto file = create(machine.files(), "/f");
      write(*file, 0, std::string(8192, 'a'));
      auto map = file->map(8192, os::Access::kReadOnly).value();
      bool done = false;
      auto writer = machine.platform().threads.start("writer", [&] {
        write(*file, 0, std::string(8192, 'b'));
        done = true;
      });
      while (!done) {
        static_cast<void>(machine.platform().clock.monotonic());
        torn += map->data()[0] != map->data()[8191] ? 1 : 0;
      }
    });
    ASSERT_TRUE(report.finished()) << report.text;
  }
  EXPECT_GT(torn, 0);
}

TEST(SimFileSystem, SlowCallsTakeVirtualTime) {
  const SimulationReport report = run_simulation(test_seed(), [](SimPlatform& machine) {
    auto file = create(machine.files(), "/f");
    machine.files().add_fault({.kind = CallKind::kSync,
                               .effect = FaultEffect::kOnlyDelay,
                               .delay = std::chrono::seconds(9)});
    ASSERT_TRUE(file->sync_data().has_value());
  });
  EXPECT_TRUE(report.finished());
  EXPECT_GE(report.elapsed, std::chrono::seconds(9));
}

// A sync covers what was written before it, even while others go on writing.
TEST(SimFileSystem, ASyncCoversAllThatWasWrittenBeforeIt) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const SimulationReport report = run_simulation(seed, [](SimPlatform& machine) {
      auto file = create(machine.files(), "/f");
      ASSERT_TRUE(machine.files().sync_directory("/").has_value());
      auto other = machine.platform().threads.start("other", [&] {
        for (int i = 0; i < 20; ++i) {
          write(*file, 8192, std::string(3000, static_cast<char>('A' + i)));
        }
      });
      for (int i = 0; i < 5; ++i) {
        const std::string mine(700, static_cast<char>('a' + i));
        write(*file, 100, mine);
        ASSERT_TRUE(file->sync_data().has_value());
        SimFileSystem after({}, machine.files().cut_copy(Survival::kNothing, 1));
        ASSERT_EQ(read_all(after, "/f").substr(100, 700), mine);
      }
    });
    ASSERT_TRUE(report.finished()) << report.text;
  }
}

// Random calls; at every sync, what a cut leaves is what was visible then, and a kind cut leaves
// what is visible now.
TEST(SimFileSystem, ACutLeavesExactlyTheLastSync) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Prng prng(test_seed() + seed);
    SimFileSystem files;
    auto file = create(files, "/f");
    ASSERT_TRUE(files.sync_directory("/").has_value());
    std::string synced;
    for (int i = 0; i < 60; ++i) {
      const std::uint64_t offset = prng.below(20'000);
      const std::uint64_t length = 1 + prng.below(6000);
      switch (prng.below(6)) {
        case 0:
          ASSERT_TRUE(file->truncate(offset).has_value());
          break;
        case 1:
          ASSERT_TRUE(file->punch_hole(offset, length).has_value());
          break;
        case 2:
          ASSERT_TRUE(file->allocate(offset, length).has_value());
          break;
        case 3:
          ASSERT_TRUE(file->sync_data().has_value());
          synced = read_all(files, "/f");
          break;
        default:
          write(*file, offset, std::string(length, static_cast<char>('a' + i % 26)));
      }
      SimFileSystem hard({}, files.cut_copy(Survival::kNothing, 1));
      ASSERT_EQ(read_all(hard, "/f"), synced) << "call " << i << " of seed " << seed;
      SimFileSystem kind({}, files.cut_copy(Survival::kEverything, 1));
      ASSERT_EQ(read_all(kind, "/f"), read_all(files, "/f"));
      ASSERT_EQ(kind.used_bytes(), files.used_bytes());
    }
  }
}

}  // namespace
}  // namespace rookery::testing
