// SPDX-License-Identifier: Apache-2.0
#include "model.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "rookery/base/prng.h"

namespace rookery::history {

namespace {

constexpr auto kFaultNames = std::to_array<std::string_view>(
    {"none", "reads-in-two-steps", "batches-in-two-steps", "old-snapshots",
     "rolls-back-in-the-open", "ignores-expectations", "forgets-in-crashes", "forgets-deletions",
     "reuses-etags", "index-misses-documents", "reuses-numbers"});

constexpr std::uint32_t kGroups = 5;
constexpr std::uint32_t kMatches = 3;
constexpr std::uint64_t kFaultOneIn = 20;

struct Stored {
  NameNo value = 0;
  NameNo match = 0;
  Version version{};
};

using State = std::map<NameNo, Stored>;

// Purpose. The run of all clients, a step of one of them at a time.
class Model {
 public:
  Model(const ModelOptions& options, History& history)
      : options_(options), history_(history), random_(options.seed), clients_(options.clients) {
    source_ = history.names.number("A:-model");
    for (std::uint32_t i = 0; i < options.documents; ++i) {
      ids_.push_back(
          history.names.number("g" + std::to_string(i % kGroups) + "/" + std::to_string(i)));
    }
    for (std::uint32_t i = 0; i < kMatches; ++i) {
      matches_.push_back(history.names.number("m" + std::to_string(i)));
    }
  }

  void run() {
    while (history_.operations.size() < options_.operations) {
      if (options_.crash_one_in != 0 && random_.chance(options_.crash_one_in)) {
        crash();
      } else if (!late_.empty() && random_.chance(8)) {
        finish_late();
      } else {
        step(static_cast<std::uint32_t>(random_.below(clients_.size())));
      }
    }
    // What was seen must be in the history.
    for (std::uint32_t number = 0; number < clients_.size(); ++number) {
      while (clients_[number].stage != Stage::kIdle) {
        step(number);
      }
    }
  }

 private:
  enum class Stage : std::uint8_t { kIdle, kAsked, kHalfDone, kDone };

  struct Client {
    Stage stage = Stage::kIdle;
    Operation operation;
    State before;                    // of a batch in two steps that is refused
    std::map<NameNo, Version> seen;  // what it expects its writes to replace
  };

  bool strikes(ModelFault fault) { return options_.fault == fault && random_.chance(kFaultOneIn); }

  NameNo any_id() { return ids_[random_.below(ids_.size())]; }

  void step(std::uint32_t number) {
    Client& client = clients_[number];
    switch (client.stage) {
      case Stage::kIdle:
        client.operation = ask(client, number);
        client.stage = Stage::kAsked;
        return;
      case Stage::kAsked:
        if (random_.chance(100)) {
          give_up(client);
          return;
        }
        client.stage = act(client) ? Stage::kDone : Stage::kHalfDone;
        return;
      case Stage::kHalfDone:
        act_again(client);
        client.stage = Stage::kDone;
        return;
      case Stage::kDone:
        answer(client);
        return;
    }
  }

  Operation ask(Client& client, std::uint32_t number) {
    Operation operation;
    operation.client = number;
    operation.from = ++now_;
    const std::uint64_t draw = random_.below(20);
    if (draw < 8) {
      operation.kind = Kind::kWrite;
      const std::uint64_t count = 1 + random_.below(3);
      for (std::uint64_t i = 0; i < count; ++i) {
        operation.commands.push_back(command(client));
      }
    } else if (draw < 14) {
      operation.kind = Kind::kLoad;
      for (std::uint64_t i = 1 + random_.below(4); i > 0; --i) {
        operation.missing.push_back(any_id());  // sorted out when it acts
      }
    } else if (draw < 16) {
      operation.kind = Kind::kPrefix;
      operation.name = history_.names.number("g" + std::to_string(random_.below(kGroups)) + "/");
    } else if (draw < 18) {
      operation.kind = Kind::kQuery;
      operation.name = matches_[random_.below(kMatches)];
      operation.waits = random_.chance(2);
      operation.stale = !operation.waits && random_.chance(2);
    } else {
      operation.kind = random_.chance(2) ? Kind::kIdentity : Kind::kHiLo;
      operation.name = history_.names.number("numbers|");
    }
    return operation;
  }

