// SPDX-License-Identifier: Apache-2.0
#include "ordered_walk.h"

#include <algorithm>
#include <utility>

#include "rookery/base/check.h"

#include "term_layout.h"
#include "top_entries.h"

namespace rookery::search {
namespace {

// To read an entry's record and make its key costs about what walking over so many terms does.
constexpr std::uint64_t kRecordCost = 6;
constexpr std::size_t kGroupListsMax = 256;
// A walk of so many costs nothing worth a second thought.
constexpr std::uint64_t kWalkMin = 64;

}  // namespace

Result<bool> Ordering::can_walk_terms() {
  const SortKey& key = order_.front();
  const FieldFacts* const facts = snapshot_.field(key.field);
  if (!is_by_field(key.by) || facts == nullptr || key.by == SortBy::kAlphaNumeric) {
    return false;
  }
  if (key.by == SortBy::kValue) {
    return true;
  }
  // The others need terms of one kind: then the order of terms is that of their values, and what
  // is missing can be told by the field's lists.
  RK_TRY_ASSIGN(const store::Tree terms, snapshot_.terms(facts->number));
  store::TreeCursor cursor = terms.cursor();
  if (key.by == SortBy::kText) {
    RK_TRY_ASSIGN(const bool found, cursor.seek(as_bytes(std::string(1, kFalseByte))));
    if (!found) {
      return true;
    }
    RK_TRY_ASSIGN(const store::TreeEntry entry, cursor.entry());
    return term_kind(as_text(entry.key)) == TermKind::kString;
  }
  RK_TRY_ASSIGN(const bool any, cursor.first());
  if (!any) {
    return true;
  }
  RK_TRY_ASSIGN(const store::TreeEntry first, cursor.entry());
  if (term_kind(as_text(first.key)) != TermKind::kNumber) {
    return false;
  }
  RK_TRY_ASSIGN(const bool found, cursor.last());
  RK_CHECK(found);
  RK_TRY_ASSIGN(const store::TreeEntry last, cursor.entry());
  return term_kind(as_text(last.key)) == TermKind::kNumber;
}

Result<bool> Ordering::prefers_walk(std::uint64_t matches, std::uint64_t wanted) {
  const SortKey& key = order_.front();
  std::uint64_t length = snapshot_.keys().entry_count();
  if (key.by != SortBy::kKey) {
    RK_TRY_ASSIGN(const bool can_walk, can_walk_terms());
    if (!can_walk) {
      return false;
    }
    RK_TRY_ASSIGN(const PostingList having,
                  snapshot_.list(ListOf::kHaving, snapshot_.field(key.field)->number));
    length = having.count;
  }
  if (matches == 0) {
    return false;
  }
  // If matches are spread evenly, this much of the walk has as many as are wanted.
  const double part = static_cast<double>(std::min(wanted, matches)) / static_cast<double>(matches);
  return static_cast<double>(length) * part <
         static_cast<double>(matches) * static_cast<double>(kRecordCost);
}

Result<void> Ordering::sort(Matches& matches, PageOutput& page) {
  if (matches.is_everything()) {
    RK_TRY_ASSIGN(const PostingList all, snapshot_.list(ListOf::kAll, 0));
    RK_TRY_ASSIGN(const MatchSet set, evaluator_.load(all, nullptr));
    return sort_set(set, keys_, page);
  }
  if (order_.size() == 1 && order_.front().by == SortBy::kScore) {
    return sort_by_score(page);
  }
  RK_TRY_ASSIGN(const MatchSet* const set, matches.set());
  return sort_set(*set, keys_, page);
}

Result<void> Ordering::sort_by_score(PageOutput& page) {
  RK_CHECK(scores_ != nullptr);
  const std::vector<double>& values = scores_->values();
  const std::uint64_t kept = std::min<std::uint64_t>(page.wanted(), values.size());
  RK_TRY(evaluator_.check_memory(kept * sizeof(TopScores::Scored)));
  TopScores top(page.wanted(), order_.front().descending);
  MatchSet::Cursor cursor(scores_->set());
  for (const double score : values) {
    RK_TRY(snapshot_.tick());
    const std::optional<std::uint64_t> number = cursor.next();
    RK_CHECK(number.has_value());
    top.add({.score = score, .number = *number});
  }
  for (const TopScores::Scored& scored : top.take()) {
    if (page.is_full()) {
      break;
    }
    RK_TRY(page.offer(scored.number));
  }
  return {};
}

Result<void> Ordering::sort_set(const MatchSet& set, const OrderKeys& keys, PageOutput& page,
                                std::uint64_t shown) {
  const std::uint64_t limit = page.wanted() > ~shown ? ~std::uint64_t{0} : page.wanted() + shown;
  TopEntries top(limit, evaluator_.memory_bytes_left());
  MatchSet::Cursor cursor(set);
  while (const std::optional<std::uint64_t> number = cursor.next()) {
    RK_TRY(snapshot_.tick());
    RK_TRY_ASSIGN(std::string key, keys.key_of(*number));
    RK_TRY(top.add(std::move(key)));
  }
  const std::vector<std::string> ordered = top.take();
  for (std::uint64_t i = shown; i < ordered.size() && !page.is_full(); ++i) {
    RK_TRY(page.offer(OrderKeys::number_in(ordered[i])));
  }
  return {};
}

// A walk may cost as much as sorting would have.
bool Ordering::has_walked_enough(const Matches& matches) {
  ++walked_;
  gave_up_ =
      !matches.is_everything() && walked_ > kWalkMin && walked_ / kRecordCost > matches.count();
  return gave_up_;
}

Result<void> Ordering::walk(Matches& matches, PageOutput& page) {
  const std::uint64_t wanted = page.wanted();
  if (order_.front().by == SortBy::kKey) {
    RK_TRY(walk_keys(matches, page));
  } else {
    if (snapshot_.field(order_.front().field)->is_multiple) {
      seen_.emplace();
    }
    if (is_missing_first(order_.front())) {
      RK_TRY(show_missing(matches, page));
    }
    RK_TRY(walk_terms(matches, page));
    if (!gave_up_ && !is_missing_first(order_.front())) {
      RK_TRY(show_missing(matches, page));
    }
  }
  if (!gave_up_ || page.is_full()) {
    return {};
  }
  // What was shown is the beginning of the same order.
  RK_TRY_ASSIGN(const MatchSet* const set, matches.set());
  return sort_set(*set, keys_, page, wanted - page.wanted());
}

Result<void> Ordering::walk_keys(Matches& matches, PageOutput& page) {
  const bool descending = order_.front().descending;
  store::TreeCursor cursor = snapshot_.keys().cursor();
  RK_TRY_ASSIGN(bool more, descending ? cursor.last() : cursor.first());
  while (more && !page.is_full() && !has_walked_enough(matches)) {
    RK_TRY_ASSIGN(const store::TreeEntry entry, cursor.entry());
    RK_TRY_ASSIGN(const std::uint64_t number, decode_number(entry.value));
    ++snapshot_.counters().terms;
    RK_TRY_ASSIGN(const bool is_match, matches.has(number));
    if (is_match) {
      RK_TRY(page.offer(number));
    } else {
      RK_TRY(snapshot_.tick());
    }
    RK_TRY_ASSIGN(more, descending ? cursor.previous() : cursor.next());
  }
  return {};
}

Result<void> Ordering::walk_terms(Matches& matches, PageOutput& page) {
  const SortKey& key = order_.front();
  RK_TRY_ASSIGN(const store::Tree terms, snapshot_.terms(snapshot_.field(key.field)->number));
  store::TreeCursor cursor = terms.cursor();
  Group group;
  std::optional<std::string> group_order;
  RK_TRY_ASSIGN(bool more, key.descending ? cursor.last() : cursor.first());
  while (more && !page.is_full()) {
    if (has_walked_enough(matches)) {
      return {};
    }
    RK_TRY(snapshot_.tick());
    RK_TRY_ASSIGN(const store::TreeEntry entry, cursor.entry());
    ++snapshot_.counters().terms;
    std::optional<std::string> order = term_order(key.by, as_text(entry.key));
    if (!order) {
      return Error(ErrorCode::corrupt, "a dictionary's terms are out of order");
    }
    if (order != group_order) {
      RK_TRY(show_group(group, matches, page));
      group_order = std::move(order);
    }
    RK_TRY_ASSIGN(PostingList list, read_posting_list(entry.value));
    group.lists.push_back(std::move(list));
    if (group.lists.size() == kGroupListsMax) {
      RK_TRY(fold(group, matches));
    }
    RK_TRY_ASSIGN(more, key.descending ? cursor.previous() : cursor.next());
  }
  return show_group(group, matches, page);
}

Result<void> Ordering::show_missing(Matches& matches, PageOutput& page) {
  if (page.is_full()) {
    return {};
  }
  const std::uint32_t field = snapshot_.field(order_.front().field)->number;
  RK_TRY_ASSIGN(const PostingList having, snapshot_.list(ListOf::kHaving, field));
  RK_TRY_ASSIGN(const PostingList without, snapshot_.list(ListOf::kWithout, field));
  if (having.count == snapshot_.entries().entry_count() && without.count == 0) {
    return {};
  }
  MatchSet missing;
  if (matches.is_everything()) {
    RK_TRY_ASSIGN(const PostingList all, snapshot_.list(ListOf::kAll, 0));
    RK_TRY_ASSIGN(missing, evaluator_.load(all, nullptr));
  } else {
    RK_TRY_ASSIGN(const MatchSet* const set, matches.set());
    missing = *set;
  }
  RK_TRY_ASSIGN(MatchSet valued, evaluator_.load(having, &missing));
  RK_TRY_ASSIGN(const MatchSet empty, evaluator_.load(without, &valued));
  RK_TRY(evaluator_.check_memory(missing.memory_bytes() + valued.memory_bytes()));
  valued.subtract(empty);
  missing.subtract(valued);
  return show_set(missing, page);
}

Result<void> Ordering::fold(Group& group, Matches& matches) {
  for (const PostingList& list : group.lists) {
    if (list.is_large) {
      const MatchSet* within = nullptr;
      if (!matches.is_everything()) {
        RK_TRY_ASSIGN(within, matches.set());
      }
      RK_TRY_ASSIGN(const MatchSet one, evaluator_.load(list, within));
      group.set.unite(one);
      continue;
    }
    snapshot_.counters().postings += list.few.size();
    for (const Posting posting : list.few) {
      RK_TRY_ASSIGN(const bool is_match, matches.has(posting_number(posting)));
      if (is_match) {
        group.set.add(posting_number(posting));
      }
    }
  }
  group.lists.clear();
  return evaluator_.check_memory(group.set.memory_bytes());
}

Result<void> Ordering::show_group(Group& waiting, Matches& matches, PageOutput& page) {
  Group group = std::exchange(waiting, {});
  if (page.is_full()) {
    return {};
  }
  if (group.set.empty() && group.lists.size() == 1 &&
      (order_.size() == 1 || group.lists[0].count == 1)) {
    return show_list(group.lists[0], matches, page);
  }
  RK_TRY(fold(group, matches));
  if (seen_) {
    group.set.subtract(*seen_);
    seen_->unite(group.set);
    RK_TRY(evaluator_.check_memory(seen_->memory_bytes()));
  }
  return show_set(group.set, page);
}

Result<void> Ordering::show_list(const PostingList& list, Matches& matches, PageOutput& page) {
  // Whole lists that lie before the page need not be read.
  if (matches.is_everything() && !seen_ && page.skippable() >= list.count) {
    page.pass_over(list.count);
    return {};
  }
  PostingCursor cursor = snapshot_.walk(list);
  while (!page.is_full()) {
    RK_TRY(snapshot_.tick());
    RK_TRY_ASSIGN(const bool more, cursor.next());
    if (!more) {
      break;
    }
    for (const Posting posting : cursor.block()) {
      const std::uint64_t number = posting_number(posting);
      if (seen_ && seen_->contains(number)) {
        continue;
      }
      RK_TRY_ASSIGN(const bool is_match, matches.has(number));
      if (!is_match) {
        continue;
      }
      if (seen_) {
        seen_->add(number);
      }
      RK_TRY(page.offer(number));
      if (page.is_full()) {
        break;
      }
    }
  }
  return {};
}

Result<void> Ordering::show_set(const MatchSet& set, PageOutput& page) {
  if (order_.size() > 1) {
    return sort_set(set, rest_keys_, page);
  }
  const std::uint64_t count = set.count();
  if (page.skippable() >= count) {
    page.pass_over(count);
    return {};
  }
  MatchSet::Cursor cursor(set);
  while (const std::optional<std::uint64_t> number = cursor.next()) {
    RK_TRY(page.offer(*number));
    if (page.is_full()) {
      break;
    }
  }
  return {};
}

}  // namespace rookery::search
