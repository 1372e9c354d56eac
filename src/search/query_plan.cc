// SPDX-License-Identifier: Apache-2.0
#include "query_plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rookery::search {
namespace {

// A scan looks at this many terms to learn how many there are.
constexpr std::uint64_t kSampleTerms = 32;

// Purpose. Makes the plan of one node: one overload a kind.
class Planner {
 public:
  Planner(Snapshot& snapshot, std::uint64_t entry_count, std::size_t depth)
      : snapshot_(snapshot), entry_count_(entry_count), depth_(depth) {}

  Result<void> operator()(const All& /*unused*/) {
    plan.kind = QueryPlan::Kind::kAll;
    plan.estimate = entry_count_;
    return {};
  }

  Result<void> operator()(const None& /*unused*/) { return {}; }

  Result<void> operator()(const Exists& node) {
    if (!find_field(node.field)) {
      return {};
    }
    plan.kind = QueryPlan::Kind::kAnyList;
    RK_TRY_ASSIGN(PostingList list, snapshot_.list(ListOf::kHaving, plan.field->number));
    plan.estimate = list.count;
    plan.lists.push_back(std::move(list));
    return {};
  }

  Result<void> operator()(const TermIs& node) {
    if (!find_field(node.field)) {
      return {};
    }
    plan.kind = QueryPlan::Kind::kAnyList;
    RK_TRY(add_list(node.term));
    plan.estimate = plan.lists[0].count;
    return {};
  }

  Result<void> operator()(const TermIn& node) {
    if (node.terms.empty()) {
      return node.all ? (*this)(All{}) : (*this)(None{});
    }
    if (!find_field(node.field)) {
      return {};
    }
    std::vector<Term> terms = node.terms;
    std::sort(terms.begin(), terms.end());
    terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
    for (const Term& term : terms) {
      RK_TRY(snapshot_.tick());
      RK_TRY(add_list(term));
    }
    plan.kind = node.all ? QueryPlan::Kind::kAllLists : QueryPlan::Kind::kAnyList;
    plan.estimate = node.all ? least_count() : std::min(entry_count_, sum_of_counts());
    return {};
  }

  Result<void> operator()(const Range& node) { return plan_scan(node.field, scan_range(node)); }

  Result<void> operator()(const Prefix& node) {
    return plan_scan(node.field, scan_prefix(node.text));
  }

  Result<void> operator()(const Suffix& node) {
    return plan_scan(node.field, scan_suffix(node.text));
  }

  Result<void> operator()(const Wildcard& node) {
    return plan_scan(node.field, scan_wildcard(node.pattern));
  }

  Result<void> operator()(const Regex& node) { return plan_scan(node.field, scan_regex(node)); }

  Result<void> operator()(const Fuzzy& node) { return plan_scan(node.field, scan_fuzzy(node)); }

  Result<void> operator()(const Phrase& node) {
    if (!find_field(node.field) || node.words.empty()) {
      return {};
    }
    if (!plan.field->is_text) {
      return Error(ErrorCode::invalid_argument,
                   "a phrase needs full text, and '" + node.field + "' is not");
    }
    plan.kind = QueryPlan::Kind::kPhrase;
    std::vector<Term> terms;
    for (const Token& word : node.words) {
      terms.push_back(string_term(word.text));
    }
    std::sort(terms.begin(), terms.end());
    terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
    for (const Term& term : terms) {
      RK_TRY(add_list(term));
    }
    plan.estimate = least_count();
    return {};
  }

  Result<void> operator()(const KeyIn& node) {
    plan.kind = QueryPlan::Kind::kKeys;
    plan.estimate = std::min<std::uint64_t>(entry_count_, node.keys.size());
    return {};
  }

  Result<void> operator()(const KeyPrefix& node) { return plan_keys(prefix_range(node.prefix)); }

  Result<void> operator()(const KeyRange& node) {
    return plan_keys(byte_range(node.low, node.high));
  }

  Result<void> operator()(const And& node) {
    plan.kind = QueryPlan::Kind::kAnd;
    plan.estimate = entry_count_;
    for (const Node& term : node.terms) {
      RK_TRY(add_part(term));
      plan.estimate = std::min(plan.estimate, plan.parts.back().estimate);
    }
    std::erase_if(plan.parts, [](const QueryPlan& part) { return is_all(part); });
    if (std::ranges::any_of(plan.parts, is_none)) {
      plan.kind = QueryPlan::Kind::kNone;
      plan.estimate = 0;
    } else if (plan.parts.empty()) {
      plan.kind = QueryPlan::Kind::kAll;
    }
    return {};
  }

  Result<void> operator()(const Or& node) {
    plan.kind = QueryPlan::Kind::kOr;
    for (const Node& term : node.terms) {
      RK_TRY(add_part(term));
      plan.estimate = std::min(entry_count_, plan.estimate + plan.parts.back().estimate);
    }
    std::erase_if(plan.parts, is_none);
    if (plan.parts.empty()) {
      plan.kind = QueryPlan::Kind::kNone;
    }
    return {};
  }