  Command command(Client& client) {
    Command command;
    command.id = any_id();
    command.is_delete = random_.chance(6);
    if (!command.is_delete) {
      command.value = history_.names.number("v" + std::to_string(++values_));
      command.match = matches_[random_.below(kMatches)];
    }
    const auto seen = client.seen.find(command.id);
    if (seen != client.seen.end() && random_.chance(2)) {
      command.expects = seen->second;
    } else if (random_.chance(8)) {
      command.expects = Version{};
    }
    return command;
  }

  // False: a part is left for act_again().
  bool act(Client& client) {
    Operation& operation = client.operation;
    if (operation.kind == Kind::kWrite) {
      return write(client);
    }
    const bool in_two = options_.fault == ModelFault::kReadsInTwoSteps;
    read(operation, strikes(ModelFault::kOldSnapshots) ? old_ : state_, in_two ? 1U : 0U);
    return !in_two;
  }

  void act_again(Client& client) {
    Operation& operation = client.operation;
    if (operation.kind != Kind::kWrite) {
      read(operation, state_, 2);
    } else if (operation.outcome == Outcome::kRefused) {
      for (const Command& command : operation.commands) {
        restore(client.before, command.id);
      }
    } else {
      for (std::size_t i = 1; i < operation.commands.size(); ++i) {
        apply(operation.commands[i]);
      }
    }
  }

  void restore(const State& before, NameNo id) {
    const auto found = before.find(id);
    if (found == before.end()) {
      state_.erase(id);
    } else {
      state_[id] = found->second;
    }
  }

  bool write(Client& client) {
    Operation& operation = client.operation;
    const State before = state_;
    const std::uint64_t etag_before = etag_;
    const bool lax = strikes(ModelFault::kIgnoresExpectations);
    for (std::size_t i = 0; i < operation.commands.size(); ++i) {
      Command& command = operation.commands[i];
      if (!lax && !meets(command)) {
        return refuse(client, before, etag_before);
      }
      if (options_.fault == ModelFault::kBatchesInTwoSteps && i > 0) {
        continue;
      }
      apply(command);
    }
    remember(before);
    return options_.fault != ModelFault::kBatchesInTwoSteps || operation.commands.size() == 1;
  }

  bool refuse(Client& client, const State& before, std::uint64_t etag_before) {
    client.operation.outcome = Outcome::kRefused;
    for (Command& command : client.operation.commands) {
      command.version = {};
      command.found_nothing = false;
    }
    if (options_.fault == ModelFault::kRollsBackInTheOpen) {
      client.before = before;
      return false;
    }
    state_ = before;
    etag_ = etag_before;
    return true;
  }

  [[nodiscard]] bool meets(const Command& command) const {
    const auto found = state_.find(command.id);
    return !command.expects.has_value() ||
           (found == state_.end() ? !command.expects->known()
                                  : found->second.version == *command.expects);
  }

  void apply(Command& command) {
    const auto found = state_.find(command.id);
    if (command.is_delete && found == state_.end()) {
      command.found_nothing = true;
      return;
    }
    if (!strikes(ModelFault::kReusesEtags) || etag_ == 0) {
      ++etag_;
    }
    command.version = {etag_, source_};
    if (!command.is_delete) {
      state_[command.id] = {command.value, command.match, command.version};
    } else if (!strikes(ModelFault::kForgetsDeletions)) {
      state_.erase(found);
    }
  }

  void remember(const State& before) {
    before_last_write_ = before;
    if (random_.chance(30)) {
      old_ = before;
    }
  }

  void read(Operation& operation, const State& state, unsigned half) {
    if (operation.kind == Kind::kLoad) {
      load(operation, state, half);
    } else if (operation.kind == Kind::kPrefix || operation.kind == Kind::kQuery) {
      scan(operation, state, half);
    } else if (half < 2) {
      operation.low = strikes(ModelFault::kReusesNumbers) ? number_ : number_ + 1;
      operation.high = operation.low + (operation.kind == Kind::kHiLo ? 31U : 0U);
      number_ = operation.high;
    }
  }

