// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rookery/base/result.h"
#include "rookery/store/page.h"

// Purpose. For tests: the engine's page contract in memory, as strict as it can be made. Each run
// is an allocation of its own, so that the address sanitizer sees a load that leaves it; trailers
// and freed runs are poisoned under it. Numbers are reused at once, lowest first. Checked, and
// collected in violations(): writing to a page without modify(), writing to one that was freed,
// touching one that does not exist, writing into a trailer.

namespace rookery::store {

class FakePages : public PageWriter {
 public:
  FakePages();
  ~FakePages() override;

  [[nodiscard]] Result<PageView> page(PageNo number) override;
  [[nodiscard]] Result<MutablePage> modify(PageNo number) override;
  [[nodiscard]] Result<MutablePage> allocate(const AllocateOptions& options) override;
  [[nodiscard]] Result<void> free(PageNo number) override;

  // Ends the transaction. Views of it and before it are dead.
  void commit();
  void rollback();

  // The n-th call from now on (0: the next) answers `code`; all calls succeed again after it.
  void fail_call(std::uint64_t n, ErrorCode code = ErrorCode::io);

  void fail_nothing() { calls_left_ = kNever; }

  // True if the planned failure has happened.
  [[nodiscard]] bool has_failed() const { return calls_left_ == kFailed; }

  [[nodiscard]] std::uint64_t call_count() const { return call_count_; }

  // First page of each run that is in use, and its length.
  [[nodiscard]] std::map<std::uint64_t, std::uint32_t> runs() const;
  [[nodiscard]] std::uint64_t page_count() const;
  [[nodiscard]] std::uint64_t modified_pages() const;
  // What was done wrong; empty in a sound run. Looks at every page.
  [[nodiscard]] std::vector<std::string> violations();
  // The bytes of a committed run, for tests that corrupt them. Touching what is wrong is then
  // legal: page() answers corrupt for what does not exist, and records nothing.
  [[nodiscard]] std::byte* corrupt_bytes(PageNo number);

 private:
  struct Run;
  using RunMap = std::map<std::uint64_t, std::shared_ptr<Run>>;  // by first page
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  static constexpr std::uint64_t kFailed = kNever - 1;

  [[nodiscard]] Result<void> count_call();
  [[nodiscard]] std::uint64_t free_number(std::uint32_t page_count) const;
  [[nodiscard]] Result<std::shared_ptr<Run>> find(PageNo number, std::string_view caller);
  void bury(std::shared_ptr<Run> run);
  void dig_up();
  void check_committed();

  RunMap committed_;
  RunMap current_;
  std::vector<std::shared_ptr<Run>> graveyard_;  // freed in this transaction; poisoned
  std::vector<std::string> violations_;
  std::uint64_t txn_ = 1;
  std::uint64_t calls_left_ = kNever;
  ErrorCode failure_ = ErrorCode::io;
  std::uint64_t call_count_ = 0;
  bool lenient_ = false;
};

}  // namespace rookery::store
