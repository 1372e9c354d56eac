// SPDX-License-Identifier: Apache-2.0
// The machine itself: clocks, getrandom, pthreads.
#include <cerrno>
#include <utility>

#include <pthread.h>
#include <sys/random.h>
#include <time.h>

#include "rookery/base/check.h"
#include "rookery/os/platform.h"
#include "rookery/os/posix_file_system.h"

namespace rookery::os {
namespace {

Duration read_clock(clockid_t which) noexcept {
  timespec now{};
  RK_CHECK(clock_gettime(which, &now) == 0);
  return std::chrono::seconds(now.tv_sec) + Duration(now.tv_nsec);
}

class SystemClock final : public Clock {
 public:
  MonotonicTime monotonic() override { return MonotonicTime(read_clock(CLOCK_MONOTONIC)); }

  WallTime wall() override { return WallTime(read_clock(CLOCK_REALTIME)); }

  void sleep_for(Duration duration) override {
    if (duration <= Duration::zero()) {
      return;
    }
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration);
    timespec left{.tv_sec = seconds.count(), .tv_nsec = (duration - seconds).count()};
    // Relative on the monotonic clock: what is left after a signal is written back.
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR) {
    }
  }
};

class SystemRandom final : public Random {
 public:
  void fill(MutableBytes into) override {
    while (!into.empty()) {
      const ssize_t got = getrandom(into.data(), into.size(), 0);
      if (got < 0) {
        RK_CHECK(errno == EINTR);
        continue;
      }
      into = into.subspan(static_cast<std::size_t>(got));
    }
  }
};

void name_this_thread(std::string_view name) noexcept {
  constexpr std::size_t kShownMax = 15;  // the kernel's TASK_COMM_LEN less its terminator
  const std::string shown(name.substr(0, kShownMax));
  static_cast<void>(pthread_setname_np(pthread_self(), shown.c_str()));  // only a label
}

struct ThreadStart {
  std::string name;
  std::function<void()> body;
};

extern "C" void* rookery_thread_main(void* argument) {
  const std::unique_ptr<ThreadStart> start(static_cast<ThreadStart*>(argument));
  name_this_thread(start->name);
  start->body();
  return nullptr;
}

class SystemThread final : public Thread {
 public:
  explicit SystemThread(pthread_t handle) noexcept : handle_(handle) {}

  SystemThread(const SystemThread&) = delete;
  SystemThread& operator=(const SystemThread&) = delete;

  ~SystemThread() override { SystemThread::join(); }

  void join() override {
    if (std::exchange(joined_, true)) {
      return;
    }
    RK_CHECK(pthread_join(handle_, nullptr) == 0);
  }

 private:
  pthread_t handle_;
  bool joined_ = false;
};

class SystemThreads final : public Threads {
 public:
  std::unique_ptr<Thread> start(std::string name, std::function<void()> body) override {
    auto argument = std::make_unique<ThreadStart>(
        ThreadStart{.name = std::move(name), .body = std::move(body)});
    pthread_t handle{};
    RK_CHECK(pthread_create(&handle, nullptr, rookery_thread_main, argument.get()) == 0);
    static_cast<void>(argument.release());  // the thread owns it now
    return std::make_unique<SystemThread>(handle);
  }

  void set_current_name(std::string_view name) override { name_this_thread(name); }
};

}  // namespace

Platform& real_platform() {
  // Never destroyed: threads may still use it while the process ends.
  static Platform& platform = *new Platform{.files = *new PosixFileSystem,
                                            .clock = *new SystemClock,
                                            .random = *new SystemRandom,
                                            .threads = *new SystemThreads};
  return platform;
}

}  // namespace rookery::os
