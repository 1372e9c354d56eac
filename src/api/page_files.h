// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

// Purpose. The files of the page at GET /, as they stand in the folder page; embedded by the build.

namespace rookery::api {

struct PageFile {
  std::string_view name;
  std::string_view content;
};

[[nodiscard]] std::span<const PageFile> page_files() noexcept;

}  // namespace rookery::api
