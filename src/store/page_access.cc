// SPDX-License-Identifier: Apache-2.0
#include "page_access.h"

#include <cstring>

#include <fmt/format.h>

#include "rookery/base/check.h"

namespace rookery::store {

Error corrupt_page(PageNo number, std::string_view what) {
  return {ErrorCode::corrupt, fmt::format("page {}: {}", number.value(), what)};
}

Result<PageView> enter_run(PageReader& pages, PageNo number, const PageExpectation& expected) {
  if (number.value() == 0) {
    return Error(ErrorCode::corrupt, "a reference to page 0");
  }
  RK_TRY_ASSIGN(const PageView view, pages.page(number));
  const PageHeader header = view.header();
  if (header.type != expected.type) {
    return corrupt_page(number, "not of the type that its reference says");
  }
  if (header.owner != expected.owner) {
    return corrupt_page(number, "belongs to another structure");
  }
  if (view.page_count == 0) {
    return corrupt_page(number, "a run of no pages");
  }
  return view;
}

Result<PageView> enter_page(PageReader& pages, PageNo number, const PageExpectation& expected) {
  RK_TRY_ASSIGN(const PageView view, enter_run(pages, number, expected));
  if (view.page_count != 1) {
    return corrupt_page(number, "a run where one page should be");
  }
  return view;
}

Result<MutablePage> modify_page(PageWriter& pages, PageNo number) {
  RK_TRY_ASSIGN(const MutablePage page, pages.modify(number));
  RK_CHECK(page.page_count == 1);
  return page;
}

void wipe(MutableBytes bytes) noexcept {
  if (!bytes.empty()) {
    std::memset(bytes.data(), 0, bytes.size());
  }
}

void copy_bytes(std::byte* to, Bytes from) noexcept {
  if (!from.empty()) {
    std::memcpy(to, from.data(), from.size());
  }
}

}  // namespace rookery::store
