// SPDX-License-Identifier: Apache-2.0
#include <regex>
#include <set>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "page_files.h"
#include "test_service.h"

// The page at GET / as the server sends it. What a browser makes of it: tests/page.

namespace rookery::api {
namespace {

using testing::HasSubstr;
using testing::Not;

// As TestService::call(), which takes every body for JSON.
Response get(TestService& s, const std::string& target) {
  Response response;
  s.service->handle(Request::make("GET", target),
                    [&](Response answer) { response = std::move(answer); });
  return response;
}

std::string header(const Response& response, std::string_view name) {
  return std::string(response.headers.find(name).value_or(""));
}

TEST(Page, IsServedWithAPolicyThatAllowsNothingElse) {
  TestService s;
  for (const std::string target : {"/", "/?x=1", "/page/page.js", "/page/style.css"}) {
    const Response answer = get(s, target);
    EXPECT_EQ(answer.status, 200) << target;
    const std::string policy = header(answer, "Content-Security-Policy");
    EXPECT_THAT(policy, HasSubstr("default-src 'none'"));
    EXPECT_THAT(policy, HasSubstr("require-trusted-types-for 'script'"));
    EXPECT_THAT(policy, HasSubstr("frame-ancestors 'none'"));
    EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
    EXPECT_EQ(header(answer, "X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(header(answer, "Cache-Control"), "no-cache");
    EXPECT_THAT(answer.content_type, testing::StartsWith("text/"));
  }
}

TEST(Page, NamesOnlyFilesThatAreThere) {
  TestService s;
  std::set<std::string> named;
  for (const PageFile& file : page_files()) {
    const std::string content(file.content);
    const std::regex reference(R"re((?:href|src|from) ?=?"(?:\./)?((?:page/)?[\w.]+\.\w+)")re");
    for (std::sregex_iterator at(content.begin(), content.end(), reference), end; at != end; ++at) {
      const std::string name = (*at)[1].str();
      named.insert(name.starts_with("page/") ? name.substr(5) : name);
    }
  }
  EXPECT_EQ(named, (std::set<std::string>{"json.js", "page.js", "style.css"}));
  for (const std::string& name : named) {
    EXPECT_EQ(get(s, "/page/" + name).status, 200) << name;
  }
}

TEST(Page, HasNothingInlineAndNothingFromElsewhere) {
  for (const PageFile& file : page_files()) {
    const std::string content(file.content);
    EXPECT_FALSE(content.empty()) << file.name;
    EXPECT_THAT(content, Not(HasSubstr("//cdn")));
    EXPECT_FALSE(std::regex_search(content, std::regex("https?://"))) << file.name;
    for (const std::string_view sink : {"innerHTML", "outerHTML", "insertAdjacentHTML",
                                        "document.write", "eval(", "<style", "javascript:"}) {
      EXPECT_THAT(content, Not(HasSubstr(std::string(sink)))) << file.name;
    }
    EXPECT_FALSE(std::regex_search(content, std::regex(R"(<[^>]* (on\w+|style)=)"))) << file.name;
  }
}

TEST(Page, LeavesEveryOtherAnswerAsItWas) {
  TestService s;
  EXPECT_EQ(s.call("POST", "/").status, 501);
  EXPECT_EQ(s.call("GET", "/page").status, 501);
  EXPECT_EQ(s.call("GET", "/page/other.js").status, 501);
  EXPECT_EQ(s.call("GET", "/index.html").status, 501);
  const Answer version = s.call("GET", "/build/version");
  EXPECT_EQ(version.status, 200);
  EXPECT_EQ(version.header("Content-Security-Policy"), "");
}

}  // namespace
}  // namespace rookery::api
