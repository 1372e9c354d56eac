// SPDX-License-Identifier: Apache-2.0
#include "what_works.h"

#include <algorithm>
#include <string_view>

#include "rookery/query/method.h"

#include "call.h"
#include "route_texts.h"
#include "rql_probes.h"
#include "test_service.h"

namespace rookery::docs {

namespace {

using query::Method;

constexpr std::string_view kDatabase = "/databases/try";

constexpr std::string_view kHead = R"(# What works today

Made by `rookery-pages` from the table of routes, from RQL's grammar, and from what the server
answered to a request for each line; a test fails when this page is out of date. What isn't built
answers 501, in a query `not supported yet` with the place. [status.md](status.md) says how firm
each area is.
)";

constexpr std::string_view kBatch = R"({"Commands":[{"Id":"users/1","Type":"PUT","Document":
  {"name":"Ada King","age":36,"city":"Oslo","tags":["a","b"],"boss":"users/1",
   "@metadata":{"@collection":"Users"}}}]})";

// A query that uses the method, so that the answer says whether it is built. One a method, by the
// compiler's own check of enumerators.
[[nodiscard]] std::string_view query_for(Method method) {
  switch (method) {
    case Method::kFunction:
      return "";
    case Method::kId:
      return "from Users where id() = 'users/1'";
    case Method::kSearch:
      return "from Users where search(name, 'ada')";
    case Method::kExact:
      return "from Users where exact(name = 'Ada')";
    case Method::kBoost:
      return "from Users where boost(search(name, 'ada'), 2)";
    case Method::kStartsWith:
      return "from Users where startsWith(name, 'a')";
    case Method::kEndsWith:
      return "from Users where endsWith(name, 'a')";
    case Method::kRegex:
      return "from Users where regex(name, '^A.a$')";
    case Method::kExists:
      return "from Users where exists(name)";
    case Method::kLucene:
      return "from Users where lucene(name, 'a*')";
    case Method::kIntersect:
      return "from Users where intersect(name = 'Ada', age = 36)";
    case Method::kFuzzy:
      return "from Users where fuzzy(name = 'Adda', 0.5)";
    case Method::kProximity:
      return "from Users where proximity(search(name, 'ada king'), 5)";
    case Method::kCompareExchange:
      return "from Users where name = cmpxchg('key')";
    case Method::kMoreLikeThis:
      return "from Users where moreLikeThis(id() = 'users/1')";
    case Method::kWhen:
      return "from Users where true and when($city != null, city = $city)";
    case Method::kToday:
      return "from Users where born < today()";
    case Method::kNow:
      return "from Users where born < now()";
    default:
      return "";
  }
}

[[nodiscard]] std::string_view spatial_or_vector_query_for(Method method) {
  switch (method) {
    case Method::kSpatialWithin:
    case Method::kSpatialPoint:
    case Method::kSpatialCircle:
      return "from Users where spatial.within(spatial.point(lat, lng), spatial.circle(10, 51, 0))";
    case Method::kSpatialContains:
      return "from Users where spatial.contains(spatial.wkt(area), spatial.circle(1, 51, 0))";
    case Method::kSpatialDisjoint:
      return "from Users where spatial.disjoint(spatial.point(lat, lng), spatial.circle(1, 5, 0))";
    case Method::kSpatialIntersects:
      return "from Users where spatial.intersects(spatial.wkt(area), spatial.circle(1, 51, 0))";
    case Method::kSpatialWkt:
      return "from Users where spatial.within(spatial.wkt(area), spatial.wkt('POINT (0 51)'))";
    case Method::kSpatialDistance:
      return "from Users order by spatial.distance(spatial.point(lat, lng), spatial.point(5, 0))";
    case Method::kVectorSearch:
      return "from Users where vector.search(name, 'ada')";
    case Method::kEmbeddingText:
      return "from Users where vector.search(embedding.text(name), 'ada')";
    case Method::kEmbeddingTextI8:
      return "from Users where vector.search(embedding.text_i8(name), 'ada')";
    case Method::kEmbeddingTextI1:
      return "from Users where vector.search(embedding.text_i1(name), 'ada')";
    case Method::kEmbeddingF32I8:
      return "from Users where vector.search(embedding.f32_i8(v), $v)";
    case Method::kEmbeddingF32I1:
      return "from Users where vector.search(embedding.f32_i1(v), $v)";
    case Method::kEmbeddingI8:
      return "from Users where vector.search(embedding.i8(v), $v)";
    case Method::kEmbeddingI1:
      return "from Users where vector.search(embedding.i1(v), $v)";
    case Method::kAiTask:
      return "from Users where vector.search(embedding.text(name, ai.task('t')), 'ada')";
    default:
      return "";
  }
}

