// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "rookery/os/file_system.h"

namespace rookery::os {

// A shared map of `descriptor` (which may be closed afterwards), registered against SIGBUS.
Result<std::unique_ptr<Mapping>> map_descriptor(int descriptor, std::uint64_t length, Access access,
                                                std::string_view path);

}  // namespace rookery::os
