// SPDX-License-Identifier: Apache-2.0
#include "moments.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "rookery/base/check.h"

namespace rookery::history {

namespace {

constexpr Span kAlways{0, kLastMoment};

Spans intersection(const Spans& a, const Spans& b) {
  Spans both;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const Span span{std::max(a[i].begin, b[j].begin), std::min(a[i].end, b[j].end)};
    if (span.begin < span.end) {
      both.push_back(span);
    }
    (a[i].end < b[j].end ? i : j) += 1;
  }
  return both;
}

}  // namespace

Floor::Told Floor::before(Time time) const {
  const auto next = std::lower_bound(steps_.begin(), steps_.end(), time,
                                     [](const Told& told, Time t) { return told.time < t; });
  return next == steps_.begin() ? Told{} : *std::prev(next);
}

void Moments::check() {
  find_ceilings();
  std::vector<OpNo> order(history_.operations.size());
  std::iota(order.begin(), order.end(), OpNo{0});
  std::stable_sort(order.begin(), order.end(),
                   [this](OpNo a, OpNo b) { return chains_.settled(a) < chains_.settled(b); });
  for (const Operation& operation : history_.operations) {
    if (operation.kind == Kind::kCrash) {
      crashes_.push_back(&operation);
    }
  }
  for (const OpNo number : order) {
    pass(number);
  }
}

void Moments::find_ceilings() {
  for (OpNo number = 0; number < history_.operations.size(); ++number) {
    if (chains_.moment(number) != kNoMoment) {
      ceilings_.push_back({history_.operations[number].from, chains_.first_etag(number)});
    }
  }
  std::sort(ceilings_.begin(), ceilings_.end(),
            [](const Ceiling& a, const Ceiling& b) { return a.from < b.from; });
  for (std::size_t i = ceilings_.size(); i > 1; --i) {
    ceilings_[i - 2].least = std::min(ceilings_[i - 2].least, ceilings_[i - 1].least);
  }
}

void Moments::pass(OpNo number) {
  const Operation& operation = history_.operations[number];
  if (operation.kind == Kind::kWrite) {
    pass_write(number);
  } else if (operation.outcome == Outcome::kOk) {
    pass_read(number);
  }
}

void Moments::pass_write(OpNo number) {
  const Operation& operation = history_.operations[number];
  const Moment moment = chains_.moment(number);
  if (moment == kNoMoment) {
    // Only a deletion that found nothing says something: it read.
    if (operation.outcome == Outcome::kOk) {
      pass_read(number);
    }
    return;
  }
  const Floor::Told told = floor_.before(operation.from);
  if (chains_.first_etag(number) <= told.moment && told.operation != number) {
    findings_.add({Anomaly::kEtagOrder,
                   "etag " + std::to_string(chains_.first_etag(number)) + " was given when " +
                       std::to_string(told.moment) + " had been seen",
                   {told.operation, number}});
  }
  if (const Time settled = chains_.settled(number); settled != kNever) {
    floor_.tell({settled, moment, number});
  }
  if (operation.outcome == Outcome::kOk) {
    Moment& seen = seen_by_client_[operation.client];
    seen = std::max(seen, moment);
  }
}

Moments::Window Moments::window_of(OpNo number) const {
  const Operation& operation = history_.operations[number];
  Window window{.reader = number, .span = kAlways, .floor = floor_.before(operation.from)};
  window.span.begin = window.floor.moment;
  const auto next =
      std::upper_bound(ceilings_.begin(), ceilings_.end(), operation.to,
                       [](Time time, const Ceiling& ceiling) { return time < ceiling.from; });
  if (next != ceilings_.end()) {
    // An etag out of order is reported where it was given; here it only must not turn the window.
    window.span.end = std::max(next->least, window.span.begin + 1);
  }
  return window;
}

std::vector<Moments::Claim> Moments::rows_of(const Operation& operation) const {
  std::vector<Claim> claims;
  for (const Row& row : operation.found) {
    if (const auto position = chains_.position(row); position.has_value()) {
      claims.push_back({.id = row.id, .what = What::kIs, .position = *position});
    }
  }
  return claims;
}

std::vector<NameNo> Moments::not_found(const Operation& operation,
                                       const std::vector<NameNo>& candidates) const {
  std::unordered_set<NameNo> found;
  for (const Row& row : operation.found) {
    found.insert(row.id);
  }
  std::vector<NameNo> rest;
  std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(rest),
               [&](NameNo id) { return !found.contains(id); });
  return rest;
}

