// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rookery/os/memory_file_system.h"
#include "rookery/os/platform.h"
#include "rookery/value/json.h"

#include "doctor_machine.h"
#include "doctor_report.h"
#include "doctor_volume.h"

namespace rookery::cli {
namespace {

using testing::HasSubstr;

// The finding of that name; the test fails where there is none.
Finding find(const DoctorReport& report, std::string_view name) {
  for (const Finding& finding : report.findings()) {
    if (finding.name == name) {
      return finding;
    }
  }
  ADD_FAILURE() << "nothing was said about " << name << ":\n" << report.text();
  return {};
}

bool has(const DoctorReport& report, std::string_view name) {
  for (const Finding& finding : report.findings()) {
    if (finding.name == name) {
      return true;
    }
  }
  return false;
}

constexpr std::uint64_t kGiga = 1ULL << 30U;

VolumeFacts roomy(std::string type, std::string options = "rw,relatime") {
  VolumeFacts facts;
  facts.mount = Mount{"/srv", std::move(type), "/dev/sda1", std::move(options)};
  facts.total = 100 * kGiga;
  facts.available = 50 * kGiga;
  return facts;
}

DoctorReport judged(const VolumeFacts& facts) {
  DoctorReport report("/srv/data");
  judge_volume(facts, report);
  return report;
}

TEST(DoctorVolume, JudgesTheTypeOfTheFileSystem) {
  for (const auto& [type, level] :
       {std::pair("ext4", Level::kGood), std::pair("xfs", Level::kGood),
        std::pair("btrfs", Level::kNote), std::pair("reiserfs", Level::kNote),
        std::pair("overlay", Level::kWarning), std::pair("fuse.sshfs", Level::kWarning),
        std::pair("tmpfs", Level::kProblem), std::pair("nfs4", Level::kProblem)}) {
    EXPECT_EQ(find(judged(roomy(type)), "type").level, level) << type;
  }
  EXPECT_EQ(judged(roomy("ext4")).exit_code(), 0);
  EXPECT_EQ(judged(roomy("overlay")).exit_code(), 1);
  EXPECT_EQ(judged(roomy("nfs")).exit_code(), 2);
}

TEST(DoctorVolume, SeesMountsThatBreakPromises) {
  for (const std::string option : {"nobarrier", "barrier=0"}) {
    const Finding found = find(judged(roomy("ext4", "rw," + option + ",relatime")), "mounted");
    EXPECT_EQ(found.level, Level::kProblem);
    EXPECT_EQ(found.value, option);
  }
  EXPECT_EQ(find(judged(roomy("ext4", "ro,relatime")), "mounted").value, "read-only");
  EXPECT_FALSE(has(judged(roomy("ext4", "rw,errors=remount-ro,barrier=01")), "mounted"));
}

TEST(DoctorVolume, WarnsBeforeTheDiskIsFull) {
  VolumeFacts facts = roomy("ext4");
  EXPECT_EQ(find(judged(facts), "space").level, Level::kGood);
  facts.available = 4 * kGiga;  // under a twentieth
  EXPECT_EQ(find(judged(facts), "space").level, Level::kWarning);
  facts.available = kGiga / 32;
  EXPECT_EQ(find(judged(facts), "space").level, Level::kProblem);
  facts.inodes_total = 1000;
  facts.inodes_free = 10;
  EXPECT_EQ(find(judged(facts), "inodes").level, Level::kWarning);
  facts.reserve = 16ULL << 20U;
  EXPECT_EQ(find(judged(facts), "reserve").level, Level::kGood);
  facts.reserve = 4ULL << 20U;
  EXPECT_EQ(find(judged(facts), "reserve").level, Level::kWarning);
}

TEST(DoctorVolume, SaysThatADriveHasACache) {
  VolumeFacts facts = roomy("ext4");
  facts.write_cache = "write back";
  facts.rotational = false;
  EXPECT_EQ(find(judged(facts), "disk").level, Level::kNote);
  facts.write_cache = "write through";
  EXPECT_EQ(find(judged(facts), "disk").level, Level::kGood);
}

TEST(DoctorMounts, TakesTheLongestPointAndOfThoseTheLast) {
  const std::string text =
      "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw,errors=remount-ro\n"
      "30 22 0:25 / /srv/my\\040data rw shared:9 master:2 - nfs4 host:/x rw,vers=4.2\n"
      "31 22 8:2 / /srv rw - xfs /dev/sdb1 rw\n"
      "32 22 0:9 / /srv rw - tmpfs none rw,size=1g\n"
      "garbage\n";
  EXPECT_EQ(find_mount(text, "/home/x")->type, "ext4");
  EXPECT_EQ(find_mount(text, "/home/x")->options, "rw,relatime,rw,errors=remount-ro");
  EXPECT_EQ(find_mount(text, "/srv/other")->type, "tmpfs");
  EXPECT_EQ(find_mount(text, "/srvother")->type, "ext4");
  EXPECT_EQ(find_mount(text, "/srv/my data/a")->source, "host:/x");
  EXPECT_FALSE(find_mount("garbage", "/").has_value());
}

TEST(DoctorLimits, WarnsOfWhatIsTooLow) {
  LimitFacts facts;
  facts.files_hard = 1'000'000;
  facts.maps_max = 65'530;
  facts.memory_limit = 8 * kGiga;
  facts.memory_available = 4 * kGiga;
  const auto report_of = [&] {
    DoctorReport report("/srv");
    judge_limits(facts, report);
    return report;
  };
  EXPECT_EQ(report_of().exit_code(), 0) << report_of().text();
  facts.database_count = 10'000;
  EXPECT_EQ(find(report_of(), "memory maps").level, Level::kWarning);
  EXPECT_EQ(find(report_of(), "open files").level, Level::kGood);
  facts.files_hard = 4096;
  EXPECT_EQ(find(report_of(), "open files").level, Level::kWarning);
  facts.memory_limit = kGiga / 8;
  EXPECT_EQ(find(report_of(), "memory").level, Level::kWarning);
  facts.overcommit_never = true;
  EXPECT_EQ(find(report_of(), "overcommit").level, Level::kWarning);
  facts.address_space = 4 * kGiga;
  EXPECT_EQ(find(report_of(), "address space").level, Level::kProblem);
}

TEST(DoctorServer, SaysWhatIsNearItsLimit) {
  LimitFacts limits;
  limits.maps_max = 1000;
  DoctorReport idle("/srv");
  judge_server({}, limits, idle);
  EXPECT_EQ(idle.exit_code(), 0);
  ServerFacts server{.pid = 42, .held = true, .files_open = 10, .files_max = 100, .maps = 900};
  DoctorReport busy("/srv");
  judge_server(server, limits, busy);
  EXPECT_EQ(find(busy, "open files").level, Level::kGood);
  EXPECT_EQ(find(busy, "memory maps").level, Level::kWarning);
  EXPECT_THAT(find(busy, "memory maps").value, HasSubstr("900 of 1000 (90 %)"));
}

TEST(DoctorClock, KnowsAWrongOne) {
  DoctorReport wrong("/srv");
  judge_clock({.year = 1970, .source = "tsc", .synchronised = true}, wrong);
  EXPECT_EQ(wrong.exit_code(), 1);
  DoctorReport slow("/srv");
  judge_clock({.year = 2026, .source = "hpet", .synchronised = true}, slow);
  EXPECT_EQ(find(slow, "clock source").level, Level::kWarning);
}

// What a file system can get wrong.
struct Faults {
  bool no_locks = false;
  bool stale_maps = false;
  bool imitated_allocation = false;
  bool failing_syncs = false;
  os::Duration write_time{};  // of one that must be durable when it returns
};

// A clock that moves only when told.
class HandClock final : public os::Clock {
 public:
  os::MonotonicTime monotonic() override { return now_; }

