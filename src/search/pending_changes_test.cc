// SPDX-License-Identifier: Apache-2.0
// What waits to be written, against a model of maps and sets.
#include "pending_changes.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "rookery/base/prng.h"
#include "rookery/base/test_seed.h"

namespace rookery::search {
namespace {

struct ModelChange {
  std::set<Posting> added;
  std::set<Posting> erased;
};

using Model = std::map<std::pair<std::uint32_t, std::string>, ModelChange>;

// As many terms as it takes to fill several chunks of everything.
std::string random_term(Prng& prng) {
  std::string term(1 + prng.below(prng.chance(10) ? 500 : 12), '\x05');
  for (char& c : term) {
    c = static_cast<char>(prng.chance(3) ? prng.below(256) : 'a');
  }
  return term;
}

void expect_change(const ListChange& change, const ModelChange& expected) {
  std::vector<Posting> added;
  std::vector<Posting> erased;
  for (const Posting posting : expected.added) {
    if (!expected.erased.contains(posting)) {
      added.push_back(posting);
    }
  }
  for (const Posting posting : expected.erased) {
    if (!expected.added.contains(posting)) {
      erased.push_back(posting);
    }
  }
  EXPECT_EQ(change.added, added);
  EXPECT_EQ(change.erased, erased);
}

void expect_equal(const PendingChanges& pending, const Model& model) {
  ListChange change;
  auto expected = model.begin();
  for (const auto& [number, dictionary] : pending.dictionaries()) {
    const PendingChanges::Ordered ordered = PendingChanges::ordered(dictionary);
    for (std::size_t at = 0; at < ordered.size(); ++at) {
      ASSERT_NE(expected, model.end());
      ASSERT_EQ(number, expected->first.first);
      ASSERT_EQ(ordered.term(at), expected->first.second);
      ordered.read(at, change);
      expect_change(change, expected->second);
      ++expected;
    }
  }
  EXPECT_EQ(expected, model.end());
}

TEST(PendingChanges, AreThoseThatWereNoted) {
  const std::uint64_t seed = test_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Prng prng(seed);
  PendingChanges pending;
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(pending.bytes(), 0U);
    Model model;
    std::vector<std::pair<std::uint32_t, std::string>> known;
    for (Posting number = 1; number < 20'000; ++number) {
      if (known.empty() || prng.chance(3)) {
        known.emplace_back(prng.below(4), random_term(prng));
      }
      const auto& [dictionary, term] = known[prng.below(known.size())];
      ModelChange& change = model[{dictionary, term}];
      if (prng.chance(4)) {
        // One of before this transaction, or of it.
        const Posting posting =
            prng.chance(2) || change.added.empty() ? 1'000'000 + number : *change.added.begin();
        if (change.erased.insert(posting).second) {
          pending.erase(dictionary, term, posting);
        }
      } else {
        pending.add(dictionary, term, number);
        change.added.insert(number);
      }
    }
    expect_equal(pending, model);
    EXPECT_GT(pending.bytes(), 20'000 * sizeof(Posting));
    pending.clear();
  }
}

}  // namespace
}  // namespace rookery::search
