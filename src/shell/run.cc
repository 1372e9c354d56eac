// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "rookery/os/platform.h"
#include "rookery/shell/shell.h"
#include "rookery/value/json.h"
#include "rookery/value/text.h"

#include "history.h"
#include "server_catalog.h"
#include "session.h"

namespace rookery::shell {

namespace {

constexpr int kExitOk = 0;
constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;
// A key press waits no longer than this for names.
constexpr std::chrono::milliseconds kCompletionTimeout{1500};

class HttpTransport final : public Transport {
 public:
  Result<api::Response> send(const edge::ClientRequest& request) override {
    return edge::http_call(request);
  }
};

Result<SessionOptions> options_of(const ShellArguments& arguments) {
  SessionOptions options;
  options.database = arguments.database;
  options.parameters = arguments.parameters;
  options.page_rows = arguments.page_rows;
  options.keep_going = arguments.keep_going;
  options.wait = arguments.wait;
  if (!value::is_utf8(options.database)) {
    return Error(ErrorCode::invalid_argument, "the database's name is not UTF-8");
  }
  const auto format = format_named(arguments.format);
  if (!format.has_value()) {
    return Error(ErrorCode::invalid_argument,
                 fmt::format("'{}' is no format; table, json and csv are", arguments.format));
  }
  options.format = *format;
  if (options.page_rows == 0 || options.page_rows > kPageRowsMax) {
    return Error(ErrorCode::invalid_argument,
                 fmt::format("--limit takes a number from 1 to {}", kPageRowsMax));
  }
  for (const auto& [name, json] : options.parameters) {
    if (const auto parsed = value::parse_json(json); !parsed.has_value()) {
      return Error(ErrorCode::invalid_argument, fmt::format("the parameter '{}' is no JSON: {}",
                                                            name, parsed.error().message()));
    }
  }
  return options;
}

bool run_at_terminal(Client& client, os::Clock& clock, SessionOptions options) {
  HttpTransport transport;
  Client asker(transport, clock, client.url());
  asker.set_timeout(kCompletionTimeout);
  Session* session = nullptr;
  ServerCatalog catalog(asker, clock,
                        [&] { return session == nullptr ? std::string() : session->database(); });
  const auto completer = [&](std::string_view before_cursor) {
    const std::string pending = session == nullptr ? std::string() : session->pending();
    Completion found = complete(pending + std::string(before_cursor), catalog);
    // What began on an earlier line cannot be changed any more.
    return found.start < pending.size() ? Completion{}
                                        : Completion{.start = found.start - pending.size(),
                                                     .candidates = std::move(found.candidates)};
  };
  auto terminal = make_edit_terminal(default_history_path(), completer);
  if (!terminal.has_value()) {
    fmt::print(stderr, "rookery: {}\n", terminal.error().message());
    return false;
  }
  client.set_cancel_descriptor((*terminal)->cancel_descriptor());
  asker.set_cancel_descriptor((*terminal)->cancel_descriptor());
  const auto version = client.server_version();
  (*terminal)->print(version.has_value()
                         ? fmt::format("Rookery at {} (protocol {}). \\help lists the commands.\n",
                                       client.url(), *version)
                         : fmt::format("warning: {}\n", version.error().message()));
  Session running(client, **terminal, std::move(options));
  session = &running;
  return running.run();
}

bool run_without_terminal(Client& client, const ShellArguments& arguments, SessionOptions options) {
  const std::unique_ptr<Terminal> terminal = make_stream_terminal();
  Session session(client, *terminal, std::move(options));
  if (arguments.execute.empty()) {
    return session.run();
  }
  bool all_well = true;
  for (const std::string& text : arguments.execute) {
    all_well = session.run_text(text) && all_well;
    if (!all_well && !arguments.keep_going) {
      break;
    }
  }
  return all_well;
}

}  // namespace

int run_shell(const ShellArguments& arguments) {
  auto options = options_of(arguments);
  if (!options.has_value()) {
    fmt::print(stderr, "rookery: {}\n", options.error().message());
    return kExitUsage;
  }
  HttpTransport transport;
  os::Clock& clock = os::real_platform().clock;
  Client client(transport, clock, arguments.url);
  const bool all_well = arguments.execute.empty() && is_terminal()
                            ? run_at_terminal(client, clock, std::move(options).value())
                            : run_without_terminal(client, arguments, std::move(options).value());
  return all_well ? kExitOk : kExitFailed;
}

}  // namespace rookery::shell
