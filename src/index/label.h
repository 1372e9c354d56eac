// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "rookery/base/result.h"
#include "rookery/index/definition.h"
#include "rookery/os/file_system.h"

// Purpose. The definition of an index as a small file beside its environment: a damaged index can
// still be named, and built anew, and half a folder is told from a damaged one.
// Threads: any; one folder at a time.
// Source: docs/format/index.md.

namespace rookery::index {

// The last step of making an index.
[[nodiscard]] Result<void> write_label(os::FileSystem& files, const std::string& folder,
                                       const Definition& definition);
// The label first, durably: half a folder without one is known to be going.
[[nodiscard]] Result<void> remove_index_folder(os::FileSystem& files, const std::string& folder);
// nullopt: the file system does not say.
[[nodiscard]] std::optional<bool> has_label(os::FileSystem& files, const std::string& folder);
[[nodiscard]] std::optional<Definition> read_label(os::FileSystem& files,
                                                   const std::string& folder);

}  // namespace rookery::index
