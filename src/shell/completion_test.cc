// SPDX-License-Identifier: Apache-2.0
#include "completion.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_shell.h"
#include "server_catalog.h"

namespace rookery::shell {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class FakeCatalog final : public Catalog {
 public:
  std::vector<std::string> databases() override { return {"shop", "shed"}; }

  std::vector<std::string> collections() override { return {"Users", "Orders", "Order Lines"}; }

  std::vector<std::string> indexes() override { return {"Auto/Users/ByName"}; }

  std::vector<std::string> fields(const std::string& collection) override {
    asked = collection;
    return {"Name", "Age", "Address", "Address.City"};
  }

  std::string asked;
};

std::vector<std::string> candidates(std::string_view text) {
  FakeCatalog catalog;
  return complete(text, catalog).candidates;
}

// The text with its end replaced by the only candidate.
std::string completed(std::string_view text) {
  FakeCatalog catalog;
  const Completion found = complete(text, catalog);
  EXPECT_THAT(found.candidates, SizeIs(1)) << text;
  return found.candidates.empty()
             ? ""
             : std::string(text.substr(0, found.start)) + found.candidates.front();
}

TEST(Completion, BeginsAStatement) {
  EXPECT_THAT(candidates(""), ElementsAre("declare function", "explain", "from"));
  EXPECT_EQ(completed("fr"), "from");
  EXPECT_EQ(completed("FR"), "FROM");
  EXPECT_EQ(completed("from Users; fr"), "from Users; from");
  EXPECT_EQ(completed("explain f"), "explain from");
}

TEST(Completion, KnowsCollectionsAndIndexes) {
  EXPECT_THAT(candidates("from "),
              ElementsAre("'Order Lines'", "@all_docs", "Orders", "Users", "index"));
  EXPECT_EQ(completed("from us"), "from Users");
  EXPECT_EQ(completed("from @"), "from @all_docs");
  EXPECT_EQ(completed("from 'order l"), "from 'Order Lines'");
  EXPECT_EQ(completed("from \"us"), "from 'Users'");
  EXPECT_EQ(completed("from index "), "from index 'Auto/Users/ByName'");
  EXPECT_EQ(completed("from index 'auto/"), "from index 'Auto/Users/ByName'");
}

TEST(Completion, KnowsFields) {
  EXPECT_EQ(completed("from Users where Na"), "from Users where Name");
  EXPECT_EQ(completed("from Users where na"), "from Users where Name");
  EXPECT_EQ(completed("from Users where Name = 'x' and Address.C"),
            "from Users where Name = 'x' and Address.City");
  EXPECT_EQ(completed("from Users order by Na"), "from Users order by Name");
  EXPECT_EQ(completed("from Users as u where u.N"), "from Users as u where u.Name");
  EXPECT_EQ(completed("from Users u where u.N"), "from Users u where u.Name");
  EXPECT_EQ(completed("from Users select Name, Ag"), "from Users select Name, Age");
  EXPECT_EQ(completed("from Users\nwhere (Na"), "from Users\nwhere (Name");
  EXPECT_EQ(completed("from Users where startsWith(Na"), "from Users where startsWith(Name");
}

TEST(Completion, AsksForTheFieldsOfTheRightCollection) {
  const auto asked = [](std::string_view text) {
    FakeCatalog catalog;
    static_cast<void>(complete(text, catalog));
    return catalog.asked;
  };
  EXPECT_EQ(asked("from Users where "), "Users");
  EXPECT_EQ(asked("from 'Order Lines' as l where "), "Order Lines");
  EXPECT_EQ(asked("explain from Users where "), "Users");
  EXPECT_EQ(asked("from A; from Users where "), "Users");
  EXPECT_EQ(asked("from index 'Auto/Users/ByName' where "), "");
}

TEST(Completion, KnowsTheWordsOfRql) {
  EXPECT_EQ(completed("from Users wh"), "from Users where");
  EXPECT_EQ(completed("from Users WH"), "from Users WHERE");
  EXPECT_EQ(completed("from Users or"), "from Users order by");
  EXPECT_EQ(completed("from Users order b"), "from Users order by");
  EXPECT_EQ(completed("from Users order by Age d"), "from Users order by Age desc");
  EXPECT_EQ(completed("from Users order by Age as lo"), "from Users order by Age as long");
  EXPECT_EQ(completed("from Users where Age = 3 an"), "from Users where Age = 3 and");

  EXPECT_EQ(completed("from Users where exi"), "from Users where exists(");
  EXPECT_EQ(completed("from Users where EXI"), "from Users where exists(");
  EXPECT_EQ(completed("from Users where Age = nu"), "from Users where Age = null");
  EXPECT_EQ(completed("from Users order by sc"), "from Users order by score()");
  EXPECT_THAT(candidates("from Users where Age "), Not(Contains("Name")));
}

TEST(Completion, IsSilentInStringsCommentsAndScripts) {
  for (const std::string_view text : {"from Users where Name = 'Na", "from Users // Na",
                                      "from Users /* Na", "from Users update { Na"}) {
    EXPECT_THAT(candidates(text), IsEmpty()) << text;
  }
}

TEST(Completion, KnowsCommands) {
  EXPECT_EQ(completed("\\dat"), "\\databases");
  EXPECT_THAT(candidates("\\"), Contains("\\quit"));
  EXPECT_EQ(completed("\\use sho"), "\\use shop");
  EXPECT_EQ(completed("\\format c"), "\\format csv");
  EXPECT_EQ(completed("\\timing of"), "\\timing off");
  EXPECT_EQ(completed("\\explain from Users where Na"), "\\explain from Users where Name");
  EXPECT_EQ(completed("from Users\n\\dat"), "from Users\n\\databases");
}

TEST(Completion, NeverFails) {
  const std::string text =
      "declare function f(a) { return '}'; } from index 'a' as x "
      "where x.y[].z in (1, $p) order by a as long; \\use \xc3\xbc";
  for (std::size_t size = 0; size <= text.size(); ++size) {
    FakeCatalog catalog;
    EXPECT_LE(complete(std::string_view(text).substr(0, size), catalog).start, size);
  }
}

TEST(Fields, AreWrittenAsQueriesWriteThem) {
  const auto document = value::parse_json(
      R"({"Name":"x","Lines":[{"Product":"p","Tags":["a"]}],"a b":{"order":1},"None":[],
          "Grid":[[{"x":1}]]})");
  std::vector<std::string> paths;
  add_field_paths(document->root(), 100, paths);
  EXPECT_THAT(paths, ElementsAre("Name", "Lines", "Lines[].Product", "Lines[].Tags", "'a b'",
                                 "'a b'.order", "None", "Grid", "Grid[][].x"));
}