  Result<void> operator()(const Not& node) {
    if (node.term == nullptr) {
      return Error(ErrorCode::invalid_argument, "a negation of nothing");
    }
    plan.kind = QueryPlan::Kind::kNot;
    RK_TRY(add_part(*node.term));
    plan.estimate = entry_count_ - std::min(entry_count_, plan.parts[0].estimate);
    if (is_all(plan.parts[0]) || count_by_lists(plan.parts[0]) == entry_count_) {
      plan.kind = QueryPlan::Kind::kNone;
    } else if (is_none(plan.parts[0])) {
      plan.kind = QueryPlan::Kind::kAll;
    }
    return {};
  }

  Result<void> operator()(const Boost& node) {
    if (node.term == nullptr) {
      return Error(ErrorCode::invalid_argument, "a boost of nothing");
    }
    if (!std::isfinite(node.factor)) {
      return Error(ErrorCode::invalid_argument, "a boost must be a finite number");
    }
    plan.kind = QueryPlan::Kind::kBoost;
    RK_TRY(add_part(*node.term));
    plan.estimate = plan.parts[0].estimate;
    return {};
  }

  QueryPlan plan;

 private:
  // Of the kind, not by the figures: what is left out needn't be looked at.
  static bool is_all(const QueryPlan& part) { return part.kind == QueryPlan::Kind::kAll; }

  static bool is_none(const QueryPlan& part) { return part.kind == QueryPlan::Kind::kNone; }

  // False, and the plan is that of nothing, if no entry ever had the field.
  bool find_field(std::string_view name) {
    plan.field = snapshot_.field(name);
    return plan.field != nullptr;
  }

  Result<void> add_list(std::string_view term) {
    RK_TRY_ASSIGN(PostingList list, snapshot_.postings(plan.field->number, term));
    plan.lists.push_back(std::move(list));
    return {};
  }

  [[nodiscard]] std::uint64_t least_count() const {
    return std::ranges::min_element(plan.lists, {}, &PostingList::count)->count;
  }

  [[nodiscard]] std::uint64_t sum_of_counts() const {
    std::uint64_t sum = 0;
    for (const PostingList& list : plan.lists) {
      sum += list.count;
    }
    return sum;
  }

  Result<void> add_part(const Node& node) {
    RK_TRY_ASSIGN(QueryPlan part, make_query_plan(snapshot_, node, depth_ + 1));
    plan.parts.push_back(std::move(part));
    return {};
  }

  Result<void> plan_scan(std::string_view field, Result<TermScan> scan) {
    RK_TRY_ASSIGN(plan.scan, std::move(scan));
    if (!find_field(field)) {
      return {};
    }
    plan.kind = QueryPlan::Kind::kTermScan;
    RK_TRY_ASSIGN(const store::Tree terms, snapshot_.terms(plan.field->number));
    RK_TRY(sample(terms, plan.scan.low, plan.scan.high));
    return {};
  }

  Result<void> plan_keys(ByteRange range) {
    plan.kind = QueryPlan::Kind::kKeyRange;
    plan.keys = std::move(range);
    return sample(snapshot_.keys(), plan.keys.low, plan.keys.high);
  }

  // Exact for a few terms, which then are lists like others; else a third of the dictionary, and of
  // the entries, for want of more.
  Result<void> sample(const store::Tree& tree, const std::string& low,
                      const std::optional<std::string>& high) {
    const bool is_keys = plan.kind == QueryPlan::Kind::kKeyRange;
    std::vector<store::TreeEntry> seen;
    store::TreeCursor cursor = tree.cursor();
    RK_TRY_ASSIGN(bool more, low.empty() ? cursor.first() : cursor.seek(as_bytes(low)));
    for (; more && plan.scan_terms < kSampleTerms; ++plan.scan_terms) {
      RK_TRY_ASSIGN(const store::TreeEntry entry, cursor.entry());
      if (high && as_text(entry.key) >= *high) {
        more = false;
        break;
      }
      ++snapshot_.counters().terms;
      if (is_keys) {
        ++plan.estimate;
      } else {
        RK_TRY_ASSIGN(const ListHead head, decode_list_head(entry.value));
        plan.estimate += head.count;
        seen.push_back(entry);
      }
      RK_TRY_ASSIGN(more, cursor.next());
    }
    if (more) {
      plan.scan_terms = std::max(plan.scan_terms, tree.entry_count() / 3);
      plan.estimate = std::max(plan.estimate, entry_count_ / 3);
    } else if (!is_keys) {
      RK_TRY(make_lists(seen));
    }
    plan.estimate = std::min(plan.estimate, entry_count_);
    return {};
  }

  // The scan is over: these are all its terms.
  Result<void> make_lists(const std::vector<store::TreeEntry>& terms) {
    plan.kind = QueryPlan::Kind::kAnyList;
    for (const store::TreeEntry& entry : terms) {
      const Verdict verdict = plan.scan.judge(as_text(entry.key));
      snapshot_.counters().cut_terms += verdict == Verdict::kUnknown ? 1 : 0;
      if (verdict == Verdict::kYes) {
        RK_TRY_ASSIGN(PostingList list, read_posting_list(entry.value));
        plan.lists.push_back(std::move(list));
      }
    }
    plan.estimate = sum_of_counts();
    return {};
  }

