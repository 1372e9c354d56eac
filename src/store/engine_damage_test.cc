// SPDX-License-Identifier: Apache-2.0
// What the engine makes of bytes that are not what it wrote, and of files that are gone.
#include <algorithm>

#include "engine_test_fixture.h"
#include "journal_format.h"
#include "page_format.h"

namespace rookery::store {
namespace {

using testing::Survival;

class EngineDamageTest : public EngineTest {
 protected:
  void commit_many(int count, std::size_t size = 200) {
    for (int i = 0; i < count; ++i) {
      const std::string key = "k" + std::to_string(next_++);
      const std::string value(size, 'v');
      ASSERT_EQ(error_of(put(env(), key, value)), "");
      model_[key] = value;
    }
  }

  std::vector<std::string> journals() {
    std::vector<std::string> paths;
    const auto names = files().list("db/Journals").value();
    for (const std::string& name : names) {
      if (name.ends_with(".journal")) {
        paths.push_back("db/Journals/" + name);
      }
    }
    return paths;
  }

  std::vector<std::byte> read(const std::string& path) {
    auto file = std::move(files().open(path, {})).value();
    std::vector<std::byte> bytes(file->info()->size_bytes);
    EXPECT_EQ(error_of(file->read_at(0, bytes)), "");
    return bytes;
  }

  void write(const std::string& path, std::uint64_t offset, Bytes bytes) {
    auto file = std::move(files().open(path, {})).value();
    ASSERT_EQ(error_of(file->write_at(offset, bytes)), "");
    ASSERT_EQ(error_of(file->sync_data()), "");
  }

  void expect_corrupt() {
    const auto opened = try_open();
    ASSERT_FALSE(opened.has_value());
    EXPECT_EQ(opened.error().code(), ErrorCode::corrupt) << opened.error().to_string();
  }

