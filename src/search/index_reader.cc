// SPDX-License-Identifier: Apache-2.0
#include "rookery/search/index_reader.h"

#include <utility>

#include "evaluator.h"
#include "matches.h"
#include "merged_lists.h"
#include "ordered_walk.h"
#include "page_output.h"
#include "query_plan.h"
#include "scorer.h"
#include "snapshot.h"

namespace rookery::search {
namespace {

// To merge an entry out of lists costs about what putting so many into a set does.
constexpr std::uint64_t kMergeCost = 4;

// Purpose. One search, from its plan to its page.
class Search {
 public:
  Search(Snapshot& snapshot, const Request& request, const IndexReader::Visitor& visit)
      : snapshot_(snapshot),
        request_(request),
        evaluator_(snapshot, request.memory_bytes_max),
        page_(snapshot, request, visit),
        matches_(snapshot, evaluator_) {}

  Result<Summary> run() {
    snapshot_.begin_search(&request_.is_cancelled);
    RK_TRY_ASSIGN(plan_, make_query_plan(snapshot_, request_.where));
    RK_TRY(show());
    Summary summary;
    summary.total = matches_.count();
    summary.counters = snapshot_.counters();
    if (request_.explain) {
      summary.plan.what = how_;
      summary.plan.estimated = plan_.estimate;
      summary.plan.actual = matches_.count();
      summary.plan.steps.push_back(describe(plan_));
    }
    return summary;
  }

 private:
  [[nodiscard]] bool needs_scores() const {
    for (const SortKey& key : request_.order) {
      if (key.by == SortBy::kScore) {
        return true;
      }
    }
    return request_.with_scores;
  }

  // What is left of a plan when what changes nothing is taken off; null: nothing to take off.
  static QueryPlan* only_part(QueryPlan& plan) {
    const bool passes_on = plan.kind == QueryPlan::Kind::kAnd ||
                           plan.kind == QueryPlan::Kind::kOr ||
                           plan.kind == QueryPlan::Kind::kBoost;
    return passes_on && plan.parts.size() == 1 ? plan.parts.data() : nullptr;
  }

  [[nodiscard]] QueryPlan& essence() {
    QueryPlan* plan = &plan_;
    while (QueryPlan* const part = only_part(*plan)) {
      plan = part;
    }
    return *plan;
  }

  void note_actual(std::uint64_t count) {
    for (QueryPlan* plan = &plan_; plan != nullptr; plan = only_part(*plan)) {
      plan->actual = count;
    }
  }

  Result<void> find_matches() {
    if (!needs_scores()) {
      QueryPlan& what = essence();
      const std::uint64_t all = snapshot_.entries().entry_count();
      const std::optional<std::uint64_t> count = count_by_lists(what);
      if (what.kind == QueryPlan::Kind::kAll || count == all) {
        note_actual(all);
        matches_.be_everything(all);
        return {};
      }
      if (count) {
        note_actual(*count);
        matches_.be_listed(what, *count);
        return {};
      }
    }
    RK_TRY_ASSIGN(MatchSet set, evaluator_.evaluate(plan_));
    matches_.be(std::move(set));
    return {};
  }

  Result<void> show() {
    RK_TRY(find_matches());
    page_.bound_to(matches_.count());
    if (page_.is_full()) {
      how_ = "count";
      return {};
    }
    std::optional<Scores> scores;
    if (needs_scores()) {
      RK_TRY_ASSIGN(const MatchSet* const set, matches_.set());
      RK_TRY_ASSIGN(scores, score(snapshot_, evaluator_, plan_, *set));
      page_.set_scores(&*scores);
    }
    return request_.order.empty() ? show_by_number() : show_in_order(scores ? &*scores : nullptr);
  }

  Result<void> show_in_order(const Scores* scores) {
    Ordering ordering(snapshot_, evaluator_, request_.order, scores);
    RK_TRY_ASSIGN(const bool walks, ordering.prefers_walk(matches_.count(), page_.wanted()));
    how_ = walks ? "walk in order" : "sort matches";
    return walks ? ordering.walk(matches_, page_) : ordering.sort(matches_, page_);
  }

  Result<void> show_by_number() {
    QueryPlan& what = essence();
    if (matches_.is_everything()) {
      RK_TRY_ASSIGN(const PostingList all, snapshot_.list(ListOf::kAll, 0));
      return show_list(all);
    }
    if (!needs_scores() && count_by_lists(what)) {
      if (what.lists.size() == 1) {
        return show_list(what.lists[0]);
      }
      if (page_.wanted() < matches_.count() / kMergeCost) {
        return show_lists(what.lists);
      }
    }
    how_ = "in order of insertion";
    RK_TRY_ASSIGN(const MatchSet* const set, matches_.set());
    MatchSet::Cursor cursor(*set);
    while (!page_.is_full()) {
      const std::optional<std::uint64_t> number = cursor.next();
      if (!number) {
        break;
      }
      RK_TRY(page_.offer(*number));
    }
    return {};
  }

