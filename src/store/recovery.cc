// SPDX-License-Identifier: Apache-2.0
#include "recovery.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "journal_chain.h"
#include "journal_scan.h"
#include "page_format.h"

namespace rookery::store {
namespace {

// Purpose. Applies what the batches say: puts parts together, checks that transactions follow one
// another, and changes the page table.
class Replay {
 public:
  Replay(const RecoveryInput& input, ScratchPool& scratch, std::uint64_t edit)
      : input_(input), scratch_(scratch), edit_({}, edit, scratch), meta_(input.header.meta) {}

  [[nodiscard]] Result<void> visit(const DecodedBatch& batch);

  [[nodiscard]] const Meta& meta() const noexcept { return meta_; }

  [[nodiscard]] bool committed_in_this_batch() const noexcept { return committed_; }

  [[nodiscard]] std::uint64_t batches() const noexcept { return batches_; }

  [[nodiscard]] std::vector<Uuid> incarnations() const { return incarnations_; }

  [[nodiscard]] PageTable take() { return edit_.take().table; }

 private:
  [[nodiscard]] Result<void> item(const BatchItem& item, const BatchHeader& header);
  [[nodiscard]] Result<void> part(const BatchItem& item, const BatchHeader& header);
  [[nodiscard]] Result<void> apply(Bytes record, std::uint64_t txn);
  [[nodiscard]] Result<void> put(const StoredImage& image, std::uint64_t txn);
  [[nodiscard]] bool knows(const Uuid& incarnation) const;

