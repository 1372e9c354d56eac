// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "rookery/api/log.h"
#include "rookery/api/service.h"
#include "rookery/db/server.h"
#include "rookery/os/platform.h"
#include "rookery/os/sync.h"

#include "operations.h"
#include "repeat_memory.h"

// Purpose. What all requests share.

namespace rookery::api {

// Threads: constants, and members with their own synchronisation.
struct ServiceState {
  ServiceState(db::Server& the_server, os::Platform& the_platform, Log& the_log,
               ServiceOptions the_options)
      : server(the_server),
        platform(the_platform),
        log(the_log),
        options(std::move(the_options)),
        started(the_platform.clock.monotonic()) {}

  db::Server& server;
  os::Platform& platform;
  Log& log;
  const ServiceOptions options;
  const os::MonotonicTime started;
  Operations operations;
  RepeatMemory repeats;
};

}  // namespace rookery::api