[[nodiscard]] std::string_view answer_query_for(Method method) {
  switch (method) {
    case Method::kScore:
      return "from Users where search(name, 'ada') order by score()";
    case Method::kRandom:
      return "from Users order by random()";
    case Method::kCustom:
      return "from Users order by custom(name, 'Sorter')";
    case Method::kArray:
      return "from Users group by array(tags) select key()";
    case Method::kKey:
    case Method::kCount:
      return "from Users group by city select key(), count()";
    case Method::kSum:
      return "from Users group by city select sum(age)";
    case Method::kMin:
      return "from Users select facet(city, min(age))";
    case Method::kMax:
      return "from Users select facet(city, max(age))";
    case Method::kAverage:
      return "from Users select facet(city, avg(age))";
    case Method::kFacet:
      return "from Users select facet(city)";
    case Method::kSuggest:
      return "from Users select suggest(name, 'ada')";
    case Method::kCounter:
      return "from Users select counter('likes')";
    case Method::kCounterRaw:
      return "from Users select counterRaw('likes')";
    case Method::kTimeSeries:
      return "from Users include timeseries('heart')";
    case Method::kCounters:
      return "from Users include counters('likes')";
    case Method::kRevisions:
      return "from Users include revisions('at')";
    case Method::kHighlight:
      return "from Users where search(name, 'ada') include highlight(name, 18, 1)";
    case Method::kTimings:
      return "from Users include timings()";
    case Method::kExplanations:
      return "from Users include explanations()";
    case Method::kLast:
      return "from Users include timeseries('heart', last(1, 'days'))";
    default:
      return "";
  }
}

constexpr std::array kMethods = {
#define RK_RQL_METHOD(enumerator, name, first_is_field) Method::enumerator,
#include "rookery/query/methods.def"
#undef RK_RQL_METHOD
};

// Purpose. The server that is asked, and the page that grows.
class Generator {
 public:
  Generator() {
    expect(call("PUT", "/admin/databases?name=try", R"({"DatabaseName":"try"})"), "a database");
    expect(call("POST", "~/bulk_docs", kBatch), "a document");
  }

  [[nodiscard]] WhatWorks run() {
    page_ = kHead;
    features();
    clauses();
    methods();
    commands();
    routes();
    return {std::move(page_), std::move(findings_)};
  }

 private:
  api::Answer call(std::string_view method, std::string_view path, std::string_view body) {
    std::string target(path);
    if (target.starts_with("~")) {
      target.replace(0, 1, kDatabase);
    }
    return service_.call(method, target, body);
  }

  void expect(const api::Answer& answer, std::string_view what) {
    if (answer.status >= 300) {
      findings_.push_back(std::string(what) + " is refused: " + answer.body);
    }
  }

  api::Answer ask(std::string_view query) {
    std::string body;
    value::JsonWriter writer(body);
    writer.begin_object();
    writer.string("Query", query);
    writer.boolean("WaitForNonStaleResults", true);
    writer.raw("QueryParameters", R"({"age":30,"city":"Oslo","v":[1]})");
    writer.end_object();
    return call("POST", "~/queries", body);
  }

