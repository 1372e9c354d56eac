// SPDX-License-Identifier: Apache-2.0
// Every posting has its term in its entry's record and the other way round. Each term of a record
// is looked up in its list; the lists ascend, so if all are found and the totals agree, nothing is
// left over on either side, and no list of all terms has to be held in memory.
#include <algorithm>
#include <map>
#include <utility>

#include "rookery/search/index_reader.h"

#include "snapshot.h"

namespace rookery::search {
namespace {

// More than so many lines help nobody.
constexpr std::size_t kProblemsMax = 100;

class Verifier {
 public:
  explicit Verifier(Snapshot& snapshot) : snapshot_(snapshot) {}

  Result<std::vector<std::string>> run() {
    for (const auto& [name, facts] : snapshot_.fields()) {
      const bool is_new = fields_.emplace(facts.number, Sums{.name = name, .facts = facts}).second;
      expect(is_new && facts.number < snapshot_.state().next_field,
             "field '" + name + "' has a number that cannot be");
    }
    RK_TRY(check_keys());
    RK_TRY(check_entries());
    RK_TRY(check_lists());
    for (auto& [number, sums] : fields_) {
      RK_TRY(check_terms(number, sums));
    }
    expect(chunks_found_ == snapshot_.chunks().entry_count(),
           "some chunks of postings belong to no list");
    return std::move(problems_);
  }

 private:
  struct Sums {
    std::string name;
    FieldFacts facts;
    std::uint64_t postings = 0;  // that the records name
    std::uint64_t having = 0;
    std::uint64_t without = 0;
    std::uint64_t length = 0;
  };

  void expect(bool holds, std::string_view problem) {
    if (!holds && problems_.size() < kProblemsMax) {
      problems_.emplace_back(problem);
    }
  }

  Result<void> check_keys() {
    const std::uint64_t keys = snapshot_.keys().entry_count();
    expect(keys == snapshot_.entries().entry_count(), "there are not as many keys as entries");
    store::TreeCursor cursor = snapshot_.keys().cursor();
    RK_TRY_ASSIGN(bool more, cursor.first());
    while (more) {
      RK_TRY_ASSIGN(const store::TreeEntry entry, cursor.entry());
      const std::string key(as_text(entry.key));
      RK_TRY_ASSIGN(const std::uint64_t number, decode_number(entry.value));
      RK_TRY_ASSIGN(const std::optional<Bytes> bytes,
                    snapshot_.entries().get(as_bytes(encode_number(number))));
      expect(bytes.has_value(), "key '" + key + "' names an entry that does not exist");
      if (bytes) {
        RK_TRY_ASSIGN(const RecordView record, RecordView::open(*bytes));
        expect(record.key() == key, "key '" + key + "' names the entry of another key");
      }
      RK_TRY_ASSIGN(more, cursor.next());
    }
    return {};
  }

  Result<void> check_entries() {
    store::TreeCursor cursor = snapshot_.entries().cursor();
    RK_TRY_ASSIGN(bool more, cursor.first());
    while (more) {
      RK_TRY_ASSIGN(const store::TreeEntry entry, cursor.entry());
      RK_TRY_ASSIGN(const std::uint64_t number, decode_number(entry.key));
      expect(number < snapshot_.state().next_entry, "an entry's number is yet to be given");
      RK_TRY_ASSIGN(const RecordView record, RecordView::open(entry.value));
      RK_TRY_ASSIGN(const std::vector<RecordFieldView> fields, record.fields());
      RK_TRY(check_listed(ListOf::kAll, 0, number, record.key()));
      for (const RecordFieldView& field : fields) {
        RK_TRY(check_field(field, number, record.key()));
      }
      RK_TRY_ASSIGN(more, cursor.next());
    }
    return {};
  }

  Result<void> check_field(const RecordFieldView& field, std::uint64_t number,
                           std::string_view key) {
    const auto found = fields_.find(field.number);
    if (found == fields_.end() || found->second.facts.is_text != field.is_text) {
      expect(false, "entry '" + std::string(key) + "' has an unknown field");
      return {};
    }
    Sums& sums = found->second;
    ++sums.having;
    sums.length += field.length;
    RK_TRY(check_listed(ListOf::kHaving, field.number, number, key));
    RecordTerms terms(field);
    std::uint64_t count = 0;
    RK_TRY_ASSIGN(bool more, terms.next());
    for (; more; ++count) {
      const std::uint8_t impact =
          field.is_text ? text_impact(terms.position_count(), field.length) : std::uint8_t{0};
      RK_TRY_ASSIGN(const PostingList list, snapshot_.postings(field.number, terms.term()));
      RK_TRY_ASSIGN(const bool listed, has_posting(list, make_posting(number, impact)));
      expect(listed, "entry '" + std::string(key) + "' is not in the list of " + sums.name + " '" +
                         term_to_string(terms.term()) + "'");
      RK_TRY_ASSIGN(more, terms.next());
    }
    sums.postings += count;
    expect(count < 2 || sums.facts.is_multiple,
           "field '" + sums.name + "' does not say that it has several terms");
    if (count == 0) {
      ++sums.without;
      RK_TRY(check_listed(ListOf::kWithout, field.number, number, key));
    }
    return {};
  }

