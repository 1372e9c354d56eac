// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "rookery/edge/http_client.h"
#include "rookery/edge/http_server.h"
#include "rookery/os/platform.h"
#include "rookery/value/json.h"

#include "child_process.h"

// `rookery shell` as a person and as a script see it: the real program, at a terminal of its own or
// at pipes, against a server that answers what the test wants.

namespace rookery::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Purpose. One database, `shop`, with three users. A query whose text has `Held` is not answered
// before release().
class FakeServer final : public api::Handler {
 public:
  FakeServer() {
    log_ = std::move(api::Log::open(os::real_platform(), {.mode = api::LogMode::kNone})).value();
    http_ = std::move(edge::HttpServer::bind({.thread_count = 1}, *log_)).value();
    RK_CHECK(http_->serve(*this).has_value());
  }

  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;

  ~FakeServer() override { release(); }

  [[nodiscard]] std::string url() const {
    return "http://127.0.0.1:" + std::to_string(http_->port());
  }

  void handle(api::Request request, api::Responder respond) noexcept override {
    if (request.path != "/databases/shop/queries") {
      respond(answer(request.path));
      return;
    }
    const auto body = value::parse_json(request.body);
    std::string text(body->root().find_string("Query").value_or(""));
    const bool is_held = text.find("Held") != std::string::npos;
    {
      const std::lock_guard lock(mutex_);
      queries_.push_back(text);
      if (is_held) {
        held_.push_back(std::move(respond));
      }
    }
    changed_.notify_all();
    if (!is_held) {
      respond(rows());
    }
  }

  // The last one that a person wrote; empty if there is none.
  std::string last_query() {
    const std::vector<std::string> all = queries();
    return all.empty() ? std::string() : all.back();
  }

  // Those that a person wrote; names are looked up by queries, too.
  std::vector<std::string> queries() {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> out = queries_;
    out.erase(std::remove(out.begin(), out.end(), "from Users"), out.end());
    return out;
  }

  // Returns once a query is held.
  bool wait_for_held() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kWait, [&] { return !held_.empty(); });
  }

  void release() {
    const std::lock_guard lock(mutex_);
    for (const api::Responder& respond : held_) {
      respond(rows());
    }
    held_.clear();
  }

 private:
  static api::Response answer(const std::string& path) {
    if (path == "/build/version") {
      return api::Response::json(R"({"FullVersion":"5.4.113"})");
    }
    if (path == "/databases") {
      return api::Response::json(R"({"Databases":["shop"]})");
    }
    if (path == "/databases/shop/collections/stats") {
      return api::Response::json(R"({"Collections":{"Users":3,"Orders":1}})");
    }
    return api::Response::json(R"({"Type":"T","Message":"no such thing"})", 400);
  }

  static api::Response rows() {
    return api::Response::json(R"({"Results":[
      {"Name":"Ada","Age":36,"Notes":"the first of them all, and the best",
       "@metadata":{"@id":"users/1"}},
      {"Name":"Bob","Age":7,"@metadata":{"@id":"users/2"}},
      {"Name":"Zo\u00eb","Age":50,"@metadata":{"@id":"users/3"}}],
      "TotalResults":3,"IndexName":"Auto/Users/ByName","IsStale":false,"DurationInMs":2})");
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> queries_;
  std::vector<api::Responder> held_;
  std::unique_ptr<api::Log> log_;
  std::unique_ptr<edge::HttpServer> http_;  // last: its threads use the rest
};

// Purpose. The program at a terminal. Ended when the test ends.
class Typist {
 public:
  Typist(std::vector<std::string> arguments, const std::string& state_folder) {
    winsize size{.ws_row = 40, .ws_col = 100, .ws_xpixel = 0, .ws_ypixel = 0};
    pid_ = ::forkpty(&terminal_, nullptr, nullptr, &size);
    RK_CHECK(pid_ >= 0);
    if (pid_ == 0) {
      ::setenv("TERM", "xterm", 1);
      ::setenv("XDG_STATE_HOME", state_folder.c_str(), 1);
      ::setenv("HOME", state_folder.c_str(), 1);
      ::setenv("LC_ALL", "C", 1);  // the shell knows UTF-8 all the same
      std::vector<char*> argv = {const_cast<char*>(RK_PROGRAM)};
      for (std::string& argument : arguments) {
        argv.push_back(argument.data());
      }
      argv.push_back(nullptr);
      ::execv(RK_PROGRAM, argv.data());
      ::_exit(127);
    }
  }

