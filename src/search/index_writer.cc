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
#include "pending_changes.h"
#include "posting_list.h"
#include "record.h"

namespace rookery::search {
namespace {

// Posting lists written between two looks whether time is over.
constexpr std::uint32_t kListsALook = 64;

// For estimates: of a dictionary's entry beside its term; of a leaf that keys came to in no order;
// chunks in a leaf if they are full.
constexpr std::uint64_t kListBytes = 16;
constexpr std::uint64_t kLeafBytesLow = store::kPageSize / 2;
constexpr std::uint64_t kChunksALeafLow = 3;

Error invalid(std::string_view what) {
  return {ErrorCode::invalid_argument, std::string(what)};
}

struct Field {
  FieldFacts facts;
  bool is_changed = false;
};

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
    field.terms.push_back({.term = std::move(term)});
  }
  return field;
}

RecordField text_field(const FieldValues& values) {
  RecordField field;
  field.is_text = true;
  field.length = values.tokens.size();
  std::vector<std::pair<Term, std::uint32_t>> words;
  words.reserve(values.tokens.size());
  for (const Token& token : values.tokens) {
    words.emplace_back(string_term(token.text), token.position);
  }
  std::sort(words.begin(), words.end());
  field.positions.reserve(words.size());
  for (auto& [term, position] : words) {
    if (field.terms.empty() || field.terms.back().term != term) {
      field.terms.push_back(
          {.term = std::move(term), .first = static_cast<std::uint32_t>(field.positions.size())});
    }
    ++field.terms.back().count;
    field.positions.push_back(position);
  }
  return field;
}

// While the changes are written: the dictionary, and which of its lists is next.
struct Writing {
  std::map<std::uint32_t, PendingChanges::Dictionary>::const_iterator at;
  std::optional<store::MutableTree> tree;  // empty: the dictionary has not begun
  PendingChanges::Ordered lists;
  std::size_t next = 0;
  ListChange change;
};

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
  Result<bool> finish_some(const std::function<bool()>& is_over);

  [[nodiscard]] std::uint64_t pending_bytes() const noexcept { return pending_.bytes(); }

  Result<std::uint64_t> pending_page_bytes();

 private:
  Result<Field*> field_named(std::string_view name, bool is_text);
  Result<std::vector<RecordField>> record_fields(std::span<const FieldValues> values);
  void note_field(const RecordField& field, std::uint64_t number);
  Result<void> erase_postings(std::uint64_t number);
  Result<Field*> field_numbered(std::uint32_t number);
  Result<store::MutableTree> tree_of(std::uint32_t dictionary);
  Result<void> begin_dictionary();
  Result<void> write_list(std::string_view term, const ListChange& change);

  store::WriteTxn* txn_;
  IndexState state_;
  std::map<std::string, Field, std::less<>> fields_;
  std::unordered_map<std::uint32_t, Field*> by_number_;
  // Dictionary 0 is that of the lists without a term.
  PendingChanges pending_;
  bool is_changed_ = false;

  std::optional<Writing> writing_;
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
    RK_TRY_ASSIGN(RecordField field,
                  value.is_text ? Result<RecordField>(text_field(value)) : plain_field(value));
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

