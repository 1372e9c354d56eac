// SPDX-License-Identifier: Apache-2.0
#include "rookery/search/index_writer.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "rookery/base/check.h"

#include "layout.h"
#include "posting_list.h"
#include "record.h"

namespace rookery::search {
namespace {

// Of a change that waits, beside its key and postings: an estimate of what the map takes.
constexpr std::uint64_t kChangeOverheadBytes = 128;

Error invalid(std::string_view what) {
  return {ErrorCode::invalid_argument, std::string(what)};
}

struct Field {
  FieldFacts facts;
  bool is_changed = false;
};

// A dictionary's changes by term. Dictionary 0 is that of the lists without a term.
using Changes = std::unordered_map<std::string, ListChange>;

// What is added and erased in one transaction is as if it had never been.
void cancel_out(ListChange& change) {
  std::sort(change.added.begin(), change.added.end());
  std::sort(change.erased.begin(), change.erased.end());
  std::vector<Posting> added;
  std::vector<Posting> erased;
  std::set_difference(change.added.begin(), change.added.end(), change.erased.begin(),
                      change.erased.end(), std::back_inserter(added));
  std::set_difference(change.erased.begin(), change.erased.end(), change.added.begin(),
                      change.added.end(), std::back_inserter(erased));
  change.added = std::move(added);
  change.erased = std::move(erased);
}

// Terms ascending, each once.
Result<RecordField> plain_field(const FieldValues& values) {
  RecordField field;
  std::vector<Term> terms = values.terms;
  std::sort(terms.begin(), terms.end());
  terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
  for (Term& term : terms) {
    if (term.empty() || term.size() > kTermSizeMax) {
      return invalid("a term is empty or too long");
    }
    field.terms.push_back({.term = std::move(term), .positions = {}});
  }
  return field;
}

Result<RecordField> text_field(const FieldValues& values) {
  RecordField field;
  field.is_text = true;
  field.length = values.tokens.size();
  std::map<Term, std::vector<std::uint32_t>> words;
  for (const Token& token : values.tokens) {
    words[string_term(token.text)].push_back(token.position);
  }
  for (auto& [term, positions] : words) {
    std::sort(positions.begin(), positions.end());
    field.terms.push_back({.term = term, .positions = std::move(positions)});
  }
  return field;
}

}  // namespace

class IndexWriter::State {
 public:
  explicit State(store::WriteTxn& txn) : txn_(&txn) {}

  // The transaction's trees. Their handles last as long as it.
  std::optional<store::MutableTree> state_tree;
  std::optional<store::MutableTree> fields_tree;
  std::optional<store::MutableTree> keys;
  std::optional<store::MutableTree> entries;
  std::optional<store::MutableTree> chunks;

  Result<void> open();
  Result<void> put(std::string_view key, std::string_view stored,
                   std::span<const FieldValues> values);
  Result<bool> erase(std::string_view key);
  Result<void> finish();

  [[nodiscard]] std::uint64_t pending_bytes() const noexcept { return pending_bytes_; }

 private:
  Result<Field*> field_named(std::string_view name, bool is_text);
  Result<std::vector<RecordField>> record_fields(std::span<const FieldValues> values);
  void note(std::uint32_t dictionary, std::string_view term, Posting posting, bool is_added);
  void note_field(const RecordField& field, std::uint64_t number);
  Result<void> erase_postings(std::uint64_t number);
  Result<Field*> field_numbered(std::uint32_t number);
  Result<void> apply(std::uint32_t dictionary, Changes& changes);

