// SPDX-License-Identifier: Apache-2.0
// The numbers that documents get their ids from: ranges (HiLo) and identities.
#include <algorithm>
#include <array>
#include <chrono>
#include <limits>

#include "rookery/doc/writer.h"
#include "rookery/value/builder.h"
#include "rookery/value/text.h"

#include "metadata_keys.h"
#include "row.h"

namespace rookery::doc {

namespace {

constexpr std::string_view kHiLoPrefix = "Raven/Hilo/";
constexpr std::string_view kHiLoMax = "Max";
constexpr std::uint64_t kRangeSizeMin = 32;
constexpr std::uint64_t kRangeSizeMax = 1ULL << 20U;
// Clients count in doubles: beyond 2^53 two ids would be the same.
constexpr std::uint64_t kHiLoValueMax = 1ULL << 53U;
// A range used up sooner was too small; one that lasted this long or more was too large.
constexpr auto kRangeLifeMin = std::chrono::seconds(30);
constexpr auto kRangeLifeMax = std::chrono::seconds(120);

std::uint64_t range_size(const HiLoNextRequest& request, os::WallTime now) noexcept {
  const std::uint64_t last = std::clamp(request.last_batch_size, kRangeSizeMin, kRangeSizeMax);
  if (!request.last_range_at.has_value() || request.last_batch_size == 0) {
    return kRangeSizeMin;
  }
  // Both dates are those of wall clocks, perhaps of two machines: good enough to choose a size by.
  const os::WallTime before = *request.last_range_at;
  if (before > now - kRangeLifeMin) {
    return std::min(last * 2, kRangeSizeMax);
  }
  return before < now - kRangeLifeMax ? std::max(last / 2, kRangeSizeMin) : last;
}

Result<std::string> hilo_id(std::string_view tag) {
  if (tag.empty()) {
    return Error(ErrorCode::invalid_argument, "a tag is needed to give out ids");
  }
  std::string id = std::string(kHiLoPrefix) + std::string(tag);
  if (id.size() > kIdSizeMax) {
    return Error(ErrorCode::too_large, "the tag is too long");
  }
  return id;
}

// A user may have written the document by hand; what is no number counts as none.
std::uint64_t hilo_max(value::View document) noexcept {
  const std::int64_t max = document.find_int64(kHiLoMax).value_or(0);
  return max < 0 ? 0 : static_cast<std::uint64_t>(max);
}

Result<std::string> identity_key(std::string_view name) {
  if (name.empty() || name == "|") {
    return Error(ErrorCode::invalid_argument, "an identity needs a name");
  }
  if (name.size() > kIdSizeMax) {
    return Error(ErrorCode::too_large, "the name of an identity may have " +
                                           std::to_string(kIdSizeMax) + " bytes of UTF-8");
  }
  if (!value::is_utf8(name)) {
    return Error(ErrorCode::malformed, "the name of an identity must be UTF-8");
  }
  std::string key = value::fold_case(name);
  if (!key.ends_with('|')) {
    key += '|';
  }
  return key;
}

}  // namespace

Result<HiLoRange> DocumentWriter::hilo_next(const HiLoNextRequest& request) {
  RK_TRY_ASSIGN(const std::string id, hilo_id(request.tag));
  RK_TRY_ASSIGN(const std::optional<DocumentView> before, reader_.get(id));
  std::uint64_t max = request.last_max;
  if (before.has_value()) {
    RK_TRY_ASSIGN(const value::View content, before->value());
    max = std::max(max, hilo_max(content));
  }
  HiLoRange range;
  range.last_range_at = context_.clock.wall();
  range.last_size = range_size(request, range.last_range_at);
  if (max > kHiLoValueMax - range.last_size) {
    return Error(ErrorCode::too_large, "the range of ids of '" + id + "' is used up");
  }
  range.low = max + 1;
  range.high = max + range.last_size;
  range.prefix = std::string(request.tag) + request.separator;
  range.server_tag = context_.node_tag;
  RK_TRY(put_hilo(id, range.high));
  return range;
}

Result<void> DocumentWriter::hilo_return(const HiLoReturnRequest& request) {
  RK_TRY_ASSIGN(const std::string id, hilo_id(request.tag));
  if (request.last > request.end) {
    return Error(ErrorCode::invalid_argument, "the last id used lies beyond the end of the range");
  }
  RK_TRY_ASSIGN(const std::optional<DocumentView> before, reader_.get(id));
  if (!before.has_value()) {
    return {};
  }
  RK_TRY_ASSIGN(const value::View content, before->value());
  const bool is_newest = hilo_max(content) == request.end;
  return is_newest && request.last != request.end ? put_hilo(id, request.last) : Result<void>();
}

// Sets Max and leaves everything else of the document as it is.
Result<void> DocumentWriter::put_hilo(std::string_view id, std::uint64_t max) {
  const std::string folded_id = value::fold_case(id);
  RK_TRY_ASSIGN(const std::optional<DocumentView> before, reader_.get_folded(folded_id));
  std::string collection(kHiLoCollection);
  std::string written_id(id);
  value::View content;
  if (before.has_value()) {
    collection = before->collection;
    written_id = before->id;
    RK_TRY_ASSIGN(content, before->value());
  }
  value::Builder builder({.depth = value::kDepthMax});
  builder.begin_object();
  if (!content.find(kHiLoMax).has_value()) {
    builder.int64(kHiLoMax, static_cast<std::int64_t>(max));
  }
  for (std::size_t i = 0; i < content.size(); ++i) {
    if (content.key_at(i) == kHiLoMax) {
      builder.int64(kHiLoMax, static_cast<std::int64_t>(max));
    } else {
      builder.value(content.key_at(i), content.value_at(i));
    }
  }
  if (!before.has_value()) {
    builder.key(kMetadataKey);
    builder.begin_object();
    builder.string(kCollectionKey, kHiLoCollection);
    builder.end_object();
  }
  builder.end_object();
  PreparedDocument prepared;
  RK_TRY_ASSIGN(prepared.document, builder.finish());
  prepared.collection = std::move(collection);
  RK_TRY_ASSIGN(const PutResult stored,
                store_document(written_id, folded_id, before, {.document = prepared}));
  return {};
}

Result<std::int64_t> DocumentWriter::identity_next(std::string_view name) {
  RK_TRY_ASSIGN(const std::string key, identity_key(name));
  RK_TRY_ASSIGN(const std::optional<Bytes> stored, structures_.identities.get(as_bytes(key)));
  std::int64_t value = 0;
  if (stored.has_value()) {
    RK_TRY_ASSIGN(value, decode_integer<std::int64_t>(*stored));
  }
  if (value == std::numeric_limits<std::int64_t>::max()) {
    return Error(ErrorCode::too_large, "the identity '" + key + "' is used up");
  }
  ++value;
  ++change_count_;
  RK_TRY(structures_.identities.put(as_bytes(key), as_bytes(encode_integer(value))));
  return value;
}

Result<std::int64_t> DocumentWriter::identity_seed(std::string_view name, std::int64_t value,
                                                   bool force) {
  RK_TRY_ASSIGN(const std::string key, identity_key(name));
  RK_TRY_ASSIGN(const std::optional<Bytes> stored, structures_.identities.get(as_bytes(key)));
  if (stored.has_value() && !force) {
    RK_TRY_ASSIGN(const std::int64_t current, decode_integer<std::int64_t>(*stored));
    if (current >= value) {
      return current;
    }
  }
  ++change_count_;
  RK_TRY(structures_.identities.put(as_bytes(key), as_bytes(encode_integer(value))));
  return value;
}

}  // namespace rookery::doc
