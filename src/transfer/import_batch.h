// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "document_maker.h"

// Purpose. Records on their way to the server: documents, and those that cannot be one.

namespace rookery::transfer {

struct Reject {
  std::uint64_t line = 0;
  std::string why;
  std::string record;
};

// Threads: one owner.
class ImportBatch {
 public:
  // How far the input has come with it.
  std::uint64_t record_count = 0;
  std::uint64_t hash = 0;

  void add(const MadeDocument& document, std::uint64_t line);
  void reject(Reject reject);
  // A document that was added before. Requires: index < document_count(), once each.
  void reject_document(std::size_t index, std::string_view why);

  // Of those that were added.
  [[nodiscard]] std::size_t document_count() const noexcept { return documents_.size(); }

  [[nodiscard]] std::size_t accepted_count() const noexcept {
    return documents_.size() - refused_count_;
  }

  // Of all that it holds.
  [[nodiscard]] std::size_t size_bytes() const noexcept { return text_.size() + reject_bytes_; }

  // A bulk insert of the documents from `begin` to before `end`. Requires: begin < end.
  [[nodiscard]] std::string body(std::size_t begin, std::size_t end) const;
  // In the order of their lines.
  [[nodiscard]] std::vector<Reject> take_rejects();

 private:
  struct Place {
    std::size_t begin = 0;     // of the element in text_
    std::size_t document = 0;  // of the document in it
    std::size_t end = 0;       // of both, but for one bracket
    std::uint64_t line = 0;
  };

  std::string text_;  // elements, with commas between them
  std::vector<Place> documents_;
  std::vector<Reject> rejects_;
  std::size_t reject_bytes_ = 0;
  std::size_t refused_count_ = 0;
};

}  // namespace rookery::transfer
