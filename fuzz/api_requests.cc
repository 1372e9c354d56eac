// SPDX-License-Identifier: Apache-2.0
// Any requests, one after another, to a whole server in memory: each is answered once, what is
// answered can be read, errors have the body that clients read, and none is the server's own fault;
// afterwards it answers a plain request, and its databases are sound.
//
// An input is requests, each a line "METHOD target", lines "name: value", an empty line, and a body
// up to a line "%%". Every input has a server of its own with one empty database, d.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rookery/api/service.h"
#include "rookery/base/check.h"
#include "rookery/os/memory_file_system.h"
#include "rookery/os/sync.h"
#include "rookery/value/json.h"

namespace {

namespace api = rookery::api;
namespace db = rookery::db;
namespace os = rookery::os;
namespace value = rookery::value;
using rookery::Result;

constexpr int kRequestsMax = 16;
constexpr std::size_t kPartBytes = 7;
// An answer may wait for an index for as long as its client wishes. After the first of these
// nothing is left to wait for, and the second is a server that hangs.
constexpr std::chrono::milliseconds kIndexingTimeMax{300};
constexpr std::chrono::seconds kAnswerTimeMax{120};

// Of bodies: deeper than any that a request may ask for.
constexpr std::size_t kDepthMax = value::kDepthMax;

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::string_view take_body(std::string_view& text) {
  constexpr std::string_view kEnd = "%%\n";
  std::size_t end = 0;
  while (end < text.size() && !text.substr(end).starts_with(kEnd)) {
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  }
  std::string_view body = text.substr(0, end);
  text.remove_prefix(std::min(end + kEnd.size(), text.size()));
  body.remove_suffix(body.ends_with('\n') ? 1 : 0);
  return body;
}

// What the network edge lets through.
bool is_word(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7F; });
}

bool is_target(std::string_view text) {
  return text.starts_with('/') && std::all_of(text.begin(), text.end(), [](char c) {
           return static_cast<unsigned char>(c) > ' ' && c != 0x7F;
         });
}

// nullopt: nothing that the edge lets through.
std::optional<api::Request> take_request(std::string_view& text) {
  const std::string_view first = take_line(text);
  const std::size_t blank = std::min(first.find(' '), first.size());
  const std::string_view method = first.substr(0, blank);
  const std::string_view target = first.substr(std::min(blank + 1, first.size()));
  api::Request request = api::Request::make(method, target);
  for (std::string_view line = take_line(text); !line.empty(); line = take_line(text)) {
    const std::size_t colon = std::min(line.find(':'), line.size());
    const std::string_view name = line.substr(0, colon);
    std::string_view rest = line.substr(std::min(colon + 1, line.size()));
    rest.remove_prefix(rest.starts_with(' ') ? 1 : 0);
    if (is_word(name) && rest.find_first_of(std::string_view("\r\0", 2)) == rest.npos) {
      request.headers.add(name, rest);
    }
  }
  request.body = take_body(text);
  return is_word(method) && is_target(target) ? std::optional(std::move(request)) : std::nullopt;
}

// Purpose. A body that arrives in small parts.
class SmallParts final : public api::BodyStream {
 public:
  explicit SmallParts(std::string body) : body_(std::move(body)) {}

  void read(PartHandler done) noexcept override {
    std::string part = body_.substr(at_, kPartBytes);
    at_ += part.size();
    done(std::move(part));
  }

 private:
  const std::string body_;
  std::size_t at_ = 0;
};

// Purpose. What becomes of one request. Shared: whoever answers may still be inside when the waiter
// has gone on.
struct Answer {
  std::atomic<int> count{0};
  api::Response response;
  os::Event known;
};

class Server {
 public:
  Server() {
    auto log =
        api::Log::open(platform_, {.mode = api::LogMode::kInformation, .directory = "/logs"});
    RK_CHECK(log.has_value());
    log_ = std::move(*log);
    db::ServerOptions options;
    options.data_dir = "/data";
    options.reserve_bytes = 0;
    options.foreground_threads = 1;
    options.background_threads = 1;
    options.indexing.wait_default = kIndexingTimeMax / 2;
    options.environment.journal_size_first_bytes = 64ULL * 1024;
    auto server = db::Server::open(platform_, std::move(options));
    RK_CHECK(server.has_value());
    server_ = std::move(*server);
    api::ServiceOptions service;
    service.query_time_max = std::chrono::seconds(5);
    service_ = std::make_unique<api::Service>(*server_, platform_, *log_, std::move(service));
    RK_CHECK(server_->put_database("d", {}, std::nullopt).has_value());
  }

  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  ~Server() {
    for (const db::DatabaseSummary& database : server_->list()) {
      RK_CHECK(database.state != db::DatabaseState::kFaulted);
      if (!database.disabled) {
        check_database(database.name);
      }
    }
    RK_CHECK(server_->close().has_value());
  }

