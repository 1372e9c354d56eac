// SPDX-License-Identifier: Apache-2.0
#include "repeat_memory.h"

namespace rookery::api {

std::string RepeatMemory::key_of(const Request& request) {
  const auto id = request.query.find("raft-request-id");
  if (!id.has_value() || id->empty() || request.method == "GET" || request.method == "HEAD") {
    return {};
  }
  // With method and path: an id used twice for different things is two requests.
  std::string key = request.method;
  key += ' ';
  key += request.path;
  key += ' ';
  key += *id;
  return key;
}

std::optional<Response> RepeatMemory::find(const std::string& key) {
  const os::MutexLock lock(mutex_);
  const auto found = answers_.find(key);
  return found == answers_.end() ? std::nullopt : std::optional<Response>(found->second);
}

void RepeatMemory::remember(const std::string& key, const Response& response) {
  if (response.status >= 400 || response.body.size() > kBodyBytesMax ||
      response.stream != nullptr) {
    return;
  }
  const os::MutexLock lock(mutex_);
  if (!answers_.emplace(key, response).second) {
    return;
  }
  by_age_.push_back(key);
  if (by_age_.size() > kCountMax) {
    answers_.erase(by_age_.front());
    by_age_.pop_front();
  }
}

}  // namespace rookery::api
