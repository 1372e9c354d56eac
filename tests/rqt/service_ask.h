// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <utility>

#include "rookery/base/check.h"
#include "rookery/os/sync.h"

#include "rqt_runner.h"
#include "test_service.h"

// Purpose. The whole HTTP interface over the real engine in memory, as an Ask.

namespace rookery::rqt {

class MemoryService {
 public:
  [[nodiscard]] Ask ask() {
    return [this](api::Request request) {
      auto response = std::make_shared<api::Response>();
      auto done = std::make_shared<os::Event>();
      service_.service->handle(std::move(request), [response, done](api::Response r) {
        *response = std::move(r);
        done->set();
      });
      RK_CHECK(done->wait_for(std::chrono::seconds(60)));
      return std::move(*response);
    };
  }

 private:
  api::TestService service_;
};

}  // namespace rookery::rqt
