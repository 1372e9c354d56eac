// SPDX-License-Identifier: Apache-2.0
#include "server_process.h"

#include <array>
#include <charconv>
#include <fstream>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rookery/base/check.h"

namespace rookery::history {

namespace {

std::vector<std::string> arguments_of(const ServerCommand& command) {
  std::vector<std::string> arguments = command.prefix;
  arguments.insert(arguments.end(), {command.binary, "serve", "--ServerUrl=http://127.0.0.1:0",
                                     "--DataDir=" + command.folder, "--Logs.Mode=Operations"});
  return arguments;
}

[[noreturn]] void become(const ServerCommand& command, int output) {
  std::vector<std::string> arguments = arguments_of(command);
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) {
    argv.push_back(argument.data());
  }
  argv.push_back(nullptr);
  const std::string log = command.folder + ".log";
  ::dup2(::open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
  ::dup2(output, 1);
  ::dup2(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644), 2);
  ::execvp(argv.front(), argv.data());
  ::_exit(127);
}

}  // namespace

Result<ServerProcess> ServerProcess::start(const ServerCommand& command) {
  std::array<int, 2> ends{};
  RK_CHECK(::pipe2(ends.data(), O_CLOEXEC) == 0);
  const pid_t child = ::fork();
  RK_CHECK(child >= 0);
  if (child == 0) {
    become(command, ends[1]);
  }
  ::close(ends[1]);
  ServerProcess process(child, ends[0], !command.prefix.empty());
  RK_TRY(process.read_port());
  return process;
}

ServerProcess::ServerProcess(ServerProcess&& other) noexcept
    : child_(std::exchange(other.child_, -1)),
      output_(std::exchange(other.output_, -1)),
      has_prefix_(other.has_prefix_),
      port_(other.port_) {}

ServerProcess& ServerProcess::operator=(ServerProcess&& other) noexcept {
  std::swap(child_, other.child_);
  std::swap(output_, other.output_);
  std::swap(has_prefix_, other.has_prefix_);
  std::swap(port_, other.port_);
  return *this;
}

ServerProcess::~ServerProcess() {
  if (child_ > 0) {
    kill();
  }
  if (output_ >= 0) {
    ::close(output_);
  }
}

Result<void> ServerProcess::read_port() {
  constexpr std::string_view kStart = "Server available on: http://127.0.0.1:";
  std::string said;
  for (char c = 0; said.size() < 4096; said += c) {
    const ssize_t count = ::read(output_, &c, 1);
    if (count <= 0) {
      return Error(ErrorCode::io, "the server ended: " + said);
    }
    const std::size_t at = said.find(kStart);
    if (c == '\n' && at != std::string::npos) {
      const char* const begin = said.data() + at + kStart.size();
      if (std::from_chars(begin, said.data() + said.size(), port_).ec == std::errc{}) {
        return {};
      }
    }
  }
  return Error(ErrorCode::io, "the server says no address: " + said);
}

void ServerProcess::signal(int number) const {
  if (!has_prefix_) {
    ::kill(child_, number);
    return;
  }
  // The server is the child of what runs it, which ends with it.
  const std::string task = std::to_string(child_);
  std::ifstream children("/proc/" + task + "/task/" + task + "/children");
  for (pid_t pid = 0; children >> pid;) {
    ::kill(pid, number);
  }
}

int ServerProcess::reap() {
  int status = 0;
  RK_CHECK(::waitpid(child_, &status, 0) == child_);
  child_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

bool ServerProcess::ends_within(std::chrono::milliseconds patience) {
  const int handle = static_cast<int>(::syscall(SYS_pidfd_open, child_, 0));
  RK_CHECK(handle >= 0);
  pollfd watched{.fd = handle, .events = POLLIN, .revents = 0};
  const bool ended = ::poll(&watched, 1, static_cast<int>(patience.count())) > 0;
  ::close(handle);
  if (ended) {
    static_cast<void>(reap());
  }
  return ended;
}

void ServerProcess::kill() {
  signal(SIGKILL);
  static_cast<void>(reap());
}

int ServerProcess::stop() {
  signal(SIGTERM);
  return reap();
}

}  // namespace rookery::history
