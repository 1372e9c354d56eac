// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "rookery/base/prng.h"
#include "rookery/base/test_seed.h"
#include "rookery/value/document.h"
#include "rookery/value/json.h"

namespace rookery::value {
namespace {

constexpr std::string_view kSample =
    R"({"Name":"Ann","Tags":["a",null,true,[],{}],"Sum":1.10,"Big":123456789012345678901234567890,)"
    R"("a":1,"b":-300,"c":70000,"d":5000000000,"e":{"Name":false,"x":")"
    "\u20ac"
    R"("},"f":"","g":[[1],[2,[3]]]})";

std::string sample_bytes() {
  return std::string(as_text(parse_json(kSample).value().bytes()));
}

// In memory of exactly its size, so that AddressSanitizer sees a read beyond it.
class Exact {
 public:
  explicit Exact(std::string_view text)
      : memory_(std::make_unique<std::byte[]>(text.size())), size_(text.size()) {
    std::memcpy(memory_.get(), text.data(), text.size());
  }

  [[nodiscard]] Bytes bytes() const { return {memory_.get(), size_}; }

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::size_t size_;
};

// What passes validate() can be read to its last value.
bool reads_whole(const Exact& exact) {
  if (!validate(exact.bytes())) {
    return false;
  }
  const View root = View::over(exact.bytes()).value();
  const std::string text = to_json(root);
  EXPECT_TRUE(identical(root, root));
  EXPECT_TRUE(equal(root, root));
  const Result<Document> again = parse_json(text, {.depth_max = kDepthMax});
  if (!again) {
    ADD_FAILURE() << text << ": " << again.error().to_string();
  } else {
    EXPECT_TRUE(identical(root, again->root())) << text;
  }
  for (std::size_t i = 0; root.is_object() && i < root.size(); ++i) {
    EXPECT_TRUE(root.find(root.key_at(i)));
  }
  return true;
}

TEST(Validate, AcceptsWhatWasMadeHere) {
  EXPECT_TRUE(reads_whole(Exact(sample_bytes())));
}

TEST(Validate, RefusesEveryCut) {
  const std::string bytes = sample_bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(validate(Exact(std::string_view(bytes).substr(0, size)).bytes())) << size;
  }
  EXPECT_FALSE(validate(Exact(bytes + '\0').bytes()));
}

TEST(Validate, SaysWhenTheFormatIsNewer) {
  std::string bytes = sample_bytes();
  bytes[0] = 2;
  EXPECT_EQ(validate(as_bytes(bytes)).error().code(), ErrorCode::incompatible);
  EXPECT_EQ(View::over(as_bytes(bytes)).error().code(), ErrorCode::incompatible);
  bytes[0] = 0;
  EXPECT_EQ(validate(as_bytes(bytes)).error().code(), ErrorCode::corrupt);
}

// Every damage to one byte is either refused or leaves another sound document.
TEST(Validate, SurvivesDamageInEveryPlace) {
  const std::string bytes = sample_bytes();
  std::size_t refused = 0;
  std::size_t accepted = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const auto byte = static_cast<unsigned char>(bytes[at]);
    for (unsigned change = 0; change < 12; ++change) {
      const unsigned others[] = {byte + 1U, byte - 1U, 0U, 0xFFU};
      const unsigned value = change < 8 ? byte ^ (1U << change) : others[change - 8];
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(static_cast<unsigned char>(value));
      if (damaged != bytes) {
        ++(reads_whole(Exact(damaged)) ? accepted : refused);
      }
    }
  }
  EXPECT_GT(refused, accepted / 2);
  EXPECT_GT(accepted, 0U);  // another letter in a string is no damage that this could see
}

TEST(Validate, SurvivesRandomDamage) {
  Prng prng(test_seed());
  const std::string bytes = sample_bytes();
  for (int round = 0; round < 2000; ++round) {
    std::string damaged = bytes;
    for (std::uint64_t i = prng.below(4); i < 5; ++i) {
      damaged[prng.below(damaged.size())] = static_cast<char>(prng.below(256));
    }
    static_cast<void>(reads_whole(Exact(damaged)));
  }
  for (int round = 0; round < 2000; ++round) {
    std::string noise(12 + prng.below(60), '\0');
    for (char& c : noise) {
      c = static_cast<char>(prng.below(8));
    }
    noise[0] = 1;
    static_cast<void>(reads_whole(Exact(noise)));
  }
}

// header | 12: null | arrays | empty key table
std::string document_of(std::string values, std::uint32_t root) {
  std::string bytes(12, '\0');
  bytes[0] = 1;
  std::memcpy(bytes.data() + 4, &root, 4);
  const auto keys = static_cast<std::uint32_t>(12 + values.size());
  std::memcpy(bytes.data() + 8, &keys, 4);
  return bytes + values + std::string(4, '\0');
}

TEST(Validate, RefusesChildrenThatAreShared) {
  // Each of 40 arrays holds the one before it twice: 2^40 values if it were walked.
  std::string values(1, '\0');
  std::size_t before = 0;
  for (int i = 0; i < 40; ++i) {
    const std::size_t here = values.size();
    const char distance = static_cast<char>(here - before);
    values += {'\x06', '\x02', distance, distance};
    before = here;
  }
  const Exact exact(document_of(values, static_cast<std::uint32_t>(12 + before)));
  EXPECT_EQ(validate(exact.bytes()).error().code(), ErrorCode::corrupt);
}

TEST(Validate, BoundsItsDepth) {
  const auto chain = [](std::size_t levels) {
    std::string values(1, '\0');
    std::size_t before = 0;
    for (std::size_t i = 0; i < levels; ++i) {
      const std::size_t here = values.size();
      values += {'\x06', '\x01', static_cast<char>(here - before)};
      before = here;
    }
    return document_of(values, static_cast<std::uint32_t>(12 + before));
  };
  EXPECT_TRUE(reads_whole(Exact(chain(kDepthMax))));
  EXPECT_FALSE(validate(Exact(chain(kDepthMax + 1)).bytes()));
  EXPECT_FALSE(validate(Exact(chain(100000)).bytes()));
}

TEST(Validate, RefusesGapsAndOverlaps) {
  const std::string null(1, '\0');
  EXPECT_TRUE(reads_whole(Exact(document_of(null, 12))));
  EXPECT_FALSE(validate(Exact(document_of(null + null, 12)).bytes()));
  EXPECT_FALSE(validate(Exact(document_of(null + null, 13)).bytes()));
  // [null] whose child is the array itself, is before all values, or is one too far back.
  EXPECT_TRUE(reads_whole(Exact(document_of({'\0', '\x06', '\x01', '\x01'}, 13))));
  EXPECT_FALSE(validate(Exact(document_of({'\0', '\x06', '\x01', '\0'}, 13)).bytes()));
  EXPECT_FALSE(validate(Exact(document_of({'\0', '\x06', '\x01', '\x02'}, 13)).bytes()));
  EXPECT_FALSE(validate(Exact(document_of({'\0', '\0', '\x06', '\x01', '\x02'}, 14)).bytes()));
  EXPECT_FALSE(validate(Exact(document_of({'\0', '\0', '\x06', '\x01', '\x01'}, 14)).bytes()));
}

}  // namespace
}  // namespace rookery::value
