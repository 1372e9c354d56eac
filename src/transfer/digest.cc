// SPDX-License-Identifier: Apache-2.0
#include "digest.h"

#include <fmt/format.h>

#include "rookery/base/checksum.h"

namespace rookery::transfer {

using value::View;

namespace {

constexpr std::string_view kMetadataKey = "@metadata";

std::uint64_t hash_of(std::string_view id, std::string_view text) {
  const std::string all = fmt::format("{}\n{}", id, text);
  return checksum64(as_bytes(std::string_view(all)));
}

}  // namespace

std::string content_text(View document) {
  const View metadata = document.find(kMetadataKey).value_or(View());
  std::string text;
  value::JsonWriter w(text);
  w.begin_object();
  w.members(document, {kMetadataKey});
  w.key(kMetadataKey);
  w.begin_object();
  const std::string_view collection = metadata.find_string("@collection").value_or("");
  if (!collection.empty() && collection != "@empty") {
    w.string("@collection", collection);
  }
  if (metadata.is_object()) {
    // The keys that a server adds, or keeps apart.
    w.members(metadata,
              {"@collection", "@id", "@change-vector", "@last-modified", "@flags", "@attachments",
               "@counters", "@timeseries", "@index-score", "@projection", "@spatial", "@conflict"});
  }
  w.end_object();
  w.end_object();
  return text;
}

void Digest::add(std::string_view id, View document) {
  const View metadata = document.find(kMetadataKey).value_or(View());
  ++count;
  // A sum, since exclusive or would let pairs of equal documents cancel out.
  content += hash_of(id, content_text(document));
  versions += hash_of(id, fmt::format("{}\n{}", metadata.find_string("@change-vector").value_or(""),
                                      metadata.find_string("@last-modified").value_or("")));
}

std::string to_text(const Digest& digest) {
  return fmt::format("{} documents, content {:016x}, versions {:016x}", digest.count,
                     digest.content, digest.versions);
}

Result<void> Digester::add(std::string_view json) {
  value::ParseOptions options;
  options.size_bytes_max = json.size();
  options.depth_max = value::kDepthMax;
  RK_TRY_ASSIGN(const value::Document parsed, parser_.parse(json, options));
  const View metadata = parsed.root().find(kMetadataKey).value_or(View());
  const auto id = metadata.find_string("@id");
  if (!id.has_value()) {
    return Error(ErrorCode::malformed, "a document has no id in its metadata");
  }
  digest_.add(*id, parsed.root());
  return {};
}

}  // namespace rookery::transfer
