// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "rookery/base/result.h"
#include "rookery/os/platform.h"

#include "import_batch.h"
#include "server.h"

// Purpose. A batch into the database, by a thread of its own: while it is on its way the next one
// is made.

namespace rookery::transfer {

// Stores the body of a bulk insert; nullopt: all of it is durable.
using InsertBody = std::function<Result<std::optional<Refusal>>(std::string body)>;

// Stores all documents of the batch that the server takes, and rejects the others: one document
// must not keep those around it out. Errors: of `insert`.
[[nodiscard]] Result<void> store_batch(ImportBatch& batch, const InsertBody& insert);

// Threads: one owner.
class BatchSender {
 public:
  explicit BatchSender(InsertBody insert) : insert_(std::move(insert)) {}

  BatchSender(const BatchSender&) = delete;
  BatchSender& operator=(const BatchSender&) = delete;
  ~BatchSender();  // waits

  // Requires: wait() since the last one.
  void begin(ImportBatch batch);
  // The batch that was begun, when store_batch() is done with it; nullopt if none was.
  [[nodiscard]] Result<std::optional<ImportBatch>> wait();

 private:
  const InsertBody insert_;
  // Of the thread while there is one.
  std::optional<ImportBatch> batch_;
  Result<void> outcome_;
  std::unique_ptr<os::Thread> thread_;
};

}  // namespace rookery::transfer
