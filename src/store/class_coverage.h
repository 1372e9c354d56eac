// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iostream>
#include <map>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <rapidcheck.h>

// Purpose. For property tests: which classes of inputs and states a property has met. A generator
// that never makes a deep tree proves nothing about deep trees, and nobody sees it; a class that
// was not met fails the test.

namespace rookery::store {

class ClassCoverage {
 public:
  ClassCoverage(std::initializer_list<std::string_view> classes) {
    for (const std::string_view name : classes) {
      counts_.emplace(name, 0);
    }
  }

  // Nothing, if `name` is not a class of this property.
  void see(std::string_view name, bool met = true) {
    if (const auto found = counts_.find(std::string(name)); found != counts_.end()) {
      found->second += met ? 1 : 0;
    }
  }

  // Names; empty: all were met.
  [[nodiscard]] std::string missing() const {
    std::string names;
    for (const auto& [name, count] : counts_) {
      names += count == 0 ? fmt::format("{}{}", names.empty() ? "" : ", ", name) : "";
    }
    return names;
  }

  [[nodiscard]] std::string to_string() const {
    std::string text;
    for (const auto& [name, count] : counts_) {
      text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", name, count);
    }
    return text;
  }

 private:
  std::map<std::string, std::uint64_t> counts_;
};

// Whether `property` holds. One run of it may miss a rare class: it is repeated with further seeds,
// a few times, until it has met all.
template <typename Property>
[[nodiscard]] bool holds_until_covered(const ClassCoverage& coverage, const Property& property) {
  bool holds = rc::check(property);
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  for (int more = 0; holds && more < 10 && !coverage.missing().empty(); ++more) {
    ++params.seed;
    const rc::detail::TestResult result =
        rc::detail::checkTestable(property, rc::detail::TestMetadata(), params);
    holds = result.template is<rc::detail::SuccessResult>();
    if (!holds) {
      rc::detail::printResultMessage(result, std::cerr);
    }
  }
  return holds;
}

// From the whole range, always: inRange() alone takes a share of it that grows with the size of the
// case, from nothing, so that the upper end of a range is met by the last cases only, and where
// cases are scaled down never.
template <typename T>
[[nodiscard]] rc::Gen<T> in_whole_range(T begin, T end) {
  return rc::gen::resize(rc::kNominalSize, rc::gen::inRange<T>(begin, end));
}

}  // namespace rookery::store
