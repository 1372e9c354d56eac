// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rookery/base/check.h"

// Purpose. For tests: the program as a child, and a folder of its own.

namespace rookery::cli {

using Clock = std::chrono::steady_clock;

inline constexpr std::chrono::seconds kWait{20};

// Purpose. A child with pipes at its standard streams. Killed, if it lives, when the test ends.
class Child {
 public:
  explicit Child(std::vector<std::string> arguments) {
    std::array<int, 2> in{};
    std::array<int, 2> out{};
    std::array<int, 2> err{};
    for (auto* ends : {&in, &out, &err}) {
      RK_CHECK(::pipe2(ends->data(), O_CLOEXEC) == 0);
    }
    pid_ = ::fork();
    RK_CHECK(pid_ >= 0);
    if (pid_ == 0) {
      ::dup2(in[0], 0);
      ::dup2(out[1], 1);
      ::dup2(err[1], 2);
      std::vector<char*> argv = {const_cast<char*>(RK_PROGRAM)};
      for (std::string& argument : arguments) {
        argv.push_back(argument.data());
      }
      argv.push_back(nullptr);
      ::execv(RK_PROGRAM, argv.data());
      ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    ::close(err[1]);
    in_ = in[1];
    out_ = out[0];
    err_ = err[0];
  }

  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  ~Child() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    for (const int descriptor : {in_, out_, err_}) {
      if (descriptor >= 0) {
        ::close(descriptor);
      }
    }
  }

  void write(std::string_view text) const {
    RK_CHECK(::write(in_, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }

  void close_input() {
    ::close(in_);
    in_ = -1;
  }

  void close_output() {
    ::close(out_);
    out_ = -1;
  }

  void signal(int number) const { ::kill(pid_, number); }

  // The standard output up to the first line end, or its end.
  std::string read_line() { return read(out_, true); }

  std::string read_rest() { return read(out_, false); }

  std::string read_errors() { return read(err_, false); }

  // The exit code; -1 if it did not exit by itself in time.
  int wait() {
    const auto limit = Clock::now() + kWait;
    while (Clock::now() < limit) {
      int status = 0;
      const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
      if (ended == pid_) {
        pid_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return -1;
  }

  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  static std::string read(int descriptor, bool one_line) {
    std::string out;
    const auto limit = Clock::now() + kWait;
    while (Clock::now() < limit && (!one_line || out.find('\n') == std::string::npos)) {
      pollfd watched{.fd = descriptor, .events = POLLIN, .revents = 0};
      if (::poll(&watched, 1, 1000) <= 0) {
        continue;
      }
      std::array<char, 4096> bytes{};
      const ssize_t count = ::read(descriptor, bytes.data(), one_line ? 1 : bytes.size());
      if (count <= 0) {
        break;
      }
      out.append(bytes.data(), static_cast<std::size_t>(count));
    }
    return out;
  }

  pid_t pid_ = -1;
  int in_ = -1;
  int out_ = -1;
  int err_ = -1;
};

inline std::vector<std::string> serve_in_memory(std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = {"--RunInMemory=true", "--Logs.Mode=None",
                                        "--ServerUrl=http://127.0.0.1:0"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

// Waits for the line, and returns the URL in it.
inline std::string url_of(Child& child) {
  const std::string line = child.read_line();
  constexpr std::string_view kStart = "Server available on: ";
  EXPECT_THAT(line, testing::MatchesRegex("Server available on: http://127\\.0\\.0\\.1:[0-9]+\n"));
  return line.size() > kStart.size() + 1
             ? line.substr(kStart.size(), line.size() - kStart.size() - 1)
             : std::string();
}

class Folder {
 public:
  Folder()
      : path_(::testing::TempDir() + "rookery_process_" + std::to_string(::getpid()) + "_" +
              std::to_string(Clock::now().time_since_epoch().count())) {}

  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  ~Folder() { std::filesystem::remove_all(path_); }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace rookery::cli
