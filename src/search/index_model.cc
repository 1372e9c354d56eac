// SPDX-License-Identifier: Apache-2.0
#include "index_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <optional>
#include <regex>
#include <set>

#include "rookery/base/checksum.h"

namespace rookery::search {
namespace {

// ---- values ----

const std::vector<std::string>& words() {
  static const std::vector<std::string> kWords = {"red", "fox", "dog", "lazy", "redder", "fix"};
  return kWords;
}

// Texts that begin, end and look alike; two that are cut with one beginning, one that is not quite.
std::string text_at(std::uint32_t index) {
  static const std::vector<std::string> kTexts = {"",
                                                  "a",
                                                  "ab",
                                                  "abc",
                                                  "b",
                                                  "ba",
                                                  "A",
                                                  "a10",
                                                  "a9",
                                                  "a09b",
                                                  "a9b",
                                                  "x10y2",
                                                  "x9y",
                                                  "\xC3\xA9",
                                                  "a\xC3\xA9"
                                                  "b",
                                                  "cab",
                                                  "acb",
                                                  "7",
                                                  "10",
                                                  std::string("a\0b", 3)};
  if (index < kTexts.size()) {
    return kTexts[index];
  }
  return std::string(index % 2 == 0 ? 510 : 600, 'q') + std::to_string(index % 3);
}

constexpr std::uint32_t kTextCount = 24;

Term random_term(Choices& choices) {
  constexpr std::int64_t kBig = std::int64_t{1} << 53;
  switch (choices.below(8)) {
    case 0:
    case 1:
      return integer_term(choices.below(6));
    case 2:
    case 3:
    case 4:
      return string_term(text_at(choices.below(kTextCount)));
    case 5: {
      constexpr std::array<double, 6> kNumbers = {0.5, -0.5, 1.25, -3.0, 1e300, -1e300};
      return number_term(kNumbers[choices.below(6)]);
    }
    case 6: {
      const std::array<std::int64_t, 6> numbers = {kBig,
                                                   kBig + 1,
                                                   -kBig - 1,
                                                   -7,
                                                   std::numeric_limits<std::int64_t>::max(),
                                                   std::numeric_limits<std::int64_t>::max() - 1};
      return integer_term(numbers[choices.below(6)]);
    }
    default: {
      const std::uint32_t which = choices.below(3);
      return which == 0 ? null_term() : bool_term(which == 1);
    }
  }
}

// "n" has numbers only, "s" strings and null, "m" anything, "t" is full text.
std::string random_field_name(Choices& choices) {
  constexpr std::array<std::string_view, 5> kFields = {"m", "n", "s", "t", "nowhere"};
  return std::string(kFields[choices.below(5)]);
}

Term term_for(std::string_view field, Choices& choices) {
  if (field == "n") {
    Term term = random_term(choices);
    return term_kind(term) == TermKind::kNumber ? term : integer_term(choices.below(30));
  }
  if (field == "s") {
    return choices.one_in(12) ? null_term() : string_term(text_at(choices.below(kTextCount)));
  }
  if (field == "t") {
    return string_term(words()[choices.below(static_cast<std::uint32_t>(words().size()))]);
  }
  return random_term(choices);
}

// ---- conditions, looked at naively ----

std::u32string decoded(std::string_view text) {
  std::u32string points;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    char32_t point = size == 1 ? lead : lead & (0x7FU >> size);
    for (std::size_t j = 1; j < size; ++j) {
      point = point << 6U | (static_cast<unsigned char>(text[i + j]) & 0x3FU);
    }
    points.push_back(point);
    i += size;
  }
  return points;
}

bool like(std::u32string_view pattern, std::u32string_view text) {
  if (pattern.empty()) {
    return text.empty();
  }
  if (pattern[0] == U'*') {
    return like(pattern.substr(1), text) || (!text.empty() && like(pattern, text.substr(1)));
  }
  if (text.empty()) {
    return false;
  }
  if (pattern[0] == U'?') {
    return like(pattern.substr(1), text.substr(1));
  }
  const std::size_t escaped = pattern[0] == U'\\' && pattern.size() > 1 ? 1U : 0U;
  return pattern[escaped] == text[0] && like(pattern.substr(escaped + 1), text.substr(1));
}

// Whether so many edits turn one into the other, each tried.
bool within_edits(std::u32string_view a, std::u32string_view b, std::uint32_t edits) {
  if (a.empty() || b.empty()) {
    return std::max(a.size(), b.size()) <= edits;
  }
  if (a[0] == b[0] && within_edits(a.substr(1), b.substr(1), edits)) {
    return true;
  }
  if (edits == 0) {
    return false;
  }
  return within_edits(a.substr(1), b, edits - 1) || within_edits(a, b.substr(1), edits - 1) ||
         within_edits(a.substr(1), b.substr(1), edits - 1) ||
         (a.size() > 1 && b.size() > 1 && a[0] == b[1] && a[1] == b[0] &&
          within_edits(a.substr(2), b.substr(2), edits - 1));
}

// Tries every place of every word.
bool has_phrase(const Phrase& phrase, const std::vector<Token>& tokens, std::size_t word,
                std::vector<std::int64_t>& moves, std::set<std::uint32_t>& used) {
  if (word == phrase.words.size()) {
    const auto [least, most] = std::minmax_element(moves.begin(), moves.end());
    return *most - *least <= phrase.slop;
  }
  for (const Token& token : tokens) {
    if (token.text != phrase.words[word].text || !used.insert(token.position).second) {
      continue;
    }
    moves.push_back(std::int64_t{token.position} - std::int64_t{phrase.words[word].position});
    const bool found = has_phrase(phrase, tokens, word + 1, moves, used);
    moves.pop_back();
    used.erase(token.position);
    if (found) {
      return true;
    }
  }
  return false;
}

std::vector<Term> terms_of(const ModelField& field) {
  if (!field.is_text) {
    return field.terms;
  }
  std::set<Term> terms;
  for (const Token& token : field.tokens) {
    terms.insert(string_term(token.text));
  }
  return {terms.begin(), terms.end()};
}

class Matcher {
 public:
  explicit Matcher(const ModelEntry& entry) : entry_(entry) {}

