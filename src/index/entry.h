// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "rookery/index/definition.h"
#include "rookery/plan/field.h"
#include "rookery/search/analyzer.h"
#include "rookery/search/index_writer.h"

// Purpose. What a document is in an index: for each field of the definition its terms.
// Threads: one thread at a time.
// Source: docs/format/index.md "Entries".

namespace rookery::index {

class EntryBuilder {
 public:
  explicit EntryBuilder(const Definition& definition);

  // The fields that the document has. Lives until the next call.
  [[nodiscard]] std::span<const search::FieldValues> build(const plan::DocumentFacts& document);

 private:
  struct Source {
    IndexedField field;
    std::string scalars;
    std::string exact;
    std::string search;
    std::string time;
  };

  void add(const Source& source, const plan::DocumentFacts& document);

  std::vector<Source> sources_;
  search::Analyzer analyzer_;
  std::vector<search::FieldValues> values_;
};

}  // namespace rookery::index