void Moments::pass_read(OpNo number) {
  const Operation& operation = history_.operations[number];
  const Window window = window_of(number);
  std::vector<Claim> claims = rows_of(operation);
  for (const NameNo id : operation.missing) {
    claims.push_back({.id = id, .what = What::kAbsent});
  }
  for (const Command& command : operation.commands) {
    if (command.found_nothing) {
      claims.push_back({.id = command.id, .what = What::kAbsent});
    }
  }
  if (operation.kind == Kind::kPrefix) {
    const auto all = chains_.ids_with_prefix(history_.names.text(operation.name));
    for (const NameNo id : not_found(operation, all)) {
      claims.push_back({.id = id, .what = What::kAbsent});
    }
  }
  if (operation.kind == Kind::kQuery) {
    pass_query(window, std::move(claims));
    return;
  }
  const Spans moments = narrow(window, {window.span}, claims);
  if (moments.empty()) {
    explain(window, claims);
    return;
  }
  if (!claims.empty()) {
    conclude(window, moments);
  }
}

void Moments::conclude(const Window& window, const Spans& moments) {
  const Operation& operation = history_.operations[window.reader];
  const Moment least = moments.front().begin;
  floor_.tell({operation.to, least, window.reader});
  Moment& seen = seen_by_client_[operation.client];
  seen = std::max(seen, least);
}

// The rows are of one moment. What else the answer says depends on what it says of itself: not
// stale, it is that moment's; after a wait the index may be of another moment, but of one that was
// not over when the query began.
void Moments::pass_query(const Window& window, std::vector<Claim> claims) {
  const Operation& operation = history_.operations[window.reader];
  Spans moments = narrow(window, {window.span}, claims);
  if (moments.empty()) {
    explain(window, claims);
    return;
  }
  if (operation.stale) {
    conclude(window, moments);
    return;
  }
  pass_matches(window);
  for (const NameNo id : not_found(operation, chains_.ids_matching(operation.name))) {
    const Claim claim{.id = id, .what = What::kNotMatching, .match = operation.name};
    const Spans narrowed = narrow(window, operation.waits ? Spans{window.span} : moments, {claim});
    if (narrowed.empty()) {
      const Moment moment = operation.waits ? window.span.begin : moments.front().begin;
      findings_.add({Anomaly::kIncompleteQuery,
                     name(id) + " is missing, which matched all the time",
                     {chains_.at(id, moment).operation, window.reader}});
      return;
    }
    if (!operation.waits) {
      moments = narrowed;
    }
  }
  if (!claims.empty()) {
    conclude(window, moments);
  }
}

void Moments::pass_matches(const Window& window) {
  const Operation& operation = history_.operations[window.reader];
  for (const Row& row : operation.found) {
    const auto position = chains_.position(row);
    if (!position.has_value()) {
      continue;
    }
    const Change& change = chains_.of(row.id)[*position];
    const Claim claim{.id = row.id, .what = What::kMatching, .match = operation.name};
    const bool matches = change.match == operation.name ||
                         (operation.waits && !moments_of(claim, window.span, operation.to).empty());
    if (!matches) {
      findings_.add({Anomaly::kUnmatchedRow,
                     name(row.id) + " is shown as " + name(row.value) + ", which does not match",
                     {change.operation, window.reader}});
    }
  }
}

bool Moments::holds(const Claim& claim, std::int64_t index, Time until) const {
  const Chain& chain = chains_.of(claim.id);
  const bool is_absent = index < 0 || chain[static_cast<std::size_t>(index)].is_delete;
  const bool matches = !is_absent && chain[static_cast<std::size_t>(index)].match == claim.match;
  switch (claim.what) {
    case What::kIs:
      break;
    case What::kAbsent:
      return is_absent || chains_.may_hide_delete(claim.id, index, until);
    case What::kMatching:
      return matches || chains_.may_hide_change(claim.id, index, until);
    case What::kNotMatching:
      return !matches || chains_.may_hide_change(claim.id, index, until);
  }
  return false;
}

Spans Moments::moments_of(const Claim& claim, Span within, Time until) const {
  const Chain& chain = chains_.of(claim.id);
  Spans spans;
  if (claim.what == What::kIs) {
    const std::size_t next = claim.position + std::size_t{1};
    const Span span{std::max(within.begin, chain[claim.position].moment),
                    std::min(within.end, next < chain.size() ? chain[next].moment : kLastMoment)};
    return span.begin < span.end ? Spans{span} : Spans{};
  }
  const auto first =
      std::upper_bound(chain.begin(), chain.end(), within.begin,
                       [](Moment moment, const Change& change) { return moment < change.moment; });
  for (auto index = static_cast<std::int64_t>(first - chain.begin()) - 1;
       index < static_cast<std::int64_t>(chain.size()); ++index) {
    const auto next = static_cast<std::size_t>(index + 1);
    const Span span{
        std::max(within.begin, index < 0 ? 0 : chain[static_cast<std::size_t>(index)].moment),
        std::min(within.end, next < chain.size() ? chain[next].moment : kLastMoment)};
    if (span.begin >= within.end) {
      break;
    }
    if (span.begin < span.end && holds(claim, index, until)) {
      spans.push_back(span);
    }
  }
  return spans;
}

Spans Moments::narrow(const Window& window, Spans spans, const std::vector<Claim>& claims) const {
  const Time until = history_.operations[window.reader].to;
  for (const Claim& claim : claims) {
    if (spans.empty()) {
      break;
    }
    const Span around{spans.front().begin, spans.back().end};
    spans = intersection(spans, moments_of(claim, around, until));
  }
  return spans;
}

