// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rookery/base/result.h"
#include "rookery/value/json.h"

// Purpose. What becomes of a record: its id, its collection, and its element of a bulk insert.

namespace rookery::transfer {

struct DocumentRules {
  std::string collection{};  // empty: what the record says
  std::string id_field{};
  std::string id_prefix{};
};

struct MadeDocument {
  std::string id;
  std::string json;  // with its metadata
};

// Purpose. Every record gets the same id whenever it is read again, or none.
//   --id-field F: prefix + the value of F (text or a number)
//   else the record's own "@metadata"."@id", if it has one and there is no prefix
//   else prefix + number of the record. The prefix is the collection's name and '/', if not given.
// Threads: one owner.
class DocumentMaker {
 public:
  explicit DocumentMaker(DocumentRules rules) : rules_(std::move(rules)) {}

  // `number`: of the record, from 1. Errors: what is wrong with the record.
  [[nodiscard]] Result<MadeDocument> make(std::string_view json, std::uint64_t number);

 private:
  [[nodiscard]] Result<std::string> id_of(value::View root, value::View metadata,
                                          std::uint64_t number) const;

  const DocumentRules rules_;
  value::JsonParser parser_;
};

// {"Id":...,"Type":"PUT","Document":...}
void append_element(std::string& body, const MadeDocument& document);

}  // namespace rookery::transfer
