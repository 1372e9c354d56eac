// SPDX-License-Identifier: Apache-2.0
#include "recorder.h"

#include <utility>

namespace rookery::history {

NameNo Recorder::name(std::string_view text) {
  const os::MutexLock lock(mutex_);
  return history_.names.number(text);
}

std::optional<Version> Recorder::version(std::string_view text) {
  const os::MutexLock lock(mutex_);
  return parse_version(text, history_.names);
}

void Recorder::add(Operation operation) {
  const os::MutexLock lock(mutex_);
  history_.operations.push_back(std::move(operation));
}

void Recorder::complain(std::string text) {
  const os::MutexLock lock(mutex_);
  if (complaints_.size() < kComplaintsMax) {
    complaints_.push_back(std::move(text));
  }
}

void Recorder::count_refusal(const std::string& why) {
  const os::MutexLock lock(mutex_);
  ++refusals_[why];
}

std::uint64_t Recorder::count() {
  const os::MutexLock lock(mutex_);
  return history_.operations.size();
}

}  // namespace rookery::history
