// SPDX-License-Identifier: Apache-2.0
#include "import_batch.h"

#include <algorithm>
#include <utility>

#include "rookery/base/check.h"

namespace rookery::transfer {

void ImportBatch::add(const MadeDocument& document, std::uint64_t line) {
  if (!text_.empty()) {
    text_ += ',';
  }
  Place place{.begin = text_.size(), .line = line};
  append_element(text_, document);
  place.end = text_.size();
  place.document = place.end - 1 - document.json.size();
  documents_.push_back(place);
}

void ImportBatch::reject(Reject reject) {
  reject_bytes_ += sizeof reject + reject.why.size() + reject.record.size();
  rejects_.push_back(std::move(reject));
}

void ImportBatch::reject_document(std::size_t index, std::string_view why) {
  RK_CHECK(index < documents_.size());
  const Place& place = documents_[index];
  ++refused_count_;
  reject({.line = place.line,
          .why = std::string(why),
          .record = text_.substr(place.document, place.end - 1 - place.document)});
}

std::string ImportBatch::body(std::size_t begin, std::size_t end) const {
  RK_CHECK(begin < end);
  RK_CHECK(end <= documents_.size());
  const std::size_t from = documents_[begin].begin;
  std::string body;
  body.reserve(documents_[end - 1].end - from + 2);
  body += '[';
  body += std::string_view(text_).substr(from, documents_[end - 1].end - from);
  body += ']';
  return body;
}

std::vector<Reject> ImportBatch::take_rejects() {
  std::stable_sort(rejects_.begin(), rejects_.end(),
                   [](const Reject& a, const Reject& b) { return a.line < b.line; });
  return std::exchange(rejects_, {});
}

}  // namespace rookery::transfer
