// SPDX-License-Identifier: Apache-2.0
#include "session.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_shell.h"

namespace rookery::shell {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

// Purpose. A session over fakes; queries go to `answer`.
struct Talk {
  explicit Talk(bool is_interactive, FakeTransport::Answer answer, SessionOptions options = shop())
      : terminal(is_interactive),
        transport(std::move(answer)),
        client(transport, clock, std::string(FakeTransport::kUrl)),
        session(client, terminal, std::move(options)) {}

  static SessionOptions shop() {
    SessionOptions options;
    options.database = "shop";
    return options;
  }

  bool run(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
      terminal.type(line);
    }
    return session.run();
  }

  // A member of the body of a call, as JSON.
  [[nodiscard]] std::string sent(std::size_t call, std::string_view key) const {
    const auto body = value::parse_json(transport.calls.at(call).body);
    const auto found = body->root().find(key);
    return found.has_value() ? to_json(*found) : "missing";
  }

  FakeClock clock;
  FakeTerminal terminal;
  FakeTransport transport;
  Client client;
  Session session;
};

FakeTransport::Answer always(int status, std::string body) {
  return [=](const FakeTransport::Call&) { return api::Response::json(body, status); };
}

std::size_t count_lines(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(Session, ShowsATableAndWhatItCost) {
  Talk talk(true, always(200, R"({"Results":[{"Name":"Ada","@metadata":{"@id":"users/1"}}],
    "TotalResults":1,"LongTotalResults":1,"SkippedResults":2,"IsStale":true,"DurationInMs":3,
    "IndexName":"Auto/Users/ByName","ResultEtag":-12345678901234567890})"));
  EXPECT_TRUE(talk.run({"from Users where Name = 'Ada';"}));
  EXPECT_EQ(talk.terminal.out,
            R"( # | @id     | Name
---+---------+------
 1 | users/1 | Ada
)"
            "(1 row, 1 in all, 2 duplicates left out, STALE, index Auto/Users/ByName, server 3 ms, "
            "round trip 1.0 ms)\n");
  EXPECT_EQ(talk.terminal.errors, "");
  ASSERT_THAT(talk.transport.calls, SizeIs(1));
  EXPECT_EQ(talk.transport.calls[0].method, "POST");
  EXPECT_EQ(talk.transport.calls[0].target, "/databases/shop/queries");
  EXPECT_EQ(talk.transport.calls[0].body,
            R"({"Query":"from Users where Name = 'Ada'","Start":0,"PageSize":50,)"
            R"("QueryParameters":{}})");
  EXPECT_THAT(talk.terminal.history, ElementsAre("from Users where Name = 'Ada';"));
}

TEST(Session, PromptsForMore) {
  Talk talk(true, FakeRows(1));
  talk.run({"from Rows", "where N = 1", ";", "\\quit", "never read"});
  EXPECT_THAT(talk.terminal.prompts, ElementsAre("shop> ", "   -> ", "   -> ", "shop> "));
}

TEST(Session, ShowsOnePageAtATimeToAPerson) {
  Talk talk(true, FakeRows(120));
  talk.run({"\\timing off", "from Rows;"});
  EXPECT_THAT(talk.terminal.out, HasSubstr(" 50 | 50\n(50 rows, 120 in all, index "
                                           "collection/Rows; \\more shows the next)\n"));
  talk.terminal.out.clear();
  talk.run({"\\more"});
  EXPECT_THAT(talk.terminal.out, HasSubstr("\n  51 |  51\n"));
  EXPECT_THAT(talk.terminal.out, HasSubstr("(rows 51-100, 120 in all, index "
                                           "collection/Rows; \\more shows the next)\n"));
  talk.terminal.out.clear();
  talk.run({"\\more"});
  EXPECT_THAT(talk.terminal.out,
              HasSubstr(" 120 | 120\n(rows 101-120, 120 in all, index collection/Rows)\n"));
  talk.terminal.out.clear();
  talk.run({"\\more"});
  EXPECT_EQ(talk.terminal.out, "(no more rows)\n");
  EXPECT_THAT(talk.transport.calls, SizeIs(3));
  EXPECT_EQ(talk.sent(2, "Start"), "100");
}

