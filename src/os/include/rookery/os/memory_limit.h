// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "rookery/os/file_system.h"

// Purpose. How much memory this process can have before the kernel kills it.
// Threads: any.
// Units: bytes.

namespace rookery::os {

// The least of what the machine has and what each control group above the process allows (v1 and
// v2, whichever is mounted). nullopt if none of it can be read.
[[nodiscard]] std::optional<std::uint64_t> memory_limit_bytes(FileSystem& files);

}  // namespace rookery::os
