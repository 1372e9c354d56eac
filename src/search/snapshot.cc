// SPDX-License-Identifier: Apache-2.0
#include "snapshot.h"

namespace rookery::search {
namespace {

// How much work is done between two questions whether to go on.
constexpr std::uint64_t kTicksBetweenQuestions = 256;
// What reading a record, and what is done with it, costs beside looking at a term.
constexpr std::uint64_t kRecordWork = 8;

}  // namespace

Result<store::Tree> Snapshot::tree(std::string_view name) {
  RK_TRY_ASSIGN(const store::Tree tree, txn_->tree(name));
  return tree.through(pages_);
}

Result<std::unique_ptr<Snapshot>> Snapshot::open(store::ReadTxn& txn) {
  std::unique_ptr<Snapshot> snapshot(new Snapshot(txn));
  RK_TRY_ASSIGN(snapshot->keys_, snapshot->tree(kKeysTree));
  RK_TRY_ASSIGN(snapshot->entries_, snapshot->tree(kEntriesTree));
  RK_TRY_ASSIGN(snapshot->lists_, snapshot->tree(kListsTree));
  RK_TRY_ASSIGN(snapshot->chunks_, snapshot->tree(kChunksTree));
  RK_TRY_ASSIGN(const store::Tree state, snapshot->tree(kStateTree));
  RK_TRY_ASSIGN(const std::optional<Bytes> stored, state.get(as_bytes(kStateKey)));
  if (stored) {
    RK_TRY_ASSIGN(snapshot->state_, decode_state(*stored));
  }
  RK_TRY_ASSIGN(const store::Tree fields, snapshot->tree(kFieldsTree));
  store::TreeCursor cursor = fields.cursor();
  RK_TRY_ASSIGN(bool more, cursor.first());
  while (more) {
    RK_TRY_ASSIGN(const store::TreeEntry entry, cursor.entry());
    RK_TRY_ASSIGN(const FieldFacts facts, decode_facts(entry.value));
    snapshot->fields_.emplace(as_text(entry.key), facts);
    RK_TRY_ASSIGN(more, cursor.next());
  }
  return snapshot;
}

const FieldFacts* Snapshot::field(std::string_view name) const {
  const auto found = fields_.find(name);
  return found == fields_.end() ? nullptr : &found->second;
}

Result<store::Tree> Snapshot::terms(std::uint32_t field) {
  const auto found = terms_.find(field);
  if (found != terms_.end()) {
    return found->second;
  }
  RK_TRY_ASSIGN(const store::Tree opened, tree(terms_tree_name(field)));
  terms_.emplace(field, opened);
  return opened;
}

Result<PostingList> Snapshot::list(ListOf what, std::uint32_t field) {
  RK_TRY_ASSIGN(const std::optional<Bytes> value, lists_->get(as_bytes(list_key(what, field))));
  return value ? read_posting_list(*value) : Result<PostingList>(PostingList{});
}

Result<PostingList> Snapshot::postings(std::uint32_t field, std::string_view term) {
  ++counters_.terms;
  if (term.empty() || term.size() > kTermSizeMax) {
    return PostingList{};
  }
  RK_TRY_ASSIGN(const store::Tree tree, terms(field));
  RK_TRY_ASSIGN(const std::optional<Bytes> value, tree.get(as_bytes(term)));
  return value ? read_posting_list(*value) : Result<PostingList>(PostingList{});
}

Result<std::optional<std::uint64_t>> Snapshot::number_of(std::string_view key) {
  if (key.empty() || key.size() > kEntryKeySizeMax) {
    return std::optional<std::uint64_t>();
  }
  RK_TRY_ASSIGN(const std::optional<Bytes> value, keys_->get(as_bytes(key)));
  if (!value) {
    return std::optional<std::uint64_t>();
  }
  RK_TRY_ASSIGN(const std::uint64_t number, decode_number(*value));
  return std::optional(number);
}

Result<RecordView> Snapshot::record(std::uint64_t number) {
  ++counters_.entries;
  RK_TRY(tick(kRecordWork));
  RK_TRY_ASSIGN(const std::optional<Bytes> bytes, entries_->get(as_bytes(encode_number(number))));
  if (!bytes) {
    return Error(ErrorCode::corrupt, "an entry has no record");
  }
  return RecordView::open(*bytes);
}

void Snapshot::begin_search(const std::function<bool()>* is_cancelled) noexcept {
  counters_ = {};
  ticks_ = 0;
  is_cancelled_ = is_cancelled;
}

Result<void> Snapshot::tick(std::uint64_t work) {
  ticks_ += work;
  if (ticks_ < kTicksBetweenQuestions) {
    return {};
  }
  ticks_ = 0;
  return check();
}

Result<void> Snapshot::check() const {
  if (is_cancelled_ != nullptr && *is_cancelled_ && (*is_cancelled_)()) {
    return ErrorCode::cancelled;
  }
  return {};
}

}  // namespace rookery::search
