// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rookery/doc/render.h"
#include "rookery/value/json.h"
#include "rookery/value/text.h"

#include "etag.h"
#include "handlers.h"
#include "includes.h"

// Documents read by id and by prefix.

namespace rookery::api {

using doc::DocumentReader;
using doc::DocumentView;
using value::JsonWriter;

namespace {

constexpr std::int64_t kDocumentsAPage = 25;

// What a load may ask for only once it is built.
constexpr auto kIncludesNotBuilt = std::to_array<std::string_view>({
    "counter",
    "timeseries",
    "timeseriestime",
    "timeseriescount",
    "revisions",
    "revisionsBefore",
    "cmpxchg",
});

Result<void> refuse_unbuilt(const Request& request) {
  for (const std::string_view name : kIncludesNotBuilt) {
    if (request.query.has(name)) {
      return Error(ErrorCode::not_supported,
                   fmt::format("Loading documents with '{}' is not supported.", name));
    }
  }
  if (const auto mode = request.query.find("txMode");
      mode.has_value() && equal_ignoring_case(*mode, "ClusterWide")) {
    return Error(ErrorCode::not_supported, "Cluster-wide transactions are not supported.");
  }
  return {};
}

// The documents of one answer: those asked for, and those that they refer to.
struct Selection {
  std::vector<std::optional<DocumentView>> results;
  std::vector<DocumentView> includes;
};

Result<void> add_includes(const DocumentReader& reader, const Request& request,
                          Selection& selection) {
  const std::vector<std::string_view> paths = request.query.all("include");
  if (paths.empty()) {
    return {};
  }
  std::unordered_set<std::string> seen;
  std::vector<std::string> ids;
  for (const auto& document : selection.results) {
    if (document.has_value()) {
      seen.emplace(document->folded_id);
    }
  }
  for (const auto& document : selection.results) {
    if (!document.has_value()) {
      continue;
    }
    RK_TRY_ASSIGN(const value::View root, document->value());
    for (const std::string_view path : paths) {
      find_includes(root, path, [&](std::string_view id) {
        if (id.size() <= doc::kIdSizeMax && seen.insert(value::fold_case(id)).second) {
          ids.emplace_back(id);
        }
      });
    }
  }
  for (const std::string& id : ids) {
    RK_TRY_ASSIGN(const std::optional<DocumentView> found, reader.get(id));
    if (found.has_value()) {
      selection.includes.push_back(*found);
    }
  }
  return {};
}

std::string etag_of(const Selection& selection) {
  // A single document's ETag is its change vector: conditional loads compare it with that.
  if (selection.results.size() == 1 && selection.includes.empty() &&
      selection.results.front().has_value()) {
    return std::string(selection.results.front()->change_vector);
  }
  EtagBuilder builder;
  for (const auto& document : selection.results) {
    if (document.has_value()) {
      builder.add(document->id, document->change_vector);
    } else {
      builder.add_missing();
    }
  }
  for (const DocumentView& document : selection.includes) {
    builder.add(document.id, document.change_vector);
  }
  return builder.finish();
}

Result<Response> render(const Selection& selection, const std::string& etag, bool metadata_only,
                        std::optional<std::uint64_t> next_page_start) {
  std::string body;
  JsonWriter w(body);
  w.begin_object();
  w.key("Results");
  w.begin_array();
  const doc::RenderOptions options{.metadata_only = metadata_only};
  for (const auto& document : selection.results) {
    if (document.has_value()) {
      RK_TRY(doc::write_document(w, *document, options));
    } else {
      w.null();
    }
  }
  w.end_array();
  w.key("Includes");
  w.begin_object();
  for (const DocumentView& document : selection.includes) {
    w.key(document.id);
    RK_TRY(doc::write_document(w, document, options));
  }
  w.end_object();
  if (next_page_start.has_value()) {
    w.uint64("NextPageStart", *next_page_start);
  }
  w.end_object();
  Response response = Response::json(std::move(body));
  response.headers.add("ETag", quoted(etag));
  return response;
}

Result<Response> answer(Call& call, const Selection& selection,
                        std::optional<std::uint64_t> next_page_start) {
  RK_TRY_ASSIGN(const bool metadata_only, call.flag("metadataOnly"));
  const std::string etag = etag_of(selection);
  if (client_has(call.request(), etag)) {
    Response response = Response::empty(304);
    response.headers.add("ETag", quoted(etag));
    return response;
  }
  return render(selection, etag, metadata_only, next_page_start);
}

Result<Response> by_ids(Call& call, const std::vector<std::string_view>& ids) {
  RK_TRY_ASSIGN(const DocumentReader* reader, call.documents());
  Selection selection;
  for (const std::string_view id : ids) {
    RK_TRY_ASSIGN(std::optional<DocumentView> found, reader->get(id));
    selection.results.push_back(found);
  }
  if (selection.results.size() == 1 && !selection.results.front().has_value()) {
    return Response::empty(404);
  }
  RK_TRY(add_includes(*reader, call.request(), selection));
  return answer(call, selection, std::nullopt);
}

Result<std::int64_t> not_negative(std::optional<std::int64_t> value, std::int64_t otherwise,
                                  std::string_view name) {
  if (value.value_or(otherwise) < 0) {
    return Error(ErrorCode::invalid_argument, fmt::format("'{}' cannot be negative.", name));
  }
  return value.value_or(otherwise);
}

// Pages that follow one another: where there may be more, the next begins behind this one.
Result<Response> by_prefix(Call& call, std::string_view starts_with) {
  const QueryParameters& query = call.request().query;
  RK_TRY_ASSIGN(const std::optional<std::int64_t> start_given, call.integer("start"));
  RK_TRY_ASSIGN(const std::optional<std::int64_t> size_given, call.integer("pageSize"));
  RK_TRY_ASSIGN(const std::int64_t start, not_negative(start_given, 0, "start"));
  const std::int64_t otherwise = starts_with.empty() && !size_given.has_value()
                                     ? kDocumentsAPage
                                     : std::numeric_limits<std::int32_t>::max();
  RK_TRY_ASSIGN(const std::int64_t page_size, not_negative(size_given, otherwise, "pageSize"));
  RK_TRY_ASSIGN(const DocumentReader* reader, call.documents());
  Selection selection;
  const doc::PrefixQuery prefix = {
      .starts_with = starts_with,
      .matches = query.find("matches").value_or(""),
      .exclude = query.find("exclude").value_or(""),
      .start_after = query.find("startAfter").value_or(""),
      .start = static_cast<std::uint64_t>(start),
      .page_size = static_cast<std::uint64_t>(page_size),
  };
  RK_TRY(reader->scan_prefix(prefix, [&](const DocumentView& document) -> Result<bool> {
    selection.results.emplace_back(document);
    return true;
  }));
  RK_TRY(add_includes(*reader, call.request(), selection));
  return answer(call, selection, static_cast<std::uint64_t>(start) + selection.results.size());
}

// By etag, newest first: what a request for documents names neither ids nor a prefix means.
Result<Response> newest_first(Call& call) {
  RK_TRY_ASSIGN(const std::optional<std::int64_t> start_given, call.integer("start"));
  RK_TRY_ASSIGN(const std::optional<std::int64_t> size_given, call.integer("pageSize"));
  RK_TRY_ASSIGN(const std::int64_t start, not_negative(start_given, 0, "start"));
  RK_TRY_ASSIGN(const std::int64_t page_size,
                not_negative(size_given, kDocumentsAPage, "pageSize"));
  RK_TRY_ASSIGN(const DocumentReader* reader, call.documents());
  Selection selection;
  std::int64_t position = 0;
  RK_TRY(reader->scan_etags(std::numeric_limits<std::int64_t>::max(), true,
                            [&](const DocumentView& document) -> Result<bool> {
                              if (position++ >= start && position - start <= page_size) {
                                selection.results.emplace_back(document);
                              }
                              return position - start < page_size;
                            }));
  RK_TRY(add_includes(*reader, call.request(), selection));
  return answer(call, selection, std::nullopt);
}

}  // namespace

Result<Response> get_documents(Call& call) {
  const Request& request = call.request();
  RK_TRY(refuse_unbuilt(request));
  const std::vector<std::string_view> ids = request.query.all("id");
  if (!ids.empty()) {
    return by_ids(call, ids);
  }
  const auto starts_with = request.query.find("startsWith");
  return starts_with.has_value() ? by_prefix(call, *starts_with) : newest_first(call);
}

Result<Response> post_documents(Call& call) {
  RK_TRY(refuse_unbuilt(call.request()));
  RK_TRY_ASSIGN(const value::Document body, call.parse_body());
  const auto ids = body.root().find("Ids");
  if (!ids.has_value() || !ids->is_array()) {
    return Error(ErrorCode::invalid_argument, "'Ids' must be an array of document ids.");
  }
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < ids->size(); ++i) {
    // A null among them is an id that nothing has.
    names.push_back(ids->at(i).as_string().value_or(""));
  }
  return by_ids(call, names);
}

Result<Response> head_document(Call& call) {
  RK_TRY_ASSIGN(const std::string_view id, call.required("id"));
  RK_TRY_ASSIGN(const DocumentReader* reader, call.documents());
  RK_TRY_ASSIGN(const std::optional<DocumentView> found, reader->get(id));
  if (!found.has_value()) {
    return Response::empty(404);
  }
  Response response = Response::empty(client_has(call.request(), found->change_vector) ? 304 : 200);
  response.headers.add("ETag", quoted(found->change_vector));
  return response;
}

}  // namespace rookery::api