  api::Response ask(api::Request request) {
    if (service_->streams_body(request.method, request.target)) {
      request.stream = std::make_shared<SmallParts>(std::exchange(request.body, {}));
    }
    const auto answer = std::make_shared<Answer>();
    service_->handle(std::move(request), [answer](api::Response response) {
      RK_CHECK(answer->count.fetch_add(1) == 0);
      answer->response = std::move(response);
      answer->known.set();
    });
    if (!answer->known.wait_for(kIndexingTimeMax)) {
      set_waiting(false);
      RK_CHECK(answer->known.wait_for(kAnswerTimeMax));
      set_waiting(true);
    }
    api::Response response = std::move(answer->response);
    if (response.stream != nullptr) {
      response.body = read_all(*std::exchange(response.stream, nullptr));
    }
    return response;
  }

 private:
  static std::string read_all(api::BodyStream& stream) {
    std::string all;
    for (bool more = true; more;) {
      stream.read([&](Result<std::string> part) {  // answers at once, as all do here
        RK_CHECK(part.has_value());
        all += *part;
        more = !part->empty();
      });
    }
    return all;
  }

  void set_waiting(bool allowed) {
    for (const db::DatabaseSummary& database : server_->list()) {
      if (const auto open = server_->try_acquire(database.name); open.has_value()) {
        (*open)->indexes().set_waiting(allowed);
      }
    }
  }

  void check_database(const std::string& name) {
    const auto database = server_->acquire_and_wait(name);
    RK_CHECK(database.has_value());
    const auto report = (*database)->verify();
    RK_CHECK(report.has_value());
    RK_CHECK(report->problems.empty());
  }

  os::MemoryFileSystem files_;
  os::Platform platform_{files_, os::real_platform().clock, os::real_platform().random,
                         os::real_platform().threads};
  std::unique_ptr<api::Log> log_;
  std::unique_ptr<db::Server> server_;
  std::unique_ptr<api::Service> service_;
};

value::Document parse(std::string_view text) {
  auto parsed = value::parse_json(text, {.size_bytes_max = text.size(), .depth_max = kDepthMax});
  RK_CHECK(parsed.has_value());
  return std::move(*parsed);
}

// {Url, Type, Message, Error}, and nothing that only a fault of this program's own would say.
void check_error(value::View body) {
  const auto type = body.find_string("Type");
  const auto message = body.find_string("Message");
  const auto error = body.find_string("Error");
  RK_CHECK(body.find_string("Url").has_value());
  RK_CHECK(type.has_value());
  RK_CHECK(message.has_value());
  RK_CHECK(error.has_value());
  RK_CHECK(error->starts_with(*type));
  RK_CHECK(*type != "Raven.Client.Exceptions.StorageException");
  RK_CHECK(*type != "Raven.Client.Exceptions.DiskFullException");
  RK_CHECK(*type != "Raven.Client.Exceptions.OutcomeUnknownException");
  RK_CHECK(*type != "Raven.Client.Exceptions.VoronUnrecoverableErrorException");
  // The refusals that clients know under the name of an internal error.
  constexpr std::array<std::string_view, 3> kRefusals{
      "cannot be deleted because of the set lock mode", "already exists on all the nodes",
      "could not be indexed; its list of errors says why"};
  RK_CHECK((*type != "System.InvalidOperationException" ||
            std::any_of(kRefusals.begin(), kRefusals.end(), [&](std::string_view refusal) {
              return message->find(refusal) != message->npos;
            })));
}

void check_part_of_multi_get(value::View part) {
  const auto status = part.find_int64("StatusCode");
  RK_CHECK(status.has_value());
  const auto result = part.find("Result");
  RK_CHECK(result.has_value());
  if (*status >= 400 && !result->is_null()) {
    check_error(*result);
  }
}

void check(const api::Request& request, const api::Response& response) {
  RK_CHECK(response.status >= 200);
  RK_CHECK(response.status < 600);
  if (response.body.empty()) {
    // 404 reads as null, and an answer to HEAD has no body.
    RK_CHECK((response.status < 400 || response.status == 404 || request.method == "HEAD"));
    return;
  }
  if (response.content_type.starts_with("application/x-ndjson")) {
    for (std::string_view rest = response.body; !rest.empty();) {
      static_cast<void>(parse(take_line(rest)));
    }
    return;
  }
  if (!response.content_type.starts_with("application/json")) {
    RK_CHECK(response.status < 400);  // the page's files
    return;
  }
  const value::Document body = parse(response.body);
  if (response.status >= 400) {
    check_error(body.root());
    return;
  }
  if (request.path.ends_with("/multi_get")) {
    const auto results = body.root().find("Results");
    RK_CHECK(results.has_value());
    for (std::size_t i = 0; i < results->size(); ++i) {
      check_part_of_multi_get(results->at(i));
    }
  }
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  Server server;
  for (int i = 0; i < kRequestsMax && !text.empty(); ++i) {
    if (const std::optional<api::Request> request = take_request(text); request.has_value()) {
      check(*request, server.ask(*request));
    }
  }
  RK_CHECK(server.ask(api::Request::make("GET", "/build/version")).status == 200);
  return 0;
}
