// SPDX-License-Identifier: Apache-2.0
// Records: those of this version and the one before, and bytes that are neither.
#include "record.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rookery/base/prng.h"
#include "rookery/base/test_seed.h"

namespace rookery::search {
namespace {

using ::testing::ElementsAre;

struct ReadTerm {
  std::string term;
  std::vector<std::uint32_t> positions;

  bool operator==(const ReadTerm& other) const = default;
};

struct ReadField {
  std::uint32_t number = 0;
  bool is_text = false;
  std::uint64_t length = 0;
  std::vector<ReadTerm> terms;

  bool operator==(const ReadField& other) const = default;
};

struct ReadRecord {
  std::string key;
  std::string stored;
  std::vector<ReadField> fields;

  bool operator==(const ReadRecord& other) const = default;
};

Result<ReadRecord> read(std::string_view bytes) {
  RK_TRY_ASSIGN(const RecordView record, RecordView::open(as_bytes(bytes)));
  ReadRecord found{.key = std::string(record.key()), .stored = record.stored(), .fields = {}};
  RK_TRY_ASSIGN(const std::vector<RecordFieldView> fields, record.fields());
  for (const RecordFieldView& field : fields) {
    ReadField& one = found.fields.emplace_back();
    one.number = field.number;
    one.is_text = field.is_text;
    one.length = field.length;
    RecordTerms terms(field);
    RK_TRY_ASSIGN(bool more, terms.next());
    while (more) {
      ReadTerm& term = one.terms.emplace_back();
      term.term = terms.term();
      if (field.is_text) {
        RK_TRY_ASSIGN(term.positions, terms.positions());
        if (term.positions.size() != terms.position_count()) {
          return Error(ErrorCode::corrupt, "counted otherwise");
        }
      }
      RK_TRY_ASSIGN(more, terms.next());
    }
  }
  return found;
}

std::string write(const ReadRecord& record) {
  std::vector<RecordField> fields;
  for (const ReadField& field : record.fields) {
    RecordField& one = fields.emplace_back();
    one.number = field.number;
    one.is_text = field.is_text;
    one.length = field.length;
    for (const ReadTerm& term : field.terms) {
      one.terms.push_back({.term = term.term,
                           .first = static_cast<std::uint32_t>(one.positions.size()),
                           .count = static_cast<std::uint32_t>(term.positions.size())});
      one.positions.insert(one.positions.end(), term.positions.begin(), term.positions.end());
    }
  }
  return encode_record(record.key, record.stored, fields);
}

std::string random_text(Prng& prng, std::uint64_t size_end) {
  std::string text;
  for (std::uint64_t i = prng.below(size_end); i > 0; --i) {
    text.push_back(static_cast<char>(prng.chance(8) ? prng.below(256) : 'a' + prng.below(3)));
  }
  return text;
}

ReadField random_field(Prng& prng, std::uint32_t number) {
  ReadField field{.number = number, .is_text = prng.chance(2), .length = 0, .terms = {}};
  const std::uint64_t size_end = prng.chance(4) ? 510 : 12;
  for (std::uint64_t i = prng.below(12); i > 0; --i) {
    field.terms.push_back({.term = "\x05" + random_text(prng, size_end), .positions = {}});
  }
  std::ranges::sort(field.terms, {}, &ReadTerm::term);
  const auto again =
      std::unique(field.terms.begin(), field.terms.end(),
                  [](const ReadTerm& a, const ReadTerm& b) { return a.term == b.term; });
  field.terms.erase(again, field.terms.end());
  for (ReadTerm& term : field.terms) {
    std::uint64_t position = prng.chance(20) ? 0xFFFF'0000U : prng.below(300);
    for (std::uint64_t i = 1 + (prng.chance(2) ? 0 : prng.below(5)); i > 0 && field.is_text; --i) {
      term.positions.push_back(static_cast<std::uint32_t>(position));
      position += prng.below(300);
    }
    field.length += term.positions.size();
  }
  return field;
}

ReadRecord random_record(Prng& prng) {
  ReadRecord record{.key = "k" + random_text(prng, 40), .stored = {}, .fields = {}};
  record.stored = prng.chance(3) ? random_text(prng, 40) : record.key;
  for (char& c : record.stored) {
    c = c >= 'a' && c <= 'z' && prng.chance(4) ? static_cast<char>(c - 'a' + 'A') : c;
  }
  std::uint32_t number = 0;
  for (std::uint64_t i = prng.below(5); i > 0; --i) {
    number += 1 + static_cast<std::uint32_t>(prng.below(200));
    record.fields.push_back(random_field(prng, number));
  }
  return record;
}

TEST(Record, IsReadAsItWasWritten) {
  const std::uint64_t seed = test_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Prng prng(seed);
  for (int round = 0; round < 3'000 && !HasFailure(); ++round) {
    const ReadRecord record = random_record(prng);
    const Result<ReadRecord> found = read(write(record));
    ASSERT_TRUE(found.has_value()) << found.error().to_string();
    EXPECT_TRUE(*found == record) << "round " << round;
  }
}

// Any byte may be any other: an answer, or `corrupt`, and nothing read outside.
TEST(Record, OfOtherBytesIsReadOrRefused) {
  const std::uint64_t seed = test_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Prng prng(seed);
  int refused = 0;
  for (int round = 0; round < 3'000; ++round) {
    std::string bytes = write(random_record(prng));
    for (std::uint64_t i = 1 + prng.below(3); i > 0; --i) {
      bytes[prng.below(bytes.size())] = static_cast<char>(prng.below(256));
    }
    bytes.resize(prng.chance(4) ? prng.below(bytes.size()) : bytes.size());
    bytes.shrink_to_fit();
    const Result<ReadRecord> found = read(bytes);
    refused += found.has_value() ? 0 : 1;
    EXPECT_TRUE(found.has_value() || found.error().code() == ErrorCode::corrupt);
  }
  EXPECT_GT(refused, 300);
}

TEST(Record, OfTheVersionBeforeIsRead) {
  using namespace std::string_literals;  // NOLINT(google-build-using-namespace)
  const std::string bytes =
      "\x07users/1\x02U1\x02\x01\x00\x0A\x09\x04\xC0\x44\x80\x00\x00\x00\x00\x00"
      "\x02\x01\x03\x11\x04\x05"
      "fox\x01\x01\x01\x04\x05"
      "red\x02\x02\x00\x02"s;
  const Result<ReadRecord> found = read(bytes);
  ASSERT_TRUE(found.has_value()) << found.error().to_string();
  EXPECT_EQ(found->key, "users/1");
  EXPECT_EQ(found->stored, "U1");
  ASSERT_EQ(found->fields.size(), 2U);
  EXPECT_EQ(found->fields[0].terms[0].term, "\x04\xC0\x44\x80\x00\x00\x00\x00\x00"s);
  EXPECT_TRUE(found->fields[1].is_text);
  EXPECT_EQ(found->fields[1].length, 3U);
  ASSERT_EQ(found->fields[1].terms.size(), 2U);
  EXPECT_EQ(found->fields[1].terms[0].term, std::string("\x05") + "fox");
  EXPECT_THAT(found->fields[1].terms[0].positions, ElementsAre(1U));
  EXPECT_EQ(found->fields[1].terms[1].term, std::string("\x05") + "red");
  EXPECT_THAT(found->fields[1].terms[1].positions, ElementsAre(0U, 2U));
}

}  // namespace
}  // namespace rookery::search
