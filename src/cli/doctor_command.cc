// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <string>
#include <system_error>

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>

#include "rookery/os/platform.h"

#include "commands.h"
#include "doctor_machine.h"
#include "doctor_report.h"
#include "doctor_volume.h"

// rookery doctor FOLDER: what this machine gives, what is near its limit, what nobody protects.

namespace rookery::cli {

namespace {

// A data directory that is not there yet: what holds for the folder that it will be made in.
std::string nearest_existing(const std::string& folder) {
  std::error_code error;
  std::filesystem::path path = std::filesystem::absolute(folder, error);
  while (!std::filesystem::is_directory(path, error) && path.has_relative_path()) {
    path = path.parent_path();
  }
  return path.string();
}

// The signals that end a process wait until the files that were made are gone.
class SignalsWait {
 public:
  SignalsWait() {
    sigset_t set;
    ::sigemptyset(&set);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
      ::sigaddset(&set, number);
    }
    ::pthread_sigmask(SIG_BLOCK, &set, &before_);
  }

  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;

  ~SignalsWait() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace

int run_doctor(const DoctorArguments& arguments) {
  os::Platform& platform = os::real_platform();
  const std::string folder = nearest_existing(arguments.folder);
  DoctorReport report(arguments.folder);
  if (std::error_code error;
      !std::filesystem::equivalent(folder, arguments.folder, error) || error) {
    report.add({Level::kNote, "folder", "exists", "no",
                fmt::format("What follows holds for {}, where it would be made.", folder)});
  }
  const LimitFacts limits = read_limits(platform, folder);
  judge_volume(read_volume(platform, folder), report);
  {
    const SignalsWait wait;
    examine_volume(platform, folder, report);
  }
  judge_limits(limits, report);
  judge_server(read_server(folder), limits, report);
  judge_clock(read_clock(platform), report);
  fmt::print("{}", arguments.json ? report.json() : report.text());
  return report.exit_code();
}

}  // namespace rookery::cli
