// SPDX-License-Identifier: Apache-2.0
#include "content_v1.h"

#include <algorithm>
#include <utility>

#include "rookery/doc/reader.h"
#include "rookery/value/json.h"

namespace rookery::compat {
namespace {

constexpr int kErased = 20;
constexpr std::int64_t kIdentity = 41;

std::string with_collection(std::string_view members, std::string_view collection) {
  return "{" + std::string(members) + R"(,"@metadata":{"@collection":")" + std::string(collection) +
         "\"}}";
}

Result<db::Command> put(const StoredDocument& document) {
  RK_TRY_ASSIGN(value::Document parsed, value::parse_json(document.json));
  db::PutCommand command;
  command.id = document.id;
  RK_TRY_ASSIGN(command.document, doc::PreparedDocument::make(std::move(parsed)));
  return db::Command(std::move(command));
}

Result<void> put_all(db::Database& database, const std::vector<StoredDocument>& documents) {
  constexpr std::size_t kBatch = 100;
  for (std::size_t first = 0; first < documents.size(); first += kBatch) {
    std::vector<db::Command> commands;
    for (std::size_t i = first; i < std::min(first + kBatch, documents.size()); ++i) {
      RK_TRY_ASSIGN(db::Command command, put(documents[i]));
      commands.push_back(std::move(command));
    }
    RK_TRY(database.execute(std::move(commands)));
  }
  return {};
}

template <typename Command>
Result<void> run(db::Database& database, Command command) {
  std::vector<db::Command> commands;
  commands.emplace_back(std::move(command));
  RK_TRY(database.execute(std::move(commands)));
  return {};
}

Result<void> write_plain(db::Database& database) {
  RK_TRY(put_all(database, plain_documents()));
  for (int i = 0; i < kErased; ++i) {
    const StoredDocument passing{"passing/" + std::to_string(i),
                                 with_collection(R"("n":1)", "Passing"), "Passing"};
    RK_TRY(put_all(database, {passing}));
    RK_TRY(run(database, db::DeleteCommand{.id = passing.id}));
  }
  RK_TRY(
      run(database, db::IdentitySeedCommand{.name = "orders|", .value = kIdentity, .force = true}));
  return run(database, db::HiLoNextCommand{.tag = "users"});
}

Result<std::string> check_documents(db::Database& database,
                                    const std::vector<StoredDocument>& expected) {
  RK_TRY_ASSIGN(const doc::Snapshot snapshot, database.snapshot());
  for (const StoredDocument& document : expected) {
    RK_TRY_ASSIGN(const auto found, snapshot->get(document.id));
    if (!found.has_value()) {
      return document.id + " is missing";
    }
    RK_TRY_ASSIGN(const value::View json, found->value());
    if (value::to_json(json) != document.json || found->id != document.id ||
        found->collection != document.collection) {
      return document.id + " is not what it was";
    }
  }
  return std::string();
}

Result<std::string> check_sound(db::Database& database) {
  RK_TRY_ASSIGN(const store::VerifyReport report, database.verify());
  return report.problems.empty() ? std::string() : report.problems.front();
}

Result<std::string> check_plain(db::Database& database) {
  RK_TRY_ASSIGN(std::string wrong, check_documents(database, plain_documents()));
  RK_TRY_ASSIGN(const db::DatabaseStats stats, database.stats());
  // One more: the HiLo document.
  if (wrong.empty() && (stats.documents.document_count != plain_documents().size() + 1 ||
                        stats.documents.tombstone_count != kErased)) {
    wrong = "the counts of Plain";
  }
  std::vector<db::Command> next;
  next.emplace_back(db::IdentityNextCommand{.name = "orders|"});
  RK_TRY_ASSIGN(const db::BatchResult identity, database.execute(std::move(next)));
  if (wrong.empty() &&
      std::get<db::IdentityResult>(identity.results.front()).value != kIdentity + 1) {
    wrong = "the identity of Plain";
  }
  return wrong;
}

}  // namespace

