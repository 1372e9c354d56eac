// SPDX-License-Identifier: Apache-2.0
// Documents against a twin of a few maps: any sequence of transactions, some of them rolled back,
// with restarts between, leaves both in the same state.
#include <algorithm>
#include <array>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "rookery/value/text.h"

#include "test_store.h"

namespace rookery::doc {
namespace {

enum class Kind : std::uint8_t { kPut, kPutNew, kPutStale, kErase, kPutIdentity, kPutEtag, kPurge };

struct Step {
  Kind kind = Kind::kPut;
  std::uint32_t id = 0;
  std::uint32_t collection = 0;
  std::uint32_t content = 0;
};

struct Transaction {
  std::vector<Step> steps;
  bool commit = true;
  bool restart_before = false;
};

// What a failed case prints.
std::ostream& operator<<(std::ostream& out, const Transaction& transaction) {
  out << (transaction.restart_before ? "restart " : "") << (transaction.commit ? "commit" : "roll")
      << "[";
  for (const Step& step : transaction.steps) {
    out << static_cast<int>(step.kind) << ":" << step.id << ":" << step.collection << ":"
        << step.content << " ";
  }
  return out << "]";
}

struct TwinDocument {
  std::string id;
  std::string collection;
  std::string json;
  std::uint64_t etag = 0;
};

struct Twin {
  std::map<std::string, TwinDocument> documents;                            // by folded id
  std::map<std::pair<std::string, std::string>, std::uint64_t> tombstones;  // id, collection
  std::uint64_t last_etag = 0;
  std::int64_t identity = 0;

  void erase(const std::string& key) {
    const auto found = documents.find(key);
    tombstones[{key, value::fold_case(found->second.collection)}] = ++last_etag;
    documents.erase(found);
  }