  os::WallTime wall() override { return os::WallTime(now_.time_since_epoch()); }

  void sleep_for(os::Duration duration) override { now_ += duration; }

 private:
  os::MonotonicTime now_{};
};

class FaultyMapping final : public os::Mapping {
 public:
  const std::byte* data() const noexcept override { return bytes_.data(); }

  std::byte* writable_data() noexcept override { return nullptr; }

  std::uint64_t size() const noexcept override { return bytes_.size(); }

  bool faulted() const noexcept override { return false; }

 private:
  std::vector<std::byte> bytes_ = std::vector<std::byte>(1U << 20U);
};

class FaultyFile final : public os::File {
 public:
  FaultyFile(std::unique_ptr<os::File> file, const Faults& faults, HandClock& clock)
      : file_(std::move(file)), faults_(faults), clock_(clock) {}

  Result<std::size_t> read_at(std::uint64_t offset, MutableBytes into) override {
    return file_->read_at(offset, into);
  }

  Result<void> write_at(std::uint64_t offset, Bytes from) override {
    clock_.sleep_for(faults_.write_time);
    return file_->write_at(offset, from);
  }

  Result<void> write_vector_at(std::uint64_t offset, std::span<const Bytes> parts) override {
    return file_->write_vector_at(offset, parts);
  }

