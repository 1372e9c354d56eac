// SPDX-License-Identifier: Apache-2.0
#include "service_notifier.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <string>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "rookery/base/check.h"

namespace rookery::cli {
namespace {

// What a service manager has: a datagram socket, by path or by abstract name ('@').
class Listener {
 public:
  explicit Listener(const std::string& name) : name_(name) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.data(), name.size());
    if (name.front() == '@') {
      address.sun_path[0] = '\0';
    }
    descriptor_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    RK_CHECK(descriptor_ >= 0);
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    RK_CHECK(::bind(descriptor_, reinterpret_cast<const sockaddr*>(&address), length) == 0);
  }

  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  ~Listener() {
    ::close(descriptor_);
    ::unlink(name_.c_str());
  }

  // Without waiting: what was sent to it is there.
  std::string receive() {
    std::array<char, 256> bytes{};
    const ssize_t count = ::recv(descriptor_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    return count < 0 ? "nothing" : std::string(bytes.data(), static_cast<std::size_t>(count));
  }

 private:
  std::string name_;
  int descriptor_ = -1;
};

std::string unique_name(const std::string& start) {
  return start + "rookery_notify_" + std::to_string(::getpid());
}

TEST(ServiceNotifier, SendsToAPathAndToAnAbstractName) {
  for (const std::string& name : {unique_name(::testing::TempDir()), unique_name("@")}) {
    Listener listener(name);
    const Result<void> sent = ServiceNotifier(name).send("READY=1\nSTATUS=here");
    ASSERT_TRUE(sent.has_value()) << name << ": " << sent.error().to_string();
    EXPECT_EQ(listener.receive(), "READY=1\nSTATUS=here");
    EXPECT_EQ(listener.receive(), "nothing");
  }
}

TEST(ServiceNotifier, DoesNothingWhereNobodyListens) {
  EXPECT_TRUE(ServiceNotifier("").send("READY=1").has_value());
}

TEST(ServiceNotifier, SaysWhatItCannotDo) {
  EXPECT_EQ(ServiceNotifier("vsock:2:1").send("READY=1").error().code(),
            ErrorCode::invalid_argument);
  EXPECT_EQ(ServiceNotifier("/" + std::string(200, 'x')).send("READY=1").error().code(),
            ErrorCode::invalid_argument);
  EXPECT_EQ(ServiceNotifier("/nobody/listens/here").send("READY=1").error().code(), ErrorCode::io);
}

}  // namespace
}  // namespace rookery::cli