void IndexWriter::State::note_field(const RecordField& field, std::uint64_t number) {
  pending_.add(0, list_key(ListOf::kHaving, field.number), make_posting(number, 0));
  if (field.terms.empty()) {
    pending_.add(0, list_key(ListOf::kWithout, field.number), make_posting(number, 0));
  }
  for (const RecordField::WithPositions& item : field.terms) {
    const std::uint8_t impact =
        field.is_text ? text_impact(item.count, field.length) : std::uint8_t{0};
    pending_.add(field.number, item.term, make_posting(number, impact));
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
  RK_CHECK(!writing_.has_value());
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
  pending_.add(0, list_key(ListOf::kAll, 0), make_posting(number, 0));
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
    pending_.erase(0, list_key(ListOf::kHaving, field.number), make_posting(number, 0));
    RecordTerms terms(field);
    std::uint64_t count = 0;
    RK_TRY_ASSIGN(bool more, terms.next());
    for (; more; ++count) {
      const std::uint8_t impact =
          field.is_text ? text_impact(terms.position_count(), field.length) : std::uint8_t{0};
      pending_.erase(field.number, terms.term(), make_posting(number, impact));
      RK_TRY_ASSIGN(more, terms.next());
    }
    if (count == 0) {
      pending_.erase(0, list_key(ListOf::kWithout, field.number), make_posting(number, 0));
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
  RK_CHECK(!writing_.has_value());
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
  pending_.erase(0, list_key(ListOf::kAll, 0), make_posting(number, 0));
  RK_TRY(keys->erase(as_bytes(key)));
  RK_TRY(entries->erase(as_bytes(encode_number(number))));
  return true;
}

Result<store::MutableTree> IndexWriter::State::tree_of(std::uint32_t dictionary) {
  return txn_->tree(dictionary == 0 ? std::string(kListsTree) : terms_tree_name(dictionary));
}

// A list changes one page of its dictionary at most, and the last chunk it has; what is new takes
// room. Terms that are there are taken to be as long as those that come.
Result<std::uint64_t> IndexWriter::State::pending_page_bytes() {
  std::uint64_t pages = 0;
  std::uint64_t lists = 0;
  for (const auto& [number, dictionary] : pending_.dictionaries()) {
    RK_TRY_ASSIGN(const store::MutableTree tree, tree_of(number));
    const std::uint64_t size = dictionary.term_bytes() / dictionary.size() + kListBytes;
    const std::uint64_t there = tree.view().entry_count() * size / kLeafBytesLow + 1;
    pages += std::min<std::uint64_t>(dictionary.size(), there);
    lists += dictionary.size();
  }
  pages += std::min(lists, chunks->view().entry_count() / kChunksALeafLow);
  return pages * store::kPageSize + pending_.bytes();
}

Result<void> IndexWriter::State::begin_dictionary() {
  RK_TRY_ASSIGN(writing_->tree, tree_of(writing_->at->first));
  writing_->lists = PendingChanges::ordered(writing_->at->second);
  writing_->next = 0;
  return {};
}

Result<void> IndexWriter::State::write_list(std::string_view term, const ListChange& change) {
  if (change.added.empty() && change.erased.empty()) {
    return {};
  }
  store::MutableTree& tree = *writing_->tree;
  RK_TRY_ASSIGN(const std::optional<Bytes> old_value, tree.get(as_bytes(term)));
  RK_TRY_ASSIGN(const std::optional<std::string> value,
                change_posting_list(*chunks, old_value, change, state_.next_list_id));
  if (value) {
    return tree.put(as_bytes(term), as_bytes(*value));
  }
  RK_TRY(tree.erase(as_bytes(term)));
  return {};
}

Result<bool> IndexWriter::State::finish_some(const std::function<bool()>& is_over) {
  if (!is_changed_) {
    return true;
  }
  if (!writing_.has_value()) {
    writing_.emplace().at = pending_.dictionaries().begin();
  }
  Writing& writing = *writing_;
  for (std::uint32_t count = 0; writing.at != pending_.dictionaries().end(); ++writing.at) {
    if (!writing.tree.has_value()) {
      RK_TRY(begin_dictionary());
    }
    for (; writing.next < writing.lists.size(); ++writing.next) {
      if (++count % kListsALook == 0 && is_over()) {
        return false;
      }
      writing.lists.read(writing.next, writing.change);
      RK_TRY(write_list(writing.lists.term(writing.next), writing.change));
    }
    writing.tree.reset();
  }
  writing_.reset();
  pending_.clear();
  for (auto& [name, field] : fields_) {
    if (field.is_changed) {
      RK_TRY(fields_tree->put(as_bytes(name), as_bytes(encode_facts(field.facts))));
      field.is_changed = false;
    }
  }
  RK_TRY(state_tree->put(as_bytes(kStateKey), as_bytes(encode_state(state_))));
  is_changed_ = false;
  return true;
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
  RK_TRY(state_->finish_some([] { return false; }));
  return {};
}

Result<bool> IndexWriter::finish_some(const std::function<bool()>& is_over) {
  return state_->finish_some(is_over);
}

Result<std::uint64_t> IndexWriter::pending_page_bytes() {
  return state_->pending_page_bytes();
}

std::uint64_t IndexWriter::pending_bytes() const noexcept {
  return state_->pending_bytes();
}

}  // namespace rookery::search
