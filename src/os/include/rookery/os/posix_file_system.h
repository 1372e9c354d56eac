// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rookery/os/file_system.h"

// Purpose. The files of the operating system. Stateless; all of the contract is in file_system.h.
// The maps it hands out survive a read that fails (I11): on the first map a SIGBUS handler is
// installed, which touches registered ranges only and leaves every other fault to whoever handled
// it before (by default: death).

namespace rookery::os {

class PosixFileSystem final : public FileSystem {
 public:
  Result<std::unique_ptr<File>> open(std::string_view path, const OpenOptions& options) override;
  Result<void> rename(std::string_view source, std::string_view target) override;
  Result<void> link(std::string_view source, std::string_view target) override;
  Result<void> remove_file(std::string_view path) override;
  Result<void> create_directory(std::string_view path) override;
  Result<void> remove_directory(std::string_view path) override;
  Result<std::vector<std::string>> list(std::string_view path) override;
  Result<void> sync_directory(std::string_view path) override;
  Result<std::optional<FileInfo>> info(std::string_view path) override;
  Result<SpaceInfo> space(std::string_view path) override;
};

}  // namespace rookery::os