  Typist(const Typist&) = delete;
  Typist& operator=(const Typist&) = delete;

  ~Typist() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    ::close(terminal_);
  }

  void type(std::string_view keys) const {
    RK_CHECK(::write(terminal_, keys.data(), keys.size()) == static_cast<ssize_t>(keys.size()));
  }

  void resize(unsigned short columns) const {
    winsize size{.ws_row = 40, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    RK_CHECK(::ioctl(terminal_, TIOCSWINSZ, &size) == 0);
  }

  // What the screen got up to and with `text`, from where the last call ended.
  std::string see(std::string_view text) {
    const auto limit = Clock::now() + kWait;
    for (;;) {
      if (const std::size_t at = screen_.find(text); at != std::string::npos) {
        std::string seen = screen_.substr(0, at + text.size());
        screen_.erase(0, at + text.size());
        return seen;
      }
      if (Clock::now() >= limit || !read()) {
        ADD_FAILURE() << "'" << text << "' did not come; but: " << screen_;
        return {};
      }
    }
  }

  // The exit code; all that was still printed is read.
  int wait() {
    const auto limit = Clock::now() + kWait;
    while (Clock::now() < limit && read()) {
    }
    // The terminal is closed, so it has ended or is about to; otherwise it must not hang the test.
    int status = 0;
    if (Clock::now() >= limit) {
      ::kill(pid_, SIGKILL);
    }
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
  }

  static constexpr std::string_view kTab = "\t";
  static constexpr std::string_view kUp = "\x1b[A";
  static constexpr std::string_view kControlC = "\x03";
  static constexpr std::string_view kControlD = "\x04";

 private:
  // False at the end of what the program prints, or if nothing comes for long.
  bool read() {
    pollfd watched{.fd = terminal_, .events = POLLIN, .revents = 0};
    if (::poll(&watched, 1, static_cast<int>(std::chrono::milliseconds(kWait).count())) <= 0) {
      return false;
    }
    std::array<char, 4096> bytes{};
    const ssize_t count = ::read(terminal_, bytes.data(), bytes.size());
    if (count > 0) {
      screen_.append(bytes.data(), static_cast<std::size_t>(count));
    }
    return count > 0;
  }

  pid_t pid_ = -1;
  int terminal_ = -1;
  std::string screen_;
};

