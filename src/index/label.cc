// SPDX-License-Identifier: Apache-2.0
#include "label.h"

#include <memory>
#include <span>
#include <string>

namespace rookery::index {

namespace {

constexpr std::string_view kLabel = "definition.json";
constexpr std::size_t kLabelSizeMax = std::size_t{1} << 20U;

}  // namespace

Result<void> write_label(os::FileSystem& files, const std::string& folder,
                         const Definition& definition) {
  const std::string text = encode(definition);
  RK_TRY_ASSIGN(
      const std::unique_ptr<os::File> file,
      files.open(os::join_path(folder, kLabel), {.creation = os::Creation::kOpenOrCreate}));
  RK_TRY(file->truncate(0));
  RK_TRY(file->write_at(0, as_bytes(text)));
  RK_TRY(file->sync_data());
  return files.sync_directory(folder);
}

std::optional<bool> has_label(os::FileSystem& files, const std::string& folder) {
  const Result<std::optional<os::FileInfo>> info = files.info(os::join_path(folder, kLabel));
  return info.has_value() ? std::optional(info->has_value()) : std::nullopt;
}

Result<void> remove_index_folder(os::FileSystem& files, const std::string& folder) {
  const std::optional<bool> labelled = has_label(files, folder);
  if (labelled.value_or(false)) {
    RK_TRY(files.remove_file(os::join_path(folder, kLabel)));
    RK_TRY(files.sync_directory(folder));
  }
  return os::remove_tree(files, folder);
}

std::optional<Definition> read_label(os::FileSystem& files, const std::string& folder) {
  const auto file = files.open(os::join_path(folder, kLabel), {.access = os::Access::kReadOnly});
  if (!file) {
    return std::nullopt;
  }
  const Result<os::FileInfo> info = (*file)->info();
  if (!info || info->size_bytes > kLabelSizeMax) {
    return std::nullopt;
  }
  std::string text(info->size_bytes, '\0');
  const Result<std::size_t> read =
      (*file)->read_at(0, std::as_writable_bytes(std::span(text.data(), text.size())));
  if (!read || *read != text.size()) {
    return std::nullopt;
  }
  Result<Definition> definition = decode_definition(text);
  return definition.has_value() ? std::optional(std::move(*definition)) : std::nullopt;
}

}  // namespace rookery::index
