// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rookery/base/check.h"
#include "rookery/value/json.h"

#include "client.h"
#include "terminal.h"

// Purpose. For tests: a server and a terminal that are neither.

namespace rookery::shell {

// Purpose. Answers what it was told to, and notes what it was asked.
class FakeTransport final : public Transport {
 public:
  struct Call {
    std::string method;
    std::string target;  // behind the server's URL
    std::string body;
  };

  using Answer = std::function<Result<api::Response>(const Call&)>;

  explicit FakeTransport(Answer answer) : answer_(std::move(answer)) {}

  Result<api::Response> send(const edge::ClientRequest& request) override {
    calls.push_back({request.method, request.url.substr(kUrl.size()), request.body});
    return answer_(calls.back());
  }

  static constexpr std::string_view kUrl = "http://fake:1";
  std::vector<Call> calls;

 private:
  Answer answer_;
};

// Each look at the clock takes a millisecond.
class FakeClock final : public os::Clock {
 public:
  os::MonotonicTime monotonic() override {
    now += std::chrono::milliseconds(1);
    return now;
  }

  os::WallTime wall() override { return {}; }

  void sleep_for(os::Duration duration) override { now += duration; }

  os::MonotonicTime now{};
};

class FakeTerminal final : public Terminal {
 public:
  explicit FakeTerminal(bool is_interactive) : is_interactive_(is_interactive) {}

  void type(std::string line) { lines.push_back({.text = std::move(line)}); }

  void type_control_c() { lines.push_back({.kind = Line::Kind::kCancelled}); }

  Line read_line(const std::string& prompt) override {
    prompts.push_back(prompt);
    if (lines.empty()) {
      return {.kind = Line::Kind::kEnd};
    }
    Line line = lines.front();
    lines.pop_front();
    return line;
  }

  void remember(const std::string& statement) override { history.push_back(statement); }

  void print(std::string_view text) override { out += text; }

  void print_error(std::string_view text) override { errors += text; }

  [[nodiscard]] std::size_t width() const override { return width_columns; }

  [[nodiscard]] bool is_interactive() const override { return is_interactive_; }

  [[nodiscard]] int cancel_descriptor() const override { return -1; }

  bool take_cancel() override { return std::exchange(is_cancelled, false); }

  std::deque<Line> lines;
  std::vector<std::string> prompts;
  std::vector<std::string> history;
  std::string out;
  std::string errors;
  std::size_t width_columns = 0;
  bool is_cancelled = false;

 private:
  bool is_interactive_;
};

// Purpose. Queries over rows 1, 2, 3 ... of one collection, as a server pages through them: the
// query's own offset and limit, then Start and PageSize within them.
class FakeRows {
 public:
  explicit FakeRows(std::size_t count) : count_(count) {}

  api::Response operator()(const FakeTransport::Call& call) const {
    const auto body = value::parse_json(call.body);
    RK_CHECK(body.has_value());
    const auto start = static_cast<std::size_t>(*body->root().find_int64("Start"));
    const auto page = static_cast<std::size_t>(*body->root().find_int64("PageSize"));
    const std::string text(*body->root().find_string("Query"));
    const std::size_t offset = number_behind(text, "offset ").value_or(0) + start;
    const std::size_t limit = std::min(page, number_behind(text, "limit ").value_or(page));
    std::string out = R"({"Results":[)";
    for (std::size_t i = offset; i < std::min(offset + limit, count_); ++i) {
      out += (i == offset ? "" : ",") + std::string(R"({"N":)") + std::to_string(i + 1) + "}";
    }
    out += R"(],"TotalResults":)" + std::to_string(count_) +
           R"(,"IndexName":"collection/Rows","IsStale":)" + (is_stale ? "true" : "false") +
           R"(,"DurationInMs":7,"ResultEtag":)" + std::to_string(etag) + "}";
    return api::Response::json(std::move(out));
  }

  bool is_stale = false;
  int etag = 1;

 private:
  static std::optional<std::size_t> number_behind(const std::string& text,
                                                  const std::string& word) {
    const std::size_t at = text.find(word);
    if (at == std::string::npos) {
      return std::nullopt;
    }
    std::size_t number = 0;
    const char* begin = text.data() + at + word.size();
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), number);
    return error == std::errc() ? std::optional(number) : std::nullopt;
  }

  std::size_t count_;
};

}  // namespace rookery::shell