std::vector<std::string> shell_of(const FakeServer& server, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = {"shell", "--url", server.url(), "--database", "shop"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(ShellAtATerminal, ShowsATable) {
  FakeServer server;
  const Folder folder;
  Typist typist(shell_of(server), folder.path());
  typist.see("shop> ");
  typist.type("from Users\nwhere Name = 'Ada';\n");
  const std::string seen = typist.see("round trip");
  EXPECT_THAT(seen, HasSubstr(" # | @id     | Name | Age | Notes\r\n"));
  EXPECT_THAT(seen,
              HasSubstr(" 1 | users/1 | Ada  |  36 | the first of them all, and the best\r\n"));
  EXPECT_THAT(seen, HasSubstr(" 3 | users/3 | Zo\xc3\xab  |  50 |\r\n"));
  EXPECT_THAT(seen, HasSubstr("(3 rows, 3 in all, index Auto/Users/ByName, server 2 ms"));
  typist.see("shop> ");
  typist.type(Typist::kControlD);
  EXPECT_EQ(typist.wait(), 0);
  EXPECT_THAT(server.queries(), ElementsAre("from Users\nwhere Name = 'Ada'"));
}

TEST(ShellAtATerminal, FitsTheWindow) {
  FakeServer server;
  const Folder folder;
  Typist typist(shell_of(server), folder.path());
  typist.see("shop> ");
  typist.resize(50);
  typist.type("from X;\n");
  EXPECT_THAT(typist.see("round trip"), HasSubstr(" | the first of them al\xe2\x80\xa6\r\n"));
  typist.see("shop> ");
}

TEST(ShellAtATerminal, CompletesWhatIsTyped) {
  FakeServer server;
  const Folder folder;
  Typist typist(shell_of(server), folder.path());
  typist.see("shop> ");
  typist.type("fro\tUs\twhe\tNa\t= 'Ada' \xc3\xa9\x7f;\n");
  typist.see("round trip");
  EXPECT_THAT(server.queries(), ElementsAre("from Users where Name = 'Ada'"));
  typist.see("shop> ");
  // What may follow is listed, and what was typed stays.
  typist.type("from Users where N\t");
  EXPECT_THAT(typist.see("Notes"), HasSubstr("Name"));
  typist.type("ame = 3;\n");
  typist.see("round trip");
  EXPECT_EQ(server.last_query(), "from Users where Name = 3");
  typist.see("shop> ");
  typist.type("from \t");
  const std::string listed = typist.see("index");
  EXPECT_THAT(listed, HasSubstr("Orders"));
  EXPECT_THAT(listed, HasSubstr("@all_docs"));
  typist.type("\x03\\us\tsh\t\n\\timing off\n");
  typist.see("(timing is off)");
}

TEST(ShellAtATerminal, RemembersStatementsFromRunToRun) {
  FakeServer server;
  const Folder folder;
  {
    Typist typist(shell_of(server), folder.path());
    typist.see("shop> ");
    typist.type("from Users\nwhere Age = 1;\n");
    typist.see("round trip");
    typist.type("\\quit\n");
    EXPECT_EQ(typist.wait(), 0);
  }

  struct stat info {};

  const std::string file = folder.path() + "/rookery/shell_history";
  ASSERT_EQ(::stat(file.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
  Typist typist(shell_of(server), folder.path());
  typist.see("shop> ");
  typist.type(Typist::kUp);
  typist.type(Typist::kUp);  // \quit is the newest
  typist.type("\n");
  typist.see("round trip");
  EXPECT_EQ(server.last_query(), "from Users where Age = 1");
}

TEST(ShellAtATerminal, DropsALineAtControlC) {
  FakeServer server;
  const Folder folder;
  Typist typist(shell_of(server), folder.path());
  typist.see("shop> ");
  typist.type("from Nonsense\nwhere x");
  typist.see("where x");
  typist.type(Typist::kControlC);
  typist.see("^C");
  typist.see("shop> ");
  typist.type("from X;\n");
  typist.see("round trip");
  EXPECT_THAT(server.queries(), ElementsAre("from X"));
}

TEST(ShellAtATerminal, GivesUpAQueryAtControlC) {
  FakeServer server;
  const Folder folder;
  Typist typist(shell_of(server), folder.path());
  typist.see("shop> ");
  typist.type("from Held;\n");
  ASSERT_TRUE(server.wait_for_held());
  typist.type(Typist::kControlC);
  typist.see("cancelled");
  typist.see("shop> ");
  typist.type("from X;\n");
  typist.see("(3 rows");
  typist.type("\\q\n");
  EXPECT_EQ(typist.wait(), 0);
}

TEST(ShellAtATerminal, PointsAtAMistake) {
  FakeServer server;
  const Folder folder;
  Typist typist(shell_of(server), folder.path());
  typist.see("shop> ");
  typist.type("from Users where = 3;\n");
  EXPECT_THAT(typist.see("^\r\n"),
              HasSubstr("found '=' at 1:18\r\nfrom Users where = 3\r\n                 ^\r\n"));
}

TEST(ShellAtATerminal, GoesOnWithoutAServer) {
  const Folder folder;
  Typist typist({"shell", "--url", "http://127.0.0.1:1", "--database", "shop"}, folder.path());
  typist.see("warning: cannot connect to 127.0.0.1:1");
  typist.see("shop> ");
  typist.type("from Us\t;\n");
  typist.see("error: cannot connect to 127.0.0.1:1");
  typist.type("\\quit\n");
  EXPECT_EQ(typist.wait(), 0);
}

TEST(ShellInAPipe, PrintsResultsAndNothingElse) {
  FakeServer server;
  Child child(shell_of(server, {"--format", "csv"}));
  child.write("from Users;\nfrom X");
  child.close_input();
  EXPECT_EQ(child.wait(), 0);
  const std::string rows =
      "@id,Name,Age,Notes\n"
      "users/1,Ada,36,\"the first of them all, and the best\"\n"
      "users/2,Bob,7,\n"
      "users/3,Zo\xc3\xab,50,\n";
  EXPECT_EQ(child.read_rest(), rows + rows);
  EXPECT_EQ(child.read_errors(), "");
}

TEST(ShellInAPipe, EndsAtTheFirstErrorUnlessToldOtherwise) {
  FakeServer server;
  for (const bool keep_going : {false, true}) {
    Child child(shell_of(server, keep_going ? std::vector<std::string>{"--keep-going"}
                                            : std::vector<std::string>{}));
    child.write("from Users where;\n\\timing off\nfrom Users;\n");
    child.close_input();
    EXPECT_EQ(child.wait(), 1);
    EXPECT_THAT(child.read_errors(), HasSubstr("at 1:17\nfrom Users where\n                ^\n"));
    EXPECT_EQ(child.read_rest().find("(3 rows") != std::string::npos, keep_going);
  }
}

TEST(ShellInAPipe, RunsWhatItsArgumentsSay) {
  FakeServer server;
  Child two(shell_of(server, {"-e", "from A", "-e", "\\timing off", "-e", "from B"}));
  EXPECT_EQ(two.wait(), 0) << two.read_errors();
  EXPECT_THAT(two.read_rest(), HasSubstr("(3 rows, 3 in all, index Auto/Users/ByName)\n"));
  Child one({"query", "from C where N = $n", "--param", "n={\"x\":1}", "--url", server.url(),
             "--database", "shop", "--format", "json"});
  EXPECT_EQ(one.wait(), 0) << one.read_errors();
  EXPECT_THAT(one.read_rest(), HasSubstr("{\"Name\":\"Bob\",\"Age\":7,"));
  EXPECT_THAT(server.queries(), ElementsAre("from A", "from B", "from C where N = $n"));
}

TEST(ShellInAPipe, RefusesArgumentsThatMakeNoSense) {
  FakeServer server;
  for (const std::vector<std::string>& wrong : std::vector<std::vector<std::string>>{
           {"--format", "xml"}, {"--limit", "0"}, {"--param", "x"}, {"--param", "x={"}}) {
    Child child(shell_of(server, wrong));
    child.close_input();
    EXPECT_EQ(child.wait(), 2) << wrong[1];
    EXPECT_THAT(child.read_errors(), Not(testing::IsEmpty()));
  }
  Child help({"shell", "--help"});
  EXPECT_EQ(help.wait(), 0);
  EXPECT_THAT(help.read_rest(), HasSubstr("--keep-going"));
}

// Purpose. The real server in memory, with a database `shop` that holds 120 users.
class Shop {
 public:
  Shop() : server_(serve_in_memory()), url_(url_of(server_)) {
    put("/admin/databases?name=shop", R"({"DatabaseName":"shop"})");
    std::string commands;
    for (int i = 1; i <= 120; ++i) {
      commands += commands.empty() ? "" : ",";
      commands += R"({"Type":"PUT","Id":"users/)" + std::to_string(i) + R"(","Document":{"Age":)" +
                  std::to_string(i) + R"(,"Name":"N)" + std::to_string(i % 3) +
                  R"(","@metadata":{"@collection":"Users"}}})";
    }
    const auto done = edge::http_call({.method = "POST",
                                       .url = url_ + "/databases/shop/bulk_docs",
                                       .body = "{\"Commands\":[" + commands + "]}"});
    EXPECT_TRUE(done.has_value() && done->status < 300) << done->body;
  }

  // What the shell prints for these statements, each waiting for its index.
  std::string ask(std::vector<std::string> more, int exit_code = 0) {
    std::vector<std::string> arguments = {"shell", "--url", url_, "--database", "shop", "--wait"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Child child(arguments);
    child.close_input();
    EXPECT_EQ(child.wait(), exit_code);
    errors = child.read_errors();
    return child.read_rest();
  }

  std::string errors;  // of the last one

 private:
  void put(const std::string& path, const std::string& body) const {
    const auto done = edge::http_call({.method = "PUT", .url = url_ + path, .body = body});
    EXPECT_TRUE(done.has_value() && done->status < 300);
  }

  Child server_;
  std::string url_;
};

TEST(ShellAndServer, AgreeOnQueries) {
  Shop shop;
  EXPECT_EQ(shop.ask({"--format", "csv", "--param", "least=118", "-e",
                      "from Users where Age > $least order by Age as long desc"}),
            "@id,Age,Name\nusers/120,120,N0\nusers/119,119,N2\n");
  EXPECT_EQ(shop.errors, "");
  const std::string table = shop.ask({"-e", "from Users where Age = 7 select Name"});
  EXPECT_THAT(table, HasSubstr(" Name\n------\n N1\n(1 row, 1 in all, index Auto/Users/ByAge"));
}

TEST(ShellAndServer, AgreeOnPages) {
  Shop shop;
  for (const std::string limit : {"7", "40", "1000"}) {
    const std::string all = shop.ask(
        {"--format", "csv", "--limit", limit, "-e", "from Users order by Age as long select Age"});
    std::string expected = "Age\n";
    for (int i = 1; i <= 120; ++i) {
      expected += std::to_string(i) + "\n";
    }
    EXPECT_EQ(all, expected) << limit;
    expected = "Age\n";
    for (int i = 11; i <= 60; ++i) {
      expected += std::to_string(i) + "\n";
    }
    EXPECT_EQ(shop.ask({"--format", "csv", "--limit", limit, "-e",
                        "from Users order by Age as long select Age limit 50 offset 10"}),
              expected)
        << limit;
    EXPECT_EQ(shop.ask({"--format", "csv", "--limit", limit, "-e", "from Users limit 50"}).size(),
              shop.ask({"--format", "csv", "--limit", "50", "-e", "from Users limit 50"}).size())
        << limit;
  }
  const std::string distinct = shop.ask(
      {"--format", "csv", "--limit", "2", "-e", "from Users order by Name select distinct Name"});
  EXPECT_EQ(distinct, "Name\nN0\nN1\nN2\n");
}

TEST(ShellAndServer, AgreeOnPlansAndErrors) {
  Shop shop;
  const std::string plan = shop.ask({"-e", "explain from Users where Age > 100"});
  EXPECT_THAT(plan, HasSubstr("estimated | actual\n"));
  EXPECT_THAT(plan, HasSubstr("IndexName: Auto/Users/ByAge\n"));
  EXPECT_THAT(plan, HasSubstr("TotalResults: 20\n"));
  EXPECT_THAT(shop.ask({"-e", "\\collections", "-e", "\\indexes"}),
              testing::AllOf(HasSubstr(" Users      |       120\n"),
                             HasSubstr(" Auto/Users/ByAge | AutoMap | Normal |     120 |")));
  EXPECT_EQ(shop.ask({"-e", "from Users select facet(Age)"}, 1), "");
  EXPECT_THAT(shop.errors, HasSubstr("not supported"));
  EXPECT_THAT(shop.errors, HasSubstr("\nfrom Users select facet(Age)\n                  ^\n"));
}

}  // namespace
}  // namespace rookery::cli
