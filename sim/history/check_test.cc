// SPDX-License-Identifier: Apache-2.0
// The checker against planted histories: each file of planted/ must be found, as what its name says
// and by the operations that it names, and each of sound/ must not.
#include "check.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rookery/base/test_seed.h"

#include "history_file.h"
#include "model.h"

namespace rookery::history {
namespace {

std::vector<std::filesystem::path> files_in(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(RK_HISTORIES "/" + folder)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Verdict check_file(const std::filesystem::path& path, History& history) {
  std::ifstream in(path);
  const Result<void> read = read_history(in, history);
  EXPECT_TRUE(read.has_value()) << path << ": " << read.error().to_string();
  Result<Verdict> verdict = check(history);
  EXPECT_TRUE(verdict.has_value()) << path;
  return std::move(verdict).value();
}

// The class that a file's name begins with; the longest, as some begin with others.
std::optional<Anomaly> class_of(const std::string& stem) {
  std::optional<Anomaly> best;
  for (std::size_t i = 0; i < kAnomalyCount; ++i) {
    const auto anomaly = static_cast<Anomaly>(i);
    if (stem.starts_with(anomaly_name(anomaly)) &&
        (!best.has_value() || anomaly_name(*best).size() < anomaly_name(anomaly).size())) {
      best = anomaly;
    }
  }
  return best;
}

// "# proof: 2 3" in a file: operations, counted from 1.
std::vector<OpNo> proof_in(const std::filesystem::path& path) {
  std::ifstream in(path);
  const std::string key = "# proof:";
  std::vector<OpNo> proof;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(key)) {
      std::istringstream numbers(line.substr(key.size()));
      for (OpNo number = 0; numbers >> number;) {
        proof.push_back(number - 1);
      }
    }
  }
  return proof;
}

TEST(Check, FindsEachPlantedHistoryByNameAndProof) {
  std::set<Anomaly> covered;
  for (const auto& path : files_in("planted")) {
    SCOPED_TRACE(path.filename());
    const std::optional<Anomaly> anomaly = class_of(path.stem());
    ASSERT_TRUE(anomaly.has_value());
    covered.insert(*anomaly);
    History history;
    const Verdict verdict = check_file(path, history);
    const std::string text = findings_text(verdict.findings, history);
    ASSERT_EQ(verdict.findings.kept().size(), 1U) << text;
    const Finding& finding = verdict.findings.kept().front();
    EXPECT_EQ(anomaly_name(finding.anomaly), anomaly_name(*anomaly));
    EXPECT_THAT(finding.operations, testing::UnorderedElementsAreArray(proof_in(path))) << text;
  }
  EXPECT_EQ(covered.size(), kAnomalyCount) << "a class without a planted history";
}

TEST(Check, FindsNothingInSoundHistories) {
  const auto files = files_in("sound");
  EXPECT_GE(files.size(), 10U);
  for (const auto& path : files) {
    SCOPED_TRACE(path.filename());
    History history;
    const Verdict verdict = check_file(path, history);
    EXPECT_TRUE(verdict.clean()) << findings_text(verdict.findings, history);
  }
}

TEST(Check, FindsNothingInTheModelsHistories) {
  std::uint64_t unknown = 0;
  std::uint64_t unknown_seen = 0;
  for (std::uint64_t round = 0; round < 20; ++round) {
    const ModelOptions options{.seed = test_seed() + round,
                               .clients = static_cast<std::uint32_t>(1 + round * 2),
                               .operations = 4'000,
                               .documents = static_cast<std::uint32_t>(5 + round * 5),
                               .crash_one_in = round % 3 == 0 ? 0U : 1'000U};
    SCOPED_TRACE("seed " + std::to_string(options.seed));
    History history;
    make_model_history(options, history);
    const Result<Verdict> verdict = check(history);
    ASSERT_TRUE(verdict.has_value());
    EXPECT_TRUE(verdict->clean()) << findings_text(verdict->findings, history);
    if (round > 0) {
      EXPECT_GT(verdict->counts.overlapping, verdict->counts.operations / 2);
    }
    unknown += verdict->counts.unknown;
    unknown_seen += verdict->counts.unknown_seen;
  }
  // Of what crashes left open, some was stored and some wasn't: over all rounds, for one round has
  // only a few crashes.
  EXPECT_GT(unknown_seen, 0U);
  EXPECT_LT(unknown_seen, unknown);
}

struct Fault {
  ModelFault fault;
  std::vector<Anomaly> any_of;  // one of them must be found
};

class FaultyModel : public testing::TestWithParam<Fault> {};

TEST_P(FaultyModel, IsFound) {
  const ModelOptions options{.seed = test_seed(), .crash_one_in = 500, .fault = GetParam().fault};
  History history;
  make_model_history(options, history);
  const Result<Verdict> verdict = check(history);
  ASSERT_TRUE(verdict.has_value());
  for (const Anomaly anomaly : GetParam().any_of) {
    EXPECT_GT(verdict->findings.count(anomaly), 0U) << anomaly_name(anomaly) << " is not among\n"
                                                    << findings_text(verdict->findings, history);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Check, FaultyModel,
    testing::Values(
        Fault{ModelFault::kReadsInTwoSteps, {Anomaly::kFracturedRead, Anomaly::kMixedMoments}},
        Fault{ModelFault::kBatchesInTwoSteps, {Anomaly::kFracturedRead}},
        Fault{ModelFault::kOldSnapshots, {Anomaly::kStaleRead, Anomaly::kNonMonotonicRead}},
        Fault{ModelFault::kRollsBackInTheOpen, {Anomaly::kDirtyRead}},
        Fault{ModelFault::kIgnoresExpectations, {Anomaly::kLostUpdate}},
        Fault{ModelFault::kForgetsInCrashes, {Anomaly::kLostWrite}},
        Fault{ModelFault::kForgetsDeletions, {Anomaly::kResurrection}},
        Fault{ModelFault::kReusesEtags, {Anomaly::kVersionReused}},
        Fault{ModelFault::kIndexMissesDocuments, {Anomaly::kIncompleteQuery}},
        Fault{ModelFault::kReusesNumbers, {Anomaly::kNumberReused}}),
    [](const auto& each) {
      std::string name(model_fault_name(each.param.fault));
      name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
      return name;
    });

// A document whose last version outlives a read of another one whose etag was given twice.
TEST(Check, LivesWithEtagsThatDoNotFollowTime) {
  for (std::uint64_t seed = 100; seed < 110; ++seed) {
    const ModelOptions options{
        .seed = seed, .crash_one_in = 500, .fault = ModelFault::kReusesEtags};
    History history;
    make_model_history(options, history);
    const Result<Verdict> verdict = check(history);
    ASSERT_TRUE(verdict.has_value());
    EXPECT_FALSE(verdict->clean());
  }
}

TEST(Check, RefusesTwoPutsOfOneValue) {
  std::istringstream in(R"({"kind":"write","from":1,"to":2,"commands":[{"put":"a","value":"x"}]}
{"kind":"write","from":3,"to":4,"commands":[{"put":"b","value":"x"}]})");
  History history;
  ASSERT_TRUE(read_history(in, history).has_value());
  const Result<Verdict> verdict = check(history);
  ASSERT_FALSE(verdict.has_value());
  EXPECT_EQ(verdict.error().code(), ErrorCode::malformed);
}

TEST(Check, CountsWhatRanAtOnce) {
  std::istringstream in(R"({"client":1,"kind":"load","from":1,"to":10,"missing":["a"]}
{"client":2,"kind":"load","from":5,"to":6,"missing":["a"]}
{"client":3,"kind":"load","from":6,"to":7,"missing":["a"]}
{"client":2,"kind":"load","from":20,"to":21,"missing":["a"]})");
  History history;
  ASSERT_TRUE(read_history(in, history).has_value());
  const Result<Verdict> verdict = check(history);
  ASSERT_TRUE(verdict.has_value());
  EXPECT_EQ(verdict->counts.operations, 4U);
  EXPECT_EQ(verdict->counts.concurrent_max, 3U);
  EXPECT_EQ(verdict->counts.overlapping, 3U);
}

TEST(HistoryFile, ReadsWhatItWrites) {
  for (const char* const folder : {"planted", "sound"}) {
    for (const auto& path : files_in(folder)) {
      SCOPED_TRACE(path.filename());
      History history;
      std::ifstream in(path);
      ASSERT_TRUE(read_history(in, history).has_value());
      std::ostringstream once;
      write_history(history, once);
      History again;
      std::istringstream back(once.str());
      ASSERT_TRUE(read_history(back, again).has_value());
      std::ostringstream twice;
      write_history(again, twice);
      EXPECT_EQ(once.str(), twice.str());
      EXPECT_EQ(history.operations.size(), again.operations.size());
    }
  }
}

TEST(HistoryFile, NamesTheLineThatItCannotRead) {
  for (const char* const line :
       {"{", R"({"kind":"write"})", R"({"kind":"walk","from":1,"to":2})",
        R"({"kind":"load","from":3,"to":2})", R"({"kind":"load","from":1,"to":2,"found":[["a"]]})",
        R"({"kind":"load","from":1,"to":2,"found":[["a","x","B"]]})",
        R"({"kind":"write","from":1,"to":2,"commands":[{"put":"a"}]})"}) {
    History history;
    std::istringstream in("# fine\n" + std::string(line));
    const Result<void> read = read_history(in, history);
    ASSERT_FALSE(read.has_value()) << line;
    EXPECT_EQ(read.error().code(), ErrorCode::malformed);
    EXPECT_THAT(read.error().to_string(), testing::HasSubstr("line 2")) << line;
  }
}

}  // namespace
}  // namespace rookery::history
