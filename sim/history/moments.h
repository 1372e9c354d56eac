// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "chains.h"
#include "findings.h"
#include "operation.h"

// Purpose. Whether each read shows one moment, and one that time allows: not before anything that
// was answered to anybody before the read began. Whether etags follow time.
//
// Operations are gone through in the order in which they ended. The *floor* of a time is the latest
// moment that somebody had been told of by then; the *ceiling*, the last moment before any write
// that began later. Between the two a moment must exist at which every document was as the read
// says.

namespace rookery::history {

// Purpose. The latest moment anybody had been told of, by time.
class Floor {
 public:
  struct Told {
    Time time = 0;
    Moment moment = kNoMoment;
    OpNo operation = 0;
  };

  // Requires: times do not go down from call to call.
  void tell(const Told& told) {
    if (steps_.empty() || told.moment > steps_.back().moment) {
      steps_.push_back(told);
    }
  }

  // What was told before `time`; moment kNoMoment if nothing was.
  [[nodiscard]] Told before(Time time) const;

 private:
  std::vector<Told> steps_;  // times and moments go up
};

// Purpose. Moments from `begin` to before `end`.
struct Span {
  Moment begin = 0;
  Moment end = 0;
};

using Spans = std::vector<Span>;  // apart, in order

// Purpose. See the file's head.
// Owns: nothing of its arguments, which outlive it.
class Moments {
 public:
  Moments(const History& history, const Chains& chains, Findings& findings)
      : history_(history), chains_(chains), findings_(findings) {}

  void check();

 private:
  enum class What : std::uint8_t {
    kIs,           // the document is at `position` of its chain
    kAbsent,       // it is not there
    kMatching,     // it matches `match`
    kNotMatching,  // it doesn't, or is not there
  };

  // What a read says of one document.
  struct Claim {
    NameNo id = 0;
    What what = What::kIs;
    std::uint32_t position = 0;
    NameNo match = 0;
  };

  // Where to look: the moments that time allows, and for whom.
  struct Window {
    OpNo reader = 0;
    Span span;
    Floor::Told floor;
  };

  void find_ceilings();
  void pass(OpNo number);
  void pass_write(OpNo number);
  void pass_read(OpNo number);
  void pass_query(const Window& window, std::vector<Claim> claims);
  void pass_matches(const Window& window);
  void conclude(const Window& window, const Spans& moments);
  [[nodiscard]] Window window_of(OpNo number) const;
  [[nodiscard]] std::vector<Claim> rows_of(const Operation& operation) const;
  [[nodiscard]] std::vector<NameNo> not_found(const Operation& operation,
                                              const std::vector<NameNo>& candidates) const;
  [[nodiscard]] bool holds(const Claim& claim, std::int64_t index, Time until) const;
  [[nodiscard]] Spans moments_of(const Claim& claim, Span within, Time until) const;
  [[nodiscard]] Spans narrow(const Window& window, Spans spans,
                             const std::vector<Claim>& claims) const;

  void explain(const Window& window, const std::vector<Claim>& claims);
  bool explain_pair(const Window& window, const Claim& newer, const Claim& older);
  bool explain_stale(const Window& window, const Claim& claim);
  [[nodiscard]] Anomaly stale_class(const Window& window, const Change& hidden, Time told) const;
  [[nodiscard]] std::string shown(const Claim& claim) const;

  [[nodiscard]] std::string name(NameNo number) const {
    return "'" + std::string(history_.names.text(number)) + "'";
  }

  const History& history_;
  const Chains& chains_;
  Findings& findings_;
  Floor floor_;
  std::unordered_map<std::uint32_t, Moment> seen_by_client_;
  std::vector<Operation const*> crashes_;

  // Of the writes with a moment, by the time they began: the least first etag from here on.
  struct Ceiling {
    Time from = 0;
    Moment least = kLastMoment;
  };

  std::vector<Ceiling> ceilings_;
};

}  // namespace rookery::history