  std::uint64_t put(const std::string& id, const std::string& collection, const std::string& json) {
    const std::string key = value::fold_case(id);
    if (documents.contains(key) && !value::equal_folded(documents[key].collection, collection)) {
      erase(key);
    }
    tombstones.erase({key, value::fold_case(collection)});
    documents[key] = {id, collection, json, ++last_etag};
    return last_etag;
  }
};

// Few ids, in several cases, one a prefix of another, so that everything collides.
std::string id_text(std::uint32_t number) {
  constexpr std::array<std::string_view, 8> kIds = {
      "users/1", "USERS/1", "users/10", "users/2", "u", "U", "\xc3\xa4/1", "\xc3\x84/1"};
  return std::string(kIds.at(number % kIds.size()));
}

std::string collection_text(std::uint32_t number) {
  constexpr std::array<std::string_view, 4> kNames = {"Users", "uSERS", "Dogs", "@empty"};
  return std::string(kNames.at(number % kNames.size()));
}

std::string json_text(const Step& step) {
  const std::string collection = collection_text(step.collection);
  const std::string padding((step.content % 7) * 700, 'x');
  return R"({"n":)" + std::to_string(step.content) + R"(,"p":")" + padding + "\"" +
         (collection == "@empty" ? "}"
                                 : R"(,"@metadata":{"@collection":")" + collection + R"("}})");
}

void apply(DocumentWriter& writer, Twin& twin, const Step& step) {
  const std::string id = id_text(step.id);
  const std::string key = value::fold_case(id);
  const std::string json = json_text(step);
  const std::string collection = collection_text(step.collection);
  const PreparedDocument prepared = TestStore::prepare(json);
  const bool exists = twin.documents.contains(key);
  switch (step.kind) {
    case Kind::kPut: {
      const Result<PutResult> put = writer.put({id, std::nullopt, prepared, false});
      RC_ASSERT(put.has_value());
      RC_ASSERT(put->etag == twin.put(id, collection, json));
      break;
    }
    case Kind::kPutNew: {
      const Result<PutResult> put = writer.put({id, "", prepared, false});
      RC_ASSERT(put.has_value() == !exists);
      if (put.has_value()) {
        RC_ASSERT(put->etag == twin.put(id, collection, json));
      } else {
        RC_ASSERT(put.error().code() == ErrorCode::concurrency);
      }
      break;
    }
    case Kind::kPutStale: {
      const std::uint64_t etag = exists ? twin.documents[key].etag + step.content % 2 : 1;
      ChangeVector expected;
      expected.set("A", etag, DatabaseId());
      const std::string text = expected.to_string();
      const bool current = exists && etag == twin.documents[key].etag;
      const Result<PutResult> put = writer.put({id, text, prepared, false});
      RC_ASSERT(put.has_value() == current);
      if (current) {
        twin.put(id, collection, json);
      }
      break;
    }
    case Kind::kErase: {
      const Result<DeleteResult> erased = writer.erase({id, std::nullopt});
      RC_ASSERT(erased.has_value());
      RC_ASSERT(erased->deleted == exists);
      if (exists) {
        twin.erase(key);
        RC_ASSERT(erased->etag == twin.last_etag);
      }
      break;
    }
    case Kind::kPutIdentity: {
      const Result<PutResult> put = writer.put({"n|", std::nullopt, prepared, false});
      RC_ASSERT(put.has_value());
      const std::string expected = "n/" + std::to_string(++twin.identity);
      RC_ASSERT(put->id == expected);
      twin.put(put->id, collection, json);
      break;
    }
    case Kind::kPutEtag: {
      const Result<PutResult> put = writer.put({"e/", std::nullopt, prepared, false});
      RC_ASSERT(put.has_value());
      RC_ASSERT(put->etag == twin.put(put->id, collection, json));
      break;
    }
    case Kind::kPurge: {
      const std::uint64_t up_to = twin.last_etag - twin.last_etag % (1 + step.content % 5);
      RC_ASSERT(writer.purge_tombstones(up_to, 1'000).has_value());
      std::erase_if(twin.tombstones, [up_to](const auto& t) { return t.second <= up_to; });
      break;
    }
  }
}

void compare_documents(const Snapshot& snapshot, const Twin& twin) {
  auto expected = twin.documents.begin();
  RC_ASSERT(snapshot
                ->scan_prefix({},
                              [&](const DocumentView& document) -> Result<bool> {
                                RC_ASSERT(expected != twin.documents.end());
                                RC_ASSERT(document.folded_id == expected->first);
                                RC_ASSERT(document.id == expected->second.id);
                                RC_ASSERT(document.collection == expected->second.collection);
                                RC_ASSERT(document.etag == expected->second.etag);
                                const std::string json = value::to_json(*document.value());
                                RC_ASSERT(json == expected->second.json);
                                ++expected;
                                return true;
                              })
                .has_value());
  RC_ASSERT(expected == twin.documents.end());
  for (std::uint32_t number = 0; number < 8; ++number) {
    const std::string id = id_text(number);
    const Result<std::optional<DocumentView>> found = snapshot->get(id);
    RC_ASSERT(found.has_value());
    RC_ASSERT(found->has_value() == twin.documents.contains(value::fold_case(id)));
  }
}

// Every index: by etag both ways, by collection, of documents and of tombstones.
void compare_indexes(const Snapshot& snapshot, const Twin& twin) {
  std::vector<std::uint64_t> etags;
  std::map<std::string, std::vector<std::uint64_t>> by_collection;
  std::map<std::string, std::vector<std::uint64_t>> dead_by_collection;
  std::map<std::uint64_t, std::string> ordered;
  std::map<std::uint64_t, std::string> dead;
  for (const auto& [key, document] : twin.documents) {
    ordered[document.etag] = value::fold_case(document.collection);
  }
  for (const auto& [key, etag] : twin.tombstones) {
    dead[etag] = key.second;
  }
  for (const auto& [etag, collection] : ordered) {
    etags.push_back(etag);
    by_collection[collection].push_back(etag);
  }
  for (const auto& [etag, collection] : dead) {
    dead_by_collection[collection].push_back(etag);
  }
  const auto collect = [](std::vector<std::uint64_t>& into) {
    return [&into](const DocumentView& document) -> Result<bool> {
      into.push_back(document.etag);
      return true;
    };
  };
  std::vector<std::uint64_t> found;
  RC_ASSERT(snapshot->scan_etags(0, false, collect(found)).has_value());
  RC_ASSERT(found == etags);
  found.clear();
  RC_ASSERT(snapshot->scan_etags(~std::uint64_t{0}, true, collect(found)).has_value());
  std::reverse(found.begin(), found.end());
  RC_ASSERT(found == etags);
  found.clear();
  RC_ASSERT(snapshot->scan_tombstones(0, collect(found)).has_value());
  RC_ASSERT(found.size() == dead.size());
  for (const std::string name : {"users", "dogs", "@empty"}) {
    found.clear();
    RC_ASSERT(snapshot->scan_collection(name, 0, collect(found)).has_value());
    RC_ASSERT(found == by_collection[name]);
    found.clear();
    RC_ASSERT(snapshot->scan_collection_tombstones(name, 0, collect(found)).has_value());
    RC_ASSERT(found == dead_by_collection[name]);
  }
  const Result<std::vector<CollectionStats>> collections = snapshot->collections();
  RC_ASSERT(collections.has_value());
  for (const CollectionStats& stats : *collections) {
    const std::string name = value::fold_case(stats.name);
    RC_ASSERT(stats.document_count == by_collection[name].size());
    RC_ASSERT(stats.tombstone_count == dead_by_collection[name].size());
  }
  const Result<DocumentStats> stats = snapshot->stats();
  RC_ASSERT(stats.has_value());
  RC_ASSERT(stats->last_etag == twin.last_etag);
  RC_ASSERT(stats->document_count == twin.documents.size());
  RC_ASSERT(stats->tombstone_count == twin.tombstones.size());
}

// Of all of the range, always: inRange() alone shrinks it with the size of what is generated, and
// then no document ever changes its collection.
rc::Gen<std::uint32_t> below(std::uint32_t bound) {
  return rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::uint32_t>(0, bound));
}

rc::Gen<Transaction> arbitrary_transaction() {
  const rc::Gen<Step> step = rc::gen::map(
      rc::gen::tuple(rc::gen::weightedElement<Kind>({{6, Kind::kPut},
                                                     {2, Kind::kPutNew},
                                                     {3, Kind::kPutStale},
                                                     {4, Kind::kErase},
                                                     {1, Kind::kPutIdentity},
                                                     {1, Kind::kPutEtag},
                                                     {1, Kind::kPurge}}),
                     below(8), below(4), below(100)),
      [](const auto& parts) {
        return Step{std::get<0>(parts), std::get<1>(parts), std::get<2>(parts), std::get<3>(parts)};
      });
  return rc::gen::map(
      rc::gen::tuple(rc::gen::container<std::vector<Step>>(step),
                     rc::gen::weightedElement<bool>({{4, true}, {1, false}}),
                     rc::gen::weightedElement<bool>({{1, true}, {9, false}})),
      [](const auto& parts) {
        return Transaction{std::get<0>(parts), std::get<1>(parts), std::get<2>(parts)};
      });
}

TEST(Documents, AgreeWithTheirTwin) {
  const bool held = rc::check([] {
    const auto transactions = *rc::gen::scale(
        0.25, rc::gen::container<std::vector<Transaction>>(arbitrary_transaction()));
    TestStore store;
    Twin twin;
    for (const Transaction& transaction : transactions) {
      if (transaction.restart_before) {
        store.reopen();
      }
      Twin after = twin;
      RC_ASSERT(store
                    .write(
                        [&](DocumentWriter& writer) -> Result<void> {
                          for (const Step& step : transaction.steps) {
                            apply(writer, after, step);
                          }
                          return {};
                        },
                        transaction.commit)
                    .has_value());
      if (transaction.commit) {
        twin = after;
      }
      const Snapshot snapshot = store.read();
      compare_documents(snapshot, twin);
      compare_indexes(snapshot, twin);
    }
    const Result<store::VerifyReport> report = store.environment().verify(table_schemas());
    RC_ASSERT(report.has_value());
    RC_ASSERT(report->problems.empty());
  });
  EXPECT_TRUE(held);
}

}  // namespace
}  // namespace rookery::doc