TEST(Session, ShowsAllPagesToAProgram) {
  Talk talk(false, FakeRows(120));
  EXPECT_TRUE(talk.run({"\\format json", "from Rows;"}));
  EXPECT_EQ(count_lines(talk.terminal.out), 120U);
  EXPECT_THAT(talk.terminal.out, HasSubstr("{\"N\":120}\n"));
  EXPECT_THAT(talk.transport.calls, SizeIs(3));
  EXPECT_EQ(talk.terminal.errors, "");
}

TEST(Session, EndsWithTheLastFullPageWithoutAskingForAnother) {
  Talk talk(false, FakeRows(100));
  EXPECT_TRUE(talk.run({"\\format csv", "from Rows;"}));
  EXPECT_EQ(count_lines(talk.terminal.out), 101U);
  EXPECT_THAT(talk.transport.calls, SizeIs(2));
}

TEST(Session, PagesWithinAQuerysOwnLimit) {
  Talk talk(false, FakeRows(1000));
  EXPECT_TRUE(talk.run({"\\format json", "from Rows limit 70 offset 200;"}));
  EXPECT_EQ(count_lines(talk.terminal.out), 70U);
  EXPECT_TRUE(talk.terminal.out.starts_with("{\"N\":201}\n"));
  EXPECT_TRUE(talk.terminal.out.ends_with("{\"N\":270}\n"));
  ASSERT_THAT(talk.transport.calls, SizeIs(2));
  EXPECT_EQ(talk.sent(0, "Query"), "\"from Rows limit 70 offset 200\"") << "as it was typed";
  EXPECT_EQ(talk.sent(1, "Query"), "\"from 'Rows' limit 20 offset 250\"");
}

TEST(Session, PagesOverRowsThatDiffer) {
  // Two results make one row.
  Talk talk(false, [](const FakeTransport::Call& call) {
    const auto body = value::parse_json(call.body);
    const std::int64_t start = *body->root().find_int64("Start");
    EXPECT_EQ(start % 100, 0);
    std::string rows;
    for (std::int64_t i = start; i < std::min<std::int64_t>(start + 100, 160); i += 2) {
      rows += (rows.empty() ? "{\"N\":" : ",{\"N\":") + std::to_string(i) + "}";
    }
    const std::int64_t count = start == 0 ? 50 : 30;
    return api::Response::json(
        "{\"Results\":[" + rows +
        "],\"TotalResults\":160,\"SkippedResults\":" + std::to_string(count) + "}");
  });
  EXPECT_TRUE(talk.run({"\\format json", "from Rows select distinct N;"}));
  EXPECT_EQ(count_lines(talk.terminal.out), 80U);
  EXPECT_THAT(talk.transport.calls, SizeIs(2));
}

TEST(Session, PagesOverResultsThatAreGone) {
  // The index knows of 120 documents, of which every tenth is deleted.
  Talk talk(false, [](const FakeTransport::Call& call) {
    const auto body = value::parse_json(call.body);
    const std::int64_t start = *body->root().find_int64("Start");
    std::string rows;
    for (std::int64_t i = start; i < std::min<std::int64_t>(start + 50, 120); ++i) {
      if (i % 10 != 0) {
        rows += (rows.empty() ? "{\"N\":" : ",{\"N\":") + std::to_string(i) + "}";
      }
    }
    return api::Response::json("{\"Results\":[" + rows + "],\"TotalResults\":120}");
  });
  EXPECT_TRUE(talk.run({"\\format json", "from Rows;"}));
  EXPECT_EQ(count_lines(talk.terminal.out), 108U);
  EXPECT_THAT(talk.transport.calls, SizeIs(3));
}

TEST(Session, PagesWithinALimitThatIsAParameter) {
  SessionOptions options = Talk::shop();
  options.parameters = {{"n", "3"}};
  Talk talk(false, FakeRows(1000), options);
  EXPECT_TRUE(talk.run({"from Rows limit $n;"}));
  EXPECT_EQ(talk.sent(0, "PageSize"), "3");
  EXPECT_EQ(talk.sent(0, "QueryParameters"), R"({"n":3})");
  EXPECT_THAT(talk.transport.calls, SizeIs(1));
}

