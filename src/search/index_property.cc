// SPDX-License-Identifier: Apache-2.0
#include "index_property.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <rapidcheck.h>

#include "index_model.h"
#include "test_index.h"

namespace rookery::search {
namespace {

// A transaction's puts and erases: of single entries, or of runs of them, for long lists.
void change(IndexWriter& writer, Model& model, Choices& choices) {
  const std::uint32_t steps = 1 + choices.below(6);
  for (std::uint32_t i = 0; i < steps; ++i) {
    const std::uint32_t first = choices.below(1000);
    const std::uint32_t count = choices.one_in(5) ? choices.below(300) : 1;
    const bool is_erase = choices.one_in(3);
    const std::vector<FieldValues> fields = random_fields(choices);
    for (std::uint32_t number = first; number < first + count; ++number) {
      const std::string key = key_text(number);
      if (is_erase) {
        const Result<bool> erased = writer.erase(key);
        RC_ASSERT(erased.has_value());
        RC_ASSERT(*erased == model.erase(key));
      } else {
        RC_ASSERT(writer.put(key, "stored " + key, fields).has_value());
        model.put(key, "stored " + key, fields);
      }
    }
  }
}

void compare_answers(TestIndex& index, const Model& model, Choices& choices) {
  Request request;
  request.where = random_node(choices);
  request.order = random_order(choices);
  request.with_scores = choices.one_in(3);
  request.explain = choices.one_in(2);
  request.skip = choices.one_in(2) ? choices.below(40) : 0;
  request.take = choices.one_in(2) ? choices.below(30) : ~std::uint64_t{0};
  const bool has_scores = request.with_scores || std::ranges::any_of(request.order, [](auto& key) {
                            return key.by == SortBy::kScore;
                          });
  const Result<TestIndex::Answer> answer = index.try_search(request);
  RC_ASSERT(answer.has_value());
  const std::vector<ModelHit> expected = model.search(request.where, request.order, has_scores);
  RC_ASSERT(answer->summary.total == expected.size());
  const std::uint64_t begin = std::min<std::uint64_t>(request.skip, expected.size());
  const std::uint64_t count = std::min<std::uint64_t>(request.take, expected.size() - begin);
  RC_ASSERT(answer->hits.size() == count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const Hit& hit = answer->hits[i];
    RC_ASSERT(hit.key == expected[begin + i].key);
    RC_ASSERT(hit.stored == "stored " + hit.key);
    RC_ASSERT(!has_scores || hit.score == expected[begin + i].score);
  }
}

void compare_contents(TestIndex& index, const Model& model) {
  Result<store::ReadTxn> txn = index.environment().begin_read();
  RC_ASSERT(txn.has_value());
  const Result<IndexReader> reader = IndexReader::open(*txn);
  RC_ASSERT(reader.has_value());
  std::map<std::string, std::set<Term>> dictionaries;
  for (const auto& [key, entry] : model.entries()) {
    const auto found = reader->entry(key);
    RC_ASSERT(found.has_value());
    RC_ASSERT(found->has_value());
    RC_ASSERT((*found)->size() == entry.fields.size());
    for (const IndexReader::EntryField& field : **found) {
      const ModelField& expected = entry.fields.at(field.field);
      std::set<Term> terms(expected.terms.begin(), expected.terms.end());
      for (const Token& token : expected.tokens) {
        terms.insert(string_term(token.text));
      }
      RC_ASSERT(field.terms == std::vector<Term>(terms.begin(), terms.end()));
      dictionaries[field.field].merge(terms);
    }
  }
  for (const auto& [name, terms] : dictionaries) {
    const Result<std::vector<Term>> found = reader->terms(name, "", ~std::uint64_t{0});
    RC_ASSERT(found.has_value());
    RC_ASSERT(*found == std::vector<Term>(terms.begin(), terms.end()));
  }
}

// Of the whole range from the first case on: a small one would always mean the simplest choices.
std::vector<std::uint32_t> some_choices(std::size_t count) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::container<std::vector<std::uint32_t>>(
                                                count, rc::gen::arbitrary<std::uint32_t>()));
}

}  // namespace

void index_agrees_with_its_model() {
  TestIndex index;
  Model model;
  const auto transactions = *rc::gen::inRange(1, 5);
  for (int i = 0; i < transactions; ++i) {
    Choices choices(some_choices(300));
    const bool commits = !choices.one_in(6);
    Model after = model;
    Result<store::WriteTxn> txn = index.environment().begin_write();
    RC_ASSERT(txn.has_value());
    Result<IndexWriter> writer = IndexWriter::open(*txn);
    RC_ASSERT(writer.has_value());
    change(*writer, after, choices);
    RC_ASSERT(writer->finish().has_value());
    if (commits) {
      RC_ASSERT(txn->commit().has_value());
      model = after;
    } else {
      txn->rollback();
    }
    if (choices.one_in(5)) {
      index.reopen();
    }
    RC_ASSERT(index.problems() == "");
  }
  compare_contents(index, model);
  for (int i = 0; i < 10; ++i) {
    Choices choices(some_choices(60));
    compare_answers(index, model, choices);
  }
}

}  // namespace rookery::search