  store::WriteTxn* txn_;
  IndexState state_;
  std::map<std::string, Field, std::less<>> fields_;
  std::unordered_map<std::uint32_t, Field*> by_number_;
  std::map<std::uint32_t, Changes> pending_;
  std::uint64_t pending_bytes_ = 0;
  bool is_changed_ = false;
};

Result<void> IndexWriter::State::open() {
  RK_TRY_ASSIGN(state_tree, txn_->tree(kStateTree));
  RK_TRY_ASSIGN(fields_tree, txn_->tree(kFieldsTree));
  RK_TRY_ASSIGN(keys, txn_->tree(kKeysTree));
  RK_TRY_ASSIGN(entries, txn_->tree(kEntriesTree));
  RK_TRY_ASSIGN(chunks, txn_->tree(kChunksTree));
  RK_TRY_ASSIGN(const std::optional<Bytes> stored, state_tree->get(as_bytes(kStateKey)));
  if (stored) {
    RK_TRY_ASSIGN(state_, decode_state(*stored));
  }
  store::TreeCursor cursor = fields_tree->view().cursor();
  RK_TRY_ASSIGN(bool more, cursor.first());
  while (more) {
    RK_TRY_ASSIGN(const store::TreeEntry entry, cursor.entry());
    RK_TRY_ASSIGN(const FieldFacts facts, decode_facts(entry.value));
    Field& field = fields_[std::string(as_text(entry.key))];
    field.facts = facts;
    by_number_[facts.number] = &field;
    RK_TRY_ASSIGN(more, cursor.next());
  }
  return {};
}

Result<Field*> IndexWriter::State::field_named(std::string_view name, bool is_text) {
  const auto found = fields_.find(name);
  if (found != fields_.end()) {
    if (found->second.facts.is_text != is_text) {
      return invalid("field '" + std::string(name) + "' is of the other kind: full text or plain");
    }
    return &found->second;
  }
  if (name.empty() || name.size() > kFieldNameSizeMax) {
    return invalid("a field's name is empty or too long");
  }
  Field& field = fields_[std::string(name)];
  field.facts.number = state_.next_field++;
  field.facts.is_text = is_text;
  field.is_changed = true;
  by_number_[field.facts.number] = &field;
  return &field;
}

Result<Field*> IndexWriter::State::field_numbered(std::uint32_t number) {
  const auto found = by_number_.find(number);
  if (found == by_number_.end()) {
    return Error(ErrorCode::corrupt, "a record names a field that does not exist");
  }
  return found->second;
}

Result<std::vector<RecordField>> IndexWriter::State::record_fields(
    std::span<const FieldValues> values) {
  std::vector<RecordField> fields;
  fields.reserve(values.size());
  for (const FieldValues& value : values) {
    RK_TRY_ASSIGN(RecordField field, value.is_text ? text_field(value) : plain_field(value));
    RK_TRY_ASSIGN(const Field* const known, field_named(value.field, value.is_text));
    field.number = known->facts.number;
    fields.push_back(std::move(field));
  }
  const auto number = [](const RecordField& field) { return field.number; };
  std::ranges::sort(fields, {}, number);
  if (std::ranges::adjacent_find(fields, {}, number) != fields.end()) {
    return invalid("a field is given twice");
  }
  return fields;
}

void IndexWriter::State::note(std::uint32_t dictionary, std::string_view term, Posting posting,
                              bool is_added) {
  const auto [change, is_new] = pending_[dictionary].try_emplace(std::string(term));
  (is_added ? change->second.added : change->second.erased).push_back(posting);
  pending_bytes_ += sizeof(Posting) + (is_new ? kChangeOverheadBytes + term.size() : 0);
}

void IndexWriter::State::note_field(const RecordField& field, std::uint64_t number) {
  note(0, list_key(ListOf::kHaving, field.number), make_posting(number, 0), true);
  if (field.terms.empty()) {
    note(0, list_key(ListOf::kWithout, field.number), make_posting(number, 0), true);
  }
  for (const RecordField::WithPositions& item : field.terms) {
    const std::uint8_t impact =
        field.is_text ? text_impact(item.positions.size(), field.length) : std::uint8_t{0};
    note(field.number, item.term, make_posting(number, impact), true);
  }
  Field& known = *by_number_.at(field.number);
  if (field.terms.size() > 1 && !known.facts.is_multiple) {
    known.facts.is_multiple = true;
    known.is_changed = true;
  }
  if (field.length > 0) {
    known.facts.length += field.length;
    known.is_changed = true;
  }
}

Result<void> IndexWriter::State::put(std::string_view key, std::string_view stored,
                                     std::span<const FieldValues> values) {
  if (key.empty() || key.size() > kEntryKeySizeMax) {
    return invalid("an entry's key is empty or too long");
  }
  // Before anything changes: what is refused leaves the index as it was.
  RK_TRY_ASSIGN(const std::vector<RecordField> fields, record_fields(values));
  RK_TRY(erase(key));
  if (state_.next_entry >= kEntryNumberMax) {
    return Error(ErrorCode::too_large, "the index has used up its entries' numbers: reset it");
  }
  const std::uint64_t number = state_.next_entry++;
  is_changed_ = true;
  RK_TRY(keys->put(as_bytes(key), as_bytes(encode_number(number))));
  RK_TRY(
      entries->put(as_bytes(encode_number(number)), as_bytes(encode_record(key, stored, fields))));
  note(0, list_key(ListOf::kAll, 0), make_posting(number, 0), true);
  for (const RecordField& field : fields) {
    note_field(field, number);
  }
  return {};
}

Result<void> IndexWriter::State::erase_postings(std::uint64_t number) {
  RK_TRY_ASSIGN(const std::optional<Bytes> bytes, entries->get(as_bytes(encode_number(number))));
  if (!bytes) {
    return Error(ErrorCode::corrupt, "an entry has no record");
  }
  RK_TRY_ASSIGN(const RecordView record, RecordView::open(*bytes));
  RK_TRY_ASSIGN(const std::vector<RecordFieldView> fields, record.fields());
  for (const RecordFieldView& field : fields) {
    RK_TRY_ASSIGN(Field* const known, field_numbered(field.number));
    note(0, list_key(ListOf::kHaving, field.number), make_posting(number, 0), false);
    RecordTerms terms(field);
    std::uint64_t count = 0;
    RK_TRY_ASSIGN(bool more, terms.next());
    for (; more; ++count) {
      const std::uint8_t impact =
          field.is_text ? text_impact(terms.position_count(), field.length) : std::uint8_t{0};
      note(field.number, terms.term(), make_posting(number, impact), false);
      RK_TRY_ASSIGN(more, terms.next());
    }
    if (count == 0) {
      note(0, list_key(ListOf::kWithout, field.number), make_posting(number, 0), false);
    }
    if (field.length > known->facts.length) {
      return Error(ErrorCode::corrupt, "a field's length is less than that of its entries");
    }
    known->facts.length -= field.length;
    known->is_changed = known->is_changed || field.length > 0;
  }
  return {};
}

Result<bool> IndexWriter::State::erase(std::string_view key) {
  if (key.empty() || key.size() > kEntryKeySizeMax) {
    return false;
  }
  RK_TRY_ASSIGN(const std::optional<Bytes> found, keys->get(as_bytes(key)));
  if (!found) {
    return false;
  }
  RK_TRY_ASSIGN(const std::uint64_t number, decode_number(*found));
  is_changed_ = true;
  RK_TRY(erase_postings(number));
  note(0, list_key(ListOf::kAll, 0), make_posting(number, 0), false);
  RK_TRY(keys->erase(as_bytes(key)));
  RK_TRY(entries->erase(as_bytes(encode_number(number))));
  return true;
}

Result<void> IndexWriter::State::apply(std::uint32_t dictionary, Changes& changes) {
  std::vector<std::pair<std::string_view, ListChange*>> ordered;
  ordered.reserve(changes.size());
  for (auto& [term, change] : changes) {
    ordered.emplace_back(term, &change);
  }
  std::ranges::sort(ordered, {}, [](const auto& item) { return item.first; });
  RK_TRY_ASSIGN(store::MutableTree tree, txn_->tree(dictionary == 0 ? std::string(kListsTree)
                                                                    : terms_tree_name(dictionary)));
  for (const auto& [term, change] : ordered) {
    cancel_out(*change);
    if (change->added.empty() && change->erased.empty()) {
      continue;
    }
    RK_TRY_ASSIGN(const std::optional<Bytes> old_value, tree.get(as_bytes(term)));
    RK_TRY_ASSIGN(const std::optional<std::string> value,
                  change_posting_list(*chunks, old_value, *change, state_.next_list_id));
    if (value) {
      RK_TRY(tree.put(as_bytes(term), as_bytes(*value)));
    } else {
      RK_TRY(tree.erase(as_bytes(term)));
    }
  }
  return {};
}

Result<void> IndexWriter::State::finish() {
  if (!is_changed_) {
    return {};
  }
  for (auto& [dictionary, changes] : pending_) {
    RK_TRY(apply(dictionary, changes));
  }
  pending_.clear();
  pending_bytes_ = 0;
  for (auto& [name, field] : fields_) {
    if (field.is_changed) {
      RK_TRY(fields_tree->put(as_bytes(name), as_bytes(encode_facts(field.facts))));
      field.is_changed = false;
    }
  }
  RK_TRY(state_tree->put(as_bytes(kStateKey), as_bytes(encode_state(state_))));
  is_changed_ = false;
  return {};
}

IndexWriter::IndexWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}

IndexWriter::~IndexWriter() = default;
IndexWriter::IndexWriter(IndexWriter&&) noexcept = default;
IndexWriter& IndexWriter::operator=(IndexWriter&&) noexcept = default;

Result<IndexWriter> IndexWriter::open(store::WriteTxn& txn) {
  auto state = std::make_unique<State>(txn);
  RK_TRY(state->open());
  return IndexWriter(std::move(state));
}

Result<void> IndexWriter::put(std::string_view key, std::string_view stored,
                              std::span<const FieldValues> fields) {
  return state_->put(key, stored, fields);
}

Result<bool> IndexWriter::erase(std::string_view key) {
  return state_->erase(key);
}

Result<void> IndexWriter::finish() {
  return state_->finish();
}

std::uint64_t IndexWriter::pending_bytes() const noexcept {
  return state_->pending_bytes();
}

}  // namespace rookery::search
