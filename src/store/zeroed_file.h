// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "rookery/base/result.h"
#include "rookery/os/file_system.h"

namespace rookery::store {

// Makes a file of zeros, written and not only allocated: appends then change no metadata, so that a
// durable write is one device write, and a thin device has given it all its blocks. Durable but for
// its name.
// Errors: already_exists, no_space, io: then there is no such file.
[[nodiscard]] Result<void> make_zeroed_file(os::FileSystem& files, const std::string& path,
                                            std::uint64_t size_bytes);

}  // namespace rookery::store
