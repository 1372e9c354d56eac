// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rookery/base/result.h"

// Purpose. What the program can do, one function a subcommand; each returns the exit code.

namespace rookery::cli {

// 0: done. 1: it failed. 2: it was called wrongly. 3: done, but for some of it. 130: interrupted,
// as shells have it.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitPartly = 3;
inline constexpr int kExitInterrupted = 130;

// `arguments` are those behind the subcommand.
[[nodiscard]] int run_serve(std::vector<std::string> arguments);
[[nodiscard]] int run_verify(const std::string& folder);

enum class DocumentVerb : std::uint8_t { kGet, kPut, kDelete };

struct DocumentArguments {
  DocumentVerb verb = DocumentVerb::kGet;
  std::string url = "http://127.0.0.1:8080";
  std::string folder{};  // not empty: the data directory, which no server may hold
  std::string database{};
  std::string id{};
  std::string file = "-";  // of put: "-" is the standard input
};

[[nodiscard]] int run_document(const DocumentArguments& arguments);

struct DoctorArguments {
  std::string folder{};
  bool json = false;
};

// 0: nothing to do. 1: warnings. 2: problems.
[[nodiscard]] int run_doctor(const DoctorArguments& arguments);

// What --version prints.
[[nodiscard]] std::string version_text();
void print_error(const Error& error);

}  // namespace rookery::cli
