// SPDX-License-Identifier: Apache-2.0
#include "page_format.h"

#include <fmt/format.h>

#include "rookery/base/checksum.h"

namespace rookery::store {
namespace {

std::uint64_t run_checksum(const std::byte* data, std::uint32_t page_count) noexcept {
  constexpr std::size_t kChecksumSize = sizeof(std::uint64_t);
  return checksum64(Bytes(data + kChecksumSize, page_count * kPageSize - kChecksumSize));
}

Error bad_page(const PageExpectation& expected, std::string_view what) {
  return {ErrorCode::corrupt, fmt::format("page {}: {}", expected.number.value(), what)};
}

}  // namespace

void seal_page(std::byte* data, std::uint32_t page_count) noexcept {
  RK_CHECK(page_count > 0);
  save(data, run_checksum(data, page_count));
}

bool page_checksum_holds(const std::byte* data, std::uint32_t page_count) noexcept {
  return load<std::uint64_t>(data) == run_checksum(data, page_count);
}

Result<void> check_page_header(const PageHeader& header, const PageExpectation& expected) {
  if (header.page_no != expected.number.value()) {
    return bad_page(expected, fmt::format("its header names page {}", header.page_no));
  }
  if (header.txn > expected.newest.value()) {
    return bad_page(expected, fmt::format("written by transaction {}, newer than the snapshot's {}",
                                          header.txn, expected.newest.value()));
  }
  if (header.txn == 0) {
    return bad_page(expected, "was never written");
  }
  if (header.page_count == 0 || header.page_count > kRunPagesMax ||
      header.page_no + header.page_count > expected.page_limit ||
      region_of(header.page_no) != region_of(header.page_no + header.page_count - 1)) {
    return bad_page(expected, fmt::format("a run of {} pages cannot be", header.page_count));
  }
  return {};
}

}  // namespace rookery::store
