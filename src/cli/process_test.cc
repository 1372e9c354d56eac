// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rookery/edge/http_client.h"
#include "rookery/value/json.h"

#include "child_process.h"

// The program as a process: what test drivers, scripts and supervisors rely on.

namespace rookery::cli {
namespace {

using testing::HasSubstr;

TEST(Process, SaysWhereItIsAndStopsWhenTold) {
  Child child(serve_in_memory());
  const std::string url = url_of(child);
  const auto response = edge::http_call({.url = url + "/build/version"});
  ASSERT_TRUE(response.has_value()) << response.error().to_string();
  EXPECT_EQ(response->status, 200);
  EXPECT_THAT(response->body, HasSubstr("\"FullVersion\":\"5.4.113\""));
  child.write("shutdown no-confirmation");
  EXPECT_EQ(child.wait(), 0);
  EXPECT_EQ(child.read_rest(), "") << "one line is all that it may print";
}

TEST(Process, StopsOnSignals) {
  for (const int number : {SIGTERM, SIGINT}) {
    Child child(serve_in_memory());
    url_of(child);
    child.signal(number);
    EXPECT_EQ(child.wait(), 0);
  }
}

TEST(Process, OutlivesItsInputUnlessAParentIsNamed) {
  Child child(serve_in_memory());
  const std::string url = url_of(child);
  child.close_input();
  const auto response = edge::http_call({.url = url + "/health"});
  ASSERT_TRUE(response.has_value());
  EXPECT_EQ(response->status, 200);
  child.signal(SIGTERM);
  EXPECT_EQ(child.wait(), 0);
}

TEST(Process, EndsWithTheInputOfANamedParent) {
  Child child(serve_in_memory({"--Testing.ParentProcessId=" + std::to_string(::getpid())}));
  url_of(child);
  child.close_input();
  EXPECT_EQ(child.wait(), 0);
}

TEST(Process, EndsWhenItsParentIsGone) {
  const pid_t parent = ::fork();
  ASSERT_GE(parent, 0);
  if (parent == 0) {
    ::pause();
    ::_exit(0);
  }
  Child child(serve_in_memory({"--Testing.ParentProcessId=" + std::to_string(parent)}));
  url_of(child);
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  EXPECT_EQ(child.wait(), 0);
}

TEST(Process, TakesServeAsASubcommandToo) {
  std::vector<std::string> arguments = serve_in_memory();
  arguments.insert(arguments.begin(), "serve");
  Child child(arguments);
  url_of(child);
  child.signal(SIGTERM);
  EXPECT_EQ(child.wait(), 0);
}

TEST(Process, RefusesAMistypedKeyAndWarnsOfAnUnknownOne) {
  const Folder folder;
  Child mistyped({"--DataDri=" + folder.path(), "--ServerUrl=http://127.0.0.1:0"});
  EXPECT_EQ(mistyped.wait(), 2);
  EXPECT_THAT(mistyped.read_errors(), HasSubstr("did you mean 'DataDir'"));
  EXPECT_FALSE(std::filesystem::exists("RavenData"));
  Child unknown(serve_in_memory({"--Completely.Unknown=1"}));
  url_of(unknown);
  unknown.signal(SIGTERM);
  EXPECT_EQ(unknown.wait(), 0);
  EXPECT_THAT(unknown.read_errors(), HasSubstr("Completely.Unknown"));
}

TEST(Process, SaysWhatItsSettingsAreAndWhoMadeThem) {
  Child print(serve_in_memory({"--print-settings", "--Features.Availability=Experimental"}));
  EXPECT_EQ(print.wait(), 0);
  const std::string shown = print.read_rest();
  EXPECT_THAT(shown, HasSubstr("file: none\n"));
  EXPECT_THAT(shown, HasSubstr("RunInMemory = true  (command line)\n"));
  EXPECT_THAT(shown, HasSubstr("without an effect yet: Features.Availability\n"));
  Child logs({"--RunInMemory=true", "--ServerUrl=http://127.0.0.1:0"});
  url_of(logs);
  logs.signal(SIGTERM);
  EXPECT_EQ(logs.wait(), 0);
  EXPECT_THAT(logs.read_errors(),
              HasSubstr("event=config.setting key=RunInMemory value=true source=\"command line\""));
}

TEST(Process, RefusesToListenToTheWorld) {
  Child child({"--RunInMemory=true", "--ServerUrl=http://0.0.0.0:0"});
  EXPECT_EQ(child.wait(), 2);
  EXPECT_THAT(child.read_errors(), HasSubstr("Security.UnsecuredAccessAllowed"));
}

TEST(Process, LogsOneLineAnEvent) {
  Child child({"--RunInMemory=true", "--ServerUrl=http://127.0.0.1:0", "--Logs.Mode=Information"});
  const std::string url = url_of(child);
  ASSERT_TRUE(edge::http_call({.url = url + "/health"}).has_value());
  child.signal(SIGTERM);
  EXPECT_EQ(child.wait(), 0);
  const std::string log = child.read_errors();
  EXPECT_THAT(log, HasSubstr(" event=server.ready url=" + url + "\n"));
  EXPECT_THAT(log, HasSubstr(" event=http.request method=GET target=/health status=200 "));
  EXPECT_THAT(log, HasSubstr(" event=server.stopping reason=signal\n"));
}

TEST(Process, TellsAboutItself) {
  Child version({"--version"});
  EXPECT_EQ(version.wait(), 0);
  const std::string facts = version.read_rest();
  EXPECT_THAT(facts, HasSubstr("rookery 0.1.0"));
  for (const std::string_view fact :
       {"\ncommit: ", "\ncompiler: ", "\nbuild: ", "sanitizers: ", "\nlibraries: Boost 1."}) {
    EXPECT_THAT(facts, HasSubstr(std::string(fact)));
  }
  Child help({"--help"});
  EXPECT_EQ(help.wait(), 0);
  EXPECT_THAT(help.read_rest(), HasSubstr("verify"));
  Child serve_help({"serve", "--help"});
  EXPECT_EQ(serve_help.wait(), 0);
  EXPECT_THAT(serve_help.read_rest(), HasSubstr("DataDir"));
  Child wrong({"frobnicate"});
  EXPECT_EQ(wrong.wait(), 2);
  EXPECT_THAT(wrong.read_errors(), HasSubstr("there is no subcommand 'frobnicate'"));
}

TEST(Process, FailsWhenItsOutputCannotBeWritten) {
  for (const std::string_view command : {"--version", "--help", "serve --help"}) {
    const std::string line = fmt::format("{} {} >/dev/full 2>/dev/null", RK_PROGRAM, command);
    const int status = std::system(line.c_str());  // NOLINT: a shell redirects
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 1) << command;
  }
}

TEST(Process, KeepsWhatWasStoredAndShowsItByEveryWay) {
  const Folder folder;
  const std::vector<std::string> serve = {"--DataDir=" + folder.path(), "--Logs.Mode=None",
                                          "--ServerUrl=http://127.0.0.1:0"};
  {
    Child child(serve);
    const std::string url = url_of(child);
    const auto created = edge::http_call({.method = "PUT",
                                          .url = url + "/admin/databases?name=shop",
                                          .body = R"({"DatabaseName":"shop"})"});
    ASSERT_TRUE(created.has_value());
    ASSERT_EQ(created->status, 201) << created->body;
    Child put({"put", "users/1", "-", "--url", url, "--database", "shop"});
    put.write(R"({"Name":"Ann"})");
    put.close_input();
    EXPECT_EQ(put.wait(), 0) << put.read_errors();
    Child get({"get", "users/1", "--url", url, "--database", "shop"});
    EXPECT_EQ(get.wait(), 0);
    EXPECT_THAT(get.read_rest(), HasSubstr("\"Name\":\"Ann\""));
    const auto asked =
        edge::http_call({.method = "POST",
                         .url = url + "/databases/shop/queries",
                         .body = R"({"Query":"from @all_docs where Name = 'Ann'"})"});
    ASSERT_TRUE(asked.has_value());
    ASSERT_EQ(asked->status, 200) << asked->body;
    // One process a folder: the second is told who has it.
    Child second(serve);
    EXPECT_EQ(second.wait(), 1);
    EXPECT_THAT(second.read_errors(), HasSubstr(std::to_string(child.pid())));
    child.signal(SIGTERM);
    EXPECT_EQ(child.wait(), 0);
  }
  Child verify({"verify", folder.path()});
  EXPECT_EQ(verify.wait(), 0);
  const std::string verified = verify.read_rest();
  EXPECT_THAT(verified, HasSubstr("Indexes/Auto_AllDocs_ByName"));
  EXPECT_THAT(verified, HasSubstr("3 checked, 0 with problems"));
  Child offline({"get", "users/1", "--folder", folder.path(), "--database", "shop"});
  EXPECT_EQ(offline.wait(), 0) << offline.read_errors();
  EXPECT_THAT(offline.read_rest(), HasSubstr("\"Name\":\"Ann\""));
  Child del({"del", "users/1", "--folder", folder.path(), "--database", "shop"});
  EXPECT_EQ(del.wait(), 0) << del.read_errors();
  Child gone({"get", "users/1", "--folder", folder.path(), "--database", "shop"});
  EXPECT_EQ(gone.wait(), 1);

  // A folder that lost its headers is not passed over.
  for (const std::string_view header : {"header.one", "header.two"}) {
    std::filesystem::remove(folder.path() + "/Databases/shop/" + std::string(header));
  }
  Child damaged({"verify", folder.path()});
  EXPECT_EQ(damaged.wait(), 1);
  EXPECT_THAT(damaged.read_rest(), HasSubstr("3 checked, 1 with problems"));
}

TEST(Process, DoctorWorksBesideARunningServerAndLeavesNothing) {
  const Folder folder;
  Child server(
      {"--DataDir=" + folder.path(), "--Logs.Mode=None", "--ServerUrl=http://127.0.0.1:0"});
  const std::string url = url_of(server);
  const auto names = [&] {
    std::set<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
      out.insert(entry.path().filename());
    }
    return out;
  };
  const std::set<std::string> before = names();
  Child doctor({"doctor", folder.path(), "--json"});
  const int code = doctor.wait();
  const std::string json = doctor.read_rest();
  EXPECT_THAT(code, testing::AnyOf(0, 1, 2)) << doctor.read_errors();
  const auto report = value::parse_json(json);
  ASSERT_TRUE(report.has_value()) << json;
  EXPECT_EQ(report->root().find_string("Level") == "problem", code == 2) << json;
  EXPECT_THAT(json, HasSubstr("process " + std::to_string(server.pid()) + " holds this folder"));
  EXPECT_THAT(json, HasSubstr("keep a second process out"));
  EXPECT_EQ(names(), before);
  // The folder is the server's still, and it serves.
  EXPECT_EQ(edge::http_call({.url = url + "/health"})->status, 200);
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0);
  Child after({"doctor", folder.path()});
  EXPECT_THAT(after.wait(), testing::AnyOf(0, 1, 2));
  EXPECT_THAT(after.read_rest(), HasSubstr("no server holds this folder"));
}

