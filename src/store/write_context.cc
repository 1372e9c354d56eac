// SPDX-License-Identifier: Apache-2.0
#include "write_context.h"

#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "page_format.h"

namespace rookery::store {
namespace {

Meta next_meta(const Meta& base) {
  Meta meta = base;
  ++meta.txn;
  return meta;
}

}  // namespace

WriteContext::WriteContext(Base base, ScratchPool& scratch, FreeMap& free_map)
    : base_(std::move(base)),
      scratch_(scratch),
      free_map_(free_map),
      meta_(next_meta(base_.state->meta)),
      edit_(base_.state->table, base_.seq, scratch),
      catalog_(*this, meta_.catalog) {
  edit_.trim(base_.synced_txn);
}

WriteContext::~WriteContext() {
  if (!taken_) {
    free_map_.forget();
  }
}

template <typename T>
Result<T> WriteContext::watch(Result<T> result) {
  if (!result && !failed_) {
    failed_ = result.error();
  }
  return result;
}

Result<PageView> WriteContext::find(PageNo number) {
  const PageExpectation expected{number, TxnId(meta_.txn), meta_.page_count};
  const PageEntry entry = edit_.find(number);
  if (entry.empty()) {
    return base_.map->page(expected);
  }
  const PageImage* image = entry.image();
  if (image == nullptr) {
    return Error(ErrorCode::corrupt, fmt::format("page {} is not the first of a run in use: it was "
                                                 "freed, or is inside one, since transaction {}",
                                                 number.value(), entry.txn()));
  }
  RK_TRY(check_page_header(load<PageHeader>(image->run.data), expected));
  return PageView{image->run.data, image->page_count()};
}

Result<PageView> WriteContext::page(PageNo number) {
  return find(number);
}

void WriteContext::note_dirty(PageNo number, PageImage* image) {
  dirty_[number.value()] = image;
  dirty_bytes_ += image->page_count() * kPageSize;
}

Result<MutablePage> WriteContext::copy_for_change(PageNo number) {
  RK_TRY_ASSIGN(const PageView old, find(number));
  PageImage* image = edit_.find(number).image();
  if (image == nullptr || image->edit != edit_.edit()) {
    RK_TRY_ASSIGN(const ScratchRun run, scratch_.allocate(old.page_count));
    std::memcpy(run.data, old.data, old.page_count * kPageSize);
    auto header = old.header();
    header.txn = meta_.txn;
    header.checksum = 0;
    save(run.data, header);
    image = edit_.put_image(number, meta_.txn, run);
    note_dirty(number, image);
  }
  return MutablePage{number, image->run.data, image->page_count()};
}

Result<MutablePage> WriteContext::modify(PageNo number) {
  return watch(copy_for_change(number));
}

Result<MutablePage> WriteContext::add_run(PageNo number, const AllocateOptions& options) {
  RK_TRY_ASSIGN(const ScratchRun run, scratch_.allocate(options.page_count));
  std::memset(run.data, 0, options.page_count * kPageSize);
  save(run.data, PageHeader{0, number.value(), meta_.txn, options.owner, options.type, 0,
                            static_cast<std::uint16_t>(options.page_count)});
  note_dirty(number, edit_.put_image(number, meta_.txn, run));
  return MutablePage{number, run.data, options.page_count};
}

Result<MutablePage> WriteContext::allocate(const AllocateOptions& options) {
  RK_CHECK(options.page_count > 0);
  auto number = watch(free_map_.take(*this, meta_, options.page_count));
  RK_TRY(number);
  return watch(add_run(*number, options));
}

Result<void> WriteContext::free(PageNo number) {
  auto old = watch(find(number));
  RK_TRY(old);
  const std::uint32_t count = old->page_count;
  RK_TRY(watch(free_map_.give(*this, meta_, number, count)));
  edit_.put_tombstones(number, count, meta_.txn);
  if (dirty_.erase(number.value()) > 0) {
    dirty_bytes_ -= count * kPageSize;
  }
  freed_.push_back({number, count});
  return {};
}

Result<Bytes> WriteContext::read_bitmap(std::uint64_t region) {
  RK_TRY_ASSIGN(const PageView view, find(PageNo(region * kRegionPages)));
  if (view.header().type != PageType::kFreeMap || view.page_count != 1) {
    return Error(ErrorCode::corrupt, fmt::format("page {} is no free map", region * kRegionPages));
  }
  return view.content();
}

Result<MutableBytes> WriteContext::modify_bitmap(std::uint64_t region) {
  RK_TRY(read_bitmap(region));
  RK_TRY_ASSIGN(const MutablePage page, copy_for_change(PageNo(region * kRegionPages)));
  return page.content();
}

Result<MutableBytes> WriteContext::create_bitmap(std::uint64_t region) {
  RK_TRY_ASSIGN(const MutablePage page,
                add_run(PageNo(region * kRegionPages), {.type = PageType::kFreeMap}));
  return page.content();
}

Result<void> WriteContext::finish() {
  if (failed_) {
    return *failed_;
  }
  RK_TRY(catalog_.save(*this, meta_.catalog));
  if (base_.map->faulted()) {
    return Error(ErrorCode::io, "reading the data file failed during this transaction");
  }
  return {};
}

std::string WriteContext::make_record() {
  RecordWriter record(freed_.size(), dirty_bytes_ / kPageSize);
  for (const FreedRun& freed : freed_) {
    record.add_free(freed.first, freed.page_count);
  }
  for (const auto& [number, image] : dirty_) {
    seal_page(image->run.data, image->page_count());
    record.add_image(PageNo(number), {image->run.data, image->page_count() * kPageSize});
  }
  return record.finish(meta_);
}

std::unique_ptr<EnvironmentState> WriteContext::take() {
  RK_CHECK(!taken_);
  taken_ = true;
  PageTableDelta delta = edit_.take();
  auto state = std::make_unique<EnvironmentState>();
  state->seq = base_.seq;
  state->meta = meta_;
  state->table = delta.table;
  state->map = base_.map;
  state->trimmed_txn = base_.synced_txn;
  state->created = std::move(delta.created);
  state->retired = std::move(delta.retired);
  return state;
}

}  // namespace rookery::store