  Result<void> sync_data() override {
    return faults_.failing_syncs ? Result<void>(Error(ErrorCode::io, "no sync today"))
                                 : file_->sync_data();
  }

  Result<void> allocate(std::uint64_t offset, std::uint64_t length) override {
    return faults_.imitated_allocation ? Result<void>() : file_->allocate(offset, length);
  }

  Result<void> punch_hole(std::uint64_t offset, std::uint64_t length) override {
    return file_->punch_hole(offset, length);
  }

  Result<void> truncate(std::uint64_t size_bytes) override { return file_->truncate(size_bytes); }

  Result<os::FileInfo> info() override { return file_->info(); }

  Result<std::optional<std::int64_t>> try_lock() override {
    return faults_.no_locks ? std::optional<std::int64_t>() : file_->try_lock();
  }

  Result<std::unique_ptr<os::Mapping>> map(std::uint64_t length, os::Access access) override {
    if (faults_.stale_maps) {
      return std::unique_ptr<os::Mapping>(std::make_unique<FaultyMapping>());
    }
    return file_->map(length, access);
  }

  bool is_direct() const noexcept override { return file_->is_direct(); }

 private:
  std::unique_ptr<os::File> file_;
  const Faults& faults_;
  HandClock& clock_;
};

class FaultyFileSystem final : public os::FileSystem {
 public:
  FaultyFileSystem(const Faults& faults, HandClock& clock) : faults_(faults), clock_(clock) {}

  Result<std::unique_ptr<os::File>> open(std::string_view path,
                                         const os::OpenOptions& options) override {
    RK_TRY_ASSIGN(auto file, memory_.open(path, options));
    return std::unique_ptr<os::File>(
        std::make_unique<FaultyFile>(std::move(file), faults_, clock_));
  }

  Result<void> rename(std::string_view a, std::string_view b) override {
    return memory_.rename(a, b);
  }

  Result<void> link(std::string_view a, std::string_view b) override { return memory_.link(a, b); }

  Result<void> remove_file(std::string_view path) override { return memory_.remove_file(path); }

  Result<void> create_directory(std::string_view path) override {
    return memory_.create_directory(path);
  }

  Result<void> remove_directory(std::string_view path) override {
    return memory_.remove_directory(path);
  }

  Result<std::vector<std::string>> list(std::string_view path) override {
    return memory_.list(path);
  }

  Result<void> sync_directory(std::string_view path) override {
    return memory_.sync_directory(path);
  }

  Result<std::optional<os::FileInfo>> info(std::string_view path) override {
    return memory_.info(path);
  }

  Result<os::SpaceInfo> space(std::string_view path) override { return memory_.space(path); }