TEST(Session, PointsAtTheMistake) {
  Talk talk(true, FakeRows(1));
  talk.run({"from Users", "where Age >;"});
  EXPECT_EQ(talk.terminal.errors,
            "error: expected a field, a value or a method, found the end of the query at 2:12\n"
            "where Age >\n"
            "           ^\n");
  EXPECT_THAT(talk.transport.calls, SizeIs(0)) << "nobody needs to be asked";
  EXPECT_THAT(talk.terminal.history, SizeIs(1)) << "so that it can be corrected";
}

TEST(Session, PointsWhereTheServerPoints) {
  Talk talk(true, always(501, R"({"Type":"System.NotSupportedException",
    "Message":"not supported yet: facet() at 1:19"})"));
  talk.run({"from Users select facet(Age);"});
  EXPECT_EQ(talk.terminal.errors,
            "error: not supported yet: facet() at 1:19 [System.NotSupportedException, status 501]\n"
            "from Users select facet(Age)\n"
            "                  ^\n");
}

TEST(Session, KeepsTheServersTextFromDrivingTheTerminal) {
  Talk talk(true, always(500, R"({"Type":"T","Message":"a\u001b[2J\nb"})"));
  talk.run({"from Users;"});
  EXPECT_EQ(talk.terminal.errors, "error: a\\u001b[2J\nb [T, status 500]\n");
}

TEST(Session, SaysThatABlankLineEndsNothingYet) {
  Talk talk(true, FakeRows(1));
  talk.run({"from Rows where", "", "N = 1", ""});
  EXPECT_THAT(talk.terminal.errors, HasSubstr("found the end of the query at 2:1"));
  EXPECT_THAT(talk.terminal.out, HasSubstr("(1 row, 1 in all"));
}

TEST(Session, DropsWhatIsTypedWhenCancelled) {
  Talk talk(true, FakeRows(1));
  talk.terminal.type("from Users where 'x");
  talk.terminal.type_control_c();
  talk.run({"from Rows;"});
  EXPECT_EQ(talk.sent(0, "Query"), "\"from Rows\"");
  EXPECT_EQ(talk.terminal.errors, "");
}

TEST(Session, GivesUpAQueryWhenCancelled) {
  FakeTerminal* terminal = nullptr;
  Talk talk(true, [&](const FakeTransport::Call&) -> Result<api::Response> {
    terminal->is_cancelled = true;
    return Error(ErrorCode::cancelled);
  });
  terminal = &talk.terminal;
  EXPECT_TRUE(talk.run({"from Rows;", "\\timing"}));
  EXPECT_EQ(talk.terminal.errors, "cancelled\n");
  EXPECT_EQ(talk.terminal.out, "(timing is off)\n") << "the session goes on";
}

TEST(Session, TakesNoOtherTextThanUtf8) {
  for (const std::string text : {"\xff", "from \xed\xa0\x80;", "from Users where name = '\xc3';"}) {
    Talk talk(false, always(200, "{}"));
    EXPECT_FALSE(talk.run({text})) << text;
    EXPECT_THAT(talk.terminal.errors, HasSubstr("is not UTF-8"));
    EXPECT_THAT(talk.transport.calls, SizeIs(0));
    EXPECT_FALSE(talk.session.run_text(text));
  }
}

TEST(Session, StopsAtTheFirstErrorInAPipe) {
  Talk talk(false, FakeRows(1));
  EXPECT_FALSE(talk.run({"from Rows where;", "from Rows;"}));
  EXPECT_THAT(talk.transport.calls, SizeIs(0));
}

TEST(Session, KeepsGoingWhenTold) {
  SessionOptions options = Talk::shop();
  options.keep_going = true;
  Talk talk(false, FakeRows(1), options);
  EXPECT_FALSE(talk.run({"from Rows where;", "\\nonsense", "from Rows;"})) << "and says so";
  EXPECT_THAT(talk.transport.calls, SizeIs(1));
}

TEST(Session, RunsTheLastStatementOfAPipeWithoutASemicolon) {
  Talk pipe(false, FakeRows(1));
  EXPECT_TRUE(pipe.run({"from Rows"}));
  EXPECT_THAT(pipe.transport.calls, SizeIs(1));
  Talk person(true, FakeRows(1));
  EXPECT_TRUE(person.run({"from Rows"}));
  EXPECT_THAT(person.transport.calls, SizeIs(0));
}

TEST(Session, RunsATextOfStatements) {
  Talk talk(false, FakeRows(1));
  EXPECT_TRUE(talk.session.run_text("from A; from B"));
  EXPECT_EQ(talk.sent(0, "Query"), "\"from A\"");
  EXPECT_EQ(talk.sent(1, "Query"), "\"from B\"");
  EXPECT_TRUE(talk.session.run_text("\\limit 5"));
  EXPECT_TRUE(talk.session.run_text("from C"));
  EXPECT_EQ(talk.sent(2, "PageSize"), "5");
}

TEST(Session, WarnsAProgramOfWhatItWouldNotSee) {
  auto rows = FakeRows(3);
  rows.is_stale = true;
  Talk stale(false, rows);
  stale.run({"\\format csv", "from Rows;"});
  EXPECT_EQ(stale.terminal.out, "N\n1\n2\n3\n");
  EXPECT_EQ(stale.terminal.errors, "warning: the results are stale\n");

  FakeRows changing(100);
  Talk changed(false, [&](const FakeTransport::Call& call) {
    ++changing.etag;
    return changing(call);
  });
  changed.run({"\\format json", "from Rows;"});
  EXPECT_EQ(changed.terminal.errors,
            "warning: the results may have changed since the first page\n");
}

TEST(Session, NeedsADatabase) {
  Talk talk(true, FakeRows(1), SessionOptions());
  talk.run({"from Rows;", "\\collections"});
  EXPECT_EQ(talk.terminal.prompts.front(), "rookery> ");
  EXPECT_EQ(count_lines(talk.terminal.errors), 2U);
  EXPECT_THAT(talk.terminal.errors, HasSubstr("\\use NAME chooses one"));
  EXPECT_THAT(talk.transport.calls, SizeIs(0));
}

TEST(Session, ChoosesADatabaseThatExists) {
  Talk talk(
      true,
      [](const FakeTransport::Call& call) {
        return call.target.starts_with("/databases/shop%20two/")
                   ? api::Response::json(R"({"Collections":{"Users":2,"\u001b":1}})")
                   : api::Response::json(R"({"Message":"Database 'x' does not exist."})", 503);
      },
      SessionOptions());
  talk.run({"\\use x", "\\use shop two", "\\collections"});
  EXPECT_EQ(talk.terminal.errors, "error: Database 'x' does not exist. [status 503]\n");
  EXPECT_EQ(talk.session.database(), "shop two");
  EXPECT_EQ(talk.terminal.out,
            " collection | documents\n"
            "------------+-----------\n"
            " Users      |         2\n"
            " \\u001b     |         1\n");
  EXPECT_EQ(talk.terminal.prompts.back(), "shop two> ");
}

TEST(Session, ListsDatabasesAndIndexes) {
  Talk talk(true, [](const FakeTransport::Call& call) {
    return call.target.starts_with("/databases?")
               ? api::Response::json(R"({"Databases":["other","shop"]})")
               : api::Response::json(R"({"Results":[{"Name":"Auto/Users/ByAge","Type":"AutoMap",
                   "State":"Normal","EntriesCount":12,"ErrorsCount":0,"IsStale":true}]})");
  });
  talk.run({"\\databases", "\\indexes"});
  EXPECT_EQ(talk.terminal.out,
            "  other\n* shop\n(2 databases)\n"
            " index            | type    | state  | entries | errors | stale\n"
            "------------------+---------+--------+---------+--------+-------\n"
            " Auto/Users/ByAge | AutoMap | Normal |      12 |      0 | yes\n");
}

