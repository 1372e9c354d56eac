// SPDX-License-Identifier: Apache-2.0
#include "folders.h"

#include <algorithm>
#include <utility>

namespace rookery::db {

namespace {

constexpr std::string_view kCreating = ".creating";

// Makes a directory and its missing parents, each one durable in the one above it.
Result<void> ensure_directory(os::FileSystem& files, const std::string& path) {
  std::vector<std::string> missing;
  for (std::string at = path;;) {
    RK_TRY_ASSIGN(const std::optional<os::FileInfo> info, files.info(at));
    const std::string above = os::parent_path(at);
    if (info.has_value() || above == at) {
      break;
    }
    missing.push_back(at);
    at = above;
  }
  for (auto next = missing.rbegin(); next != missing.rend(); ++next) {
    RK_TRY(files.create_directory(*next));
    RK_TRY(files.sync_directory(os::parent_path(*next)));
  }
  return {};
}

}  // namespace

Folders::Folders(os::Platform& platform, std::string data_dir)
    : platform_(platform),
      data_dir_(std::move(data_dir)),
      databases_dir_(os::join_path(data_dir_, "Databases")) {}

Result<void> Folders::prepare() {
  RK_TRY(ensure_directory(platform_.files, databases_dir_));
  // What was there may have been made by a process that was killed before it synced. A parent that
  // is not ours to open was not made by us.
  static_cast<void>(platform_.files.sync_directory(os::parent_path(data_dir_)));
  return platform_.files.sync_directory(data_dir_);
}

std::string Folders::system_path() const {
  return os::join_path(data_dir_, "System");
}

std::string Folders::reserve_path() const {
  return os::join_path(data_dir_, "reserve");
}

std::string Folders::path(std::string_view folder) const {
  return os::join_path(databases_dir_, folder);
}

std::string Folders::database_path(std::string_view folded_name) const {
  return path(folded_name);
}

Result<bool> Folders::database_exists(std::string_view folded_name) const {
  RK_TRY_ASSIGN(const std::optional<os::FileInfo> info, platform_.files.info(path(folded_name)));
  return info.has_value();
}

Result<void> Folders::build(std::string_view folded_name, store::EnvironmentOptions options) {
  options.path = path(std::string(folded_name) + std::string(kCreating));
  RK_TRY(os::remove_tree(platform_.files, options.path));
  RK_TRY(store::Environment::create(platform_, options));
  return sync();
}

Result<void> Folders::sync() {
  return platform_.files.sync_directory(databases_dir_);
}

Result<void> Folders::complete_creation(std::string_view folded_name) {
  RK_TRY_ASSIGN(const bool exists, database_exists(folded_name));
  if (exists) {
    return {};
  }
  return platform_.files.rename(path(std::string(folded_name) + std::string(kCreating)),
                                path(folded_name));
}

void Folders::undo_build(std::string_view folded_name) {
  // What cannot be removed now is found at the next start.
  static_cast<void>(
      os::remove_tree(platform_.files, path(std::string(folded_name) + std::string(kCreating))));
}

Result<void> Folders::begin_deletion(const Deletion& deletion) {
  RK_TRY_ASSIGN(const bool exists, database_exists(deletion.source));
  if (!exists) {
    return {};
  }
  return platform_.files.rename(path(deletion.source), path(deletion.target));
}

Result<void> Folders::finish_deletion(const Deletion& deletion) {
  RK_TRY(os::remove_tree(platform_.files, path(deletion.target)));
  return sync();
}

Result<std::vector<std::string>> Folders::unfinished_creations() const {
  std::vector<std::string> unfinished;
  RK_TRY_ASSIGN(const std::vector<std::string> names, platform_.files.list(databases_dir_));
  for (std::string_view name : names) {
    if (name.ends_with(kCreating)) {
      name.remove_suffix(kCreating.size());
      unfinished.emplace_back(name);
    }
  }
  return unfinished;
}

}  // namespace rookery::db
