// SPDX-License-Identifier: Apache-2.0
#include "server_catalog.h"

#include <algorithm>

#include "rookery/query/print.h"

namespace rookery::shell {

using value::View;

namespace {

constexpr std::chrono::seconds kRememberedFor{10};
constexpr std::size_t kKeysMax = 64;
constexpr std::uint64_t kSampleRows = 25;
constexpr std::size_t kFieldsMax = 1000;
constexpr std::size_t kPathLengthMax = 6;

void add_paths(View value, query::Path& path, std::size_t count_max, std::vector<std::string>& out);

void add_member(std::string_view key, View value, query::Path& path, std::size_t count_max,
                std::vector<std::string>& out) {
  path.segments.push_back({.name = std::string(key), .subscripts = {}});
  out.push_back(query::print(path));
  // Elements of elements are one more subscript each.
  for (std::size_t depth = 0; value.is_array() && value.size() > 0 && depth < kPathLengthMax;
       ++depth) {
    path.segments.back().subscripts.emplace_back();
    value = value.at(0);
  }
  add_paths(value, path, count_max, out);
  path.segments.pop_back();
}

void add_paths(View value, query::Path& path, std::size_t count_max,
               std::vector<std::string>& out) {
  if (!value.is_object() || path.segments.size() >= kPathLengthMax) {
    return;
  }
  for (std::size_t i = 0; i < value.size() && out.size() < count_max; ++i) {
    add_member(value.key_at(i), value.value_at(i), path, count_max, out);
  }
}

}  // namespace

void add_field_paths(View document, std::size_t count_max, std::vector<std::string>& out) {
  query::Path path;
  add_paths(document, path, count_max, out);
}

std::vector<std::string> ServerCatalog::remembered(
    const std::string& key, const std::function<std::vector<std::string>()>& ask) {
  const os::MonotonicTime now = clock_.monotonic();
  const auto found = memory_.find(key);
  if (found != memory_.end() && now < found->second.until) {
    return found->second.names;
  }
  if (memory_.size() >= kKeysMax) {
    memory_.clear();
  }
  // No answer is remembered, too: the next key press shall not wait for it again.
  return memory_.insert_or_assign(key, Remembered{now + kRememberedFor, ask()}).first->second.names;
}

std::vector<std::string> ServerCatalog::databases() {
  return remembered("databases", [&] {
    auto names = client_.databases();
    return names.has_value() ? std::move(names).value() : std::vector<std::string>();
  });
}

std::vector<std::string> ServerCatalog::collections() {
  const std::string database = database_();
  return remembered("collections/" + database, [&] {
    std::vector<std::string> out;
    if (const auto found = client_.collections(database); found.has_value()) {
      for (const Collection& collection : *found) {
        out.push_back(collection.name);
      }
    }
    return out;
  });
}

std::vector<std::string> ServerCatalog::indexes() {
  const std::string database = database_();
  return remembered("indexes/" + database, [&] {
    std::vector<std::string> out;
    if (const auto found = client_.indexes(database); found.has_value()) {
      const View results = found->root().find("Results").value_or(View());
      for (std::size_t i = 0; i < results.size(); ++i) {
        out.emplace_back(results.at(i).find_string("Name").value_or(""));
      }
    }
    return out;
  });
}

std::vector<std::string> ServerCatalog::fields(const std::string& collection) {
  const std::string database = database_();
  return remembered("fields/" + database + "/" + collection, [&] {
    std::vector<std::string> out;
    QueryRequest request;
    request.text = "from " + (collection.empty() ? "@all_docs" : as_collection(collection));
    request.page_rows = kSampleRows;
    if (const auto answer = client_.query(database, request); answer.has_value()) {
      const View results = answer->results();
      for (std::size_t i = 0; i < results.size(); ++i) {
        add_field_paths(results.at(i), kFieldsMax, out);
        std::sort(out.begin(), out.end());
        out.erase(std::unique(out.begin(), out.end()), out.end());
      }
    }
    return out;
  });
}

}  // namespace rookery::shell