TEST(ServerCatalog, AsksOnceAndRemembersForAWhile) {
  FakeTransport transport([](const FakeTransport::Call& call) {
    return call.target.ends_with("/collections/stats")
               ? api::Response::json(R"({"Collections":{"Users":1}})")
               : api::Response::json(R"({"Results":[{"Name":"x","Age":1},{"Zip":3}]})");
  });
  FakeClock clock;
  Client client(transport, clock, std::string(FakeTransport::kUrl));
  std::string database = "shop";
  ServerCatalog catalog(client, clock, [&] { return database; });
  EXPECT_THAT(catalog.collections(), ElementsAre("Users"));
  EXPECT_THAT(catalog.collections(), ElementsAre("Users"));
  EXPECT_THAT(transport.calls, SizeIs(1));
  EXPECT_THAT(catalog.fields("Order Lines"), ElementsAre("Age", "Name", "Zip"));
  EXPECT_THAT(transport.calls.back().body, testing::HasSubstr("from 'Order Lines'"));
  EXPECT_THAT(transport.calls, SizeIs(2));
  database = "other";
  catalog.collections();
  EXPECT_THAT(transport.calls, SizeIs(3)) << "another database has others";
  clock.sleep_for(std::chrono::minutes(1));
  catalog.collections();
  EXPECT_THAT(transport.calls, SizeIs(4));
}

TEST(ServerCatalog, AnswersNothingWhenItIsNotAnswered) {
  FakeTransport transport([](const FakeTransport::Call&) -> Result<api::Response> {
    return Error(ErrorCode::timed_out);
  });
  FakeClock clock;
  Client client(transport, clock, std::string(FakeTransport::kUrl));
  ServerCatalog catalog(client, clock, [] { return std::string("shop"); });
  EXPECT_THAT(catalog.collections(), IsEmpty());
  EXPECT_THAT(catalog.collections(), IsEmpty());
  EXPECT_THAT(transport.calls, SizeIs(1)) << "the next key press does not wait again";
  EXPECT_THAT(catalog.fields("Users"), IsEmpty());
  EXPECT_THAT(catalog.databases(), IsEmpty());
  EXPECT_THAT(catalog.indexes(), IsEmpty());
}

}  // namespace
}  // namespace rookery::shell
