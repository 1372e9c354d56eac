// SPDX-License-Identifier: Apache-2.0
#include "store_folder.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "rookery/base/check.h"
#include "rookery/base/checksum.h"
#include "rookery/store/ids.h"

namespace rookery::fuzz {
namespace {

using store::kPageSize;
using store::Uuid;

constexpr std::size_t kWord = 8;
constexpr std::size_t kFileBytesMax = kWord << 16U;
constexpr std::size_t kPieceFront = 5;
constexpr std::size_t kPieceBytesMax = 0xFFFF;

constexpr std::size_t kBlock = 4096;
constexpr std::size_t kHeaderBytes = 8192;
constexpr std::size_t kJournalBytesMin = 65'536;

// Where these pages of docs/format put what is sealed here.
constexpr std::size_t kHeaderChecksum = 8184;
constexpr std::array<std::size_t, 3> kHeaderPositions{248, 296, 344};  // start, floor, fence
constexpr std::size_t kBlockFileId = 16;
constexpr std::size_t kBlockPredecessor = 64;
constexpr std::size_t kBlockSeq = 88;
constexpr std::size_t kBlockFence = 96;
constexpr std::size_t kBlockFenceHash = 104;
constexpr std::size_t kBlockChecksum = 4088;
constexpr std::uint64_t kBatchMagic = 0x3130484354424B52;  // "RKBTCH01"
constexpr std::size_t kBatchNumber = 24;
constexpr std::size_t kBatchOffset = 40;
constexpr std::size_t kBatchLength = 48;
constexpr std::size_t kBatchHashBefore = 56;
constexpr std::size_t kBatchItemCount = 64;
constexpr std::size_t kBatchChecksum = 72;
constexpr std::size_t kBatchItems = 96;
constexpr std::size_t kItemBytes = 64;
constexpr std::size_t kItemOffset = 40;
constexpr std::size_t kItemLength = 48;
constexpr std::size_t kRecordFrees = 8;
constexpr std::size_t kRecordImages = 12;
constexpr std::size_t kRecordFront = 144;
constexpr std::size_t kFreeBytes = 16;
constexpr std::size_t kImageFront = 24;
constexpr std::size_t kPageCountOfRun = 30;

// A batch, or a journal's first block (batch 0), as positions name it.
struct Mark {
  Uuid file_id{};
  std::uint64_t seq = 0;
  std::uint64_t batch = 0;
  std::uint64_t offset = 0;
  std::uint64_t hash = 0;
};

class Sealing {
 public:
  explicit Sealing(const SealOptions& options) : options_(options) {}

  void journal(MutableBytes file);
  void header(MutableBytes file) const;
  void data(MutableBytes file) const;

 private:
  [[nodiscard]] const Mark* find(const Uuid& file_id, std::uint64_t batch) const;
  void images(MutableBytes batch) const;
  static void images_of_record(MutableBytes record);

