// SPDX-License-Identifier: Apache-2.0
#include "import_state.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "rookery/base/checksum.h"
#include "rookery/value/json.h"

#include "file_writer.h"

namespace rookery::transfer {

namespace {

constexpr std::int64_t kFormat = 1;

// A hash needs all 64 bits, which a JSON number may lack.
std::string to_hex(std::uint64_t value) {
  return fmt::format("{:016x}", value);
}

std::optional<std::uint64_t> from_hex(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? std::optional(value) : std::nullopt;
}

Error malformed_state(const std::string& path) {
  return {ErrorCode::malformed,
          fmt::format("'{}' is not the state of an import; remove it to begin anew", path)};
}

}  // namespace

std::uint64_t add_to_hash(std::uint64_t hash, std::string_view record) noexcept {
  return checksum64(as_bytes(record), hash);
}

Result<std::optional<ImportState>> load_state(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    if (errno == ENOENT) {
      return std::optional<ImportState>();
    }
    return file_error("cannot open", path);
  }
  std::array<char, 16 * 1024> buffer{};
  const ssize_t size = ::read(file, buffer.data(), buffer.size());
  ::close(file);
  if (size < 0) {
    return file_error("cannot read", path);
  }
  const auto parsed = value::parse_json({buffer.data(), static_cast<std::size_t>(size)});
  if (!parsed.has_value()) {
    return malformed_state(path);
  }
  const value::View root = parsed->root();
  const auto target = root.find_string("Target");
  const auto records = root.find_int64("Records");
  const auto documents = root.find_int64("Documents");
  const auto rejects = root.find_int64("Rejects");
  const auto rejects_bytes = root.find_int64("RejectsBytes");
  const auto hash = from_hex(root.find_string("Hash").value_or("x"));
  if (root.find_int64("Format") != kFormat || !target || !records || !documents || !rejects ||
      !rejects_bytes || !hash) {
    return malformed_state(path);
  }
  ImportState state;
  state.target = *target;
  state.record_count = static_cast<std::uint64_t>(*records);
  state.document_count = static_cast<std::uint64_t>(*documents);
  state.reject_count = static_cast<std::uint64_t>(*rejects);
  state.rejects_bytes = static_cast<std::uint64_t>(*rejects_bytes);
  state.hash = *hash;
  return std::optional(std::move(state));
}

Result<void> save_state(const std::string& path, const ImportState& state) {
  std::string json;
  value::JsonWriter w(json);
  w.begin_object();
  w.int64("Format", kFormat);
  w.string("Target", state.target);
  w.uint64("Records", state.record_count);
  w.uint64("Documents", state.document_count);
  w.uint64("Rejects", state.reject_count);
  w.uint64("RejectsBytes", state.rejects_bytes);
  w.string("Hash", to_hex(state.hash));
  w.end_object();
  json += '\n';
  RK_TRY_ASSIGN(auto file, ReplacingFile::create(path, Existing::kReplace));
  RK_TRY(file->write(json));
  return file->commit();
}

Result<void> remove_file(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
    return file_error("cannot remove", path);
  }
  return {};
}

}  // namespace rookery::transfer