  Snapshot& snapshot_;
  std::uint64_t entry_count_;
  std::size_t depth_;
};

std::string quoted(std::string_view term) {
  const std::string text = term_to_string(term);
  return !term.empty() && term_kind(term) == TermKind::kString ? "'" + text + "'" : text;
}

std::string joined(const std::vector<Term>& terms) {
  constexpr std::size_t kShown = 5;
  std::string text;
  for (std::size_t i = 0; i < terms.size() && i < kShown; ++i) {
    text += (i > 0 ? ", " : "") + quoted(terms[i]);
  }
  return terms.size() > kShown ? text + ", ... of " + std::to_string(terms.size()) : text;
}

std::string bounds(std::string_view what, const std::optional<Bound>& low,
                   const std::optional<Bound>& high, bool are_keys) {
  const auto shown = [&](const Bound& bound) {
    return are_keys ? "'" + bound.term + "'" : quoted(bound.term);
  };
  std::string text(what);
  if (low) {
    text += (low->inclusive ? " >= " : " > ") + shown(*low);
  }
  if (high) {
    text += std::string(low ? " and" : "") + (high->inclusive ? " <= " : " < ") + shown(*high);
  }
  return text;
}

// What a node is, for people: one overload a kind.
struct Describer {
  std::string operator()(const All& /*unused*/) const { return "all"; }

  std::string operator()(const None& /*unused*/) const { return "none"; }

  std::string operator()(const Exists& node) const { return "exists " + node.field; }

  std::string operator()(const TermIs& node) const {
    return node.field + " = " + quoted(node.term);
  }

  std::string operator()(const TermIn& node) const {
    return node.field + (node.all ? " all in (" : " in (") + joined(node.terms) + ")";
  }

  std::string operator()(const Range& node) const {
    return bounds(node.field, node.low, node.high, false);
  }

  std::string operator()(const Prefix& node) const {
    return node.field + " begins with '" + node.text + "'";
  }

  std::string operator()(const Suffix& node) const {
    return node.field + " ends with '" + node.text + "'";
  }

  std::string operator()(const Wildcard& node) const {
    return node.field + " like '" + node.pattern + "'";
  }

  std::string operator()(const Regex& node) const {
    return node.field + " matches '" + node.pattern + "'";
  }

  std::string operator()(const Fuzzy& node) const {
    return node.field + " within " + std::to_string(node.edits_max) + " edits of '" + node.text +
           "'";
  }

  std::string operator()(const Phrase& node) const {
    std::string words;
    for (const Token& word : node.words) {
      words += (words.empty() ? "" : " ") + word.text;
    }
    return node.field + " has '" + words + "'" +
           (node.slop > 0 ? " within " + std::to_string(node.slop) : "");
  }

  std::string operator()(const KeyIn& node) const {
    return "key in " + std::to_string(node.keys.size()) + " keys";
  }

  std::string operator()(const KeyPrefix& node) const {
    return "key begins with '" + node.prefix + "'";
  }

  std::string operator()(const KeyRange& node) const {
    return bounds("key", node.low, node.high, true);
  }

  std::string operator()(const And& /*unused*/) const { return "and"; }

  std::string operator()(const Or& /*unused*/) const { return "or"; }

  std::string operator()(const Not& /*unused*/) const { return "not"; }

  std::string operator()(const Boost& node) const {
    return "boost by " + term_to_string(number_term(node.factor));
  }
};

}  // namespace

Result<QueryPlan> make_query_plan(Snapshot& snapshot, const Node& node, std::size_t depth) {
  if (depth > kQueryDepthMax) {
    return Error(ErrorCode::invalid_argument, "the query is nested too deeply");
  }
  Planner planner(snapshot, snapshot.entries().entry_count(), depth);
  planner.plan.node = &node;
  RK_TRY(std::visit(planner, node.what));
  return std::move(planner.plan);
}

std::optional<std::uint64_t> count_by_lists(const QueryPlan& plan) {
  if (plan.kind != QueryPlan::Kind::kAnyList ||
      (plan.lists.size() > 1 && plan.field->is_multiple)) {
    return std::nullopt;
  }
  std::uint64_t count = 0;
  for (const PostingList& list : plan.lists) {
    count += list.count;
  }
  return count;
}

PlanStep describe(const QueryPlan& plan) {
  PlanStep step;
  step.what = std::visit(Describer{}, plan.node->what);
  if (plan.kind == QueryPlan::Kind::kTermScan || plan.kind == QueryPlan::Kind::kKeyRange) {
    step.what += " (scan of about " + std::to_string(plan.scan_terms) + ")";
  }
  step.estimated = plan.estimate;
  step.actual = plan.actual;
  for (const QueryPlan& part : plan.parts) {
    step.steps.push_back(describe(part));
  }
  return step;
}

}  // namespace rookery::search
