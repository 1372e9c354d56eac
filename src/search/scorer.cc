// SPDX-License-Identifier: Apache-2.0
#include "scorer.h"

#include <cmath>

namespace rookery::search {
namespace {

constexpr double kSaturation = 1.2;      // k1
constexpr double kLengthPenalty = 0.75;  // b

// Purpose. Walks the scores' entries in step with numbers that ascend.
class Slots {
 public:
  explicit Slots(Scores& scores) : scores_(scores), cursor_(scores.set()) {
    current_ = cursor_.next();
  }

  // The score of the number; null if the set lacks it.
  double* at(std::uint64_t number) {
    while (current_ && *current_ < number) {
      ++index_;
      current_ = cursor_.next();
    }
    return current_ && *current_ == number ? &scores_.values()[index_] : nullptr;
  }

 private:
  Scores& scores_;
  MatchSet::Cursor cursor_;
  std::optional<std::uint64_t> current_;
  std::size_t index_ = 0;
};

// Lists of Exists and of scans are no terms that someone asked for.
bool has_weights(const Node& node) {
  return std::holds_alternative<TermIs>(node.what) || std::holds_alternative<TermIn>(node.what) ||
         std::holds_alternative<Phrase>(node.what);
}

class Scorer {
 public:
  Scorer(Snapshot& snapshot, Evaluator& evaluator, Scores& scores)
      : snapshot_(snapshot), evaluator_(evaluator), scores_(scores) {}

  // Adds to the scores of `subset`, all of which match the plan.
  Result<void> add(QueryPlan& plan, const MatchSet& subset, double factor) {
    switch (plan.kind) {
      case QueryPlan::Kind::kNone:
      case QueryPlan::Kind::kAll:
      case QueryPlan::Kind::kNot:
        return {};
      case QueryPlan::Kind::kAnyList:
      case QueryPlan::Kind::kAllLists:
      case QueryPlan::Kind::kPhrase:
        if (!has_weights(*plan.node)) {
          break;
        }
        for (const PostingList& list : plan.lists) {
          RK_TRY(add_list(plan, list, subset, factor));
        }
        return {};
      case QueryPlan::Kind::kTermScan:
      case QueryPlan::Kind::kKeys:
      case QueryPlan::Kind::kKeyRange:
        break;
      case QueryPlan::Kind::kAnd:
        for (QueryPlan& part : plan.parts) {
          RK_TRY(add(part, subset, factor));
        }
        return {};
      case QueryPlan::Kind::kOr:
        for (QueryPlan& part : plan.parts) {
          if (part.kind == QueryPlan::Kind::kAnyList && part.lists.size() == 1 &&
              has_weights(*part.node)) {
            // Its matches are those of its list: no need to find them first.
            RK_TRY(add(part, subset, factor));
            continue;
          }
          // `actual` stays what the query's own evaluation found.
          const std::optional<std::uint64_t> actual = part.actual;
          RK_TRY_ASSIGN(const MatchSet matching, evaluator_.evaluate(part, &subset));
          part.actual = actual;
          RK_TRY(add(part, matching, factor));
        }
        return {};
      case QueryPlan::Kind::kBoost:
        return add(plan.parts[0], subset, factor * std::get<Boost>(plan.node->what).factor);
    }
    return add_constant(subset, factor);
  }

 private:
  Result<void> add_constant(const MatchSet& subset, double value) {
    RK_TRY(snapshot_.check());
    Slots slots(scores_);
    MatchSet::Cursor cursor(subset);
    while (const std::optional<std::uint64_t> number = cursor.next()) {
      *slots.at(*number) += value;
    }
    return {};
  }

  Result<TermWeight> weight(const QueryPlan& plan, std::uint64_t having_term) {
    double average = 1;
    if (plan.field->is_text) {
      RK_TRY_ASSIGN(const PostingList having, snapshot_.list(ListOf::kHaving, plan.field->number));
      if (having.count > 0) {
        average = static_cast<double>(plan.field->length) / static_cast<double>(having.count);
      }
    }
    return term_weight(snapshot_.entries().entry_count(), having_term, average);
  }

  Result<void> add_list(const QueryPlan& plan, const PostingList& list, const MatchSet& subset,
                        double factor) {
    RK_TRY(snapshot_.check());
    RK_TRY_ASSIGN(const TermWeight weight_of, weight(plan, list.count));
    Slots slots(scores_);
    MatchSet::Cursor wanted(subset);
    PostingCursor cursor = snapshot_.walk(list);
    std::optional<std::uint64_t> number = wanted.next();
    while (number) {
      RK_TRY_ASSIGN(const bool found, cursor.seek(*number));
      if (!found) {
        break;
      }
      RK_TRY(snapshot_.tick());
      for (const Posting posting : cursor.block()) {
        const std::uint64_t at = posting_number(posting);
        if (number && *number < at) {
          wanted.skip_to(at);
          number = wanted.next();
        }
        if (!number) {
          break;
        }
        if (*number == at) {
          *slots.at(at) += factor * weight_of.of(posting_impact(posting));
          number = wanted.next();
        }
      }
    }
    return {};
  }

  Snapshot& snapshot_;
  Evaluator& evaluator_;
  Scores& scores_;
};

}  // namespace

double TermWeight::of(std::uint8_t impact) const noexcept {
  const Weight weight = impact_weight(impact);
  const double length = weight.length == 0 ? 1.0 : weight.length / length_average;
  const double norm = kSaturation * (1 - kLengthPenalty + kLengthPenalty * length);
  return rarity * weight.frequency * (kSaturation + 1) / (weight.frequency + norm);
}

TermWeight term_weight(std::uint64_t entry_count, std::uint64_t having_term,
                       double length_average) noexcept {
  const auto all = static_cast<double>(entry_count);
  const auto having = static_cast<double>(having_term);
  return {.rarity = std::log(1 + (all - having + 0.5) / (having + 0.5)),
          .length_average = length_average > 0 ? length_average : 1};
}

Result<Scores> score(Snapshot& snapshot, Evaluator& evaluator, QueryPlan& plan,
                     const MatchSet& matches) {
  RK_TRY(evaluator.check_memory(matches.count() * sizeof(double)));
  Scores scores(matches);
  evaluator.reserve(matches.count() * sizeof(double));
  Scorer scorer(snapshot, evaluator, scores);
  RK_TRY(scorer.add(plan, matches, 1.0));
  return scores;
}

}  // namespace rookery::search
