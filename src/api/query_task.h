// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "rookery/base/result.h"
#include "rookery/index/query_runner.h"

#include "call.h"

// Purpose. One query on its way: prepared, waiting for its index perhaps, executed.
// Threads: one at a time; it moves from thread to thread.
// Owns: the call. Shared: the wait calls back when the request's own thread has long gone.

namespace rookery::api {

class QueryTask : public std::enable_shared_from_this<QueryTask> {
 public:
  // Requires: the call has its database.
  explicit QueryTask(CallPtr call);

  // Answers the call, now or later.
  void start();

 private:
  void prepare(index::QueryRequest request);
  void go_on(index::Readiness readiness);
  void run();
  void fail(const Error& error);

  CallPtr call_;
  index::QueryRunner runner_;
  index::PreparedQueryPtr query_;
  int preparations_ = 0;
};

// What the request asks, from its body or its URL. Errors: invalid_argument, not_supported.
[[nodiscard]] Result<index::QueryRequest> make_query_request(Call& call);

}  // namespace rookery::api
