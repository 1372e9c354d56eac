// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Purpose. A request and a response as values: no socket, no Asio. The network edge, a simulation,
// a fuzzer or a test drive the same Handler with them.
// Threads: plain values.

namespace rookery::api {

// ASCII only, which is all that methods, header names and parameter names of this protocol are.
[[nodiscard]] bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept;
// Decodes %XX, and '+' as a blank where `plus_is_blank`. A broken escape stays as it is.
[[nodiscard]] std::string percent_decode(std::string_view text, bool plus_is_blank);

struct Field {
  std::string name;
  std::string value;
};

// Purpose. Headers in the order they came; names compare without case.
class HeaderList {
 public:
  void add(std::string_view name, std::string_view value) {
    fields_.push_back({std::string(name), std::string(value)});
  }

  // Replaces every header of that name.
  void set(std::string_view name, std::string_view value);
  // The first of that name. The view lives until the list changes.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const noexcept;

  [[nodiscard]] auto begin() const noexcept { return fields_.begin(); }

  [[nodiscard]] auto end() const noexcept { return fields_.end(); }

  [[nodiscard]] std::size_t size() const noexcept { return fields_.size(); }

  [[nodiscard]] bool empty() const noexcept { return fields_.empty(); }

 private:
  std::vector<Field> fields_;
};

// Purpose. A query string as the clients really send it: order and repetition matter, a parameter
// may lack a value ("?wait-for-indexing"), the string may begin with "?&", and a name may carry a
// stray '?' ("&?raft-request-id=..."), which is dropped.
class QueryParameters {
 public:
  QueryParameters() = default;
  // `raw` with or without its leading '?'.
  [[nodiscard]] static QueryParameters parse(std::string_view raw);

  [[nodiscard]] bool has(std::string_view name) const noexcept { return find(name).has_value(); }

  // The first of that name; empty for a valueless one.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const noexcept;
  // Every value of that name, in order. The views live as long as this object.
  [[nodiscard]] std::vector<std::string_view> all(std::string_view name) const;

  [[nodiscard]] auto begin() const noexcept { return fields_.begin(); }

  [[nodiscard]] auto end() const noexcept { return fields_.end(); }

  [[nodiscard]] std::size_t size() const noexcept { return fields_.size(); }

 private:
  std::vector<Field> fields_;
};

struct Request {
  std::string method;  // upper case
  std::string target;  // as sent: path and query
  std::string path;    // decoded, without the query
  QueryParameters query;
  HeaderList headers;
  std::string body;

  // Splits `target` into path and query.
  [[nodiscard]] static Request make(std::string_view method, std::string_view target);
};

struct Response {
  int status = 200;
  // Without Content-Length and Content-Type, which the writer derives.
  HeaderList headers;
  std::string content_type = "application/json; charset=utf-8";
  std::string body;

  [[nodiscard]] static Response json(std::string body, int status = 200) {
    Response response;
    response.status = status;
    response.body = std::move(body);
    return response;
  }

  // A reply without a body: 204, 304.
  [[nodiscard]] static Response empty(int status) {
    Response response;
    response.status = status;
    return response;
  }
};

// Called exactly once, from any thread.
using Responder = std::function<void(Response)>;

// Purpose. What answers requests.
// Threads: handle() may be called from many threads at once.
class Handler {
 public:
  Handler() = default;
  Handler(const Handler&) = delete;
  Handler& operator=(const Handler&) = delete;
  virtual ~Handler() = default;

  // Must not block for long: what may is moved to a pool, and the answer comes later. `respond` may
  // be called before this returns.
  virtual void handle(Request request, Responder respond) noexcept = 0;
};

}  // namespace rookery::api