  int next_ = 0;
  Model model_;
};

TEST_F(EngineDamageTest, ADamagedOldBatchIsCorruption) {
  open();
  commit_many(10);
  cut_power();
  // The first batch begins behind the file's first block; nine valid ones follow.
  files().flip_bits(journals().front(), 4096 + 500, 1);
  expect_corrupt();
}

TEST_F(EngineDamageTest, ADamagedLastBatchIsATornTailButNeverHalfOfIt) {
  open();
  commit_many(1);
  const std::uint64_t before = env().stats().last_durable_txn.value();
  commit_many(1);
  ASSERT_EQ(env().stats().last_durable_txn.value(), before + 1);
  cut_power();
  // Rot in the very last batch cannot be told from a write that was cut; see
  // docs/format/journal.md.
  files().flip_bits(journals().front(), 2 * 4096 + 300, 1);
  open();
  EXPECT_EQ(env().stats().torn_tails, 1U);
  expect_contents({{"k0", std::string(200, 'v')}});
  // And it stays away even if the damage should go.
  cut_power();
  files().flip_bits(journals().front(), 2 * 4096 + 300, 1);
  open();
  expect_contents({{"k0", std::string(200, 'v')}});
}

TEST_F(EngineDamageTest, ADamagedBatchBelowTheDurableFloorIsCorruption) {
  open();
  commit_many(3);
  cut_power();
  open();  // its header says what was durable
  cut_power();
  files().flip_bits(journals().front(), 3 * 4096 + 300, 1);
  expect_corrupt();
}

TEST_F(EngineDamageTest, AMissingJournalIsCorruptionWhicheverItIs) {
  open();
  commit_many(400, 2000);
  cut_power();
  const auto paths = journals();
  ASSERT_GE(paths.size(), 3U);
  for (const std::string& path : paths) {
    ASSERT_EQ(error_of(files().rename(path, "aside")), "");
    expect_corrupt();
    ASSERT_EQ(error_of(files().rename("aside", path)), "");
  }
  open();
  expect_contents(model_);
}

TEST_F(EngineDamageTest, AJournalWithADamagedFirstBlockIsCorruption) {
  open();
  commit_many(400, 2000);
  cut_power();
  for (const std::string& path : journals()) {
    files().flip_bits(path, 77, 4);
    expect_corrupt();
    files().flip_bits(path, 77, 4);
  }
  open();
  expect_contents(model_);
}

// I24: whichever header rots, whenever: the right state, or a refusal; never an older state.
TEST_F(EngineDamageTest, ARottenHeaderNeverBringsBackAnOlderState) {
  int opened = 0;
  int refused = 0;
  for (int step = 0; step < 9; ++step) {
    for (const std::string header : {"db/header.one", "db/header.two"}) {
      environment_.reset();
      ASSERT_EQ(error_of(os::remove_tree(files(), "db")), "");
      next_ = 0;
      model_.clear();
      open();
      // Commits, syncs, restarts: each step stops at another point of it.
      for (int i = 0; i <= step; ++i) {
        switch (i % 4) {
          case 0:
            commit_many(40, 3000);
            break;
          case 1:
            ASSERT_EQ(error_of(env().sync_all()), "");
            break;
          case 2:
            ASSERT_EQ(error_of(env().close()), "");
            environment_.reset();
            open();
            break;
          default:
            cut_power();
            open();
        }
      }
      cut_power();
      files().flip_bits(header, 100, 1);
      auto again = try_open();
      if (again) {
        ++opened;
        environment_ = std::move(again).value();
        expect_contents(model_);
        expect_sound();
      } else {
        ++refused;
        EXPECT_EQ(again.error().code(), ErrorCode::corrupt);
      }
    }
  }
  EXPECT_GT(opened, 0);
  EXPECT_GT(refused, 0);
}

TEST_F(EngineDamageTest, NoHeaderAtAllIsCorruption) {
  open();
  commit_many(3);
  ASSERT_EQ(error_of(env().close()), "");
  environment_.reset();
  files().flip_bits("db/header.one", 100, 1);
  files().flip_bits("db/header.two", 100, 1);
  expect_corrupt();
  ASSERT_EQ(error_of(files().remove_file("db/header.one")), "");
  expect_corrupt();  // it is not made anew over data
}

TEST_F(EngineDamageTest, ADamagedPageIsAnErrorToItsReaderOnly) {
  open();
  commit_many(300, 1000);
  ASSERT_EQ(error_of(env().sync_all()), "");
  const std::uint64_t pages = env().stats().page_count;
  ASSERT_GT(pages, 20U);
  cut_power();
  int corrupt = 0;
  for (std::uint64_t page = 0; page < pages; page += 3) {
    files().flip_bits("db/data.rks", page * kPageSize + 4000, 8);
    open();
    const auto found = contents(env());
    if (!found) {
      ++corrupt;
      EXPECT_EQ(found.error().code(), ErrorCode::corrupt);
    } else {
      EXPECT_TRUE(*found == model_);
    }
    // verify() names it in any case, if it is in use.
    const auto report = env().verify();
    ASSERT_EQ(error_of(report), "");
    cut_power();
    files().flip_bits("db/data.rks", page * kPageSize + 4000, 8);
  }
  EXPECT_GT(corrupt, 5);
}

TEST_F(EngineDamageTest, ALostWriteIsNoticed) {
  open();
  commit_many(3);
  ASSERT_EQ(error_of(env().sync_all()), "");
  testing::FaultRule lose;
  lose.kind = testing::CallKind::kWrite;
  lose.path_contains = "data.rks";
  lose.effect = testing::FaultEffect::kLose;
  files().add_fault(lose);
  commit_many(200, 1000);
  ASSERT_EQ(error_of(env().sync_all()), "");
  files().drop_caches();
  // The old version of a page is whole: it is the structures that do not fit together any more.
  const auto report = env().verify();
  EXPECT_TRUE(!report.has_value() || !report->problems.empty());
}

// I18: two copies of one folder have the same environment id; each has its own incarnation.
TEST_F(EngineDamageTest, AJournalOfACopyIsNotReplayed) {
  open();
  commit_many(3);
  const testing::SimDisk copied = files().cut_copy(Survival::kEverything, 1);
  testing::SimPlatformOptions options;
  options.disk = copied;
  testing::SimPlatform copy(test_seed() + 1, options);
  std::string name;
  std::vector<std::byte> bytes;
  {
    auto other = Environment::open(copy.platform(), small_options());
    ASSERT_EQ(error_of(other), "");
    ASSERT_EQ(error_of(put(**other, "of the copy", "1")), "");
    name = copy.files().list("db/Journals")->back();
    auto file = std::move(copy.files().open("db/Journals/" + name, {})).value();
    bytes.resize(file->info()->size_bytes);
    ASSERT_EQ(error_of(file->read_at(0, bytes)), "");
  }
  cut_power();
  open();  // its own new incarnation
  cut_power();
  {
    auto file =
        std::move(files().open("db/Journals/" + name, {.creation = os::Creation::kCreateNew}))
            .value();
    ASSERT_EQ(error_of(file->write_at(0, bytes)), "");
  }
  expect_corrupt();
}

// What walks all pages takes memory for as many as there are said to be.
TEST_F(EngineDamageTest, ARecordOfPagesThatItHasNoFreeMapsForIsCorruption) {
  open();
  commit_many(1);
  cut_power();
  const std::string path = journals().front();
  const auto file = read(path);
  const auto head = decode_journal_file_header(Bytes(file).first(kJournalBlock)).value();
  const auto batch = decode_batch(Bytes(file).subspan(kJournalBlock), head->header.file_id);
  ASSERT_TRUE(batch.has_value());
  ASSERT_EQ(batch->items.size(), 1U);
  BatchItem item = batch->items[0];
  std::vector<std::byte> record(item.bytes.begin(), item.bytes.end());
  constexpr std::size_t kMetaOffset = 16;
  auto meta = load<Meta>(record.data() + kMetaOffset);
  // As many images as the record brings would do, but not one more.
  const std::uint64_t most = kRegionPages * decode_record(record)->images.size();
  for (const std::uint64_t page_count : {most + 1, most}) {
    meta.page_count = page_count;
    save(record.data() + kMetaOffset, meta);
    item.bytes = record;
    std::vector<std::byte> changed(batch->header.length);
    encode_batch(batch->header, {&item, 1}, changed);
    write(path, kJournalBlock, changed);
    if (page_count > most) {
      expect_corrupt();
    } else {
      open();
    }
  }
  cut_power();  // before the flush of a close makes the data file as long
}

TEST_F(EngineDamageTest, AShortDataFileIsCorruption) {
  open();
  commit_many(300, 1000);
  ASSERT_EQ(error_of(env().close()), "");
  environment_.reset();
  {
    auto file = files().open("db/data.rks", {});
    ASSERT_EQ(error_of((*file)->truncate(3 * kPageSize)), "");
  }
  expect_corrupt();
}

}  // namespace
}  // namespace rookery::store
