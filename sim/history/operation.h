// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

// Purpose. What concurrent clients did and were told, as plain values. Texts are numbers in a table
// of names, so that millions of operations fit into memory.
// Threads: one at a time.
// Units: times are nanoseconds of one monotonic clock, or steps of one counter.

namespace rookery::history {

using Time = std::uint64_t;

inline constexpr Time kNever = std::numeric_limits<Time>::max();

// A text in Names. 0 is the empty text.
using NameNo = std::uint32_t;

// Purpose. Texts by number and back.
// Owns: the texts; views live as long as it.
class Names {
 public:
  Names() { static_cast<void>(number("")); }

  Names(const Names&) = delete;
  Names& operator=(const Names&) = delete;

  [[nodiscard]] NameNo number(std::string_view text);

  [[nodiscard]] std::string_view text(NameNo number) const { return texts_.at(number); }

  [[nodiscard]] std::size_t size() const noexcept { return texts_.size(); }

 private:
  std::deque<std::string> texts_;  // never move
  std::unordered_map<std::string_view, NameNo> numbers_;
};

// Purpose. A change vector of one entry, split: "A:12-xyz" is etag 12 of the source "A:-xyz". The
// source of what was never told is 0.
struct Version {
  std::uint64_t etag = 0;
  NameNo source = 0;

  [[nodiscard]] bool known() const noexcept { return etag != 0; }

  friend bool operator==(const Version&, const Version&) = default;
};

// Nothing, if it isn't one entry with an etag above 0.
[[nodiscard]] std::optional<Version> parse_version(std::string_view text, Names& names);
[[nodiscard]] std::string version_text(const Version& version, const Names& names);

enum class Kind : std::uint8_t {
  kWrite,     // one batch of puts and deletes
  kLoad,      // documents by id
  kPrefix,    // every document whose id begins so
  kQuery,     // every document that matches
  kIdentity,  // the next number of a name
  kHiLo,      // the next range of a name
  kCrash,     // the server died after `from` and was gone by `to`
};

enum class Outcome : std::uint8_t {
  kOk,
  kRefused,  // said to have left no trace
  kUnknown,  // no answer, or one that says so
};

// Purpose. One put or delete of a write.
struct Command {
  NameNo id = 0;
  NameNo value = 0;  // of a put: written by no other command of the history
  NameNo match = 0;  // of a put: which queries it matches
  bool is_delete = false;
  bool found_nothing = false;      // of a delete that was answered so
  std::optional<Version> expects;  // unknown version: that the document isn't there
  Version version{};               // as answered
};

// Purpose. One document of an answer.
struct Row {
  NameNo id = 0;
  NameNo value = 0;
  Version version{};
};

// Purpose. One request and what came of it. Which members count, `kind` says.
struct Operation {
  std::uint32_t client = 0;  // which does one operation at a time
  Kind kind = Kind::kWrite;
  Outcome outcome = Outcome::kOk;
  bool waits = false;  // a query that waited for its index
  bool stale = false;  // a query that says so
  Time from = 0;
  Time to = 0;      // of an unknown outcome: when the client gave up
  NameNo name = 0;  // prefix, match, identity, HiLo tag
  std::uint64_t low = 0;
  std::uint64_t high = 0;  // handed out: low to high
  std::vector<Command> commands{};
  std::vector<Row> found{};
  std::vector<NameNo> missing{};  // ids
};

// Purpose. Everything that happened, on a database that was empty before, in any order.
struct History {
  Names names;
  std::vector<Operation> operations;
};

}  // namespace rookery::history
