// SPDX-License-Identifier: Apache-2.0
#include "answer_writer.h"

#include <utility>

#include "rookery/doc/render.h"
#include "rookery/plan/projection.h"
#include "rookery/value/date.h"
#include "rookery/value/text.h"

#include "facts.h"

namespace rookery::index {

namespace {

// What a row in a set costs beside its text.
constexpr std::uint64_t kRowOverhead = 64;

}  // namespace

AnswerWriter::AnswerWriter(const PreparedQuery& query, const doc::DocumentReader& documents,
                           const FindIncludes& find_includes, const QueryBudget& budget,
                           const Limits& limits, std::string& out, value::JsonWriter& w)
    : query_(query),
      documents_(documents),
      find_includes_(find_includes),
      budget_(budget),
      limits_(limits),
      out_(out),
      w_(w) {}

void AnswerWriter::begin() {
  w_.key("Results");
  w_.begin_array();
}

Result<bool> AnswerWriter::add(const doc::DocumentView& document, std::optional<double> score) {
  if (query_.projection.has_value() && query_.projection->distinct) {
    return add_distinct(document);
  }
  if (written_ >= limits_.take) {
    return false;
  }
  if (position_++ < limits_.skip) {
    return true;
  }
  RK_TRY(write_row(w_, document, score));
  ++written_;
  ++document_count_;
  RK_TRY(note_includes(document));
  RK_TRY(check_size());
  return written_ < limits_.take;
}

// Pages count results, as clients do who add what was skipped to the next start; rows of earlier
// pages are not shown again.
Result<bool> AnswerWriter::add_distinct(const doc::DocumentView& document) {
  if (written_ >= limits_.take) {
    return false;
  }
  const bool is_before = position_++ < limits_.skip;
  ++document_count_;
  RK_TRY_ASSIGN(std::string row, projected_members(document));
  rows_bytes_ += row.size() + kRowOverhead;
  if (!rows_.insert(std::move(row)).second) {
    skipped_ += is_before ? 0 : 1;
    return true;
  }
  if (rows_bytes_ > limits_.memory_bytes_max) {
    return Error(ErrorCode::too_large,
                 "the distinct rows of this query need more memory than a query may take; narrow "
                 "its where, or select fewer fields");
  }
  if (is_before) {
    return true;
  }
  RK_TRY(write_row(w_, document, std::nullopt));
  ++written_;
  RK_TRY(note_includes(document));
  RK_TRY(check_size());
  return written_ < limits_.take;
}

Result<std::string> AnswerWriter::projected_members(const doc::DocumentView& document) const {
  std::string text;
  value::JsonWriter w(text);
  RK_TRY_ASSIGN(const value::View body, document.value());
  const std::string last_modified = value::format_date(document.last_modified);
  w.begin_object();
  plan::write_projection(w, *query_.projection, facts_of(document, body, last_modified));
  w.end_object();
  return text;
}

Result<void> AnswerWriter::write_row(value::JsonWriter& w, const doc::DocumentView& document,
                                     std::optional<double> score) const {
  if (!query_.projection.has_value()) {
    return doc::write_document(
        w, document, {.metadata_only = query_.request.metadata_only, .index_score = score});
  }
  RK_TRY_ASSIGN(const value::View body, document.value());
  const std::string last_modified = value::format_date(document.last_modified);
  w.begin_object();
  if (!query_.request.metadata_only) {
    plan::write_projection(w, *query_.projection, facts_of(document, body, last_modified));
  }
  w.key("@metadata");
  w.begin_object();
  w.boolean("@projection", true);
  w.string("@id", document.id);
  w.string("@change-vector", document.change_vector);
  w.string("@last-modified", last_modified);
  if (score.has_value()) {
    w.number("@index-score", *score);
  }
  w.end_object();
  w.end_object();
  return {};
}

Result<void> AnswerWriter::note_includes(const doc::DocumentView& document) {
  if (query_.include_paths.empty()) {
    return {};
  }
  // A projection is not the document.
  if (!query_.projection.has_value()) {
    seen_ids_.emplace(document.folded_id);
  }
  RK_TRY_ASSIGN(const value::View body, document.value());
  for (const std::string& path : query_.include_paths) {
    find_includes_(body, path, [this](std::string_view id) {
      if (id.size() <= doc::kIdSizeMax) {
        include_bytes_ += id.size() + kRowOverhead;
        include_ids_.emplace_back(id);
      }
    });
  }
  if (include_bytes_ > limits_.memory_bytes_max) {
    return Error(ErrorCode::too_large,
                 "the results name more documents to include than the memory of a query holds; ask "
                 "for them in pages");
  }
  return {};
}

Result<void> AnswerWriter::finish() {
  w_.end_array();
  w_.key("Includes");
  w_.begin_object();
  for (const std::string& id : include_ids_) {
    RK_TRY(budget_.check());
    if (!seen_ids_.insert(value::fold_case(id)).second) {
      continue;
    }
    RK_TRY_ASSIGN(const std::optional<doc::DocumentView> found, documents_.get(id));
    if (found.has_value()) {
      w_.key(found->id);
      RK_TRY(doc::write_document(w_, *found, {.metadata_only = query_.request.metadata_only}));
      RK_TRY(check_size());
    }
  }
  w_.end_object();
  return {};
}

Result<void> AnswerWriter::check_size() const {
  if (out_.size() <= limits_.answer_bytes_max) {
    return {};
  }
  return Error(ErrorCode::too_large,
               "the answer would be bigger than " + std::to_string(limits_.answer_bytes_max) +
                   " bytes; ask for it in pages, or select the fields that are needed");
}

}  // namespace rookery::index