TEST(Process, KeepsWhatItAcknowledgedWhenItIsKilled) {
  const Folder folder;
  const std::vector<std::string> serve = {"--DataDir=" + folder.path(), "--Logs.Mode=None",
                                          "--ServerUrl=http://127.0.0.1:0"};
  {
    Child child(serve);
    const std::string url = url_of(child);
    ASSERT_EQ(edge::http_call({.method = "PUT",
                               .url = url + "/admin/databases?name=shop",
                               .body = R"({"DatabaseName":"shop"})"})
                  ->status,
              201);
    for (int i = 0; i < 50; ++i) {
      const auto put =
          edge::http_call({.method = "PUT",
                           .url = url + "/databases/shop/docs?id=users/" + std::to_string(i),
                           .body = "{\"N\":" + std::to_string(i) + "}"});
      ASSERT_EQ(put->status, 201) << put->body;
    }
    child.signal(SIGKILL);
    EXPECT_EQ(child.wait(), -2);
  }
  Child again(serve);
  const std::string url = url_of(again);
  const auto stats = edge::http_call({.url = url + "/databases/shop/stats"});
  ASSERT_TRUE(stats.has_value());
  EXPECT_THAT(stats->body, HasSubstr("\"CountOfDocuments\":50"));
  again.signal(SIGTERM);
  EXPECT_EQ(again.wait(), 0);
}

}  // namespace
}  // namespace rookery::cli