TEST(Session, ShowsARowInFull) {
  Talk talk(true, FakeRows(120));
  talk.run({"\\x", "from Rows;", "\\more"});
  EXPECT_THAT(talk.terminal.errors, HasSubstr("no result"));
  talk.terminal.out.clear();
  talk.run({"\\x", "\\x", "\\x 60"});
  EXPECT_EQ(talk.terminal.out, "{\n  \"N\": 51\n}\n{\n  \"N\": 52\n}\n{\n  \"N\": 60\n}\n");
  talk.terminal.errors.clear();
  talk.run({"\\x 50"});
  EXPECT_EQ(talk.terminal.errors, "error: the last page has rows 51 to 100\n");
}

TEST(Session, ShowsADocumentInFull) {
  Talk talk(true, [](const FakeTransport::Call& call) {
    return call.target == "/databases/shop/docs?id=users%2F1"
               ? api::Response::json(R"({"Results":[{"a":1}]})")
               : api::Response::empty(404);
  });
  talk.run({"\\x users/1", "\\x users/2"});
  EXPECT_EQ(talk.terminal.out, "{\n  \"a\": 1\n}\n");
  EXPECT_EQ(talk.terminal.errors, "error: there is no document 'users/2'\n");
}

TEST(Session, ExplainsByCommandAndByWord) {
  Talk talk(true, always(200, R"({"IndexName":"Auto/Users/ByAgeAndName","Plan":{
    "Step":"intersect","Estimated":10,"Actual":4,"Steps":[
      {"Step":"Name = 'ada'","Estimated":12,"Actual":12,"Steps":[]},
      {"Step":"Age > 3","Estimated":100}]},"Counters":{"Pages":7}})"));
  talk.run({"\\explain from Users where Name = 'Ada' and Age > 3;",
            "explain from Users where Name = 'Ada' and Age > 3;"});
  const std::string once = R"( step           | estimated | actual
