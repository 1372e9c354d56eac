// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rookery/api/service.h"
#include "rookery/base/check.h"
#include "rookery/os/memory_file_system.h"
#include "rookery/os/sync.h"
#include "rookery/value/json.h"

// Purpose. For tests: the whole HTTP interface over the real engine in memory, without a socket.

namespace rookery::api {

// Purpose. A response with its body parsed.
struct Answer {
  int status = 0;
  HeaderList headers;
  std::string body;
  value::Document json;  // null where the body is none

  [[nodiscard]] value::View root() const { return json.root(); }

  // The error's Type; empty if there is none.
  [[nodiscard]] std::string type() const {
    return std::string(root().find_string("Type").value_or(""));
  }

  [[nodiscard]] std::string header(std::string_view name) const {
    return std::string(headers.find(name).value_or(""));
  }
};

class TestService {
 public:
  TestService() : TestService(std::make_unique<os::MemoryFileSystem>()) {}

  explicit TestService(std::unique_ptr<os::FileSystem> files, const std::string& data_dir = "/data")
      : files_(std::move(files)) {
    auto opened_log = Log::open(platform_, {.mode = LogMode::kNone});
    RK_CHECK(opened_log.has_value());
    log_ = std::move(opened_log).value();
    db::ServerOptions options;
    options.data_dir = data_dir;
    auto opened = db::Server::open(platform_, std::move(options));
    RK_CHECK(opened.has_value());
    server = std::move(opened).value();
    ServiceOptions service_options;
    service_options.server_url = "http://here:1";
    service_options.tcp_url = "tcp://here:2";
    service = std::make_unique<Service>(*server, platform_, *log_, std::move(service_options));
  }

  TestService(const TestService&) = delete;
  TestService& operator=(const TestService&) = delete;

  ~TestService() { RK_CHECK(server->close().has_value()); }

  Answer call(std::string_view method, std::string_view target, std::string_view body = "",
              const std::vector<std::pair<std::string, std::string>>& headers = {}) {
    Request request = Request::make(method, target);
    request.body = body;
    for (const auto& [name, text] : headers) {
      request.headers.add(name, text);
    }
    auto response = std::make_shared<Response>();
    auto done = std::make_shared<os::Event>();
    service->handle(std::move(request), [response, done](Response r) {
      *response = std::move(r);
      done->set();
    });
    RK_CHECK(done->wait_for(std::chrono::seconds(60)));
    if (response->stream != nullptr) {
      response->body = read_all(*response->stream);
      response->stream.reset();
    }
    Answer answer{.status = response->status,
                  .headers = std::move(response->headers),
                  .body = std::move(response->body),
                  .json = {}};
    if (!answer.body.empty() && !target.ends_with("format=jsonl")) {
      auto parsed = value::parse_json(answer.body, {.size_bytes_max = answer.body.size()});
      RK_CHECK(parsed.has_value());
      answer.json = std::move(parsed).value();
    }
    return answer;
  }

  // Of a stream that answers at once, as all do here.
  static std::string read_all(BodyStream& stream) {
    std::string all;
    for (bool more = true; more;) {
      stream.read([&](Result<std::string> part) {
        RK_CHECK(part.has_value());
        all += *part;
        more = !part->empty();
      });
    }
    return all;
  }

  void create(const std::string& name) {
    const Answer answer = call("PUT", "/admin/databases?name=" + name + "&replicationFactor=1",
                               "{\"DatabaseName\":\"" + name + "\"}", {{"ETag", "\"undefined\""}});
    RK_CHECK(answer.status == 201);
  }

 private:
  const std::unique_ptr<os::FileSystem> files_;
  os::Platform platform_{*files_, os::real_platform().clock, os::real_platform().random,
                         os::real_platform().threads};
  std::unique_ptr<Log> log_;

 public:
  std::unique_ptr<db::Server> server;
  std::unique_ptr<Service> service;
};

}  // namespace rookery::api