  Result<void> show_list(const PostingList& list) {
    how_ = "one list in order of insertion";
    PostingCursor cursor = snapshot_.walk(list);
    while (!page_.is_full()) {
      RK_TRY(snapshot_.tick());
      RK_TRY_ASSIGN(const bool more, cursor.next());
      if (!more) {
        break;
      }
      const std::span<const Posting> block = cursor.block();
      const std::uint64_t passed = page_.pass_over(block.size());
      for (const Posting posting : block.subspan(passed)) {
        RK_TRY(page_.offer(posting_number(posting)));
      }
    }
    return {};
  }

  Result<void> show_lists(std::span<const PostingList> lists) {
    how_ = "lists merged in order of insertion";
    RK_TRY_ASSIGN(MergedLists merged, MergedLists::open(snapshot_, lists));
    while (!page_.is_full()) {
      RK_TRY_ASSIGN(const std::optional<std::uint64_t> number, merged.next());
      if (!number) {
        break;
      }
      RK_TRY(page_.offer(*number));
    }
    return {};
  }

  Snapshot& snapshot_;
  const Request& request_;
  Evaluator evaluator_;
  PageOutput page_;
  QueryPlan plan_;
  Matches matches_;
  std::string how_;
};

}  // namespace

class IndexReader::State {
 public:
  explicit State(std::unique_ptr<Snapshot> opened) : snapshot(std::move(opened)) {}

  std::unique_ptr<Snapshot> snapshot;
};

IndexReader::IndexReader(std::unique_ptr<State> state) : state_(std::move(state)) {}

IndexReader::~IndexReader() = default;
IndexReader::IndexReader(IndexReader&&) noexcept = default;
IndexReader& IndexReader::operator=(IndexReader&&) noexcept = default;

Result<IndexReader> IndexReader::open(store::ReadTxn& txn) {
  RK_TRY_ASSIGN(std::unique_ptr<Snapshot> snapshot, Snapshot::open(txn));
  return IndexReader(std::make_unique<State>(std::move(snapshot)));
}

Result<std::uint64_t> IndexReader::entry_count() const {
  return state_->snapshot->entries().entry_count();
}

Result<Summary> IndexReader::search(const Request& request, const Visitor& visit) const {
  Result<Summary> summary = Search(*state_->snapshot, request, visit).run();
  state_->snapshot->begin_search(nullptr);
  return summary;
}

Result<PlanStep> IndexReader::explain(const Request& request) const {
  state_->snapshot->begin_search(nullptr);
  RK_TRY_ASSIGN(const QueryPlan plan, make_query_plan(*state_->snapshot, request.where));
  return describe(plan);
}

Result<std::vector<Term>> IndexReader::terms(std::string_view field, std::string_view from,
                                             std::uint64_t count) const {
  std::vector<Term> terms;
  const FieldFacts* const facts = state_->snapshot->field(field);
  if (facts == nullptr) {
    return terms;
  }
  RK_TRY_ASSIGN(const store::Tree tree, state_->snapshot->terms(facts->number));
  store::TreeCursor cursor = tree.cursor();
  RK_TRY_ASSIGN(bool more,
                from.empty() ? cursor.first() : cursor.seek(as_bytes(std::string(from) + '\0')));
  while (more && terms.size() < count) {
    RK_TRY_ASSIGN(const store::TreeEntry entry, cursor.entry());
    terms.emplace_back(as_text(entry.key));
    RK_TRY_ASSIGN(more, cursor.next());
  }
  return terms;
}

Result<std::vector<std::string>> IndexReader::fields() const {
  std::vector<std::string> names;
  for (const auto& [name, facts] : state_->snapshot->fields()) {
    names.push_back(name);
  }
  return names;
}

Result<std::optional<std::vector<IndexReader::EntryField>>> IndexReader::entry(
    std::string_view key) const {
  std::optional<std::vector<EntryField>> found;
  RK_TRY_ASSIGN(const std::optional<std::uint64_t> number, state_->snapshot->number_of(key));
  if (!number) {
    return found;
  }
  RK_TRY_ASSIGN(const RecordView record, state_->snapshot->record(*number));
  found.emplace();
  for (const auto& [name, facts] : state_->snapshot->fields()) {
    RK_TRY_ASSIGN(const std::optional<RecordFieldView> field, record.field(facts.number));
    if (!field) {
      continue;
    }
    EntryField& item = found->emplace_back();
    item.field = name;
    RecordTerms terms(*field);
    RK_TRY_ASSIGN(bool more, terms.next());
    while (more) {
      item.terms.emplace_back(terms.term());
      RK_TRY_ASSIGN(more, terms.next());
    }
  }
  return found;
}

}  // namespace rookery::search
