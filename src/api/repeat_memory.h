// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>

#include "rookery/api/http.h"
#include "rookery/os/sync.h"

// Purpose. What was answered to requests that carry an id of their own (raft-request-id), so that
// one that a client sends again, because it never heard the answer, is not done twice. It lives as
// long as the process: a request repeated across a restart is done again.
// Threads: any.

namespace rookery::api {

class RepeatMemory {
 public:
  static constexpr std::size_t kCountMax = 2048;
  static constexpr std::size_t kBodyBytesMax = 64 * 1024;

  // What identifies the request; empty if nothing does.
  [[nodiscard]] static std::string key_of(const Request& request);
  [[nodiscard]] std::optional<Response> find(const std::string& key);
  // Successes only: a failure changed nothing, and trying again is right. The oldest are forgotten.
  void remember(const std::string& key, const Response& response);

 private:
  os::Mutex mutex_;
  std::unordered_map<std::string, Response> answers_ RK_GUARDED_BY(mutex_);
  std::deque<std::string> by_age_ RK_GUARDED_BY(mutex_);
};

}  // namespace rookery::api
