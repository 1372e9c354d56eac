// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "generator.h"
#include "naive.h"
#include "rqt_runner.h"

// Purpose. What was done to a database and asked of it, run against the product and against the
// naive evaluator, made small where they disagree.

namespace rookery::twin {

struct Step {
  std::vector<Document> put;
  std::vector<std::string> erased;
  std::optional<Question> question;
};

// Purpose. The documents as the naive evaluator sees them.
class Model {
 public:
  void apply(const Step& step);

  [[nodiscard]] const std::vector<Document>& documents() const { return documents_; }

 private:
  std::vector<Document> documents_;
  std::uint64_t stamp_ = 0;
};

// Puts and deletes of a step. Empty, or what went wrong.
[[nodiscard]] std::string apply(rqt::Session& session, const Step& step);
// Empty if the product answers as it should, otherwise what differs.
[[nodiscard]] std::string disagreement(rqt::Session& session, const Question& question,
                                       const Answer& wanted);

// Purpose. Finds a short history whose last question is answered wrongly.
class Shrinker {
 public:
  Shrinker(const rqt::Ask& ask, std::string database) : ask_(ask), database_(std::move(database)) {}

  // Requires: the last step of `history` is a question. It is given back as it was if the
  // disagreement does not come again in an empty database.
  [[nodiscard]] std::vector<Step> shrink(std::vector<Step> history);
  // Whether the last question is answered wrongly.
  [[nodiscard]] bool fails(const std::vector<Step>& history);

 private:
  bool drop_steps(std::vector<Step>& history);
  bool drop_documents(std::vector<Step>& history);
  bool drop_members(std::vector<Step>& history);
  bool simplify_query(std::vector<Step>& history);
  // Takes `candidate` in place of `history` if it fails, too.
  bool take(std::vector<Step>& history, std::vector<Step> candidate);

  const rqt::Ask& ask_;
  const std::string database_;
  int tries_ = 0;
};

// A case of an .rqt file with the answers that the naive evaluator gives.
[[nodiscard]] std::string to_rqt(const std::vector<Step>& history, const std::string& name);

}  // namespace rookery::twin
