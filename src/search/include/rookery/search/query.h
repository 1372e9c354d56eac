// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "rookery/search/analyzer.h"
#include "rookery/search/term.h"

// Purpose. What can be asked of an index: conditions on terms, and the order of what is found.
// Fields are names of the index's own (see IndexWriter); nothing here knows documents or RQL.

namespace rookery::search {

struct Node;
using NodePtr = std::unique_ptr<Node>;

struct All {};

struct None {};

// Any term at all in the field.
struct Exists {
  std::string field;
};

struct TermIs {
  std::string field;
  Term term;
};

// Entries with any (or all) of the terms. No terms: none for any, all for all.
struct TermIn {
  std::string field;
  std::vector<Term> terms;
  bool all = false;
};

struct Bound {
  Term term;
  bool inclusive = true;
};

// Ranges stay within what they are given: the caller bounds the kind (numbers, strings).
struct Range {
  std::string field;
  std::optional<Bound> low;
  std::optional<Bound> high;
};

// String terms that begin with, end with, hold, look like a text. Case as given. Where what was
// kept of a cut text (see string_term) does not tell, it is no match, and Counters::cut_terms
// counts it.
struct Prefix {
  std::string field;
  std::string text;
};

struct Suffix {
  std::string field;
  std::string text;
};

// `*` any text, `?` one code point; a backslash takes the next literally.
struct Wildcard {
  std::string field;
  std::string pattern;
};

// RE2 syntax, found anywhere in the term. Errors of the pattern: invalid_argument when executed.
struct Regex {
  std::string field;
  std::string pattern;
  bool ignore_case = true;
};

inline constexpr std::uint32_t kFuzzyEditsMax = 32;

// Terms within `edits_max` (0 to kFuzzyEditsMax) edits (insert, delete, change, swap) in code
// points.
struct Fuzzy {
  std::string field;
  std::string text;
  std::uint32_t edits_max = 2;
};

// The words at the distances that their positions have here (so that a left-out stop word leaves
// its gap), or within `slop` moves of it: how far the words' displacements are apart at most. Two
// words that change places cost 2. Needs a field with positions: invalid_argument otherwise. No
// words: nothing.
struct Phrase {
  std::string field;
  std::vector<Token> words;  // as Analyzer gives them
  std::uint32_t slop = 0;
};

// By the entry's key; the key is compared as bytes.
struct KeyIn {
  std::vector<std::string> keys;
};

struct KeyPrefix {
  std::string prefix;
};

struct KeyRange {
  std::optional<Bound> low;  // `term` is a key here
  std::optional<Bound> high;
};

struct And {
  std::vector<Node> terms;
};

struct Or {
  std::vector<Node> terms;
};

struct Not {
  NodePtr term;
};

// Scores. A term of TermIs, TermIn and Phrase gives BM25 (k1 1.2, b 0.75; outside full text each
// term counts as one of an average length); And and Or sum what matched; Not, All and None give 0,
// anything else that matched gives 1. Boost multiplies the scores that `term` gives.
struct Boost {
  NodePtr term;
  double factor = 1.0;
};

struct Node {
  std::variant<All, None, Exists, TermIs, TermIn, Range, Prefix, Suffix, Wildcard, Regex, Fuzzy,
               Phrase, KeyIn, KeyPrefix, KeyRange, And, Or, Not, Boost>
      what;
};

enum class SortBy : std::uint8_t {
  kValue,         // null < false < true < numbers < strings, each by value
  kText,          // null, then everything as its text, by code point
  kLong,          // numbers truncated; what is no number counts as missing
  kDouble,        // numbers; what is no number counts as missing
  kAlphaNumeric,  // null, then texts, runs of digits by value; equal but for zeros: by code point
  kScore,         // ascending is lowest first
  kKey,
  kRandom,  // the same for the same seed and index
};

// Entries without a value in the field (it is missing, or names no term) come first ascending and
// last descending unless `missing` says otherwise; null is the lowest value. Of several terms the
// lowest counts ascending, the highest descending. Ties: the order of insertion into the index
// (what was replaced counts as inserted then), whatever the direction.
struct SortKey {
  enum class Missing : std::uint8_t { kDefault, kFirst, kLast };
  SortBy by = SortBy::kValue;
  std::string field;
  bool descending = false;
  Missing missing = Missing::kDefault;
  std::uint64_t seed = 0;  // of kRandom
};

}  // namespace rookery::search
