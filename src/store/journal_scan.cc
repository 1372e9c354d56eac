// SPDX-License-Identifier: Apache-2.0
#include "journal_scan.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include <fmt/format.h>

namespace rookery::store {
namespace {

constexpr std::size_t kSearchBytes = 1024 * 1024;

class Scan {
 public:
  Scan(const ChainLink& link, os::File& file, AlignedBuffer& buffer)
      : link_(link), file_(file), buffer_(buffer) {}

  [[nodiscard]] Result<ScanResult> run(const ScanStart& start, const BatchVisitor& visit);

 private:
  [[nodiscard]] const Uuid& file_id() const { return link_.file.header.file_id; }

  [[nodiscard]] Error corrupt(std::uint64_t batch, std::string_view what) const;
  // nullopt: no whole batch is there.
  [[nodiscard]] Result<std::optional<DecodedBatch>> read_batch(std::uint64_t offset);
  [[nodiscard]] bool continues(const DecodedBatch& batch, const JournalPosition& before,
                               std::uint64_t offset) const;
  // Whether a batch of this file with a number above `batch` lies at or behind `offset`.
  [[nodiscard]] Result<bool> later_batch(std::uint64_t batch, std::uint64_t offset);
  [[nodiscard]] Result<void> judge_end(ScanResult& result, std::uint64_t offset);

  const ChainLink& link_;
  os::File& file_;
  AlignedBuffer& buffer_;
};

Error Scan::corrupt(std::uint64_t batch, std::string_view what) const {
  return {ErrorCode::corrupt, fmt::format("{}: batch {} {}", link_.file.path, batch, what)};
}

Result<std::optional<DecodedBatch>> Scan::read_batch(std::uint64_t offset) {
  const std::uint64_t size = link_.file.header.size_bytes;
  if (size < kJournalBlock || offset > size - kJournalBlock) {
    return std::optional<DecodedBatch>();
  }
  MutableBytes bytes = buffer_.take(kJournalBlock);
  RK_TRY_ASSIGN(std::size_t read, file_.read_at(offset, bytes));
  const auto header = peek_batch(bytes.first(read), file_id());
  if (!header || header->length > size - offset) {
    return std::optional<DecodedBatch>();
  }
  bytes = buffer_.take(static_cast<std::size_t>(header->length));
  RK_TRY_ASSIGN(read, file_.read_at(offset, bytes));
  return decode_batch(bytes.first(read), file_id());
}

bool Scan::continues(const DecodedBatch& batch, const JournalPosition& before,
                     std::uint64_t offset) const {
  return batch.header.number == before.batch + 1 && batch.header.offset == offset &&
         batch.header.epoch == link_.file.header.epoch && batch.header.hash_before == before.hash;
}

Result<bool> Scan::later_batch(std::uint64_t batch, std::uint64_t offset) {
  const std::uint64_t size = link_.file.header.size_bytes;
  std::vector<std::uint64_t> candidates;
  for (std::uint64_t at = offset; at < size; at += kSearchBytes) {
    const MutableBytes bytes =
        buffer_.take(static_cast<std::size_t>(std::min<std::uint64_t>(kSearchBytes, size - at)));
    RK_TRY_ASSIGN(const std::size_t read, file_.read_at(at, bytes));
    for (std::size_t block = 0; block + kJournalBlock <= read; block += kJournalBlock) {
      const auto header = peek_batch(bytes.subspan(block, kJournalBlock), file_id());
      if (header && header->number > batch && header->offset == at + block) {
        candidates.push_back(at + block);
      }
    }
  }
  for (const std::uint64_t at : candidates) {
    RK_TRY_ASSIGN(const auto decoded, read_batch(at));
    if (decoded) {
      return true;
    }
  }
  return false;
}

// The first batch that is not whole, or is not the next one: what does that mean?
Result<void> Scan::judge_end(ScanResult& result, std::uint64_t offset) {
  const std::uint64_t next = result.last.batch + 1;
  if (link_.fence && next <= *link_.fence) {
    return corrupt(next, "is damaged, and later files were written after it");
  }
  if (next <= link_.floor) {
    return corrupt(next, "is damaged, but was durable when the header was written");
  }
  if (link_.fence) {
    return {};  // nothing behind the fence counts, so nobody needs to look at it
  }
  RK_TRY_ASSIGN(const bool later, later_batch(next, offset));
  if (later) {
    return corrupt(next, "is damaged, and a later one, written when it was durable, is whole");
  }
  if (offset + kJournalBlock <= link_.file.header.size_bytes) {
    const MutableBytes bytes = buffer_.take(kJournalBlock);
    RK_TRY_ASSIGN(const std::size_t read, file_.read_at(offset, bytes));
    const auto header = peek_batch(bytes.first(read), file_id());
    result.torn_tail = header && header->number == next;
  }
  return {};
}

Result<ScanResult> Scan::run(const ScanStart& start, const BatchVisitor& visit) {
  const JournalFileHeader& header = link_.file.header;
  ScanResult result;
  result.last = {header.file_id, header.seq, 0, 0, link_.file.checksum};
  std::uint64_t offset = kJournalBlock;
  if (start.batch > 0) {
    offset = start.offset;
    RK_TRY_ASSIGN(const auto batch, read_batch(offset));
    if (!batch || batch->header.number != start.batch || batch->checksum != start.hash) {
      return corrupt(start.batch, "is damaged, and recovery starts there");
    }
    result.last = {header.file_id, header.seq, start.batch, offset, batch->checksum};
    offset += batch->header.length;
    RK_TRY(visit(*batch));
  }
  while (!link_.fence || result.last.batch < *link_.fence) {
    RK_TRY_ASSIGN(const auto batch, read_batch(offset));
    if (!batch || !continues(*batch, result.last, offset)) {
      break;
    }
    result.last = {header.file_id, header.seq, batch->header.number, offset, batch->checksum};
    offset += batch->header.length;
    RK_TRY(visit(*batch));
  }
  RK_TRY(judge_end(result, offset));
  if (link_.fence && link_.fence_hash != 0 && link_.fence_hash != result.last.hash) {
    return corrupt(*link_.fence, "is not the one that the file after it continues");
  }
  if (result.last.batch > 0 && !link_.fence) {
    RK_TRY_ASSIGN(const auto again, read_batch(result.last.offset));
    RK_CHECK(again.has_value());
    result.last_bytes = buffer_.take(static_cast<std::size_t>(again->header.length));
  }
  return result;
}

}  // namespace

Result<ScanResult> scan_journal(os::Platform& platform, const ChainLink& link,
                                const ScanStart& start, AlignedBuffer& buffer,
                                const BatchVisitor& visit) {
  RK_TRY_ASSIGN(auto file, platform.files.open(link.file.path,
                                               {.access = os::Access::kReadOnly, .direct = true}));
  return Scan(link, *file, buffer).run(start, visit);
}

}  // namespace rookery::store