  bool operator()(const All& /*unused*/) const { return true; }

  bool operator()(const None& /*unused*/) const { return false; }

  bool operator()(const Exists& node) const { return entry_.fields.contains(node.field); }

  bool operator()(const TermIs& node) const {
    return any(node.field, [&](const Term& term) { return term == node.term; });
  }

  bool operator()(const TermIn& node) const {
    const auto has = [&](const Term& wanted) { return (*this)(TermIs{node.field, wanted}); };
    return node.all ? std::all_of(node.terms.begin(), node.terms.end(), has)
                    : std::any_of(node.terms.begin(), node.terms.end(), has);
  }

  bool operator()(const Range& node) const {
    return any(node.field, [&](const Term& term) { return is_between(term, node.low, node.high); });
  }

  bool operator()(const Prefix& node) const {
    return any(node.field, [&](const Term& term) {
      return term_kind(term) == TermKind::kString && kept(term).starts_with(node.text);
    });
  }

  bool operator()(const Suffix& node) const {
    return any_whole(node.field, [&](std::string_view text) { return text.ends_with(node.text); });
  }

  bool operator()(const Wildcard& node) const {
    const bool is_prefix = node.pattern.find_first_of("*?\\") == node.pattern.size() - 1 &&
                           node.pattern.ends_with('*');
    if (is_prefix) {
      return (*this)(Prefix{node.field, node.pattern.substr(0, node.pattern.size() - 1)});
    }
    return any_whole(node.field, [&](std::string_view text) {
      return like(decoded(node.pattern), decoded(text));
    });
  }

  bool operator()(const Regex& node) const {
    const auto flags =
        node.ignore_case ? std::regex::ECMAScript | std::regex::icase : std::regex::ECMAScript;
    const std::regex pattern(node.pattern, flags);
    return any_whole(node.field, [&](std::string_view text) {
      return std::regex_search(text.begin(), text.end(), pattern);
    });
  }

  bool operator()(const Fuzzy& node) const {
    return any_whole(node.field, [&](std::string_view text) {
      return within_edits(decoded(node.text), decoded(text), node.edits_max);
    });
  }

  bool operator()(const Phrase& node) const {
    const auto field = entry_.fields.find(node.field);
    std::vector<std::int64_t> moves;
    std::set<std::uint32_t> used;
    return field != entry_.fields.end() && !node.words.empty() &&
           has_phrase(node, field->second.tokens, 0, moves, used);
  }

  bool operator()(const KeyIn& node) const {
    return std::find(node.keys.begin(), node.keys.end(), entry_.key) != node.keys.end();
  }

  bool operator()(const KeyPrefix& node) const { return entry_.key.starts_with(node.prefix); }

