// SPDX-License-Identifier: Apache-2.0
#include "execute.h"

#include <algorithm>
#include <utility>

namespace rookery::db {

namespace {

std::optional<std::string_view> view_of(const std::optional<std::string>& text) {
  return text.has_value() ? std::optional<std::string_view>(*text) : std::nullopt;
}

// One overload a command. A result of its own type becomes a CommandResult.
class Execution {
 public:
  explicit Execution(doc::DocumentWriter& writer) : writer_(writer) {}

  Result<CommandResult> operator()(const PutCommand& put) {
    return wrap(
        writer_.put({view_of(put.id), view_of(put.expected_change_vector), put.document,
                     put.skip_if_unchanged, put.version.has_value() ? &*put.version : nullptr}));
  }

  Result<CommandResult> operator()(const DeleteCommand& erase) {
    return wrap(writer_.erase({erase.id, view_of(erase.expected_change_vector)}));
  }

  Result<CommandResult> operator()(const HiLoNextCommand& next) {
    return wrap(writer_.hilo_next(
        {next.tag, next.last_batch_size, next.last_range_at, next.last_max, next.separator}));
  }

  Result<CommandResult> operator()(const HiLoReturnCommand& back) {
    RK_TRY(writer_.hilo_return({back.tag, back.last, back.end}));
    return CommandResult(HiLoReturnResult{});
  }

  Result<CommandResult> operator()(const IdentityNextCommand& next) {
    RK_TRY_ASSIGN(const std::int64_t value, writer_.identity_next(next.name));
    return CommandResult(IdentityResult{value});
  }

  Result<CommandResult> operator()(const IdentitySeedCommand& seed) {
    RK_TRY_ASSIGN(const std::int64_t value,
                  writer_.identity_seed(seed.name, seed.value, seed.force));
    return CommandResult(IdentityResult{value});
  }

  Result<CommandResult> operator()(const PurgeTombstonesCommand& purge) {
    RK_TRY_ASSIGN(const std::uint64_t count,
                  writer_.purge_tombstones(purge.up_to_etag, purge.count_max));
    return CommandResult(PurgeTombstonesResult{count});
  }

 private:
  template <typename T>
  static Result<CommandResult> wrap(Result<T> result) {
    RK_TRY_ASSIGN(T value, std::move(result));
    return CommandResult(std::move(value));
  }

  doc::DocumentWriter& writer_;
};

}  // namespace

Result<BatchResult> execute_batch(doc::DocumentWriter& writer,
                                  const std::vector<Command>& commands) {
  BatchResult batch;
  batch.results.reserve(commands.size());
  Execution execution(writer);
  for (std::size_t i = 0; i < commands.size(); ++i) {
    Result<CommandResult> result = std::visit(execution, commands[i]);
    if (!result) {
      return commands.size() == 1
                 ? result.error()
                 : result.error().with_context("command " + std::to_string(i + 1) + " of " +
                                               std::to_string(commands.size()));
    }
    batch.results.push_back(std::move(*result));
  }
  batch.last_etag = writer.last_etag();
  return batch;
}

bool only_deletes(const std::vector<Command>& commands) noexcept {
  return std::all_of(commands.begin(), commands.end(), [](const Command& command) {
    return std::holds_alternative<DeleteCommand>(command) ||
           std::holds_alternative<PurgeTombstonesCommand>(command);
  });
}

std::uint64_t batch_bytes(const std::vector<Command>& commands) noexcept {
  std::uint64_t bytes = 0;
  for (const Command& command : commands) {
    bytes += sizeof(Command);
    if (const auto* put = std::get_if<PutCommand>(&command); put != nullptr) {
      bytes += put->document.document.bytes().size();
    }
  }
  return bytes;
}

}  // namespace rookery::db
