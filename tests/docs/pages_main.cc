// SPDX-License-Identifier: Apache-2.0
// usage: rookery-pages [--write] ROOT
//
// Checks docs/what-works.md and docs/errors.md against the program; --write makes the former anew.
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "errors_page.h"
#include "what_works.h"

namespace rookery::docs {
namespace {

[[nodiscard]] std::string read(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

int run(const std::vector<std::string>& arguments) {
  const bool write = !arguments.empty() && arguments.front() == "--write";
  if (arguments.size() != (write ? 2U : 1U)) {
    std::cout << "usage: rookery-pages [--write] ROOT\n";
    return 2;
  }
  const std::string folder = arguments.back() + "/docs/";
  const WhatWorks made = what_works();
  std::vector<std::string> findings = made.findings;
  if (write && findings.empty()) {
    std::ofstream(folder + "what-works.md", std::ios::binary) << made.page;
  } else if (read(folder + "what-works.md") != made.page) {
    findings.emplace_back("docs/what-works.md is out of date: rookery-pages --write .");
  }
  for (const std::string& finding : check_errors_page(read(folder + "errors.md"))) {
    findings.push_back(finding);
  }
  for (const std::string& finding : findings) {
    std::cout << finding << '\n';
  }
  std::cout << findings.size() << " findings\n";
  return findings.empty() ? 0 : 1;
}

}  // namespace
}  // namespace rookery::docs

int main(int argc, char** argv) {
  return rookery::docs::run(std::vector<std::string>(argv + 1, argv + argc));
}
