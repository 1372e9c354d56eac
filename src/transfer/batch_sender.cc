// SPDX-License-Identifier: Apache-2.0
#include "batch_sender.h"

#include <algorithm>
#include <utility>

#include "rookery/base/check.h"

namespace rookery::transfer {

namespace {

// A batch with one document that is refused may have more of them, and each costs what is sent
// with it again.
constexpr std::size_t kAtOnceAfterRefusal = 256;

}  // namespace

Result<void> store_batch(ImportBatch& batch, const InsertBody& insert) {
  const std::size_t count = batch.document_count();
  std::size_t at_once = count;
  for (std::size_t begin = 0; begin < count;) {
    const std::size_t end = std::min(count, begin + at_once);
    RK_TRY_ASSIGN(const std::optional<Refusal> refusal, insert(batch.body(begin, end)));
    if (!refusal.has_value()) {
      begin = end;
      continue;
    }
    at_once = kAtOnceAfterRefusal;
    const std::size_t bad = begin + refusal->index;
    if (bad >= end) {
      return Error(ErrorCode::malformed,
                   "the server refused a document that was not sent: " + refusal->why);
    }
    // Those before it are stored, or failed in a way that this answer does not tell.
    if (bad > begin) {
      RK_TRY_ASSIGN(const std::optional<Refusal> again, insert(batch.body(begin, bad)));
      if (again.has_value()) {
        return Error(ErrorCode::malformed,
                     "the server refused a document that it had taken: " + again->why);
      }
    }
    batch.reject_document(bad, refusal->why);
    begin = bad + 1;
  }
  return {};
}

BatchSender::~BatchSender() {
  static_cast<void>(wait());
}

void BatchSender::begin(ImportBatch batch) {
  RK_CHECK(thread_ == nullptr);
  batch_ = std::move(batch);
  thread_ = os::real_platform().threads.start("rk.import",
                                              [this] { outcome_ = store_batch(*batch_, insert_); });
}

Result<std::optional<ImportBatch>> BatchSender::wait() {
  if (thread_ == nullptr) {
    return std::optional<ImportBatch>();
  }
  thread_->join();
  thread_.reset();
  RK_TRY(std::exchange(outcome_, Result<void>()));
  return std::exchange(batch_, std::nullopt);
}

}  // namespace rookery::transfer