  bool operator()(const KeyRange& node) const {
    return is_between(entry_.key, node.low, node.high);
  }

  bool operator()(const And& node) const {
    return std::all_of(node.terms.begin(), node.terms.end(),
                       [&](const Node& term) { return std::visit(*this, term.what); });
  }

  bool operator()(const Or& node) const {
    return std::any_of(node.terms.begin(), node.terms.end(),
                       [&](const Node& term) { return std::visit(*this, term.what); });
  }

  bool operator()(const Not& node) const { return !std::visit(*this, node.term->what); }

  bool operator()(const Boost& node) const { return std::visit(*this, node.term->what); }

 private:
  static std::string_view kept(std::string_view term) {
    return term_is_cut(term) ? term.substr(1, kTermSizeMax - 17) : term.substr(1);
  }

  static bool is_between(const std::string& value, const std::optional<Bound>& low,
                         const std::optional<Bound>& high) {
    return (!low || value > low->term || (low->inclusive && value == low->term)) &&
           (!high || value < high->term || (high->inclusive && value == high->term));
  }

  [[nodiscard]] bool any(const std::string& name,
                         const std::function<bool(const Term&)>& matches) const {
    const auto field = entry_.fields.find(name);
    if (field == entry_.fields.end()) {
      return false;
    }
    const std::vector<Term> terms = terms_of(field->second);
    return std::any_of(terms.begin(), terms.end(), matches);
  }

  [[nodiscard]] bool any_whole(const std::string& name,
                               const std::function<bool(std::string_view)>& matches) const {
    return any(name, [&](const Term& term) {
      return term_kind(term) == TermKind::kString && !term_is_cut(term) &&
             matches(std::string_view(term).substr(1));
    });
  }

  const ModelEntry& entry_;
};

// ---- scores ----

using Entries = std::map<std::string, ModelEntry>;

double bm25(const Entries& entries, const ModelEntry& entry, const std::string& name,
            const Term& term) {
  double having_field = 0;
  double having_term = 0;
  double words_in_all = 0;
  for (const auto& [key, other] : entries) {
    const auto field = other.fields.find(name);
    if (field != other.fields.end()) {
      ++having_field;
      words_in_all += static_cast<double>(field->second.tokens.size());
      having_term += Matcher(other)(TermIs{name, term}) ? 1U : 0U;
    }
  }
  const auto field = entry.fields.find(name);
  if (field == entry.fields.end() || !Matcher(entry)(TermIs{name, term})) {
    return 0;
  }
  const auto count = static_cast<double>(entries.size());
  const double rarity = std::log(1 + (count - having_term + 0.5) / (having_term + 0.5));
  double frequency = 1;
  double length = 1;
  if (field->second.is_text) {
    const std::vector<Token>& tokens = field->second.tokens;
    frequency = static_cast<double>(std::min<std::ptrdiff_t>(
        15, std::count_if(tokens.begin(), tokens.end(),
                          [&](auto& token) { return string_term(token.text) == term; })));
    double step = 1;
    for (const double next : {2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 256, 512, 1024, 4096}) {
      step = next <= static_cast<double>(tokens.size()) ? next : step;
    }
    length = step / (words_in_all / having_field);
  }
  const double norm = 1.2 * (1 - 0.75 + 0.75 * length);
  return rarity * frequency * (1.2 + 1) / (frequency + norm);
}

class ModelScorer {
 public:
  ModelScorer(const Entries& entries, const ModelEntry& entry) : entries_(entries), entry_(entry) {}

  double score = 0;

  void add(const Node& node, double factor) {
    if (const auto* const term_is = std::get_if<TermIs>(&node.what)) {
      add_terms(term_is->field, {term_is->term}, factor);
    } else if (const auto* const term_in = std::get_if<TermIn>(&node.what)) {
      add_terms(term_in->field, {term_in->terms.begin(), term_in->terms.end()}, factor);
    } else if (const auto* const phrase = std::get_if<Phrase>(&node.what)) {
      std::set<Term> terms;
      for (const Token& token : phrase->words) {
        terms.insert(string_term(token.text));
      }
      add_terms(phrase->field, terms, factor);
    } else if (const auto* const conjunction = std::get_if<And>(&node.what)) {
      add_matching(conjunction->terms, factor);
    } else if (const auto* const disjunction = std::get_if<Or>(&node.what)) {
      add_matching(disjunction->terms, factor);
    } else if (const auto* const boost = std::get_if<Boost>(&node.what)) {
      add(*boost->term, factor * boost->factor);
    } else if (!std::holds_alternative<All>(node.what) && !std::holds_alternative<Not>(node.what)) {
      score += factor;
    }
  }

