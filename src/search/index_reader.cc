// SPDX-License-Identifier: Apache-2.0
#include "rookery/search/index_reader.h"

#include <utility>

#include "evaluator.h"
#include "ordered_walk.h"
#include "page_output.h"
#include "query_plan.h"
#include "scorer.h"
#include "snapshot.h"

namespace rookery::search {
namespace {

// Purpose. One search, from its plan to its page.
class Search {
 public:
  Search(Snapshot& snapshot, const Request& request, const IndexReader::Visitor& visit)
      : snapshot_(snapshot),
        request_(request),
        evaluator_(snapshot, request.memory_bytes_max),
        page_(snapshot, request, visit) {}

  Result<Summary> run() {
    snapshot_.begin_search(&request_.is_cancelled);
    RK_TRY_ASSIGN(plan_, make_query_plan(snapshot_, request_.where));
    RK_TRY(show());
    Summary summary;
    summary.total = matches_.count;
    summary.counters = snapshot_.counters();
    if (request_.explain) {
      summary.plan.what = how_;
      summary.plan.estimated = plan_.estimate;
      summary.plan.actual = matches_.count;
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

  // A list that is the answer as it stands; null if there is more to it.
  [[nodiscard]] const PostingList* answer_list() {
    if (plan_.kind == QueryPlan::Kind::kAnyList && plan_.lists.size() == 1) {
      return plan_.lists.data();
    }
    return nullptr;
  }

  Result<void> show() {
    const bool in_insertion_order = request_.order.empty() && !needs_scores();
    matches_.is_everything = plan_.kind == QueryPlan::Kind::kAll;
    if (in_insertion_order && (matches_.is_everything || answer_list() != nullptr)) {
      return show_list();
    }
    if (matches_.is_everything && !needs_scores()) {
      matches_.count = snapshot_.entries().entry_count();
    } else {
      matches_.is_everything = false;
      RK_TRY_ASSIGN(matches_.set, evaluator_.evaluate(plan_));
      matches_.count = matches_.set.count();
      evaluator_.reserve(matches_.set.memory_bytes());
    }
    page_.bound_to(matches_.count);
    if (page_.is_full()) {
      how_ = "count";
      return {};
    }
    std::optional<Scores> scores;
    if (needs_scores()) {
      RK_TRY_ASSIGN(scores, score(snapshot_, evaluator_, plan_, matches_.set));
      page_.set_scores(&*scores);
    }
    return request_.order.empty() ? show_by_number() : show_in_order(scores ? &*scores : nullptr);
  }

  Result<void> show_in_order(const Scores* scores) {
    Ordering ordering(snapshot_, evaluator_, request_.order, scores);
    RK_TRY_ASSIGN(const bool walks, ordering.prefers_walk(matches_.count, page_.wanted()));
    how_ = walks ? "walk in order" : "sort matches";
    return walks ? ordering.walk(matches_, page_) : ordering.sort(matches_, page_);
  }

  Result<void> show_by_number() {
    how_ = "in order of insertion";
    MatchSet::Cursor cursor(matches_.set);
    while (!page_.is_full()) {
      const std::optional<std::uint64_t> number = cursor.next();
      if (!number) {
        break;
      }
      RK_TRY(page_.offer(*number));
    }
    return {};
  }

  Result<void> show_list() {
    how_ = "one list in order of insertion";
    PostingList all;
    if (matches_.is_everything) {
      RK_TRY_ASSIGN(all, snapshot_.list(ListOf::kAll, 0));
    }
    const PostingList& list = matches_.is_everything ? all : *answer_list();
    matches_.count = list.count;
    plan_.actual = list.count;
    page_.bound_to(list.count);
    PostingCursor cursor = snapshot_.walk(list);
    while (!page_.is_full()) {
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
