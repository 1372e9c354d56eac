// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "rookery/base/test_seed.h"
#include "rookery/testing/sim_platform.h"

#include "test_server.h"

// Purpose. For tests: a server on a simulated machine, with its virtual clock and its lying disk.

namespace rookery::db {

inline ServerOptions sim_server_options() {
  ServerOptions options;
  options.data_dir = "data";
  options.reserve_bytes = 0;
  return options;
}

// Runs `body` as the main fiber of a fresh machine.
inline void on_a_machine(const std::function<void(testing::SimPlatform&)>& body) {
  testing::SimPlatform machine(test_seed());
  const testing::SimulationReport report = machine.run([&] { body(machine); });
  EXPECT_TRUE(report.finished()) << report.text;
}

// The same with a server, which is closed afterwards.
inline void with_server(const ServerOptions& options,
                        const std::function<void(testing::SimPlatform&, Server&)>& body) {
  on_a_machine([&](testing::SimPlatform& machine) {
    const std::unique_ptr<Server> server = open_server(machine.platform(), options);
    ASSERT_NE(server, nullptr);
    body(machine, *server);
    EXPECT_TRUE(server->close().has_value());
  });
}

inline DatabaseRef acquire(Server& server, const std::string& name) {
  Result<DatabaseRef> database = server.acquire_and_wait(name);
  EXPECT_TRUE(database.has_value()) << database.error().to_string();
  return database.has_value() ? *database : nullptr;
}

}  // namespace rookery::db