 private:
  void add_terms(const std::string& field, const std::set<Term>& terms, double factor) {
    for (const Term& term : terms) {
      if (Matcher(entry_)(TermIs{field, term})) {
        score += factor * bm25(entries_, entry_, field, term);
      }
    }
  }

  void add_matching(const std::vector<Node>& nodes, double factor) {
    for (const Node& node : nodes) {
      if (std::visit(Matcher(entry_), node.what)) {
        add(node, factor);
      }
    }
  }

  const Entries& entries_;
  const ModelEntry& entry_;
};

// ---- orders ----

// Exact for doubles and for integers.
long double exact(const Term& term) {
  const std::optional<std::int64_t> integer = term_integer(term);
  return integer ? static_cast<long double>(*integer)
                 : static_cast<long double>(term_number(term).value());
}

std::string shown(const Term& term) {
  return term_kind(term) == TermKind::kString ? term.substr(1) : term_to_string(term);
}

int three_way(auto a, auto b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

int compare_alphanumeric(std::string_view a, std::string_view b) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      std::string left;
      std::string right;
      while (i < a.size() && is_digit(a[i])) {
        left.push_back(a[i++]);
      }
      while (j < b.size() && is_digit(b[j])) {
        right.push_back(b[j++]);
      }
      const std::size_t width = std::max(left.size(), right.size());
      left.insert(0, width - left.size(), '0');
      right.insert(0, width - right.size(), '0');
      if (left != right) {
        return left < right ? -1 : 1;
      }
      continue;
    }
    // Digits are in the place of '0' among the others.
    const auto left = static_cast<unsigned char>(is_digit(a[i]) ? '0' : a[i]);
    const auto right = static_cast<unsigned char>(is_digit(b[j]) ? '0' : b[j]);
    if (left != right) {
      return left < right ? -1 : 1;
    }
    ++i;
    ++j;
  }
  return three_way(a.size() - i, b.size() - j);
}

int compare_terms(SortBy by, const Term& a, const Term& b) {
  switch (by) {
    case SortBy::kLong: {
      const auto whole = [](const Term& term) {
        return std::clamp(std::trunc(exact(term)), -9223372036854775808.0L, 9223372036854775807.0L);
      };
      return three_way(whole(a), whole(b));
    }
    case SortBy::kDouble:
      return three_way(static_cast<double>(exact(a)), static_cast<double>(exact(b)));
    case SortBy::kText:
    case SortBy::kAlphaNumeric: {
      const bool a_is_null = term_kind(a) == TermKind::kNull;
      const bool b_is_null = term_kind(b) == TermKind::kNull;
      if (a_is_null || b_is_null) {
        return three_way(!a_is_null, !b_is_null);
      }
      const int order = by == SortBy::kAlphaNumeric ? compare_alphanumeric(shown(a), shown(b)) : 0;
      return order != 0 ? order : three_way(shown(a), shown(b));
    }
    default: {
      if (term_kind(a) != term_kind(b)) {
        return three_way(term_kind(a), term_kind(b));
      }
      return term_kind(a) == TermKind::kNumber ? three_way(exact(a), exact(b)) : three_way(a, b);
    }
  }
}

struct Ranked {
  const ModelEntry* entry = nullptr;
  double score = 0;
};

// The term that counts; nullopt: the entry has none for this order.
std::optional<Term> best_term(const SortKey& key, const ModelEntry& entry) {
  const auto field = entry.fields.find(key.field);
  std::optional<Term> best;
  if (field == entry.fields.end()) {
    return best;
  }
  for (const Term& term : terms_of(field->second)) {
    const bool counts = (key.by != SortBy::kLong && key.by != SortBy::kDouble) ||
                        term_kind(term) == TermKind::kNumber;
    const int order = counts && best ? compare_terms(key.by, term, *best) : 0;
    if (counts && (!best || (key.descending ? order > 0 : order < 0))) {
      best = term;
    }
  }
  return best;
}

std::uint64_t random_of(const SortKey& key, const ModelEntry& entry) {
  std::array<std::byte, 8> bytes{};
  store_be64(bytes.data(), entry.number);
  return checksum64(bytes, key.seed);
}

