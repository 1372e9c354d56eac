// SPDX-License-Identifier: Apache-2.0
#include "rookery/os/file_system.h"

#include <cerrno>
#include <utility>

#include "rookery/os/os_error.h"

namespace rookery::os {

std::string join_path(std::string_view directory, std::string_view name) {
  std::string path(directory);
  if (!path.empty() && path.back() != '/') {
    path.push_back('/');
  }
  path.append(name);
  return path;
}

std::string parent_path(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') {
    path.remove_suffix(1);
  }
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) {
    return ".";
  }
  return std::string(path.substr(0, slash == 0 ? 1 : slash));
}

namespace {

// Removes the files of `path` and returns its sub-directories.
Result<std::vector<std::string>> remove_files(FileSystem& files, const std::string& path) {
  std::vector<std::string> directories;
  RK_TRY_ASSIGN(const std::vector<std::string> names, files.list(path));
  for (const std::string& name : names) {
    std::string child = join_path(path, name);
    RK_TRY_ASSIGN(const std::optional<FileInfo> facts, files.info(child));
    if (facts.has_value() && facts->is_directory) {
      directories.push_back(std::move(child));
      continue;
    }
    // A link to nowhere has no info and is removed like a file; what is gone meanwhile is fine.
    const Result<void> removed = files.remove_file(child);
    if (!removed.has_value() && removed.error().code() != ErrorCode::not_found) {
      return removed.error();
    }
  }
  return directories;
}

}  // namespace

Result<void> remove_tree(FileSystem& files, std::string_view path) {
  RK_TRY_ASSIGN(const std::optional<FileInfo> root, files.info(path));
  if (!root.has_value()) {
    return {};
  }
  if (!root->is_directory) {
    return files.remove_file(path);
  }
  // Parents before children here, so removing from the back meets each directory empty.
  std::vector<std::string> found{std::string(path)};
  for (std::size_t i = 0; i < found.size(); ++i) {
    RK_TRY_ASSIGN(std::vector<std::string> below, remove_files(files, found[i]));
    for (std::string& child : below) {
      found.push_back(std::move(child));
    }
  }
  while (!found.empty()) {
    RK_TRY(files.remove_directory(found.back()));
    found.pop_back();
  }
  return {};
}

Result<void> create_directories(FileSystem& files, std::string_view path) {
  std::vector<std::string> missing;
  std::string at(path);
  while (true) {
    RK_TRY_ASSIGN(const std::optional<FileInfo> facts, files.info(at));
    if (facts.has_value()) {
      if (!facts->is_directory) {
        return os_error("mkdir", at, ENOTDIR);
      }
      break;
    }
    std::string parent = parent_path(at);
    missing.push_back(at);
    if (parent == at) {
      break;
    }
    at = std::move(parent);
  }
  while (!missing.empty()) {
    const Result<void> made = files.create_directory(missing.back());
    if (!made.has_value() && made.error().code() != ErrorCode::already_exists) {
      return made;
    }
    missing.pop_back();
  }
  return {};
}

}  // namespace rookery::os
