// SPDX-License-Identifier: Apache-2.0
#include "rookery/testing/virtual_clock.h"

#include <algorithm>

#include "rookery/base/check.h"
#include "rookery/os/scheduler_hook.h"

namespace rookery::testing {
namespace {

void scheduling_point() {
  if (os::SchedulerHook* hook = os::SchedulerHook::current(); hook != nullptr) {
    hook->yield("clock");
  }
}

}  // namespace

os::MonotonicTime VirtualClock::monotonic() {
  scheduling_point();
  return now();
}

os::WallTime VirtualClock::wall() {
  scheduling_point();
  const std::lock_guard<std::mutex> lock(mutex_);
  return wall_locked();
}

os::WallTime VirtualClock::wall_locked() const {
  return wall_stopped_.value_or(os::WallTime(now_.time_since_epoch() + wall_offset_));
}

void VirtualClock::sleep_for(os::Duration duration) {
  os::SchedulerHook* hook = os::SchedulerHook::current();
  if (hook == nullptr) {
    advance(std::max(duration, os::Duration::zero()));
    return;
  }
  const char nobody_wakes_this = 0;
  hook->wait_on({.address = &nobody_wakes_this, .what = "sleep"}, duration);
}

os::MonotonicTime VirtualClock::now() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return now_;
}

void VirtualClock::advance(os::Duration duration) {
  RK_CHECK(duration >= os::Duration::zero());
  const std::lock_guard<std::mutex> lock(mutex_);
  now_ += duration;
}

void VirtualClock::advance_to(os::MonotonicTime time) {
  const std::lock_guard<std::mutex> lock(mutex_);
  now_ = std::max(now_, time);
}

void VirtualClock::jump_wall(os::Duration delta) {
  const std::lock_guard<std::mutex> lock(mutex_);
  wall_offset_ += delta;
  if (wall_stopped_.has_value()) {
    *wall_stopped_ += delta;
  }
}

void VirtualClock::stop_wall() {
  const std::lock_guard<std::mutex> lock(mutex_);
  wall_stopped_ = wall_locked();
}

void VirtualClock::resume_wall() {
  const std::lock_guard<std::mutex> lock(mutex_);
  RK_CHECK(wall_stopped_.has_value());
  wall_offset_ = wall_stopped_->time_since_epoch() - now_.time_since_epoch();
  wall_stopped_.reset();
}

}  // namespace rookery::testing