  const RecoveryInput& input_;
  ScratchPool& scratch_;
  PageTableEdit edit_;
  Meta meta_;
  std::uint64_t batches_ = 0;
  bool committed_ = false;
  std::vector<Uuid> incarnations_;
  // A record in parts that has not ended yet.
  std::vector<std::byte> assembled_;
  std::uint64_t assembling_txn_ = 0;  // 0: none
  std::uint64_t assembling_epoch_ = 0;
  std::uint32_t next_part_ = 0;
};

Error bad_item(const BatchItem& item, std::string_view what) {
  return {ErrorCode::corrupt, fmt::format("transaction {}: {}", item.txn, what)};
}

bool Replay::knows(const Uuid& incarnation) const {
  const auto known = std::span(input_.header.incarnations).first(input_.header.incarnation_count);
  return input_.other_header_unreadable ||
         std::find(known.begin(), known.end(), incarnation) != known.end();
}

Result<void> Replay::visit(const DecodedBatch& batch) {
  committed_ = false;
  for (const BatchItem& each : batch.items) {
    if (each.environment_id == input_.header.environment_id) {
      RK_TRY(item(each, batch.header));
    }
  }
  batches_ += committed_ ? 1 : 0;
  return {};
}

Result<void> Replay::item(const BatchItem& item, const BatchHeader& header) {
  if (item.txn <= input_.header.meta.txn) {
    return {};  // replay begins inside a batch
  }
  if (!knows(item.incarnation)) {
    return bad_item(item, "written by another incarnation, such as a copy of this environment");
  }
  if (std::find(incarnations_.begin(), incarnations_.end(), item.incarnation) ==
      incarnations_.end()) {
    incarnations_.push_back(item.incarnation);
  }
  if (item.txn != meta_.txn + 1) {
    return bad_item(item, fmt::format("follows transaction {}: one is missing", meta_.txn));
  }
  if (item.part == 0 && assembling_txn_ != 0 && assembling_epoch_ >= header.epoch) {
    return bad_item(item, "begins again before it ended");
  }
  if (item.part == 0 && item.last) {
    assembling_txn_ = 0;
    assembled_.clear();
    return apply(item.bytes, item.txn);
  }
  return part(item, header);
}

Result<void> Replay::part(const BatchItem& item, const BatchHeader& header) {
  if (item.part == 0) {
    // What an earlier epoch left unfinished counts for nothing.
    assembled_.clear();
    assembling_txn_ = item.txn;
    assembling_epoch_ = header.epoch;
    next_part_ = 0;
  }
  if (item.txn != assembling_txn_ || item.part != next_part_ || header.epoch != assembling_epoch_) {
    return bad_item(item, fmt::format("part {} is out of order", item.part));
  }
  assembled_.insert(assembled_.end(), item.bytes.begin(), item.bytes.end());
  ++next_part_;
  if (!item.last) {
    return {};
  }
  assembling_txn_ = 0;
  auto applied = apply(assembled_, item.txn);
  assembled_.clear();
  return applied;
}

Result<void> Replay::apply(Bytes record, std::uint64_t txn) {
  RK_TRY_ASSIGN(const DecodedRecord decoded, decode_record(record));
  if (decoded.meta.txn != txn || decoded.meta.page_count < meta_.page_count) {
    return Error(ErrorCode::corrupt, fmt::format("transaction {}: its record is another's", txn));
  }
  // Each region begins with a page of its own, so that what a record says to be there is never much
  // more than what it brings.
  if (region_count(decoded.meta.page_count) - region_count(meta_.page_count) >
      decoded.images.size()) {
    return Error(ErrorCode::corrupt,
                 fmt::format("transaction {}: {} pages, and no free maps of theirs", txn,
                             decoded.meta.page_count));
  }
  for (const FreedRun& freed : decoded.frees) {
    edit_.put_tombstones(freed.first, freed.page_count, txn);
  }
  meta_ = decoded.meta;
  for (const StoredImage& image : decoded.images) {
    RK_TRY(put(image, txn));
  }
  committed_ = true;
  return {};
}

Result<void> Replay::put(const StoredImage& image, std::uint64_t txn) {
  RK_TRY_ASSIGN(const ScratchRun run, scratch_.allocate_always(image.page_count));
  auto restored = image.decode_into({run.data, run.page_count * kPageSize});
  if (restored) {
    const auto header = load<PageHeader>(run.data);
    restored = check_page_header(header, {image.number, TxnId(txn), meta_.page_count});
    if (restored && (header.page_count != image.page_count || header.txn != txn)) {
      restored = Error(ErrorCode::corrupt,
                       fmt::format("page {}: its image is another's", image.number.value()));
    }
  }
  if (!restored) {
    scratch_.release(run);
    return restored;
  }
  edit_.put_image(image.number, txn, run);
  return {};
}

void list_files(const JournalChain& chain, const std::vector<JournalPosition>& ends,
                Recovered& result) {
  for (std::size_t i = 0; i < chain.links.size(); ++i) {
    const JournalFileInfo& file = chain.links[i].file;
    result.files.push_back(
        {file.header.file_id, file.header.seq, ends[i].batch, file.header.size_bytes, file.path});
  }
  for (const JournalFileInfo& file : chain.others) {
    result.files.push_back(
        {file.header.file_id, file.header.seq, 0, file.header.size_bytes, file.path});
  }
  std::sort(result.files.begin(), result.files.end(),
            [](const auto& a, const auto& b) { return a.seq < b.seq; });
}

}  // namespace

Result<Recovered> recover(os::Platform& platform, const RecoveryInput& input, std::uint64_t edit,
                          ScratchPool& scratch) {
  const HeaderRecord& header = input.header;
  RK_TRY_ASSIGN(const JournalChain chain,
                load_journal_chain(platform, input.journal_directory, header));
  Recovered result;
  result.last = header.start;
  result.last_commit = header.start;
  result.epoch_newest = chain.epoch_newest;
  result.next_seq = chain.next_seq;
  Replay replay(input, scratch, edit);
  AlignedBuffer buffer;
  std::vector<JournalPosition> ends;
  for (std::size_t i = 0; i < chain.links.size(); ++i) {
    const ChainLink& link = chain.links[i];
    const Uuid& id = link.file.header.file_id;
    const ScanStart start =
        i == 0 && header.start_retired == 0
            ? ScanStart{header.start.batch, header.start.offset, header.start.hash}
            : ScanStart{};
    const bool whole_file = i > 0 || header.start_retired != 0;
    if (whole_file && link.file.header.txn_before != replay.meta().txn) {
      return Error(ErrorCode::corrupt,
                   fmt::format("{}: begins behind transaction {}, but recovery is at {}",
                               link.file.path, link.file.header.txn_before, replay.meta().txn));
    }
    auto scanned = scan_journal(platform, link, start, buffer, [&](const DecodedBatch& batch) {
      auto visited = replay.visit(batch);
      if (visited && replay.committed_in_this_batch()) {
        result.last_commit = {id, link.file.header.seq, batch.header.number, batch.header.offset,
                              batch.checksum};
      }
      return visited ? std::move(visited)
                     : Result<void>(visited.error().with_context(link.file.path));
    });
    RK_TRY(scanned);
    result.last = scanned->last;
    ends.push_back(scanned->last);
    if (i + 1 == chain.links.size()) {
      result.torn_tails = scanned->torn_tail ? 1 : 0;
      if (scanned->last.batch > link.floor) {
        result.tail = {link.file.path,
                       scanned->last.offset,
                       {scanned->last_bytes.begin(), scanned->last_bytes.end()}};
      }
    }
  }
  list_files(chain, ends, result);
  result.meta = replay.meta();
  result.incarnations = replay.incarnations();
  result.batches_replayed = replay.batches();
  result.table = replay.take();
  return result;
}

}  // namespace rookery::store
