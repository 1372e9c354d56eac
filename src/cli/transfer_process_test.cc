// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rookery/edge/http_client.h"
#include "rookery/value/json.h"

#include "child_process.h"

// rookery import, export and compare as a person has them: the real program, and a real server.

namespace rookery::cli {
namespace {

using testing::HasSubstr;

struct Ran {
  int code = -1;
  std::string out;
  std::string errors;
};

class Transfer : public testing::Test {
 protected:
  Transfer() : server_(serve_in_memory()), url_(url_of(server_)) {
    std::filesystem::create_directories(folder_.path());
  }

  [[nodiscard]] std::string path(const std::string& name) const {
    return folder_.path() + "/" + name;
  }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }

  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream file(path(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }

  [[nodiscard]] std::vector<std::string> command(std::vector<std::string> arguments,
                                                 const std::string& database = "shop") const {
    arguments.insert(arguments.end(), {"--url", url_, "--database", database});
    return arguments;
  }

  [[nodiscard]] Ran run(const std::vector<std::string>& arguments,
                        const std::string& database = "shop") const {
    Child child(command(arguments, database));
    child.close_input();
    Ran ran;
    ran.out = child.read_rest();
    ran.errors = child.read_errors();
    ran.code = child.wait();
    return ran;
  }

  // Text of the document without its metadata; "" if there is none.
  [[nodiscard]] std::string document(const std::string& id) const {
    const auto response =
        edge::http_call({.url = url_ + "/databases/shop/docs?id=" + edge::percent_encode(id)});
    if (!response.has_value() || response->status != 200) {
      return "";
    }
    const auto body = value::parse_json(response->body);
    std::string text;
    value::JsonWriter w(text);
    w.begin_object();
    w.members(body->root().find("Results")->at(0), {"@metadata"});
    w.end_object();
    return text;
  }

  [[nodiscard]] std::int64_t count(const std::string& database = "shop") const {
    const auto response = edge::http_call({.url = url_ + "/databases/" + database + "/stats"});
    return value::parse_json(response->body)->root().find_int64("CountOfDocuments").value_or(-1);
  }

  Folder folder_;
  Child server_;
  const std::string url_;
};

std::string lines(int from, int to) {
  std::string text;
  for (int i = from; i < to; ++i) {
    text += "{\"n\":" + std::to_string(i) + ",\"text\":\"" + std::string(100, 'x') + "\"}\n";
  }
  return text;
}

TEST_F(Transfer, ImportsEveryFormat) {
  const std::string array =
      write("cities.json", "[\n{\"name\":\"Bern\",\"k\":7},\n{\"name\":\"Rom\",\"k\":8}]\n");
  Ran ran = run({"import", array, "--create", "--collection", "Cities", "--verify"});
  EXPECT_EQ(ran.code, 0) << ran.errors;
  EXPECT_THAT(ran.errors, HasSubstr("2 documents imported, 0 records rejected"));
  EXPECT_THAT(ran.errors, HasSubstr("2 documents verified, 0 differ"));
  EXPECT_EQ(document("Cities/2"), R"({"name":"Rom","k":8})");
  EXPECT_FALSE(std::filesystem::exists(array + ".import-state"));

  ran = run({"import", array, "--collection", "Cities", "--id-field", "k", "--id-prefix", "c/"});
  EXPECT_EQ(ran.code, 0) << ran.errors;
  EXPECT_EQ(document("c/7"), R"({"name":"Bern","k":7})");

  const std::string table = write("t.csv", "id,n,ok\na,1,true\n\"b,\"\"c\"\"\",2,\n");
  ran = run({"import", table, "--collection", "T", "--id-field", "id"});
  EXPECT_EQ(ran.code, 0) << ran.errors;
  EXPECT_EQ(document("a"), R"({"id":"a","n":1,"ok":true})");
  EXPECT_EQ(document("b,\"c\""), R"({"id":"b,\"c\"","n":2,"ok":null})");
  EXPECT_EQ(count(), 6);
}

TEST_F(Transfer, ListsWhatItRejects) {
  const std::string file = write("x.jsonl", "{\"n\":1}\n{bad\n[]\n{\"n\":2}\n");
  const Ran ran = run(
      {"import", file, "--create", "--collection", "X", "--rejects", path("r.jsonl"), "--verify"});
  EXPECT_EQ(ran.code, 3) << ran.errors;
  EXPECT_THAT(ran.errors, HasSubstr("line 2: "));
  EXPECT_THAT(ran.errors, HasSubstr("2 documents imported, 2 records rejected"));
  EXPECT_THAT(ran.errors, HasSubstr("2 documents verified, 0 differ"));
  EXPECT_EQ(document("X/1"), R"({"n":1})");
  EXPECT_EQ(document("X/2"), "");
  EXPECT_EQ(document("X/4"), R"({"n":2})");
  const std::string rejects = read("r.jsonl");
  EXPECT_THAT(rejects, HasSubstr(R"({"Line":2,"Error":)"));
  EXPECT_THAT(rejects, HasSubstr(R"("Record":"{bad"})"));
  EXPECT_THAT(rejects, HasSubstr(R"({"Line":3,"Error":"an object was expected, not array")"));
}

TEST_F(Transfer, TellsOfALongOrHostileRecordInOneShortLine) {
  const std::string file =
      write("x.csv", "n\n\"\x1b[2J\n" + std::string(100'000, 'y') + "\"\n\xC3\xBC\n");
  const Ran ran = run({"import", file, "--create", "--collection", "X", "--types", "n=number",
                       "--rejects", path("r.jsonl")});
  EXPECT_EQ(ran.code, 3);
  EXPECT_LT(ran.errors.size(), 2'000U);
  EXPECT_EQ(ran.errors.find('\x1b'), std::string::npos);
  EXPECT_THAT(ran.errors, HasSubstr("yyy...\nline 4: column 'n' has '\xC3\xBC'"));
  EXPECT_GT(read("r.jsonl").size(), 100'000U);
}

TEST_F(Transfer, SaysWhenItCannot) {
  const std::string file = write("x.jsonl", "{\"n\":1}\n");
  Ran ran = run({"import", file, "--collection", "X"}, "missing");
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.errors, HasSubstr("'missing' does not exist"));
  EXPECT_EQ(run({"import", path("none"), "--collection", "X"}).code, 1);
  EXPECT_EQ(run({"import", file, "--no-such-option"}).code, 2);
  ran = run({"import", write("empty.json", ""), "--collection", "X"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.errors, HasSubstr("is empty"));
  EXPECT_EQ(run({"export", path("out")}, "missing").code, 1);
  EXPECT_FALSE(std::filesystem::exists(path("out")));
  EXPECT_FALSE(std::filesystem::exists(path("out.part")));
  const std::string broken = write("x.json", "[{\"n\":1},\n{\"n\":2} {\"n\":3}]");
  ran = run({"import", broken, "--create", "--collection", "X"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.errors, HasSubstr("behind record 2, which begins in line 2"));
  EXPECT_EQ(count(), 2);
  ran = run({"import", file, "--collection", "X", "--rejects", file});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(read("x.jsonl"), "{\"n\":1}\n");
}

TEST_F(Transfer, RejectsWhatTheServerDoesNotTake) {
  // That a change vector is none, only the server sees; and what is large depends on its settings.
  std::string text = lines(0, 5);
  text += R"({"n":5,"@metadata":{"@change-vector":"no vector"}})"
          "\n";
  text += lines(6, 10) + "{\"half\": tr";
  const Ran ran = run({"import", write("x.jsonl", text), "--create", "--collection", "X",
                       "--rejects", path("r.jsonl")});
  EXPECT_EQ(ran.code, 3) << ran.errors;
  EXPECT_THAT(ran.errors, HasSubstr("line 6: "));
  EXPECT_THAT(ran.errors, HasSubstr("line 11: "));
  EXPECT_THAT(ran.errors, HasSubstr("9 documents imported, 2 records rejected"));
  EXPECT_EQ(count(), 9);
  EXPECT_EQ(document("X/6"), "");
  EXPECT_THAT(document("X/10"), HasSubstr("{\"n\":9,"));
  EXPECT_THAT(read("r.jsonl"), HasSubstr("no vector"));
}

TEST_F(Transfer, TakesLargeRecordsAndRejectsWhatIsNoText) {
  const std::string large(20'000'000, 'x');
  const std::string file =
      write("x.jsonl", "{\"a\":\"" + large + "\"}\n{\"a\":\"\xff\"}\n{\"a\":\"b\"}");
  const Ran ran = run({"import", file, "--create", "--collection", "X"});
  EXPECT_EQ(ran.code, 3) << ran.errors;
  EXPECT_THAT(ran.errors, HasSubstr("line 2: "));
  EXPECT_THAT(ran.errors, HasSubstr("2 documents imported, 1 records rejected"));
  EXPECT_EQ(document("X/1").size(), large.size() + 8);
  EXPECT_EQ(document("X/3"), R"({"a":"b"})");
}

TEST_F(Transfer, LetsTheLastOfTwoRecordsWithOneIdStand) {
  const std::string file = write("x.jsonl", "{\"k\":\"a\",\"n\":1}\n{\"k\":\"A\",\"n\":2}\n");
  const Ran ran = run({"import", file, "--create", "--id-field", "k", "--verify"});
  EXPECT_EQ(ran.code, 3) << ran.errors;
  EXPECT_THAT(ran.errors, HasSubstr("line 1: document 'a' has another content"));
  EXPECT_EQ(document("a"), R"({"k":"A","n":2})");
  EXPECT_EQ(count(), 1);
}

TEST_F(Transfer, GoesOnAfterItWasKilled) {
  constexpr int kAll = 3000;
  ASSERT_EQ(
      run({"import", write("first.jsonl", lines(0, 1)), "--create", "--id-prefix", "a/"}).code, 0);
  const std::vector<std::string> import =
      command({"import", "-", "--format", "jsonl", "--id-prefix", "d/", "--state", path("state"),
               "--rejects", path("r"), "--batch-bytes", "20000"});
  {
    // Half of it, with a record that is none, and then death at any moment.
    Child child(import);
    child.write("{bad\n" + lines(1, 400));
    const auto limit = Clock::now() + kWait;
    while (read("state").find("\"Records\":") == std::string::npos) {
      ASSERT_LT(Clock::now(), limit);
      std::this_thread::yield();
    }
    child.signal(SIGKILL);
    EXPECT_EQ(child.wait(), -2);
  }
  EXPECT_LT(count(), 402);
  const std::string known = read("state");
  // What was imported may not have changed.
  {
    Child changed(import);
    changed.write("{bad\n" + lines(2, 400));
    changed.close_input();
    EXPECT_THAT(changed.read_errors(), HasSubstr("the input has changed"));
    EXPECT_EQ(changed.wait(), 1);
  }
  {
    Child cut(import);
    cut.write("{bad\n");
    cut.close_input();
    EXPECT_THAT(cut.read_errors(), HasSubstr("fewer records"));
    EXPECT_EQ(cut.wait(), 1);
  }
  EXPECT_EQ(read("state"), known);
  Child child(import);
  std::thread writer([&] {
    std::string text = "{bad\n" + lines(1, kAll);
    for (std::size_t at = 0; at < text.size(); at += 4096) {
      child.write(std::string_view(text).substr(at, 4096));
    }
    child.close_input();
  });
  const std::string errors = child.read_errors();
  writer.join();
  EXPECT_EQ(child.wait(), 3) << errors;
  EXPECT_THAT(errors, HasSubstr("records were imported before; going on"));
  EXPECT_THAT(errors, HasSubstr("2,999 documents imported, 1 records rejected"));
  // Neither gaps nor duplicates, and the reject is told once.
  EXPECT_EQ(count(), kAll);
  EXPECT_EQ(document("d/1"), "");
  EXPECT_THAT(document("d/2"), HasSubstr("{\"n\":1,"));
  EXPECT_THAT(document("d/3000"), HasSubstr("{\"n\":2999,"));
  const std::string rejects = read("r");
  EXPECT_EQ(std::count(rejects.begin(), rejects.end(), '\n'), 1) << rejects;
  EXPECT_FALSE(std::filesystem::exists(path("state")));
}

TEST_F(Transfer, KnowsWhatItGoesOnWith) {
  const auto import = [&](std::vector<std::string> more, const std::string& text, bool kill) {
    more.insert(more.begin(), {"import", "-", "--create", "--collection", "X", "--state",
                               path("state"), "--batch-bytes", "2000"});
    Child child(command(more));
    child.write(text);
    if (kill) {
      const auto limit = Clock::now() + kWait;
      while (!std::filesystem::exists(path("state"))) {
        EXPECT_LT(Clock::now(), limit);
        std::this_thread::yield();
      }
      child.signal(SIGKILL);
      child.wait();
      return std::string();
    }
    child.close_input();
    const std::string errors = child.read_errors();
    EXPECT_EQ(child.wait(), 1) << errors;
    return errors;
  };
  std::string rows;
  for (int i = 0; i < 400; ++i) {
    rows += std::to_string(i) + "," + std::string(20, 'x') + "\n";
  }
  const std::vector<std::string> csv = {"--format", "csv"};
  import(csv, "a,b\n" + rows, true);
  EXPECT_THAT(import(csv, "a,c\n" + rows, false), HasSubstr("the input has changed"));
  EXPECT_THAT(import({"--format", "csv", "--id-field", "a"}, "a,b\n" + rows, false),
              HasSubstr("belongs to another import"));
  // A database of the same name, which has nothing of it.
  const auto dropped = edge::http_call({.method = "DELETE",
                                        .url = url_ + "/admin/databases",
                                        .body = R"({"DatabaseNames":["shop"],"HardDelete":true})"});
  ASSERT_TRUE(dropped.has_value());
  ASSERT_EQ(dropped->status, 200) << dropped->body;
  EXPECT_THAT(import(csv, "a,b\n" + rows, false), HasSubstr("belongs to another import"));
}

TEST_F(Transfer, EndsInGoodOrderWhenItIsInterrupted) {
  const std::vector<std::string> import =
      command({"import", "-", "--format", "jsonl", "--create", "--collection", "X", "--state",
               path("state"), "--batch-bytes", "20000"});
  for (const int number : {SIGINT, SIGTERM}) {
    Child child(import);
    child.write(lines(0, 400));
    const auto limit = Clock::now() + kWait;
    while (!std::filesystem::exists(path("state")) ||
           !std::filesystem::exists(path("state.lock"))) {
      ASSERT_LT(Clock::now(), limit);
      std::this_thread::yield();
    }
    // Two at once are refused.
    const Ran other =
        run({"import", "-", "--format", "jsonl", "--collection", "X", "--state", path("state")});
    EXPECT_EQ(other.code, 1);
    EXPECT_THAT(other.errors, HasSubstr("is in use"));
    child.signal(number);
    EXPECT_THAT(child.read_errors(), HasSubstr("the same command goes on from there"));
    EXPECT_EQ(child.wait(), 130);
    EXPECT_FALSE(std::filesystem::exists(path("state.lock")));
  }
  Child child(import);
  child.write(lines(0, 450));
  child.close_input();
  EXPECT_THAT(child.read_errors(), HasSubstr("450 documents imported, 0 records rejected"));
  EXPECT_EQ(child.wait(), 0);
  EXPECT_EQ(count(), 450);
}

TEST_F(Transfer, ExportsOneMoment) {
  ASSERT_EQ(run({"import", write("x.jsonl", lines(0, 2000)), "--create", "--collection", "X"}).code,
            0);
  std::atomic<bool> stop = false;
  std::atomic<int> rounds = 0;
  std::thread writer([&] {
    for (int i = 1; !stop; ++i) {
      const std::string document =
          R"({"round":)" + std::to_string(i) + R"(,"@metadata":{"@collection":"Pairs"}})";
      const auto answer = edge::http_call(
          {.method = "POST",
           .url = url_ + "/databases/shop/bulk_docs",
           .body = R"({"Commands":[{"Type":"PUT","Id":"p/a","Document":)" + document +
                   R"(},{"Type":"PUT","Id":"p/b","Document":)" + document + "}]}"});
      if (!answer.has_value() || answer->status != 201) {
        ADD_FAILURE() << "a batch failed";
        break;
      }
      rounds = i;
    }
  });
  while (rounds == 0) {
    std::this_thread::yield();
  }
  for (int i = 0; i < 5; ++i) {
    const int before = rounds;
    const Ran ran = run({"export"});
    EXPECT_EQ(ran.code, 0) << ran.errors;
    EXPECT_GT(rounds, before);  // somebody wrote meanwhile
    std::vector<std::string> found;
    std::istringstream text(ran.out);
    for (std::string line; std::getline(text, line);) {
      if (line.starts_with("{\"round\":")) {
        found.push_back(line.substr(0, line.find(',')));
      }
    }
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0], found[1]);
  }
  stop = true;
  writer.join();
}

TEST_F(Transfer, DoesNotOverwriteAnExport) {
  ASSERT_EQ(run({"import", write("x.jsonl", lines(0, 3000)), "--create", "--collection", "X"}).code,
            0);
  write("out", "an older one");
  Ran ran = run({"export", path("out")});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.errors, HasSubstr("--overwrite"));
  EXPECT_EQ(read("out"), "an older one");
  EXPECT_EQ(run({"export", path("out"), "--overwrite"}).code, 0);
  EXPECT_EQ(run({"compare", path("out")}).code, 0);
  ran = run({"export", "/dev/full", "--overwrite"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.errors, HasSubstr("no file to replace"));
  // Whoever reads it goes away before the end: more than a pipe holds.
  Child child(command({"export"}));
  child.close_output();
  EXPECT_EQ(child.wait(), -2);  // SIGPIPE, as of any command
}

TEST_F(Transfer, RestoresWhatItExported) {
  ASSERT_EQ(run({"import", write("first.jsonl", lines(0, 300)), "--create", "--collection", "X",
                 "--verify"})
                .code,
            0);
  for (const std::string format : {"jsonl", "json"}) {
    const std::string file = path("out." + format);
    const Ran exported = run({"export", file, "--format", format});
    ASSERT_EQ(exported.code, 0) << exported.errors;
    EXPECT_THAT(exported.errors, HasSubstr("Exported 300 documents"));
    EXPECT_FALSE(std::filesystem::exists(file + ".part"));
    const std::string to = "copy-" + format;
    const Ran imported = run({"import", file, "--create", "--verify"}, to);
    EXPECT_EQ(imported.code, 0) << imported.errors;
    const Ran same = run({"compare", file}, to);
    EXPECT_EQ(same.code, 0) << same.out << same.errors;
    EXPECT_THAT(same.out, HasSubstr("the same"));
    // Again: nothing changes, not even an etag.
    EXPECT_EQ(run({"import", file}, to).code, 0);
    EXPECT_EQ(run({"compare", file}, to).code, 0);
    EXPECT_EQ(run({"compare", file}).code, 0);
  }
  EXPECT_EQ(read("out.jsonl"), run({"export"}).out);
  // One document changes: found.
  const auto changed = edge::http_call(
      {.method = "PUT", .url = url_ + "/databases/shop/docs?id=X/7", .body = "{\"n\":1}"});
  ASSERT_TRUE(changed.has_value());
  const Ran differs = run({"compare", path("out.jsonl")});
  EXPECT_EQ(differs.code, 3);
  EXPECT_THAT(differs.out, HasSubstr("they differ"));
  EXPECT_EQ(run({"compare", path("out.jsonl"), "--content"}).code, 3);
}

}  // namespace
}  // namespace rookery::cli
