// SPDX-License-Identifier: Apache-2.0
#include "chains.h"

#include <algorithm>
#include <tuple>
#include <unordered_set>

#include "rookery/base/check.h"

namespace rookery::history {

namespace {

bool may_have_happened(const Operation& operation) {
  return operation.kind == Kind::kWrite && operation.outcome != Outcome::kRefused;
}

}  // namespace

Result<void> Chains::build() {
  docs_.assign(history_.names.size(), kNone);
  RK_TRY(find_puts());
  find_settled();
  for (OpNo number = 0; number < history_.operations.size(); ++number) {
    see_rows(number);
  }
  find_moments();
  check_etags();
  link();
  return {};
}

std::uint32_t Chains::doc(NameNo id) {
  std::uint32_t& number = docs_[id];
  if (number == kNone) {
    number = static_cast<std::uint32_t>(ids_.size());
    ids_.push_back(id);
    chains_.emplace_back();
    floating_deletes_.emplace_back();
    floating_changes_.emplace_back();
  }
  return number;
}

Result<void> Chains::find_puts() {
  puts_.assign(history_.names.size(), {});
  for (OpNo number = 0; number < history_.operations.size(); ++number) {
    const Operation& operation = history_.operations[number];
    for (std::uint32_t i = 0; i < operation.commands.size(); ++i) {
      const Command& command = operation.commands[i];
      if (command.is_delete) {
        continue;
      }
      Put& put = puts_[command.value];
      if (put.operation != kNone) {
        return Error(ErrorCode::malformed,
                     "two puts of the history have the value " + name(command.value));
      }
      put.operation = number;
      put.command = i;
      put.version = command.version;
    }
  }
  return {};
}

void Chains::find_settled() {
  std::vector<Time> crashes;
  for (const Operation& operation : history_.operations) {
    if (operation.kind == Kind::kCrash) {
      crashes.push_back(operation.to);
    }
  }
  std::sort(crashes.begin(), crashes.end());
  settled_.reserve(history_.operations.size());
  for (const Operation& operation : history_.operations) {
    if (operation.outcome != Outcome::kUnknown) {
      settled_.push_back(operation.to);
      continue;
    }
    const auto next = std::upper_bound(crashes.begin(), crashes.end(), operation.from);
    settled_.push_back(next == crashes.end() ? kNever : *next);
  }
}

void Chains::see_rows(OpNo number) {
  const Operation& operation = history_.operations[number];
  if (operation.outcome != Outcome::kOk) {
    return;
  }
  for (const Row& row : operation.found) {
    see_row(number, row);
  }
}

void Chains::see_row(OpNo reader, const Row& row) {
  Put& put = puts_[row.value];
  const bool is_written = put.operation != kNone &&
                          history_.operations[put.operation].commands[put.command].id == row.id;
  if (!is_written) {
    findings_.add({Anomaly::kUnwrittenRead,
                   name(row.id) + " is shown with " + name(row.value) + ", which nobody put there",
                   {reader}});
    return;
  }
  const Operation& read = history_.operations[reader];
  const Operation& write = history_.operations[put.operation];
  const std::string what = name(row.value) + " of " + name(row.id);
  if (read.to < write.from) {
    findings_.add(
        {Anomaly::kFutureRead, what + " is read before its write", {reader, put.operation}});
    return;
  }
  if (write.outcome == Outcome::kRefused) {
    const bool is_over = write.to < read.from;
    findings_.add({is_over ? Anomaly::kRefusedApplied : Anomaly::kDirtyRead,
                   what + (is_over ? " is there after its write was refused"
                                   : " is read while its write is under way, which is refused"),
                   {put.operation, reader}});
    return;
  }
  if (!is_last_of_batch(write, put.command)) {
    findings_.add({Anomaly::kIntermediateRead,
                   what + " is replaced by its own batch, and is read",
                   {put.operation, reader}});
  }
  if (!put.version.known()) {
    put.version = row.version;
  } else if (!(put.version == row.version)) {
    findings_.add({Anomaly::kVersionChanged,
                   what + " has the change vector " + version_text(put.version, history_.names) +
                       " and then " + version_text(row.version, history_.names),
                   {put.operation, reader}});
  }
}

bool Chains::is_last_of_batch(const Operation& operation, std::size_t command) const {
  for (std::size_t i = command + 1; i < operation.commands.size(); ++i) {
    if (operation.commands[i].id == operation.commands[command].id) {
      return false;
    }
  }
  return true;
}

Version Chains::version_of(const Command& command) const {
  return command.is_delete ? command.version : puts_[command.value].version;
}

void Chains::find_moments() {
  moments_.assign(history_.operations.size(), kNoMoment);
  first_etags_.assign(history_.operations.size(), kNoMoment);
  for (OpNo number = 0; number < history_.operations.size(); ++number) {
    const Operation& operation = history_.operations[number];
    if (!may_have_happened(operation)) {
      continue;
    }
    for (const Command& command : operation.commands) {
      const Version version = version_of(command);
      if (!version.known()) {
        continue;
      }
      if (version.etag < moments_[number]) {
        findings_.add({Anomaly::kEtagOrder, "the etags of one batch do not go up", {number}});
      }
      moments_[number] = std::max(moments_[number], version.etag);
      first_etags_[number] = first_etags_[number] == kNoMoment
                                 ? version.etag
                                 : std::min(first_etags_[number], version.etag);
    }
  }
}

void Chains::check_etags() {
  struct Etag {
    std::uint64_t etag;
    OpNo operation;
  };

  std::vector<Etag> etags;
  for (OpNo number = 0; number < history_.operations.size(); ++number) {
    if (moments_[number] == kNoMoment) {
      continue;
    }
    for (const Command& command : history_.operations[number].commands) {
      if (const Version version = version_of(command); version.known()) {
        etags.push_back({version.etag, number});
      }
    }
  }
  std::stable_sort(etags.begin(), etags.end(),
                   [](const Etag& a, const Etag& b) { return a.etag < b.etag; });
  for (std::size_t i = 1; i < etags.size(); ++i) {
    const Etag& before = etags[i - 1];
    const Etag& here = etags[i];
    if (before.etag == here.etag) {
      findings_.add({Anomaly::kVersionReused,
                     "the etag " + std::to_string(here.etag) + " stands for two changes",
                     {before.operation, here.operation}});
    } else if (before.operation != here.operation && moments_[before.operation] > here.etag) {
      findings_.add({Anomaly::kInterleavedBatch,
                     "the etag " + std::to_string(here.etag) + " lies within another batch",
                     {before.operation, here.operation}});
    }
  }
}

void Chains::link() {
  for (OpNo number = 0; number < history_.operations.size(); ++number) {
    if (may_have_happened(history_.operations[number])) {
      link_operation(number);
    }
  }
  sort_chains();
  for (const NameNo id : ids_) {
    check_expectations(id);
  }
}

void Chains::link_operation(OpNo number) {
  const Operation& operation = history_.operations[number];
  for (std::uint32_t i = 0; i < operation.commands.size(); ++i) {
    const Command& command = operation.commands[i];
    const std::uint32_t at = doc(command.id);
    if (moments_[number] != kNoMoment) {
      chains_[at].push_back({.operation = number,
                             .command = i,
                             .value = command.value,
                             .match = command.match,
                             .is_delete = command.is_delete,
                             .version = version_of(command),
                             .moment = moments_[number]});
    } else if (!command.found_nothing) {
      const Floating floating{operation.from, settled_[number]};
      floating_changes_[at].push_back(floating);
      if (command.is_delete) {
        floating_deletes_[at].push_back(floating);
      }
    }
  }
}

void Chains::sort_chains() {
  const auto by_from = [](const Floating& a, const Floating& b) { return a.from < b.from; };
  for (std::uint32_t at = 0; at < chains_.size(); ++at) {
    for (auto* floating : {&floating_deletes_[at], &floating_changes_[at]}) {
      std::sort(floating->begin(), floating->end(), by_from);
      Time latest = 0;
      for (Floating& one : *floating) {
        one.settled_max = latest = std::max(latest, one.settled_max);
      }
    }
    Chain& chain = chains_[at];
    std::sort(chain.begin(), chain.end(), [](const Change& a, const Change& b) {
      return std::tie(a.moment, a.operation, a.command) <
             std::tie(b.moment, b.operation, b.command);
    });
    std::unordered_set<NameNo> matches;
    for (std::uint32_t i = 0; i < chain.size(); ++i) {
      const Change& change = chain[i];
      const bool is_shown = i + 1 == chain.size() || chain[i + 1].operation != change.operation;
      if (!change.is_delete && is_shown) {
        puts_[change.value].position = i;
      }
      if (change.match != 0 && matches.insert(change.match).second) {
        matching_[change.match].push_back(ids_[at]);
      }
    }
  }
  sorted_ids_ = ids_;
  std::sort(sorted_ids_.begin(), sorted_ids_.end(),
            [this](NameNo a, NameNo b) { return history_.names.text(a) < history_.names.text(b); });
}

std::optional<std::uint32_t> Chains::position(const Row& row) const {
  const Put& put = puts_[row.value];
  if (put.position == kNone ||
      history_.operations[put.operation].commands[put.command].id != row.id) {
    return std::nullopt;
  }
  return put.position;
}

const Change& Chains::at(NameNo id, Moment moment) const {
  const Chain& chain = of(id);
  const auto next =
      std::upper_bound(chain.begin(), chain.end(), moment,
                       [](Moment wanted, const Change& change) { return wanted < change.moment; });
  RK_CHECK(next != chain.begin());
  return *std::prev(next);
}

bool Chains::may_hide(const std::vector<Floating>& floating, NameNo id, std::int64_t index,
                      Time until) const {
  const Chain& chain = of(id);
  const auto next = static_cast<std::size_t>(index + 1);
  const Time latest =
      next < chain.size() ? std::min(until, settled_[chain[next].operation]) : until;
  const Time earliest =
      index < 0 ? 0 : history_.operations[chain[static_cast<std::size_t>(index)].operation].from;
  const auto end = std::upper_bound(floating.begin(), floating.end(), latest,
                                    [](Time time, const Floating& one) { return time < one.from; });
  return end != floating.begin() && std::prev(end)->settled_max >= earliest;
}

bool Chains::may_hide_delete(NameNo id, std::int64_t index, Time until) const {
  return docs_[id] != kNone && may_hide(floating_deletes_[docs_[id]], id, index, until);
}

bool Chains::may_hide_change(NameNo id, std::int64_t index, Time until) const {
  return docs_[id] != kNone && may_hide(floating_changes_[docs_[id]], id, index, until);
}

const std::vector<NameNo>& Chains::ids_matching(NameNo match) const {
  const auto found = matching_.find(match);
  return found == matching_.end() ? no_ids_ : found->second;
}

std::vector<NameNo> Chains::ids_with_prefix(std::string_view prefix) const {
  auto at = std::lower_bound(
      sorted_ids_.begin(), sorted_ids_.end(), prefix,
      [this](NameNo id, std::string_view text) { return history_.names.text(id) < text; });
  std::vector<NameNo> ids;
  for (; at != sorted_ids_.end() && history_.names.text(*at).starts_with(prefix); ++at) {
    ids.push_back(*at);
  }
  return ids;
}

// Writes that named what they replace. One pass over a chain: who was the first to name a version,
// and who was the last to find the document absent.
void Chains::check_expectations(NameNo id) {
  const Chain& chain = of(id);
  std::unordered_map<std::uint64_t, std::uint32_t> first_by_version;
  std::uint32_t creator = kNone;
  for (std::uint32_t i = 0; i < chain.size(); ++i) {
    const Command& command = history_.operations[chain[i].operation].commands[chain[i].command];
    const bool was_absent = i == 0 || chain[i - 1].is_delete;
    if (was_absent) {
      creator = kNone;
    }
    if (command.found_nothing) {
      check_absence(id, i);
    }
    if (!command.expects.has_value()) {
      continue;
    }
    if (!command.expects->known()) {
      const bool hidden = may_hide_delete(id, std::int64_t{i} - 1, settled_[chain[i].operation]);
      if (!was_absent && !hidden) {
        check_version(id, i, creator);
      }
      creator = i;
      continue;
    }
    const auto [first, is_first] = first_by_version.emplace(command.expects->etag, i);
    const bool is_exact = i > 0 && chain[i - 1].version == *command.expects;
    if (!is_exact) {
      check_version(id, i, is_first ? kNone : first->second);
    }
  }
}

void Chains::check_version(NameNo id, std::uint32_t index, std::uint32_t rival) {
  const Chain& chain = of(id);
  const Change& change = chain[index];
  const Command& command = history_.operations[change.operation].commands[change.command];
  const std::string wanted = command.expects->known()
                                 ? version_text(*command.expects, history_.names)
                                 : std::string("its absence");
  const std::string what = version_text(change.version, history_.names) + " of " + name(id);
  if (rival != kNone) {
    findings_.add({Anomaly::kBrokenConcurrency,
                   version_text(chain[rival].version, history_.names) + " and " + what +
                       " both replace " + wanted,
                   {chain[rival].operation, change.operation}});
    return;
  }
  std::vector<OpNo> proof;
  if (index > 0) {
    proof.push_back(chain[index - 1].operation);
  }
  proof.push_back(change.operation);
  const bool had_nothing = index == 0 || chain[index - 1].is_delete;
  findings_.add({Anomaly::kLostUpdate,
                 what + " asked for " + wanted + " and replaced " +
                     (had_nothing ? std::string("nothing")
                                  : version_text(chain[index - 1].version, history_.names)),
                 std::move(proof)});
}

// A deletion that found nothing, in a batch whose place is known.
void Chains::check_absence(NameNo id, std::uint32_t index) {
  const Chain& chain = of(id);
  if (index == 0 || chain[index - 1].is_delete ||
      may_hide_delete(id, std::int64_t{index} - 1, settled_[chain[index].operation])) {
    return;
  }
  findings_.add({Anomaly::kStaleRead,
                 "a deletion of " + name(id) + " found nothing where " +
                     version_text(chain[index - 1].version, history_.names) + " was",
                 {chain[index - 1].operation, chain[index].operation}});
}

}  // namespace rookery::history
