// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "rookery/base/coding.h"
#include "rookery/base/result.h"
#include "rookery/os/file_system.h"
#include "rookery/os/sync.h"
#include "rookery/os/time.h"

// Purpose. Everything a layer above may ask of the machine, in one bundle that is passed in: many
// servers, real and simulated, live in one process. Nothing outside `os` starts a thread, reads a
// clock, opens a file or draws a random number by itself.

namespace rookery::os {

class Random {
 public:
  Random() = default;
  Random(const Random&) = delete;
  Random& operator=(const Random&) = delete;
  virtual ~Random() = default;
  // Unpredictable in production (getrandom), seeded in simulation.
  virtual void fill(MutableBytes into) = 0;
};

class Thread {
 public:
  Thread() = default;
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;
  virtual ~Thread() = default;  // joins
  virtual void join() = 0;
};

class Threads {
 public:
  Threads() = default;
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  virtual ~Threads() = default;
  // `name` is shown by the operating system (first 15 bytes). `body` must not throw. A machine that
  // refuses another thread ends the process: nothing above could go on half started.
  virtual std::unique_ptr<Thread> start(std::string name, std::function<void()> body) = 0;
  // Renames the calling thread: a pool thread carries the name of the work it does.
  virtual void set_current_name(std::string_view name) = 0;
};

// Owns: nothing; the referenced objects outlive whoever holds a Platform.
struct Platform {
  FileSystem& files;
  Clock& clock;
  Random& random;
  Threads& threads;
};

// The real one: POSIX files, the system's clocks, getrandom, OS threads. Never destroyed.
[[nodiscard]] Platform& real_platform();

}  // namespace rookery::os
