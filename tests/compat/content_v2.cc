// SPDX-License-Identifier: Apache-2.0
#include "content_v2.h"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "rookery/index/query_runner.h"
#include "rookery/os/sync.h"
#include "rookery/value/json.h"

namespace rookery::compat {
namespace {

constexpr int kUsers = 400;
constexpr std::array<std::string_view, 2> kDatabases = {"Closed", "Open"};
constexpr std::array<std::string_view, 5> kWords = {"heron", "rook", "magpie", "wren",
                                                    "Caf\xc3\xa9"};

// Each has answers that come from another part of an index: terms, ranges of numbers and of texts,
// more than one term an entry, null and missing, full text with scores, an order.
struct Question {
  std::string_view query;
  std::string_view total;  // as it stands in the answer
};

constexpr std::array<Question, 9> kQuestions = {{
    {"from Users where Word = 'ROOK'", "\"TotalResults\":78,"},
    {"from Users where Number between 10 and 19", "\"TotalResults\":10,"},
    {"from Users where Word >= 'n' and Number < 100", "\"TotalResults\":36,"},
    {"from Users where Tags in ('even', 'third')", "\"TotalResults\":260,"},
    {"from Users where Gone = null and Number > 389", "\"TotalResults\":5,"},
    {"from Users where search(Text, 'heron')", "\"TotalResults\":78,"},
    {"from Users where search(Text, 'number 7')", "\"TotalResults\":390,"},
    {"from Users where startsWith(Word, 'caf')", "\"TotalResults\":78,"},
    {"from Users where Exact.Deep = 1.10 order by Number desc", "\"TotalResults\":39,"},
}};

std::string user_json(int n) {
  const std::string number = std::to_string(n);
  const std::string word(kWords.at(static_cast<std::size_t>(n) % kWords.size()));
  std::string json = R"({"Number":)" + number + R"(,"Word":")" + word + R"(","Tags":[)";
  json += n % 2 == 0 ? R"("even")" : R"("odd")";
  json += n % 3 == 0 ? R"(,"third"])" : "]";
  json += R"(,"Text":"the )" + word + " is number " + number + "\"";
  json += n % 10 == 0 ? R"(,"Exact":{"Deep":1.10})" : "";
  json += n % 2 == 0 ? R"(,"Gone":null)" : "";
  return json + R"(,"@metadata":{"@collection":"Users"}})";
}

Result<void> put_users(db::Database& database, int first, int last) {
  std::vector<db::Command> commands;
  for (int n = first; n < last; ++n) {
    RK_TRY_ASSIGN(value::Document parsed, value::parse_json(user_json(n)));
    db::PutCommand command;
    command.id = "users/" + std::to_string(n);
    RK_TRY_ASSIGN(command.document, doc::PreparedDocument::make(std::move(parsed)));
    commands.emplace_back(std::move(command));
  }
  RK_TRY(database.execute(std::move(commands)));
  return {};
}

Result<void> erase_users(db::Database& database, int first, int last) {
  std::vector<db::Command> commands;
  for (int n = first; n < last; ++n) {
    commands.emplace_back(db::DeleteCommand{.id = "users/" + std::to_string(n)});
  }
  RK_TRY(database.execute(std::move(commands)));
  return {};
}

// The body of the answer, once the index holds what the database holds now.
Result<std::string> ask(os::Platform& platform, db::Database& database, std::string_view text,
                        bool waits) {
  const index::QueryRunner runner(platform, database.indexes(), database.environment(), {});
  index::QueryRequest request;
  request.text = text;
  request.wait_for_non_stale = waits;
  request.wait_timeout = std::chrono::minutes(1);
  RK_TRY_ASSIGN(const index::PreparedQueryPtr query, runner.prepare(std::move(request)));
  if (waits && runner.must_wait(*query)) {
    const auto ready = std::make_shared<os::Event>();
    runner.when_ready(*query, [ready](index::Readiness) { ready->set(); });
    ready->wait();
  }
  RK_TRY_ASSIGN(index::QueryAnswer answer, runner.run(*query));
  return std::move(answer.body);
}

Result<std::string> check_answers(os::Platform& platform, db::Database& database) {
  for (const Question& question : kQuestions) {
    RK_TRY_ASSIGN(const std::string body, ask(platform, database, question.query, false));
    if (body.find(question.total) == std::string::npos ||
        body.find("\"IsStale\":false") == std::string::npos) {
      return std::string(question.query) + " has another answer: " + body.substr(0, 2000);
    }
  }
  return std::string();
}

Result<std::string> check_database(os::Platform& platform, db::Database& database) {
  // One index answers all; another would have been made anew.
  if (database.indexes().names().size() != 1) {
    return std::string("there is not one index");
  }
  RK_TRY_ASSIGN(std::string wrong, check_answers(platform, database));
  if (!wrong.empty()) {
    return wrong;
  }
  if (database.indexes().names().size() != 1) {
    return std::string("a question made an index of its own");
  }
  static_cast<void>(database.indexes().set_paused("", false));
  RK_TRY(put_users(database, 1000, 1001));
  RK_TRY_ASSIGN(const std::string next,
                ask(platform, database, "from Users where Number = 1000", true));
  if (next.find("\"TotalResults\":1,") == std::string::npos) {
    return std::string("the index does not follow");
  }
  RK_TRY(erase_users(database, 1000, 1001));
  RK_TRY_ASSIGN(const std::string none,
                ask(platform, database, "from Users where Number = 1000", true));
  if (none.find("\"TotalResults\":0,") == std::string::npos) {
    return std::string("the index does not follow a deletion");
  }
  RK_TRY_ASSIGN(const store::VerifyReport report, database.verify());
  return report.problems.empty() ? std::string() : report.problems.front();
}

}  // namespace

Result<void> write_content_v2(os::Platform& platform, db::Server& server) {
  for (const std::string_view name : kDatabases) {
    RK_TRY(server.put_database(name, {}, std::nullopt));
    RK_TRY_ASSIGN(const db::DatabaseRef database, server.acquire_and_wait(name));
    RK_TRY(put_users(*database, 0, kUsers / 2));
    // Has every field, so that it answers all the others.
    RK_TRY(ask(platform, *database,
               "from Users where search(Text, 'x') or Word = 'x' or Number = 1 or Tags = 'x' or "
               "Gone = 'x' or Exact.Deep = 1",
               true));
    RK_TRY(put_users(*database, kUsers / 2, kUsers));
    RK_TRY(erase_users(*database, 0, 10));
    RK_TRY(ask(platform, *database, "from Users where Number = 1", true));
    RK_TRY_ASSIGN(const std::string wrong, check_answers(platform, *database));
    if (!wrong.empty()) {
      return Error(ErrorCode::corrupt, wrong);
    }
  }
  return server.unload("Closed").has_value() ? Result<void>() : ErrorCode::busy;
}

Result<std::string> check_content_v2(os::Platform& platform, db::Server& server) {
  for (const std::string_view name : kDatabases) {
    RK_TRY_ASSIGN(const db::DatabaseRef database, server.acquire_and_wait(name));
    RK_TRY_ASSIGN(std::string wrong, check_database(platform, *database));
    if (!wrong.empty()) {
      return std::string(name) + ": " + wrong;
    }
  }
  return std::string();
}

}  // namespace rookery::compat
