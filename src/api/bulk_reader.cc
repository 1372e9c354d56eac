// SPDX-License-Identifier: Apache-2.0
#include "bulk_reader.h"

#include <utility>

#include <fmt/format.h>

#include "rookery/doc/id.h"
#include "rookery/doc/version.h"
#include "rookery/value/builder.h"

#include "prepare.h"

namespace rookery::api {

using value::View;

namespace {

// Around a document: id, type and their quotes, and JSON that is longer than its binary form.
constexpr std::size_t kElementOverheadBytes = 64 * 1024;
// {"Document": ...}
constexpr std::size_t kLevelsAroundBulkDocument = 1;

}  // namespace

BulkReader::BulkReader(const BulkReaderOptions& options)
    : options_(options), cutter_(options.document_bytes_max + kElementOverheadBytes) {}

Result<std::optional<db::PutCommand>> BulkReader::next() {
  if (error_.has_value()) {
    return *error_;
  }
  for (;;) {
    Result<std::optional<std::string_view>> element = cutter_.next();
    if (!element.has_value()) {
      error_ = std::move(element).error().with_context("the body of the bulk insert");
      return *error_;
    }
    if (!element.value().has_value()) {
      return std::optional<db::PutCommand>();
    }
    Result<std::optional<db::PutCommand>> command = read(**element);
    if (!command.has_value()) {
      error_ = std::move(command).error().with_context(
          fmt::format("element {} of the bulk insert, at byte {}", cutter_.element_count(),
                      cutter_.element_offset()));
      return *error_;
    }
    if (command.value().has_value()) {
      return command;
    }
  }
}

Result<void> BulkReader::finish() const {
  if (error_.has_value()) {
    return *error_;
  }
  const Result<void> finished = cutter_.finish();
  return finished.has_value() ? finished
                              : finished.error().with_context("the body of the bulk insert");
}

// nullopt: it asks for nothing.
Result<std::optional<db::PutCommand>> BulkReader::read(std::string_view element) {
  value::ParseOptions options;
  options.size_bytes_max = element.size();
  options.depth_max = value::kDepthDefault + kLevelsAroundBulkDocument;
  RK_TRY_ASSIGN(const value::Document parsed, parser_.parse(element, options));
  const View root = parsed.root();
  const auto type = root.find_string("Type");
  if (!root.is_object() || !type.has_value()) {
    return Error(ErrorCode::invalid_argument, "an object with a 'Type' was expected");
  }
  if (*type == "PUT") {
    RK_TRY_ASSIGN(db::PutCommand put, read_put(root));
    return std::optional(std::move(put));
  }
  if (*type == "HeartBeat") {
    return std::optional<db::PutCommand>();
  }
  return Error(ErrorCode::not_supported,
               fmt::format("bulk insert of type '{}' is not supported", *type));
}

Result<db::PutCommand> BulkReader::read_put(View element) const {
  const auto document = element.find("Document");
  if (!document.has_value() || !document->is_object()) {
    return Error(ErrorCode::invalid_argument, "'Document' must be a JSON object");
  }
  db::PutCommand put;
  put.skip_if_unchanged = options_.skip_if_unchanged;
  if (const auto id = element.find("Id"); id.has_value() && !id->is_null()) {
    if (!id->is_string()) {
      return Error(ErrorCode::invalid_argument, "'Id' must be a string");
    }
    put.id.emplace(*id->as_string());
    // Here its element is known, and nothing of what came before is undone with it.
    RK_TRY(doc::classify_id(*put.id, options_.separator));
  }
  if (options_.keep_versions) {
    RK_TRY_ASSIGN(put.version, doc::version_of(*document));
  }
  value::Builder builder;
  builder.value(*document);
  RK_TRY_ASSIGN(value::Document copy, builder.finish());
  RK_TRY_ASSIGN(put.document, prepare_document(std::move(copy), options_.document_bytes_max));
  return put;
}

}  // namespace rookery::api
