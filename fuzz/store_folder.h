// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "rookery/base/coding.h"
#include "rookery/base/result.h"
#include "rookery/os/file_system.h"

// Purpose. The folder of an environment as one input of a fuzzer: headers, data file and journals,
// without the zeros that most of their bytes are, and with checksums that can be made to fit.
// Source: docs/format/header.md, journal.md, page.md.

namespace rookery::fuzz {

inline constexpr std::size_t kHeaderOne = 0;
inline constexpr std::size_t kHeaderTwo = 1;
inline constexpr std::size_t kDataFile = 2;
inline constexpr std::size_t kFirstJournal = 3;
inline constexpr std::size_t kJournalsMax = 3;
inline constexpr std::size_t kFilesMax = kFirstJournal + kJournalsMax;

// The contents of the files; empty: there is no such file. Journals are in the order of their
// names.
using Folder = std::array<std::vector<std::byte>, kFilesMax>;

// An input is pieces, one after another: file 1, offset in words of eight bytes 2, length 2, bytes.
// What no piece covers is zeros. Any bytes are an input.
[[nodiscard]] Folder read_pieces(Bytes input);
// Requires: no file of more than 512 KB.
[[nodiscard]] std::string write_pieces(const Folder& folder);

struct SealOptions {
  // What one file or batch says of another (offsets, the checksum of the one before) fits as well.
  bool link = false;
  // So do the checksums of pages: in the data file, and of images that are not compressed.
  bool pages = false;
};

// Makes the checksums of headers, first blocks and batches those of their bytes.
void seal(Folder& folder, const SealOptions& options);

// Makes `path`, with Journals/ and Temp/ in it.
[[nodiscard]] Result<void> store_folder(os::FileSystem& files, const std::string& path,
                                        const Folder& folder);
// Requires: as write_pieces(); no more than kJournalsMax journals.
[[nodiscard]] Result<Folder> load_folder(os::FileSystem& files, const std::string& path);

}  // namespace rookery::fuzz