int compare_by(const SortKey& key, const Ranked& a, const Ranked& b) {
  const int direction = key.descending ? -1 : 1;
  switch (key.by) {
    case SortBy::kScore:
      return direction * three_way(a.score, b.score);
    case SortBy::kKey:
      return direction * three_way(a.entry->key, b.entry->key);
    case SortBy::kRandom:
      return direction * three_way(random_of(key, *a.entry), random_of(key, *b.entry));
    default:
      break;
  }
  const std::optional<Term> left = best_term(key, *a.entry);
  const std::optional<Term> right = best_term(key, *b.entry);
  if (left && right) {
    return direction * compare_terms(key.by, *left, *right);
  }
  const bool missing_first = key.missing == SortKey::Missing::kFirst ||
                             (key.missing == SortKey::Missing::kDefault && !key.descending);
  return three_way(left.has_value(), right.has_value()) * (missing_first ? 1 : -1);
}

}  // namespace

void Model::put(std::string_view key, std::string_view stored,
                const std::vector<FieldValues>& fields) {
  ModelEntry entry;
  entry.number = next_number_++;
  entry.key = key;
  entry.stored = stored;
  for (const FieldValues& values : fields) {
    const std::set<Term> terms(values.terms.begin(), values.terms.end());
    entry.fields[std::string(values.field)] = {
        .is_text = values.is_text, .terms = {terms.begin(), terms.end()}, .tokens = values.tokens};
  }
  entries_[entry.key] = std::move(entry);
}

std::vector<ModelHit> Model::search(const Node& where, const std::vector<SortKey>& order,
                                    bool with_scores) const {
  std::vector<Ranked> found;
  for (const auto& [key, entry] : entries_) {
    if (std::visit(Matcher(entry), where.what)) {
      ModelScorer scorer(entries_, entry);
      if (with_scores) {
        scorer.add(where, 1.0);
      }
      found.push_back({.entry = &entry, .score = scorer.score});
    }
  }
  std::sort(found.begin(), found.end(), [&](const Ranked& a, const Ranked& b) {
    for (const SortKey& key : order) {
      if (const int compared = compare_by(key, a, b); compared != 0) {
        return compared < 0;
      }
    }
    return a.entry->number < b.entry->number;
  });
  std::vector<ModelHit> hits;
  for (const Ranked& ranked : found) {
    hits.push_back({.key = ranked.entry->key, .score = ranked.score});
  }
  return hits;
}

std::string key_text(std::uint32_t number) {
  std::string digits = std::to_string(number % 1000);
  return "k" + std::string(3 - digits.size(), '0') + digits;
}

std::vector<FieldValues> random_fields(Choices& choices) {
  std::vector<FieldValues> fields;
  for (const std::string_view name : {"m", "n", "s"}) {
    if (choices.one_in(4)) {
      continue;
    }
    FieldValues values{.field = name, .terms = {}, .tokens = {}, .is_text = false};
    const std::uint32_t count = choices.one_in(5) ? choices.below(4) : 1;
    for (std::uint32_t i = 0; i < count; ++i) {
      values.terms.push_back(term_for(name, choices));
    }
    fields.push_back(std::move(values));
  }
  if (!choices.one_in(3)) {
    FieldValues values{.field = "t", .terms = {}, .tokens = {}, .is_text = true};
    std::uint32_t position = 0;
    const std::uint32_t count = choices.one_in(6) ? choices.below(40) : choices.below(6);
    for (std::uint32_t i = 0; i < count; ++i) {
      position += choices.one_in(5) ? 1U : 0U;
      values.tokens.push_back({.text = words()[choices.below(6)], .position = position++});
    }
    fields.push_back(std::move(values));
  }
  return fields;
}

