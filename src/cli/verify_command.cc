// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "rookery/doc/reader.h"
#include "rookery/os/file_system.h"
#include "rookery/os/platform.h"
#include "rookery/search/index_reader.h"
#include "rookery/store/environment.h"

#include "commands.h"

// rookery verify FOLDER: reads everything, the indexes too, and writes nothing.

namespace rookery::cli {

namespace {

constexpr std::array<std::string_view, 2> kHeaderFiles = {"header.one", "header.two"};
constexpr std::string_view kDataFile = "data.rks";
constexpr std::string_view kDatabasesFolder = "Databases";
constexpr std::array<std::string_view, 2> kUnfinished = {".creating", ".deleting"};
// Of <data>/Databases/<name>/Indexes/<index>.
constexpr int kDepthMax = 4;
constexpr std::string_view kIndexesFolder = "Indexes";

// Whether a folder that has a data file must have headers too. They are the last to come and the
// first to go where a server was killed while it made or dropped something; a database that has its
// name is whole, and must not be passed over when it lost them.
bool is_finished_database(std::string_view folder) {
  return os::parent_path(folder).ends_with(kDatabasesFolder) &&
         std::none_of(kUnfinished.begin(), kUnfinished.end(),
                      [&](std::string_view ending) { return folder.ends_with(ending); });
}

// The environments at or below a folder: a data directory has its own, one a database, and one an
// index of it.
// NOLINTNEXTLINE(misc-no-recursion): bounded by kDepthMax
Result<void> find_environments(os::FileSystem& files, const std::string& folder, int depth,
                               std::vector<std::string>& out) {
  RK_TRY_ASSIGN(const std::vector<std::string> names, files.list(folder));
  bool is_environment = false;
  for (const std::string& name : names) {
    if (std::find(kHeaderFiles.begin(), kHeaderFiles.end(), name) != kHeaderFiles.end() ||
        (name == kDataFile && is_finished_database(folder))) {
      is_environment = true;
      continue;
    }
    const std::string path = os::join_path(folder, name);
    RK_TRY_ASSIGN(const auto info, files.info(path));
    if (info.has_value() && info->is_directory && depth < kDepthMax) {
      RK_TRY(find_environments(files, path, depth + 1, out));
    }
  }
  if (is_environment) {
    out.push_back(folder);
  }
  return {};
}

Result<store::VerifyReport> verify_one(os::Platform& platform, const std::string& folder) {
  store::EnvironmentOptions options;
  options.path = folder;
  options.create_if_missing = false;
  options.read_only = true;
  RK_TRY_ASSIGN(const std::unique_ptr<store::Environment> environment,
                store::Environment::open(platform, std::move(options)));
  RK_TRY_ASSIGN(store::VerifyReport report, environment->verify(doc::table_schemas()));
  const std::string parent = os::parent_path(folder);
  if (std::string_view(parent).ends_with(kIndexesFolder)) {
    RK_TRY_ASSIGN(store::ReadTxn txn, environment->begin_read());
    RK_TRY_ASSIGN(const std::vector<std::string> wrong, search::verify(txn));
    report.problems.insert(report.problems.end(), wrong.begin(), wrong.end());
  }
  return report;
}

}  // namespace

int run_verify(const std::string& folder) {
  os::Platform& platform = os::real_platform();
  std::vector<std::string> environments;
  if (const Result<void> found = find_environments(platform.files, folder, 0, environments);
      !found.has_value()) {
    print_error(found.error());
    return kExitFailed;
  }
  if (environments.empty()) {
    print_error(Error(ErrorCode::not_found, fmt::format("'{}' holds no database", folder)));
    return kExitFailed;
  }
  std::size_t bad = 0;
  for (const std::string& one : environments) {
    const Result<store::VerifyReport> report = verify_one(platform, one);
    if (!report.has_value()) {
      fmt::print("{}: FAILED: {}\n", one, report.error().to_string());
      ++bad;
      continue;
    }
    fmt::print("{}: {}, {} pages in use, {} free, {} structures\n", one,
               report->problems.empty() ? "sound" : "NOT SOUND", report->pages_reachable,
               report->pages_free, report->structures);
    for (const std::string& problem : report->problems) {
      fmt::print("  {}\n", problem);
    }
    bad += report->problems.empty() ? 0U : 1U;
  }
  fmt::print("{} checked, {} with problems\n", environments.size(), bad);
  return bad == 0 ? kExitOk : kExitFailed;
}

}  // namespace rookery::cli
