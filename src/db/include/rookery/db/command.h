// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "rookery/base/result.h"
#include "rookery/doc/document.h"
#include "rookery/doc/writer.h"
#include "rookery/store/ids.h"

// Purpose. What a client can ask the one writer of a database to do. A new kind of change is a new
// alternative of Command and of CommandResult, and a case in execute.cc.

namespace rookery::db {

struct PutCommand {
  std::optional<std::string> id = {};                      // see doc::PutRequest
  std::optional<std::string> expected_change_vector = {};  // nullopt: no check; "": must not exist
  doc::PreparedDocument document;
  bool skip_if_unchanged = false;
  std::optional<doc::DocumentVersion> version = {};  // see doc::PutRequest
};

struct DeleteCommand {
  std::string id = {};
  std::optional<std::string> expected_change_vector = {};
};

struct HiLoNextCommand {
  std::string tag = {};
  std::uint64_t last_batch_size = 0;
  std::optional<os::WallTime> last_range_at = {};
  std::uint64_t last_max = 0;
  char separator = '/';
};

struct HiLoReturnCommand {
  std::string tag = {};
  std::uint64_t last = 0;
  std::uint64_t end = 0;
};

struct IdentityNextCommand {
  std::string name = {};  // with or without its '|'
};

struct IdentitySeedCommand {
  std::string name = {};
  std::int64_t value = 0;
  bool force = false;
};

// The oldest tombstones with etags up to `up_to_etag`, `count_max` of them at most.
struct PurgeTombstonesCommand {
  std::uint64_t up_to_etag = 0;
  std::uint64_t count_max = 0;
};

using Command = std::variant<PutCommand, DeleteCommand, HiLoNextCommand, HiLoReturnCommand,
                             IdentityNextCommand, IdentitySeedCommand, PurgeTombstonesCommand>;

struct HiLoReturnResult {};

struct IdentityResult {
  std::int64_t value = 0;
};

struct PurgeTombstonesResult {
  std::uint64_t count = 0;
};

// Of the alternative that belongs to the command.
using CommandResult = std::variant<doc::PutResult, doc::DeleteResult, doc::HiLoRange,
                                   HiLoReturnResult, IdentityResult, PurgeTombstonesResult>;

struct BatchResult {
  std::vector<CommandResult> results;  // one a command, in order
  store::TxnId txn;
  std::uint64_t last_etag = 0;  // of the database, after this batch
};

// Purpose. Commands that succeed or fail together. Batches are executed in the order of their
// submission; each is atomic and serialisable.
struct Batch {
  std::vector<Command> commands;
  // Called exactly once, when the outcome is known and (if ok) durable, from whichever thread found
  // it out, perhaps from submit() itself: it must be quick, must not block and must not throw.
  // Errors: those of the first command that failed (then nothing of the batch happened), with the
  // text naming it; too_many (the queue is full), no_space, not_stored, outcome_unknown, poisoned,
  // shutting_down.
  std::function<void(Result<BatchResult>)> done;
};

}  // namespace rookery::db