  // yes or no; anything but an answer and a 501 means that the query itself is wrong.
  [[nodiscard]] std::string_view tried(std::string_view query) {
    const api::Answer answer = ask(query);
    if (answer.status != 200 && answer.status != 501) {
      findings_.push_back(std::string(query) + " is refused: " + answer.body);
    }
    return answer.status == 200 ? "yes" : "no";
  }

  void row(std::string_view built, std::string_view what, std::string_view rest) {
    page_ += "| ";
    page_ += built;
    page_ += " | ";
    page_ += what;
    page_ += " | ";
    page_ += rest;
    page_ += " |\n";
  }

  void heading(std::string_view text, std::string_view columns) {
    page_ += "\n## ";
    page_ += text;
    page_ += "\n\n";
    page_ += columns;
    page_ += "\n|---|---|---|\n";
  }

  void features() {
    heading("Features of the clients", "| built | what | tried with |");
    for (const Request& one : kFeatures) {
      const api::Answer answer = call(one.method, one.path, one.body);
      std::string request = "`";
      request += one.method;
      request += " ";
      request += one.path.substr(0, one.path.find('?'));
      request += "`";
      row(answer.status == 501 ? "no" : "yes", one.what, request);
    }
  }

  void clauses() {
    heading("RQL: clauses", "| built | what | for example |");
    for (const Probe& probe : kClauses) {
      row(tried(probe.query), probe.what, "`" + std::string(probe.query) + "`");
    }
    page_ += "\n[rql.md](rql.md) says what they mean.\n";
  }

  void methods() {
    heading("RQL: methods", "| built | what | for example |");
    for (const Method method : kMethods) {
      std::string_view query = query_for(method);
      query = query.empty() ? spatial_or_vector_query_for(method) : query;
      query = query.empty() ? answer_query_for(method) : query;
      const std::string name(query::method_name(method));
      if (query.empty()) {
        findings_.push_back("no query tries the method " + name);
        continue;
      }
      row(tried(query), "`" + name + "()`", "`" + std::string(query) + "`");
    }
  }

  void commands() {
    heading("Commands of a batch", "| built | command | what it does |");
    for (const Command& command : kCommands) {
      std::string body = R"({"Commands":[{"Id":"users/2","Type":")";
      body += command.type;
      body += command.type == "PUT" ? R"(","Document":{}}]})" : R"("}]})";
      const api::Answer answer = call("POST", "~/bulk_docs", body);
      row(answer.status == 501 ? "no" : "yes", "`" + std::string(command.type) + "`", command.what);
      if (answer.status != 201 && answer.status != 501) {
        findings_.push_back(std::string(command.type) + " is refused: " + answer.body);
      }
    }
  }

  void routes() {
    heading("Routes", "| request | path | what it does |");
    page_.insert(page_.rfind("| request"), "`~` stands for `/databases/{name}`.\n\n");
    std::vector<bool> used(kRouteTexts.size());
    for (const api::Route& route : api::routes()) {
      std::string path(route.scope == api::Scope::kServer ? "" : "~");
      path += route.path;
      const auto found = std::find_if(
          kRouteTexts.begin(), kRouteTexts.end(),
          [&](const RouteText& text) { return text.method == route.method && text.path == path; });
      if (found == kRouteTexts.end()) {
        findings_.push_back("tests/docs/route_texts.h has no sentence for " +
                            std::string(route.method) + " " + path);
        continue;
      }
      used[static_cast<std::size_t>(found - kRouteTexts.begin())] = true;
      row("`" + std::string(route.method) + "`", "`" + path + "`", found->what);
    }
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (!used[i]) {
        findings_.push_back("tests/docs/route_texts.h: there is no such route: " +
                            std::string(kRouteTexts[i].path));
      }
    }
  }

  api::TestService service_;
  std::string page_;
  std::vector<std::string> findings_;
};

}  // namespace

WhatWorks what_works() {
  return Generator().run();
}

}  // namespace rookery::docs
