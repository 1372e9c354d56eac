// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rookery/base/result.h"

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

// Purpose. A body in parts: of a request while it arrives, or of an answer while it is made. Who
// consumes it asks for one part after the other, and nothing is read or made before it is asked
// for: a slow consumer slows the producer down, and one part is all that is held.
// Threads: one call at a time, from any thread.
class BodyStream {
 public:
  // The next part. An empty one: that was all. An error: the rest will never come.
  using PartHandler = std::function<void(Result<std::string>)>;

  BodyStream() = default;
  BodyStream(const BodyStream&) = delete;
  BodyStream& operator=(const BodyStream&) = delete;
  // Before the end: nothing more is wanted.
  virtual ~BodyStream() = default;

  // `done` is called exactly once, from any thread, perhaps before this returns. Requires: the part
  // before has come, and was not the last.
  virtual void read(PartHandler done) noexcept = 0;
};

// A body that is there already, in one part.
[[nodiscard]] std::shared_ptr<BodyStream> make_body_stream(std::string body);

struct Request {
  std::string method;  // upper case
  std::string target;  // as sent: path and query
  std::string path;    // decoded, without the query
  QueryParameters query;
  HeaderList headers;
  std::string body;
  // Instead of `body`, if the handler wished so (see Handler::streams_body) and there is any.
  std::shared_ptr<BodyStream> stream;

  // Splits `target` into path and query.
  [[nodiscard]] static Request make(std::string_view method, std::string_view target);
};

struct Response {
  int status = 200;
  // Without Content-Length and Content-Type, which the writer derives.
  HeaderList headers;
  std::string content_type = "application/json; charset=utf-8";
  std::string body;
  // Instead of `body`, if set: sent as it is made. What goes wrong with it after its first part can
  // only be told by ending the connection before the end of the body.
  std::shared_ptr<BodyStream> stream;

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

  // Whether a request is to be handled when its head has arrived, and to read its body itself. It
  // may answer before it has read all; the rest is then lost, and with it the connection.
  [[nodiscard]] virtual bool streams_body(std::string_view method, std::string_view target) const {
    static_cast<void>(method);
    static_cast<void>(target);
    return false;
  }
};

}  // namespace rookery::api
