// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "terminal.h"

// Purpose. What the word before the cursor may become.

namespace rookery::shell {

// Purpose. The names that a server knows. Each call may ask it, and answers nothing if it cannot.
class Catalog {
 public:
  Catalog() = default;
  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;
  virtual ~Catalog() = default;

  virtual std::vector<std::string> databases() = 0;
  virtual std::vector<std::string> collections() = 0;
  virtual std::vector<std::string> indexes() = 0;
  // Paths as a query writes them: Name, Address.City, Lines[].Product. An empty name: of all
  // documents.
  virtual std::vector<std::string> fields(const std::string& collection) = 0;
};

// `text` is what was typed of the statement, up to the cursor; its last line is the one being
// edited, and `Completion::start` counts from the beginning of `text`. Names are completed without
// regard to case; keywords come out in capitals if they were begun so.
[[nodiscard]] Completion complete(std::string_view text, Catalog& catalog);

// A collection as `from` takes it: in quotes if it must be.
[[nodiscard]] std::string as_collection(const std::string& name);

}  // namespace rookery::shell