std::string Moments::shown(const Claim& claim) const {
  if (claim.what != What::kIs) {
    return "no " + name(claim.id);
  }
  return name(claim.id) + " at " +
         version_text(chains_.of(claim.id)[claim.position].version, history_.names);
}

// No moment of the window fits all claims. Two of them that no moment at all fits say most.
void Moments::explain(const Window& window, const std::vector<Claim>& claims) {
  for (const Claim& newer : claims) {
    for (const Claim& older : claims) {
      if (explain_pair(window, newer, older)) {
        return;
      }
    }
  }
  for (const Claim& claim : claims) {
    if (explain_stale(window, claim)) {
      return;
    }
  }
  // Each fits alone. An etag that does not follow time is reported where it was given; what is
  // left is a read whose documents share no moment after what was answered.
  const bool fits_alone = std::all_of(claims.begin(), claims.end(), [&](const Claim& claim) {
    return !moments_of(claim, window.span, history_.operations[window.reader].to).empty();
  });
  if (fits_alone) {
    findings_.add({Anomaly::kMixedMoments,
                   "no moment since " + std::to_string(window.span.begin) + " shows all of it",
                   {window.floor.operation, window.reader}});
  }
}

bool Moments::explain_pair(const Window& window, const Claim& newer, const Claim& older) {
  if (newer.what != What::kIs || newer.id == older.id) {
    return false;
  }
  const Time until = history_.operations[window.reader].to;
  const Change& seen = chains_.of(newer.id)[newer.position];
  const Spans spans = moments_of(older, {0, seen.moment}, until);
  const Spans all = moments_of(older, kAlways, until);
  if (spans.empty() || !intersection(all, moments_of(newer, kAlways, until)).empty()) {
    return false;
  }
  // What ended the older one's time.
  const Chain& chain = chains_.of(older.id);
  const auto next =
      std::lower_bound(chain.begin(), chain.end(), spans.back().end,
                       [](const Change& change, Moment moment) { return change.moment < moment; });
  if (next == chain.end()) {
    return false;  // it outlives the newer one, whose etag does not follow time: see kEtagOrder
  }
  const Chain& newer_chain = chains_.of(newer.id);
  const bool one_batch =
      std::any_of(newer_chain.begin(), newer_chain.begin() + newer.position + 1,
                  [&](const Change& change) { return change.operation == next->operation; });
  std::vector<OpNo> proof{next->operation};
  if (seen.operation != next->operation) {
    proof.push_back(seen.operation);
  }
  proof.push_back(window.reader);
  findings_.add({one_batch ? Anomaly::kFracturedRead : Anomaly::kMixedMoments,
                 shown(newer) + " was never there together with " + shown(older),
                 std::move(proof)});
  return true;
}

bool Moments::explain_stale(const Window& window, const Claim& claim) {
  const Operation& reader = history_.operations[window.reader];
  if (!moments_of(claim, window.span, reader.to).empty()) {
    return false;
  }
  // The change that the read should have shown, or one that came before that.
  const Chain& chain = chains_.of(claim.id);
  const Spans older = moments_of(claim, {0, window.span.begin}, reader.to);
  const Moment end = older.empty() ? window.span.begin : older.back().end;
  const auto hidden =
      std::lower_bound(chain.begin(), chain.end(), end,
                       [](const Change& change, Moment moment) { return change.moment < moment; });
  if (older.empty() || hidden == chain.end() || hidden->moment > window.floor.moment) {
    return false;  // it shows what is newer than the window: see kEtagOrder
  }
  const Operation& write = history_.operations[hidden->operation];
  const bool was_answered = write.outcome == Outcome::kOk && write.to < reader.from;
  const Time told = was_answered ? write.to : window.floor.time;
  std::vector<OpNo> proof{hidden->operation};
  if (!was_answered && window.floor.operation != hidden->operation) {
    proof.push_back(window.floor.operation);
  }
  proof.push_back(window.reader);
  findings_.add(
      {stale_class(window, *hidden, told),
       shown(claim) + " is shown, which change " + std::to_string(hidden->moment) + " had replaced",
       std::move(proof)});
  return true;
}

Anomaly Moments::stale_class(const Window& window, const Change& hidden, Time told) const {
  const Operation& reader = history_.operations[window.reader];
  if (hidden.is_delete) {
    return Anomaly::kResurrection;
  }
  const bool crashed = std::any_of(crashes_.begin(), crashes_.end(), [&](const Operation* crash) {
    return crash->to > told && crash->to <= reader.from;
  });
  if (crashed) {
    return Anomaly::kLostWrite;
  }
  const auto seen = seen_by_client_.find(reader.client);
  return seen != seen_by_client_.end() && seen->second >= hidden.moment ? Anomaly::kNonMonotonicRead
                                                                        : Anomaly::kStaleRead;
}

}  // namespace rookery::history