  const SealOptions options_;
  std::vector<Mark> marks_;
};

std::uint64_t u64_at(Bytes bytes, std::size_t offset) {
  return load<std::uint64_t>(bytes.data() + offset);
}

void seal_run(MutableBytes run) {
  save(run.data(), checksum64(Bytes(run).subspan(sizeof(std::uint64_t))));
}

const Mark* Sealing::find(const Uuid& file_id, std::uint64_t batch) const {
  const auto found = std::find_if(marks_.begin(), marks_.end(), [&](const Mark& mark) {
    return mark.file_id == file_id && mark.batch == batch;
  });
  return found == marks_.end() ? nullptr : &*found;
}

void Sealing::journal(MutableBytes file) {
  if (file.size() < kBlock) {
    return;
  }
  if (options_.link) {
    const Mark* before =
        find(load<Uuid>(file.data() + kBlockPredecessor), u64_at(file, kBlockFence));
    save(file.data() + kBlockFenceHash, before == nullptr ? std::uint64_t{0} : before->hash);
  }
  std::uint64_t hash = checksum64(Bytes(file).first(kBlockChecksum));
  save(file.data() + kBlockChecksum, hash);
  const auto id = load<Uuid>(file.data() + kBlockFileId);
  const std::uint64_t seq = u64_at(file, kBlockSeq);
  marks_.push_back({id, seq, 0, 0, hash});
  for (std::size_t at = kBlock; at + kBatchItems <= file.size();) {
    const std::uint64_t length = u64_at(file, at + kBatchLength);
    if (u64_at(file, at) != kBatchMagic || length == 0 || length % kBlock != 0 ||
        length > file.size() - at) {
      at += kBlock;
      continue;
    }
    const MutableBytes batch = file.subspan(at, static_cast<std::size_t>(length));
    if (options_.link) {
      save(batch.data() + kBatchOffset, std::uint64_t{at});
      save(batch.data() + kBatchHashBefore, hash);
    }
    if (options_.pages) {
      images(batch);
    }
    hash = checksum64(Bytes(batch).subspan(kBatchChecksum + sizeof(std::uint64_t)),
                      checksum64(Bytes(batch).first(kBatchChecksum)));
    save(batch.data() + kBatchChecksum, hash);
    marks_.push_back({id, seq, u64_at(batch, kBatchNumber), at, hash});
    at += batch.size();
  }
}

void Sealing::images(MutableBytes batch) const {
  const auto count = load<std::uint32_t>(batch.data() + kBatchItemCount);
  for (std::size_t i = 0; i < count && kBatchItems + (i + 1) * kItemBytes <= batch.size(); ++i) {
    const std::size_t item = kBatchItems + i * kItemBytes;
    const std::uint64_t offset = u64_at(batch, item + kItemOffset);
    const std::uint64_t length = u64_at(batch, item + kItemLength);
    if (offset <= batch.size() && length <= batch.size() - offset) {
      images_of_record(
          batch.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(length)));
    }
  }
}

void Sealing::images_of_record(MutableBytes record) {
  if (record.size() < kRecordFront) {
    return;
  }
  const auto frees = load<std::uint32_t>(record.data() + kRecordFrees);
  const auto images = load<std::uint32_t>(record.data() + kRecordImages);
  if (frees > (record.size() - kRecordFront) / kFreeBytes) {
    return;
  }
  MutableBytes rest = record.subspan(kRecordFront + frees * kFreeBytes);
  for (std::uint32_t i = 0; i < images && rest.size() >= kImageFront; ++i) {
    const auto pages = load<std::uint32_t>(rest.data() + 8);
    const auto stored = load<std::uint32_t>(rest.data() + 12);
    const auto encoding = load<std::uint8_t>(rest.data() + 16);
    rest = rest.subspan(kImageFront);
    if (stored > rest.size()) {
      return;
    }
    if (encoding == 1 && stored > 0 && stored == std::uint64_t{pages} * kPageSize) {
      seal_run(rest.first(stored));
    }
    rest = rest.subspan(stored);
  }
}

void Sealing::header(MutableBytes file) const {
  if (file.size() < kHeaderBytes) {
    return;
  }
  for (const std::size_t at : kHeaderPositions) {
    std::byte* position = file.data() + at;
    const Mark* mark =
        options_.link ? find(load<Uuid>(position), load<std::uint64_t>(position + 24)) : nullptr;
    if (mark != nullptr) {
      save(position + 16, mark->seq);
      save(position + 32, mark->offset);
      save(position + 40, mark->hash);
    }
  }
  save(file.data() + kHeaderChecksum, checksum64(Bytes(file).first(kHeaderChecksum)));
}

void Sealing::data(MutableBytes file) const {
  if (!options_.pages) {
    return;
  }
  while (file.size() >= kPageSize) {
    const auto count = load<std::uint16_t>(file.data() + kPageCountOfRun);
    const std::size_t size = std::max<std::size_t>(1, count) * kPageSize;
    if (count > 0 && size <= file.size()) {
      seal_run(file.first(size));
    }
    file = file.subspan(std::min(size, file.size()));
  }
}

std::size_t least_size(std::size_t file) {
  return file < kDataFile ? kHeaderBytes : file >= kFirstJournal ? kJournalBytesMin : kPageSize;
}

std::string name_of(std::size_t file) {
  switch (file) {
    case kHeaderOne:
      return "header.one";
    case kHeaderTwo:
      return "header.two";
    case kDataFile:
      return "data.rks";
    default:
      return fmt::format("Journals/{:016x}-00000000.journal", file - kFirstJournal + 1);
  }
}

bool is_zero(Bytes bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

void append_piece(std::string& to, std::size_t file, std::size_t offset, Bytes bytes) {
  const auto word = static_cast<std::uint16_t>(offset / kWord);
  const auto length = static_cast<std::uint16_t>(bytes.size());
  to += static_cast<char>(file);
  to.append(reinterpret_cast<const char*>(&word), sizeof(word));
  to.append(reinterpret_cast<const char*>(&length), sizeof(length));
  to += as_text(bytes);
}

Result<std::vector<std::byte>> read_file(os::FileSystem& files, const std::string& path) {
  RK_TRY_ASSIGN(auto file, files.open(path, {.access = os::Access::kReadOnly}));
  RK_TRY_ASSIGN(const os::FileInfo info, file->info());
  RK_CHECK(info.size_bytes <= kFileBytesMax);
  std::vector<std::byte> bytes(static_cast<std::size_t>(info.size_bytes));
  RK_TRY_ASSIGN(const std::size_t size, file->read_at(0, bytes));
  RK_CHECK(size == bytes.size());
  return bytes;
}

}  // namespace

Folder read_pieces(Bytes input) {
  Folder folder;
  while (input.size() >= kPieceFront) {
    const std::size_t file = static_cast<std::uint8_t>(input[0]) % kFilesMax;
    const std::size_t offset = load<std::uint16_t>(input.data() + 1) * kWord;
    const std::size_t wanted = load<std::uint16_t>(input.data() + 3);
    input = input.subspan(kPieceFront);
    const Bytes piece = input.first(std::min({wanted, input.size(), kFileBytesMax - offset}));
    input = input.subspan(std::min(wanted, input.size()));
    std::vector<std::byte>& bytes = folder[file];
    bytes.resize(std::max({bytes.size(), offset + piece.size(), least_size(file)}));
    std::copy(piece.begin(), piece.end(), bytes.begin() + static_cast<std::ptrdiff_t>(offset));
  }
  // Whole pages, whole blocks; a header has its one size.
  for (std::size_t file = 0; file < kFilesMax; ++file) {
    const std::size_t unit = least_size(file) == kPageSize ? kPageSize : kBlock;
    folder[file].resize(file < kDataFile ? std::min(folder[file].size(), kHeaderBytes)
                                         : (folder[file].size() + unit - 1) / unit * unit);
  }
  return folder;
}

std::string write_pieces(const Folder& folder) {
  std::string out;
  for (std::size_t file = 0; file < kFilesMax; ++file) {
    const Bytes bytes(folder[file]);
    RK_CHECK(bytes.size() <= kFileBytesMax);
    RK_CHECK(bytes.size() % kWord == 0);
    std::size_t at = 0;
    while (at < bytes.size()) {
      if (is_zero(bytes.subspan(at, kWord))) {
        at += kWord;
        continue;
      }
      std::size_t end = at + kWord;
      while (end < bytes.size() && end - at + kWord <= kPieceBytesMax &&
             !is_zero(bytes.subspan(end, kWord))) {
        end += kWord;
      }
      append_piece(out, file, at, bytes.subspan(at, end - at));
      at = end;
    }
    if (!bytes.empty() && is_zero(bytes.last(kWord)) && bytes.size() > least_size(file)) {
      append_piece(out, file, bytes.size() - kWord, bytes.last(kWord));  // says how long it is
    }
  }
  return out;
}

void seal(Folder& folder, const SealOptions& options) {
  Sealing sealing(options);
  for (std::size_t i = kFirstJournal; i < kFilesMax; ++i) {
    sealing.journal(folder[i]);
  }
  sealing.header(folder[kHeaderOne]);
  sealing.header(folder[kHeaderTwo]);
  sealing.data(folder[kDataFile]);
}

Result<void> store_folder(os::FileSystem& files, const std::string& path, const Folder& folder) {
  RK_TRY(files.create_directory(path));
  RK_TRY(files.create_directory(os::join_path(path, "Journals")));
  RK_TRY(files.create_directory(os::join_path(path, "Temp")));
  for (std::size_t i = 0; i < kFilesMax; ++i) {
    const Bytes bytes(folder[i]);
    // The data file of a new environment is there, and empty.
    if (bytes.empty() && i != kDataFile) {
      continue;
    }
    RK_TRY_ASSIGN(auto file, files.open(os::join_path(path, name_of(i)),
                                        {.creation = os::Creation::kCreateNew}));
    RK_TRY(file->truncate(bytes.size()));
    for (std::size_t at = 0; at < bytes.size(); at += kBlock) {
      const Bytes block = bytes.subspan(at, std::min(kBlock, bytes.size() - at));
      if (!is_zero(block)) {
        RK_TRY(file->write_at(at, block));
      }
    }
  }
  return {};
}

Result<Folder> load_folder(os::FileSystem& files, const std::string& path) {
  Folder folder;
  for (std::size_t i = 0; i < kFirstJournal; ++i) {
    RK_TRY_ASSIGN(folder[i], read_file(files, os::join_path(path, name_of(i))));
  }
  const std::string journals = os::join_path(path, "Journals");
  RK_TRY_ASSIGN(const auto names, files.list(journals));
  std::size_t next = kFirstJournal;
  for (const std::string& name : names) {
    if (name.ends_with(".journal")) {
      RK_CHECK(next < kFilesMax);
      RK_TRY_ASSIGN(folder[next++], read_file(files, os::join_path(journals, name)));
    }
  }
  return folder;
}

}  // namespace rookery::fuzz
