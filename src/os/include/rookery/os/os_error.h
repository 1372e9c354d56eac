// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "rookery/base/result.h"

namespace rookery::os {

// "path: call: ENOSPC (No space left on device)" with the code that a caller acts on: no_space
// (ENOSPC, EDQUOT), not_found (ENOENT), already_exists (EEXIST), too_many (EMFILE, ENFILE),
// out_of_memory (ENOMEM), not_supported (EOPNOTSUPP), io (all else).
[[nodiscard]] Error os_error(std::string_view call, std::string_view path, int os_errno);

}  // namespace rookery::os