std::vector<StoredDocument> plain_documents() {
  std::vector<StoredDocument> all;
  // Every kind of value, as it was written.
  all.push_back({"kinds/1",
                 with_collection(R"("null":null,"yes":true,"no":false,"small":-7,"large":)"
                                 R"(9223372036854775807,"exact":1.10,"minus":-0.0,"exp":1e+30,)"
                                 R"("text":"a\"b\\c\n","empty":"","":"empty key","array":)"
                                 R"([1,"two",[3],{"four":4}],"object":{"b":1,"a":2})",
                                 "Kinds"),
                 "Kinds"});
  all.push_back({"KINDS/Upper \xc3\x84", with_collection(R"("n":1)", "kinds"), "kinds"});
  all.push_back({"none/1", R"({"n":1})", "@empty"});
  for (int i = 0; i < 300; ++i) {
    const std::string n = std::to_string(i);
    all.push_back({"users/" + n, with_collection(R"("Name":"user )" + n + "\"", "Users"), "Users"});
  }
  return all;
}

std::vector<StoredDocument> journaled_documents() {
  std::vector<StoredDocument> all;
  for (int i = 0; i < 40; ++i) {
    const std::string n = std::to_string(i);
    // From a part of a page to several pages.
    const std::string text(static_cast<std::size_t>(i) * 1500, static_cast<char>('a' + i % 26));
    all.push_back({"texts/" + n, with_collection(R"("Text":")" + text + "\"", "Texts"), "Texts"});
  }
  return all;
}

Result<void> write_content_v1(db::Server& server) {
  for (const std::string_view name : {"Plain", "Journaled", "Off", "Gone"}) {
    RK_TRY(server.put_database(name, {}, std::nullopt));
  }
  {
    RK_TRY_ASSIGN(const db::DatabaseRef plain, server.acquire_and_wait("Plain"));
    RK_TRY(write_plain(*plain));
  }
  RK_TRY(server.unload("Plain"));
  {
    RK_TRY_ASSIGN(const db::DatabaseRef journaled, server.acquire_and_wait("Journaled"));
    const std::vector<StoredDocument> all = journaled_documents();
    RK_TRY(put_all(*journaled, {all.begin(), all.begin() + 10}));
    RK_TRY(journaled->sync_all());
    RK_TRY(put_all(*journaled, {all.begin() + 10, all.end()}));
  }
  {
    RK_TRY_ASSIGN(const db::DatabaseRef gone, server.acquire_and_wait("Gone"));
    RK_TRY(put_all(*gone, {plain_documents().front()}));
  }
  RK_TRY(server.drop_database("Gone", false));
  RK_TRY_ASSIGN(const value::Document settings, value::parse_json(R"({"Some.Key":"a value"})"));
  RK_TRY(server.put_settings("Off", settings.root()));
  RK_TRY(server.set_disabled("Off", true));
  return {};
}

Result<std::string> check_content_v1(db::Server& server) {
  if (server.list().size() != 3) {
    return std::string("there are not three databases");
  }
  RK_TRY_ASSIGN(const auto off, server.record("Off"));
  if (!off.has_value() || !off->disabled || !off->json.root().find("Settings").has_value() ||
      off->json.root().find("Settings")->find_string("Some.Key") != "a value") {
    return std::string("the record of Off");
  }
  // A soft drop keeps the files for the next of that name.
  RK_TRY(server.put_database("Gone", {}, std::nullopt));
  RK_TRY_ASSIGN(const db::DatabaseRef plain, server.acquire_and_wait("Plain"));
  RK_TRY_ASSIGN(const db::DatabaseRef journaled, server.acquire_and_wait("Journaled"));
  RK_TRY_ASSIGN(const db::DatabaseRef gone, server.acquire_and_wait("Gone"));
  RK_TRY_ASSIGN(std::string wrong, check_plain(*plain));
  if (wrong.empty()) {
    RK_TRY_ASSIGN(wrong, check_documents(*journaled, journaled_documents()));
  }
  if (wrong.empty()) {
    RK_TRY_ASSIGN(wrong, check_documents(*gone, {plain_documents().front()}));
  }
  for (const db::DatabaseRef& database : {plain, journaled, gone}) {
    RK_TRY(put_all(*database, {{"new/1", R"({"n":1})", "@empty"}}));
    RK_TRY(database->sync_all());
    if (wrong.empty()) {
      RK_TRY_ASSIGN(wrong, check_sound(*database));
    }
  }
  return wrong;
}

}  // namespace rookery::compat
