// SPDX-License-Identifier: Apache-2.0
#include "evaluator.h"

#include <algorithm>
#include <utility>

#include "rookery/base/check.h"

#include "phrase_match.h"

namespace rookery::search {
namespace {

// To find an entry in a big list costs about what reading so many postings does.
constexpr std::uint64_t kProbeCost = 16;
// To look at an entry's record costs about what looking at so many terms of a dictionary does.
constexpr std::uint64_t kRecordCost = 8;
// To test a term's text (a pattern, edits) costs about what looking at so many terms does.
constexpr std::uint64_t kTestWork = 8;
// Single postings are added to a set by so many.
constexpr std::size_t kGatherCount = 4096;

// Purpose. Gathers numbers in any order, to add them to a set sorted.
class Gatherer {
 public:
  explicit Gatherer(MatchSet& set) : set_(set) { numbers_.reserve(kGatherCount); }

  // True: just now the set has grown.
  bool add(std::uint64_t number) {
    numbers_.push_back(number);
    if (numbers_.size() < kGatherCount) {
      return false;
    }
    flush();
    return true;
  }

  void flush() {
    std::sort(numbers_.begin(), numbers_.end());
    set_.add_many(numbers_);
    numbers_.clear();
  }

 private:
  MatchSet& set_;
  std::vector<std::uint64_t> numbers_;
};

}  // namespace

Result<void> Evaluator::check_memory(std::uint64_t more_bytes) const {
  if (more_bytes > memory_bytes_left()) {
    return Error(ErrorCode::too_large, "the query's sets of matches take more than the " +
                                           std::to_string(memory_bytes_max_) +
                                           " bytes that a query may use: narrow it, or allow more");
  }
  return {};
}

Result<MatchSet> Evaluator::evaluate(QueryPlan& plan, const MatchSet* within) {
  // Sets are copied and joined without counting.
  RK_TRY(snapshot_.check());
  RK_TRY_ASSIGN(MatchSet set, evaluate_kind(plan, within));
  RK_TRY(check_memory(set.memory_bytes()));
  plan.actual = set.count();
  return set;
}

Result<MatchSet> Evaluator::evaluate_kind(QueryPlan& plan, const MatchSet* within) {
  if (within != nullptr && within->empty()) {
    return MatchSet();
  }
  switch (plan.kind) {
    case QueryPlan::Kind::kNone:
      return MatchSet();
    case QueryPlan::Kind::kAll:
      return within != nullptr ? Result<MatchSet>(MatchSet(*within)) : everything();
    case QueryPlan::Kind::kAnyList:
      return any_list(plan, within);
    case QueryPlan::Kind::kAllLists:
      return all_lists(plan, within);
    case QueryPlan::Kind::kPhrase:
      return phrase(plan, within);
    case QueryPlan::Kind::kTermScan: {
      if (within != nullptr && within->count() * kRecordCost < plan.scan_terms) {
        return probe_terms(plan, *within);
      }
      RK_TRY_ASSIGN(MatchSet set, scan_terms(plan));
      if (within != nullptr) {
        set.intersect(*within);
      }
      return set;
    }
    case QueryPlan::Kind::kKeys:
    case QueryPlan::Kind::kKeyRange:
      return keys(plan, within);
    case QueryPlan::Kind::kAnd:
      return conjunction(plan, within);
    case QueryPlan::Kind::kOr:
      return disjunction(plan, within);
    case QueryPlan::Kind::kNot:
      return negation(plan, within);
    case QueryPlan::Kind::kBoost:
      return evaluate(plan.parts[0], within);
  }
  return MatchSet();
}

Result<MatchSet> Evaluator::everything() {
  RK_TRY_ASSIGN(const PostingList all, snapshot_.list(ListOf::kAll, 0));
  return load(all, nullptr);
}

Result<void> Evaluator::add_list(MatchSet& set, const PostingList& list) {
  std::vector<std::uint64_t> numbers;
  PostingCursor cursor = snapshot_.walk(list);
  RK_TRY_ASSIGN(bool more, cursor.next());
  while (more) {
    RK_TRY(snapshot_.tick());
    const std::span<const Posting> block = cursor.block();
    const std::uint64_t first = posting_number(block.front());
    const std::uint64_t last = posting_number(block.back());
    if (last - first == block.size() - 1) {
      set.add_range(first, last);
    } else {
      numbers.clear();
      std::transform(block.begin(), block.end(), std::back_inserter(numbers), posting_number);
      set.add_many(numbers);
    }
    RK_TRY_ASSIGN(more, cursor.next());
  }
  return {};
}

Result<MatchSet> Evaluator::probe(const PostingList& list, const MatchSet& within) {
  MatchSet set;
  PostingCursor cursor = snapshot_.walk(list);
  MatchSet::Cursor wanted(within);
  std::optional<std::uint64_t> number = wanted.next();
  while (number) {
    RK_TRY(snapshot_.tick());
    RK_TRY_ASSIGN(const bool found, cursor.seek(*number));
    if (!found) {
      break;
    }
    const std::span<const Posting> block = cursor.block();
    const auto at = std::ranges::lower_bound(block, *number, {}, posting_number);
    if (posting_number(*at) == *number) {
      set.add(*number);
      number = wanted.next();
    } else {
      // Those in between are not in the list.
      wanted.skip_to(posting_number(*at));
      number = wanted.next();
    }
  }
  return set;
}

Result<MatchSet> Evaluator::load(const PostingList& list, const MatchSet* within) {
  if (within != nullptr && within->count() * kProbeCost < list.count) {
    return probe(list, *within);
  }
  MatchSet set;
  RK_TRY(add_list(set, list));
  if (within != nullptr) {
    set.intersect(*within);
  }
  return set;
}

Result<MatchSet> Evaluator::any_list(const QueryPlan& plan, const MatchSet* within) {
  MatchSet set;
  Gatherer few(set);
  for (const PostingList& list : plan.lists) {
    if (!list.is_large) {
      snapshot_.counters().postings += list.few.size();
      for (const Posting posting : list.few) {
        few.add(posting_number(posting));
      }
      continue;
    }
    RK_TRY_ASSIGN(const MatchSet one, load(list, within));
    RK_TRY(check_memory(set.memory_bytes() + one.memory_bytes()));
    set.unite(one);
  }
  few.flush();
  if (within != nullptr) {
    set.intersect(*within);
  }
  return set;
}

Result<MatchSet> Evaluator::all_lists(const QueryPlan& plan, const MatchSet* within) {
  std::vector<const PostingList*> lists;
  for (const PostingList& list : plan.lists) {
    lists.push_back(&list);
  }
  std::ranges::sort(lists, {}, [](const PostingList* list) { return list->count; });
  RK_TRY_ASSIGN(MatchSet set, load(*lists[0], within));
  for (std::size_t i = 1; i < lists.size() && !set.empty(); ++i) {
    const Hold hold(*this, set);
    RK_TRY_ASSIGN(set, load(*lists[i], &set));
  }
  return set;
}

Result<MatchSet> Evaluator::phrase(const QueryPlan& plan, const MatchSet* within) {
  RK_TRY_ASSIGN(const MatchSet candidates, all_lists(plan, within));
  const Hold hold(*this, candidates);
  PhraseMatcher matcher(std::get<Phrase>(plan.node->what));
  MatchSet set;
  MatchSet::Cursor cursor(candidates);
  while (const std::optional<std::uint64_t> number = cursor.next()) {
    RK_TRY_ASSIGN(const RecordView record, snapshot_.record(*number));
    RK_TRY_ASSIGN(const std::optional<RecordFieldView> field, record.field(plan.field->number));
    if (!field) {
      return Error(ErrorCode::corrupt, "a posting's entry lacks the field");
    }
    RK_TRY_ASSIGN(const bool matches, matcher.matches(*field, snapshot_));
    if (matches) {
      set.add(*number);
    }
  }
  return set;
}

Result<MatchSet> Evaluator::scan_terms(QueryPlan& plan) {
  MatchSet set;
  Gatherer few(set);
  std::vector<Posting> postings;
  Counters& counters = snapshot_.counters();
  RK_TRY_ASSIGN(const store::Tree terms, snapshot_.terms(plan.field->number));
  store::TreeCursor cursor = terms.cursor();
  const TermScan& scan = plan.scan;
  const std::uint64_t work = scan.test == nullptr ? 1 : kTestWork;
  RK_TRY_ASSIGN(bool more, scan.low.empty() ? cursor.first() : cursor.seek(as_bytes(scan.low)));
  while (more) {
    RK_TRY(snapshot_.tick(work));
    RK_TRY_ASSIGN(const store::TreeEntry entry, cursor.entry());
    const std::string_view term = as_text(entry.key);
    if (scan.is_beyond(term)) {
      break;
    }
    ++counters.terms;
    const Verdict verdict = scan.test == nullptr ? Verdict::kYes : scan.test->test(term);
    counters.cut_terms += verdict == Verdict::kUnknown ? 1 : 0;
    if (verdict == Verdict::kYes) {
      RK_TRY_ASSIGN(const ListHead head, decode_list_head(entry.value));
      bool has_grown = false;
      if (head.shape == ListShape::kLarge) {
        RK_TRY_ASSIGN(const PostingList list, read_posting_list(entry.value));
        RK_TRY(add_list(set, list));
        has_grown = true;
      } else {
        postings.clear();
        RK_TRY(decode_inline(head, postings));
        counters.postings += postings.size();
        for (const Posting posting : postings) {
          has_grown = few.add(posting_number(posting)) || has_grown;
        }
      }
      if (has_grown) {
        RK_TRY(check_memory(set.memory_bytes()));
      }
    }
    RK_TRY_ASSIGN(more, cursor.next());
  }
  few.flush();
  return set;
}

// Whether the plan's condition on single terms holds for this one.
Verdict Evaluator::judge(const QueryPlan& plan, std::string_view term) {
  if (const auto* is = std::get_if<TermIs>(&plan.node->what)) {
    return term == is->term ? Verdict::kYes : Verdict::kNo;
  }
  if (const auto* in = std::get_if<TermIn>(&plan.node->what)) {
    return std::ranges::find(in->terms, term) != in->terms.end() ? Verdict::kYes : Verdict::kNo;
  }
  const Verdict verdict = plan.scan.judge(term);
  // Those of lists were counted when the lists were found.
  if (verdict == Verdict::kUnknown && plan.kind == QueryPlan::Kind::kTermScan) {
    ++snapshot_.counters().cut_terms;
  }
  return verdict;
}

Result<bool> Evaluator::has_term(const QueryPlan& plan, const RecordView& record) {
  RK_TRY_ASSIGN(const std::optional<RecordFieldView> field, record.field(plan.field->number));
  if (!field) {
    return false;
  }
  RecordTerms terms(*field);
  RK_TRY_ASSIGN(bool more, terms.next());
  while (more) {
    RK_TRY(snapshot_.tick(plan.scan.test == nullptr ? 1 : kTestWork));
    if (judge(plan, terms.term()) == Verdict::kYes) {
      return true;
    }
    RK_TRY_ASSIGN(more, terms.next());
  }
  return false;
}

Result<bool> Evaluator::holds(const QueryPlan& plan, const RecordView& record) {
  RK_CHECK(plan.kind == QueryPlan::Kind::kAnyList);
  if (std::holds_alternative<Exists>(plan.node->what)) {
    RK_TRY_ASSIGN(const std::optional<RecordFieldView> field, record.field(plan.field->number));
    return field.has_value();
  }
  return has_term(plan, record);
}

Result<MatchSet> Evaluator::probe_terms(const QueryPlan& plan, const MatchSet& within) {
  MatchSet set;
  MatchSet::Cursor cursor(within);
  while (const std::optional<std::uint64_t> number = cursor.next()) {
    RK_TRY_ASSIGN(const RecordView record, snapshot_.record(*number));
    RK_TRY_ASSIGN(const bool matches, has_term(plan, record));
    if (matches) {
      set.add(*number);
    }
  }
  return set;
}

Result<MatchSet> Evaluator::keys(const QueryPlan& plan, const MatchSet* within) {
  if (plan.kind == QueryPlan::Kind::kKeyRange) {
    if (within != nullptr && within->count() * kRecordCost < plan.scan_terms) {
      return probe_keys(plan, *within);
    }
    RK_TRY_ASSIGN(MatchSet set, scan_keys(plan));
    if (within != nullptr) {
      set.intersect(*within);
    }
    return set;
  }
  MatchSet set;
  for (const std::string& key : std::get<KeyIn>(plan.node->what).keys) {
    RK_TRY(snapshot_.tick());
    ++snapshot_.counters().terms;
    RK_TRY_ASSIGN(const std::optional<std::uint64_t> number, snapshot_.number_of(key));
    if (number && (within == nullptr || within->contains(*number))) {
      set.add(*number);
    }
  }
  return set;
}

Result<MatchSet> Evaluator::scan_keys(const QueryPlan& plan) {
  MatchSet set;
  Gatherer numbers(set);
  store::TreeCursor cursor = snapshot_.keys().cursor();
  RK_TRY_ASSIGN(bool more,
                plan.keys.low.empty() ? cursor.first() : cursor.seek(as_bytes(plan.keys.low)));
  while (more) {
    RK_TRY(snapshot_.tick());
    RK_TRY_ASSIGN(const store::TreeEntry entry, cursor.entry());
    if (plan.keys.high && as_text(entry.key) >= *plan.keys.high) {
      break;
    }
    ++snapshot_.counters().terms;
    RK_TRY_ASSIGN(const std::uint64_t number, decode_number(entry.value));
    if (numbers.add(number)) {
      RK_TRY(check_memory(set.memory_bytes()));
    }
    RK_TRY_ASSIGN(more, cursor.next());
  }
  numbers.flush();
  return set;
}

Result<MatchSet> Evaluator::probe_keys(const QueryPlan& plan, const MatchSet& within) {
  MatchSet set;
  MatchSet::Cursor cursor(within);
  while (const std::optional<std::uint64_t> number = cursor.next()) {
    RK_TRY_ASSIGN(const RecordView record, snapshot_.record(*number));
    if (record.key() >= plan.keys.low && (!plan.keys.high || record.key() < *plan.keys.high)) {
      set.add(*number);
    }
  }
  return set;
}

Result<MatchSet> Evaluator::conjunction(QueryPlan& plan, const MatchSet* within) {
  // From the fewest matches to the most; what is negated last, for it only takes away, and scans
  // behind lists of their size, for their estimate is the worse one.
  const auto rank = [](const QueryPlan* part) {
    const bool is_scan = part->kind == QueryPlan::Kind::kTermScan;
    return std::pair(part->kind == QueryPlan::Kind::kNot,
                     std::max(part->estimate, is_scan ? part->scan_terms : 0));
  };
  std::vector<QueryPlan*> parts;
  for (QueryPlan& part : plan.parts) {
    parts.push_back(&part);
  }
  std::ranges::stable_sort(parts, {}, rank);
  if (parts.empty()) {
    return within != nullptr ? Result<MatchSet>(MatchSet(*within)) : everything();
  }
  RK_TRY_ASSIGN(MatchSet set, evaluate(*parts[0], within));
  for (std::size_t i = 1; i < parts.size() && !set.empty(); ++i) {
    const Hold hold(*this, set);
    RK_TRY_ASSIGN(set, evaluate(*parts[i], &set));
  }
  return set;
}

Result<MatchSet> Evaluator::disjunction(QueryPlan& plan, const MatchSet* within) {
  MatchSet set;
  for (QueryPlan& part : plan.parts) {
    const Hold hold(*this, set);
    RK_TRY_ASSIGN(const MatchSet one, evaluate(part, within));
    set.unite(one);
  }
  return set;
}

Result<MatchSet> Evaluator::negation(QueryPlan& plan, const MatchSet* within) {
  MatchSet set;
  if (within != nullptr) {
    set = *within;
  } else {
    RK_TRY_ASSIGN(set, everything());
  }
  const Hold hold(*this, set);
  RK_TRY_ASSIGN(const MatchSet matching, evaluate(plan.parts[0], within));
  set.subtract(matching);
  return set;
}

}  // namespace rookery::search