 private:
  os::MemoryFileSystem memory_;
  Faults faults_;
  HandClock& clock_;
};

// An examination of a file system with those faults; it must leave nothing behind.
DoctorReport examined(const Faults& faults, const std::string& folder = "/data") {
  HandClock clock;
  FaultyFileSystem files(faults, clock);
  EXPECT_TRUE(files.create_directory("/data").has_value());
  os::Platform platform{files, clock, os::real_platform().random, os::real_platform().threads};
  DoctorReport report(folder);
  examine_volume(platform, folder, report);
  EXPECT_EQ(files.list("/data").value(), std::vector<std::string>());
  return report;
}

constexpr os::Duration kUsual = std::chrono::microseconds(400);

TEST(DoctorProbe, IsContentWithAFileSystemThatKeepsItsWord) {
  const DoctorReport report = examined({.write_time = kUsual});
  EXPECT_EQ(report.exit_code(), 0) << report.text();
  EXPECT_THAT(find(report, "journal writes").value, HasSubstr("0.4 ms (median of 24"));
  EXPECT_EQ(find(report, "locks").level, Level::kGood);
  EXPECT_EQ(find(report, "maps").level, Level::kGood);
  EXPECT_EQ(find(report, "allocation").level, Level::kGood);
}

TEST(DoctorProbe, FindsEachFault) {
  EXPECT_EQ(find(examined({.no_locks = true, .write_time = kUsual}), "locks").level,
            Level::kProblem);
  EXPECT_EQ(find(examined({.stale_maps = true, .write_time = kUsual}), "maps").level,
            Level::kProblem);
  EXPECT_EQ(find(examined({.imitated_allocation = true, .write_time = kUsual}), "allocation").level,
            Level::kWarning);
  const Finding sync =
      find(examined({.failing_syncs = true, .write_time = kUsual}), "data file syncs");
  EXPECT_EQ(sync.level, Level::kProblem);
  EXPECT_THAT(sync.advice, HasSubstr("no sync today"));
}

TEST(DoctorProbe, SuspectsWhatIsTooFastAndNamesWhatIsSlow) {
  EXPECT_EQ(find(examined({}), "journal writes").level, Level::kWarning);
  EXPECT_EQ(find(examined({.write_time = std::chrono::milliseconds(50)}), "journal writes").level,
            Level::kWarning);
}

TEST(DoctorProbe, SaysThatAFolderCannotBeWritten) {
  const DoctorReport report = examined({}, "/nowhere");
  EXPECT_EQ(find(report, "writing").level, Level::kProblem);
  EXPECT_EQ(report.exit_code(), 2);
}

TEST(DoctorReport, IsShownAsTextAndAsJson) {
  DoctorReport report("/srv/\"x\"");
  report.add({Level::kGood, "volume", "type", "ext4"});
  report.add({Level::kWarning, "limits", "open files", "12", "Raise it."});
  report.add({Level::kGood, "volume", "space", "much"});
  const std::string text = report.text();
  EXPECT_THAT(text, HasSubstr("\nvolume\n  ok       type                   ext4\n"
                              "  ok       space                  much\n\nlimits\n"));
  EXPECT_THAT(text, HasSubstr("\n           Raise it.\n"));
  EXPECT_THAT(text, HasSubstr("problems: 0, warnings: 1\n"));
  const auto json = value::parse_json(report.json());
  ASSERT_TRUE(json.has_value()) << report.json();
  EXPECT_EQ(json->root().find_string("Folder"), "/srv/\"x\"");
  EXPECT_EQ(json->root().find_string("Level"), "warning");
  EXPECT_EQ(json->root().find("Findings")->size(), 3U);
}

TEST(BytesText, IsShort) {
  EXPECT_EQ(bytes_text(0), "0 bytes");
  EXPECT_EQ(bytes_text(16ULL << 20U), "16 MB");
  EXPECT_EQ(bytes_text(1536), "1.5 KB");
  EXPECT_EQ(bytes_text(252ULL << 30U), "252 GB");
}

}  // namespace
}  // namespace rookery::cli