  Result<void> check_listed(ListOf what, std::uint32_t field, std::uint64_t number,
                            std::string_view key) {
    RK_TRY_ASSIGN(const PostingList list, snapshot_.list(what, field));
    RK_TRY_ASSIGN(const bool listed, has_posting(list, make_posting(number, 0)));
    expect(listed, "entry '" + std::string(key) + "' is not in list " + static_cast<char>(what) +
                       std::to_string(field));
    return {};
  }

  Result<bool> has_posting(const PostingList& list, Posting posting) {
    PostingCursor cursor = snapshot_.walk(list);
    RK_TRY_ASSIGN(const bool found, cursor.seek(posting_number(posting)));
    return found && std::ranges::binary_search(cursor.block(), posting);
  }

  // The lists that hang on no term hold as many as the records say.
  Result<void> check_lists() {
    RK_TRY_ASSIGN(const PostingList all, snapshot_.list(ListOf::kAll, 0));
    expect(all.count == snapshot_.entries().entry_count(), "the list of all entries is too long");
    for (const auto& [number, sums] : fields_) {
      RK_TRY_ASSIGN(const PostingList having, snapshot_.list(ListOf::kHaving, number));
      RK_TRY_ASSIGN(const PostingList without, snapshot_.list(ListOf::kWithout, number));
      expect(having.count == sums.having && without.count == sums.without,
             "the lists of entries having field '" + sums.name + "' are too long");
      expect(sums.length == sums.facts.length, "the length of field '" + sums.name + "' is wrong");
    }
    RK_TRY_ASSIGN(const std::uint64_t postings, sum_lists(snapshot_.lists(), "of entries"));
    static_cast<void>(postings);
    return {};
  }

  Result<void> check_terms(std::uint32_t number, const Sums& sums) {
    RK_TRY_ASSIGN(const store::Tree tree, snapshot_.terms(number));
    RK_TRY_ASSIGN(const std::uint64_t postings, sum_lists(tree, sums.name));
    expect(postings == sums.postings,
           "field '" + sums.name + "' has postings that no entry accounts for");
    return {};
  }

  // Decodes every list of a tree, each ascending and as long as it says; how many postings in all.
  Result<std::uint64_t> sum_lists(const store::Tree& tree, std::string_view name) {
    std::uint64_t sum = 0;
    store::TreeCursor cursor = tree.cursor();
    RK_TRY_ASSIGN(bool more, cursor.first());
    while (more) {
      RK_TRY_ASSIGN(const store::TreeEntry entry, cursor.entry());
      RK_TRY_ASSIGN(const PostingList list, read_posting_list(entry.value));
      sum += list.count;
      RK_TRY(check_list(list, name));
      RK_TRY_ASSIGN(more, cursor.next());
    }
    return sum;
  }

  Result<void> check_list(const PostingList& list, std::string_view name) {
    std::uint64_t count = 0;
    std::uint64_t chunks = 0;
    std::uint64_t last = 0;
    PostingCursor cursor = snapshot_.walk(list);
    RK_TRY_ASSIGN(bool more, cursor.next());
    for (; more; ++chunks) {
      for (const Posting posting : cursor.block()) {
        expect(posting_number(posting) > last,
               "a list of " + std::string(name) + " does not ascend");
        last = posting_number(posting);
        ++count;
      }
      RK_TRY_ASSIGN(more, cursor.next());
    }
    expect(count == list.count, "a list of " + std::string(name) + " is not as long as it says");
    if (list.is_large) {
      chunks_found_ += chunks;
      expect(chunks == list.chunk_count && list.list_id < snapshot_.state().next_list_id,
             "a large list of " + std::string(name) + " has a head that cannot be");
    }
    return {};
  }

  Snapshot& snapshot_;
  std::map<std::uint32_t, Sums> fields_;
  std::uint64_t chunks_found_ = 0;
  std::vector<std::string> problems_;
};

}  // namespace

Result<std::vector<std::string>> verify(store::ReadTxn& txn) {
  RK_TRY_ASSIGN(const std::unique_ptr<Snapshot> snapshot, Snapshot::open(txn));
  return Verifier(*snapshot).run();
}

}  // namespace rookery::search