namespace {

std::optional<Bound> random_bound(std::string_view field, Choices& choices) {
  if (choices.one_in(4)) {
    return std::nullopt;
  }
  return Bound{.term = term_for(field, choices), .inclusive = !choices.one_in(2)};
}

std::optional<Bound> random_key_bound(Choices& choices) {
  if (choices.one_in(4)) {
    return std::nullopt;
  }
  return Bound{.term = key_text(choices.below(1000)), .inclusive = !choices.one_in(2)};
}

std::vector<Node> random_nodes(Choices& choices, std::uint32_t depth) {
  std::vector<Node> nodes;
  const std::uint32_t count = choices.one_in(8) ? choices.below(2) : 2 + choices.below(2);
  for (std::uint32_t i = 0; i < count; ++i) {
    nodes.push_back(random_node(choices, depth + 1));
  }
  return nodes;
}

Node random_text_condition(Choices& choices) {
  const std::string field = random_field_name(choices);
  constexpr std::array<const char*, 8> kTexts = {"a", "ab", "b", "", "red", "q", "9", "\xC3\xA9"};
  constexpr std::array<const char*, 8> kPatterns = {"a*", "*b",   "?a*", "a??",
                                                    "*",  "*a*b", "r*d", "a\\*"};
  constexpr std::array<const char*, 6> kRegexes = {"a", "^a", "b$", "r.d", "[0-9]+", "fo|la"};
  switch (choices.below(5)) {
    case 0:
      return {Prefix{field, choices.one_in(6) ? std::string(500, 'q') : kTexts[choices.below(8)]}};
    case 1:
      return {Suffix{field, kTexts[choices.below(8)]}};
    case 2:
      return {Wildcard{field, kPatterns[choices.below(8)]}};
    case 3:
      return {Regex{field, kRegexes[choices.below(6)], choices.one_in(2)}};
    default: {
      const std::string text = choices.one_in(2) ? text_at(choices.below(19)) : "red";
      return {Fuzzy{field, text, choices.below(3)}};
    }
  }
}

Node random_key_condition(Choices& choices) {
  switch (choices.below(3)) {
    case 0: {
      KeyIn node;
      const std::uint32_t count = choices.below(5);
      for (std::uint32_t i = 0; i < count; ++i) {
        node.keys.push_back(key_text(choices.below(1000)));
      }
      return {std::move(node)};
    }
    case 1:
      return {KeyPrefix{key_text(choices.below(1000)).substr(0, choices.below(5))}};
    default:
      return {KeyRange{random_key_bound(choices), random_key_bound(choices)}};
  }
}

Node random_leaf(Choices& choices) {
  const std::string field = random_field_name(choices);
  switch (choices.below(9)) {
    case 0:
      return {TermIs{field, term_for(field, choices)}};
    case 1: {
      TermIn node{.field = field, .terms = {}, .all = choices.one_in(3)};
      const std::uint32_t count = choices.below(4);
      for (std::uint32_t i = 0; i < count; ++i) {
        node.terms.push_back(term_for(field, choices));
      }
      return {std::move(node)};
    }
    case 2:
    case 3:
      return {Range{field, random_bound(field, choices), random_bound(field, choices)}};
    case 4:
      return random_text_condition(choices);
    case 5:
      return random_key_condition(choices);
    case 6: {
      Phrase node{.field = "t", .words = {}, .slop = choices.below(4)};
      const std::uint32_t count = 1 + choices.below(3);
      std::uint32_t position = 0;
      for (std::uint32_t i = 0; i < count; ++i) {
        position += choices.one_in(6) ? 1U : 0U;
        node.words.push_back({.text = words()[choices.below(6)], .position = position++});
      }
      return {std::move(node)};
    }
    case 7:
      return {Exists{field}};
    default:
      return choices.one_in(3) ? Node{None{}} : Node{All{}};
  }
}

}  // namespace

Node random_node(Choices& choices, std::uint32_t depth) {
  if (depth >= 3) {
    return random_leaf(choices);
  }
  switch (choices.below(8)) {
    case 4:
      return {Or{random_nodes(choices, depth)}};
    case 5:
    case 6:
      return {And{random_nodes(choices, depth)}};
    case 7: {
      auto inner = std::make_unique<Node>(random_node(choices, depth + 1));
      if (choices.one_in(2)) {
        return {Boost{std::move(inner), 0.5 + choices.below(4)}};
      }
      return {Not{std::move(inner)}};
    }
    default:
      return random_leaf(choices);
  }
}

std::vector<SortKey> random_order(Choices& choices) {
  std::vector<SortKey> order;
  const std::uint32_t count = choices.below(3);
  for (std::uint32_t i = 0; i < count; ++i) {
    constexpr std::array<SortBy, 8> kKinds = {
        SortBy::kValue,        SortBy::kText,  SortBy::kLong, SortBy::kDouble,
        SortBy::kAlphaNumeric, SortBy::kScore, SortBy::kKey,  SortBy::kRandom};
    SortKey key;
    key.by = kKinds[choices.below(8)];
    key.field = random_field_name(choices);
    key.descending = choices.one_in(2);
    key.missing = static_cast<SortKey::Missing>(choices.below(3));
    key.seed = choices.below(3);
    order.push_back(std::move(key));
  }
  return order;
}

}  // namespace rookery::search
