// SPDX-License-Identifier: Apache-2.0
// rookery-rqt: runs .rqt files, and the examples of Markdown pages. See docs/rqt.md.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "rqt_file.h"
#include "rqt_runner.h"
#include "service_ask.h"

namespace rookery::rqt {
namespace {

struct Count {
  int cases = 0;
  int failed = 0;
};

[[nodiscard]] bool run_file(const Ask& ask, const std::string& path, bool update, Count& count) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) {
    std::cout << path << ": cannot be read\n";
    return false;
  }
  const auto file = path.ends_with(".md") ? parse_markdown(text.str()) : parse_rqt(text.str());
  if (!file.has_value()) {
    std::cout << path << ": " << file.error().message() << "\n";
    return false;
  }
  std::vector<Replacement> replacements;
  for (const Case& one : file->cases) {
    ++count.cases;
    const CaseResult result = run_case(ask, one, "rqt" + std::to_string(count.cases));
    if (!result.differences.empty()) {
      ++count.failed;
      std::cout << path << ":" << one.line + 1 << ": " << one.name << "\n" << result.differences;
    }
    replacements.insert(replacements.end(), result.replacements.begin(), result.replacements.end());
  }
  if (update && !replacements.empty()) {
    std::ofstream(path, std::ios::binary) << with_replacements(*file, replacements);
  }
  // A page or file without any case would show nothing.
  return !file->cases.empty();
}

int run(const std::vector<std::string>& arguments) {
  bool update = false;
  std::vector<std::string> paths;
  for (const std::string& argument : arguments) {
    if (argument == "--update") {
      update = true;
    } else {
      paths.push_back(argument);
    }
  }
  if (paths.empty()) {
    std::cout << "usage: rookery-rqt [--update] FILE...\n";
    return 2;
  }
  MemoryService service;
  const Ask ask = service.ask();
  Count count;
  bool all_read = true;
  for (const std::string& path : paths) {
    all_read = run_file(ask, path, update, count) && all_read;
  }
  std::cout << count.cases << " cases, " << count.failed << " failed\n";
  return all_read && count.failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace rookery::rqt

int main(int argc, char** argv) {
  return rookery::rqt::run(std::vector<std::string>(argv + 1, argv + argc));
}