----------------+-----------+--------
 intersect      |        10 |      4
   Name = 'ada' |        12 |     12
   Age > 3      |       100 |
IndexName: Auto/Users/ByAgeAndName
Counters: {"Pages":7}
)";
  EXPECT_EQ(talk.terminal.out, once + once);
  EXPECT_EQ(talk.sent(1, "Query"), "\"from Users where Name = 'Ada' and Age > 3\"");
  talk.terminal.errors.clear();
  talk.run({"explain from Users where;"});
  EXPECT_THAT(talk.terminal.errors, HasSubstr("\nfrom Users where\n                ^\n"));
}

TEST(Session, RefusesWhatMakesNoSense) {
  Talk talk(true, FakeRows(1));
  talk.run({"\\limit 0", "\\limit x", "\\limit 10001", "\\format xml", "\\timing maybe", "\\what",
            "\\use", "\\quit now", "\\more"});
  EXPECT_EQ(count_lines(talk.terminal.errors), 9U) << talk.terminal.errors;
  EXPECT_THAT(talk.terminal.errors, HasSubstr("there is no command \\what; \\help lists them"));
}

TEST(Session, WaitsForFreshResultsWhenTold) {
  Talk talk(true, FakeRows(1));
  talk.run({"from Rows;", "\\wait on", "from Rows;"});
  EXPECT_EQ(talk.sent(0, "WaitForNonStaleResults"), "missing");
  EXPECT_EQ(talk.sent(1, "WaitForNonStaleResults"), "true");
}

TEST(Session, SaysWhatIsWrongWithAnAnswer) {
  Talk talk(true, always(200, "{\"Results\":3}"));
  talk.run({"from Users;"});
  EXPECT_EQ(talk.terminal.errors, "error: the server's answer has no Results\n");
  Talk garbled(true, always(200, "<html>"));
  garbled.run({"from Users;"});
  EXPECT_THAT(garbled.terminal.errors, HasSubstr("the server's answer is no JSON"));
  EXPECT_THAT(garbled.terminal.errors, Not(HasSubstr("^")));
}

TEST(Session, HelpNamesEveryCommand) {
  Talk talk(true, FakeRows(1));
  talk.run({"\\help"});
  for (const VerbRow& row : verbs()) {
    EXPECT_THAT(talk.terminal.out, HasSubstr("\\" + std::string(row.name) + " "));
  }
}

}  // namespace
}  // namespace rookery::shell
