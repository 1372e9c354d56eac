// SPDX-License-Identifier: Apache-2.0
// What the structures themselves cost, over pages in plain memory: no journal, no page table, no
// checksums. Prints one line a measurement: processor time a call, and the pages in use behind it.
// usage: store_structures_bench [entries] [seed]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rookery/base/check.h"
#include "rookery/base/prng.h"
#include "rookery/store/fixed_tree.h"
#include "rookery/store/table.h"
#include "rookery/store/table_state.h"
#include "rookery/store/tree.h"

#include "table_test_support.h"

namespace rookery::store {
namespace {

// Pages without any bookkeeping.
class PlainPages : public PageWriter {
 public:
  Result<PageView> page(PageNo number) override {
    const Run& run = runs_[number.value()];
    return PageView{.data = run.bytes.get(), .page_count = run.page_count};
  }

  Result<MutablePage> modify(PageNo number) override {
    const Run& run = runs_[number.value()];
    return MutablePage{.number = number, .data = run.bytes.get(), .page_count = run.page_count};
  }

  Result<MutablePage> allocate(const AllocateOptions& options) override {
    std::uint64_t number = runs_.size();
    if (options.page_count == 1 && !free_.empty()) {
      number = free_.back();
      free_.pop_back();
    } else {
      runs_.emplace_back();
    }
    Run& run = runs_[number];
    run.bytes = std::make_unique<std::byte[]>(options.page_count * kPageSize);
    run.page_count = options.page_count;
    save(run.bytes.get(), PageHeader{.checksum = 0,
                                     .page_no = number,
                                     .txn = 1,
                                     .owner = options.owner,
                                     .type = options.type,
                                     .flags = 0,
                                     .page_count = 0});
    pages_ += options.page_count;
    return modify(PageNo(number));
  }

  Result<void> free(PageNo number) override {
    Run& run = runs_[number.value()];
    pages_ -= run.page_count;
    if (run.page_count == 1) {
      free_.push_back(number.value());
    }
    run.bytes.reset();
    return {};
  }

  [[nodiscard]] std::uint64_t pages() const { return pages_; }

 private:
  struct Run {
    std::unique_ptr<std::byte[]> bytes;
    std::uint32_t page_count = 0;
  };

  std::vector<Run> runs_ = std::vector<Run>(1);  // by number; 0 is none
  std::vector<std::uint64_t> free_;
  std::uint64_t pages_ = 0;
};

// Of the processor, not of the clock: the work is on one thread and waits for nothing, and others
// may use the machine.
double cpu_nanoseconds() {
  timespec now{};
  RK_CHECK(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) == 0);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

template <typename Work>
void measure(const char* name, std::size_t count, const PlainPages& pages, const Work& work) {
  const double start = cpu_nanoseconds();
  for (std::size_t i = 0; i < count; ++i) {
    RK_CHECK(work(i));
  }
  const double took = cpu_nanoseconds() - start;
  std::printf("%-34s %9zu x %8.0f ns %9llu pages\n", name, count, took / static_cast<double>(count),
              static_cast<unsigned long long>(pages.pages()));
}

std::vector<std::uint64_t> shuffled(std::size_t count, Prng& prng) {
  std::vector<std::uint64_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = count; i > 1; --i) {
    std::swap(order[i - 1], order[prng.below(i)]);
  }
  return order;
}

std::string key_of(std::uint64_t number) {
  return fmt::format("users/{:012}-A", number);
}

void measure_tree(std::size_t count, bool ascending, Prng& prng) {
  PlainPages pages;
  TreeRoot root{.owner = 1};
  MutableTree tree(pages, root);
  const std::vector<std::uint64_t> order = shuffled(count, prng);
  const std::string value(24, 'v');
  measure(ascending ? "tree: put, ascending" : "tree: put, random", count, pages,
          [&](std::size_t i) {
            const std::string key = key_of(ascending ? i : order[i]);
            return tree.put(as_bytes(key), as_bytes(value)).has_value();
          });
  measure("tree: get, random", count, pages, [&](std::size_t i) {
    const std::string key = key_of(order[i]);
    return tree.get(as_bytes(key))->has_value();
  });
  TreeCursor cursor = tree.view().cursor();
  RK_CHECK(*cursor.first());
  measure("tree: cursor next + entry", count - 1, pages,
          [&](std::size_t) { return *cursor.next() && cursor.entry().has_value(); });
  measure("tree: erase, random", count, pages, [&](std::size_t i) {
    const std::string key = key_of(order[i]);
    return *tree.erase(as_bytes(key));
  });
}

void measure_fixed_tree(std::size_t count, Prng& prng) {
  PlainPages pages;
  TreeRoot root{.owner = 1, .value_size = 8};
  MutableFixedTree tree(pages, root);
  const std::vector<std::uint64_t> order = shuffled(count, prng);
  const std::string value(8, 'v');
  measure("fixed tree: put, ascending", count, pages, [&](std::size_t i) {
    return tree.put(static_cast<std::int64_t>(i), as_bytes(value)).has_value();
  });
  measure("fixed tree: get, random", count, pages, [&](std::size_t i) {
    return tree.view().get(static_cast<std::int64_t>(order[i]))->has_value();
  });
}

void measure_table(std::size_t count, Prng& prng) {
  PlainPages pages;
  TableState state = TableState::create(kTestSchema, 1);
  MutableTable table(pages, kTestSchema, state);
  const std::vector<std::uint64_t> order = shuffled(count, prng);
  const auto row_of = [](std::uint64_t id, std::size_t number) {
    return TestRow{.id = key_of(id),
                   .number = static_cast<std::int64_t>(number) + 1,
                   .tag = "users",
                   .body = std::string(300, 'b')}
        .encode();
  };
  measure("table: put, 350 bytes, 2 indexes", count, pages,
          [&](std::size_t i) { return table.put(as_bytes(row_of(i, i))).has_value(); });
  measure("table: update with a new number", count, pages, [&](std::size_t i) {
    return table.put(as_bytes(row_of(order[i], count + i))).has_value();
  });
  measure("table: get, random", count, pages,
          [&](std::size_t i) { return table.view().get(as_bytes(key_of(order[i])))->has_value(); });
}

}  // namespace
}  // namespace rookery::store

int main(int argc, char** argv) {
  const std::size_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  std::printf("entries %zu, seed %llu\n", count, static_cast<unsigned long long>(seed));
  rookery::Prng prng(seed);
  rookery::store::measure_tree(count, true, prng);
  rookery::store::measure_tree(count, false, prng);
  rookery::store::measure_fixed_tree(count, prng);
  rookery::store::measure_table(count / 4 + 1, prng);
  return 0;
}