  void load(Operation& operation, const State& state, unsigned half) {
    const std::vector<NameNo> ids = std::exchange(operation.missing, {});
    for (std::size_t i = 0; i < ids.size(); ++i) {
      // Not this half's: stays as it is, an id to be looked for.
      const bool is_later = half == 1 && i % 2 == 1;
      const auto found = state.find(ids[i]);
      if (is_later || found == state.end()) {
        operation.missing.push_back(ids[i]);
      } else {
        operation.found.push_back({ids[i], found->second.value, found->second.version});
      }
    }
  }

  void scan(Operation& operation, const State& state, unsigned half) {
    const std::string_view prefix = history_.names.text(operation.name);
    for (const auto& [id, stored] : state) {
      if (half != 0 && id % 2 != half % 2) {
        continue;
      }
      const bool is_asked_for = operation.kind == Kind::kPrefix
                                    ? history_.names.text(id).starts_with(prefix)
                                    : stored.match == operation.name;
      const bool is_missed =
          operation.kind == Kind::kQuery &&
          ((operation.stale && random_.chance(4)) || strikes(ModelFault::kIndexMissesDocuments));
      if (is_asked_for && !is_missed) {
        operation.found.push_back({id, stored.value, stored.version});
      }
    }
  }

  void answer(Client& client) {
    Operation& operation = client.operation;
    operation.to = ++now_;
    for (const Row& row : operation.found) {
      client.seen[row.id] = row.version;
    }
    if (operation.kind == Kind::kWrite && operation.outcome == Outcome::kOk) {
      for (Command& command : operation.commands) {
        // As a plain deletion is answered.
        if (operation.commands.size() == 1 && command.is_delete && random_.chance(4)) {
          command.version = {};
          command.found_nothing = false;
        }
      }
    }
    finish(client);
  }

  void finish(Client& client) {
    history_.operations.push_back(std::move(client.operation));
    client.operation = {};
    client.stage = Stage::kIdle;
  }

  // Nobody waits for the answer; what was asked for may still happen, until the next crash.
  void give_up(Client& client) {
    if (client.operation.kind == Kind::kWrite) {
      late_.push_back(client.operation);
    }
    lose(client);
  }

  void lose(Client& client) {
    client.operation.outcome = Outcome::kUnknown;
    client.operation.to = ++now_;
    client.operation.found.clear();
    client.operation.missing.clear();
    for (Command& command : client.operation.commands) {
      command.version = {};
      command.found_nothing = false;
    }
    finish(client);
  }

  void finish_late() {
    Client nobody;
    nobody.operation = std::move(late_.back());
    late_.pop_back();
    if (random_.chance(2)) {
      static_cast<void>(write(nobody));
    }
  }

  void crash() {
    Operation crash{.kind = Kind::kCrash, .from = ++now_};
    if (options_.fault == ModelFault::kForgetsInCrashes) {
      state_ = before_last_write_;
    }
    for (Client& client : clients_) {
      if (client.stage != Stage::kIdle) {
        lose(client);
      }
    }
    late_.clear();
    crash.to = ++now_;
    history_.operations.push_back(std::move(crash));
  }

  const ModelOptions options_;
  History& history_;
  Prng random_;
  std::vector<Client> clients_;
  std::vector<NameNo> ids_;
  std::vector<NameNo> matches_;
  NameNo source_ = 0;
  State state_;
  State old_;
  State before_last_write_;
  std::vector<Operation> late_;
  std::uint64_t etag_ = 0;
  std::uint64_t values_ = 0;
  std::uint64_t number_ = 0;
  Time now_ = 0;
};

}  // namespace

std::string_view model_fault_name(ModelFault fault) noexcept {
  return kFaultNames.at(static_cast<std::size_t>(fault));
}

std::optional<ModelFault> model_fault_named(std::string_view name) noexcept {
  const auto* const found = std::find(kFaultNames.begin(), kFaultNames.end(), name);
  return found == kFaultNames.end()
             ? std::nullopt
             : std::optional(static_cast<ModelFault>(std::distance(kFaultNames.begin(), found)));
}

void make_model_history(const ModelOptions& options, History& into) {
  Model(options, into).run();
}

}  // namespace rookery::history
