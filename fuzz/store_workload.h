// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rookery/base/prng.h"
#include "rookery/base/result.h"
#include "rookery/os/memory_file_system.h"
#include "rookery/os/platform.h"
#include "rookery/store/environment.h"

// Purpose. What the fuzzer of a store's files does to environments, and the seeds that it begins
// with: folders that such environments wrote.

namespace rookery::fuzz {

inline constexpr std::string_view kTreeName = "items";
inline constexpr std::string_view kFixedTreeName = "numbers";
inline constexpr std::uint16_t kFixedValueSize = 8;

// The first byte of an input.
enum Switch : std::uint8_t {
  kSeal = 1,  // seal() it
  kLink = 2,  // with these options
  kPages = 4,
  kWrite = 8,   // write to it, if it opens
  kFlush = 16,  // what was written goes home before the environment is opened again
};

// Rows whose first four bytes are their key, and the next eight another.
[[nodiscard]] const store::TableSchema& rows_schema();

// Of the folder "e", with small journals.
[[nodiscard]] store::EnvironmentOptions environment_options();

// Purpose. Files in memory, and the same "random" numbers every time.
class Machine {
 public:
  [[nodiscard]] os::Platform& platform() noexcept { return platform_; }

  [[nodiscard]] os::FileSystem& files() noexcept { return files_; }

 private:
  class Random final : public os::Random {
   public:
    void fill(MutableBytes into) override;

   private:
    Prng prng_{1};
  };

  os::MemoryFileSystem files_;
  Random random_;
  os::Platform platform_{files_, os::real_platform().clock, random_, os::real_platform().threads};
};

// Puts, replaces and erases in a tree, a fixed tree and a table.
[[nodiscard]] Result<void> change_everything(store::WriteTxn& txn);

// Files of these names are replaced.
void write_seeds(const std::string& folder);

}  // namespace rookery::fuzz
