// SPDX-License-Identifier: Apache-2.0
// verify(): every page is free or reachable exactly once.
#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "catalog_cache.h"
#include "engine.h"
#include "free_map.h"
#include "structure_check.h"
#include "transactions.h"

namespace rookery::store {
namespace {

constexpr std::size_t kProblemsMax = 1000;

// Purpose. One walk over a snapshot.
class Verification {
 public:
  Verification(PageReader& pages, const Meta& meta, std::span<const TableSchema* const> schemas)
      : pages_(pages),
        meta_(meta),
        schemas_(schemas),
        used_(static_cast<std::size_t>(meta.page_count), false) {}

  [[nodiscard]] Result<VerifyReport> run();

 private:
  [[nodiscard]] Result<void> walk_free_map();
  [[nodiscard]] Result<void> walk_region(std::uint64_t region);
  [[nodiscard]] Result<void> walk_structure(std::string_view name, Bytes value);
  [[nodiscard]] StructureVisitor visitor_for(std::string name);
  [[nodiscard]] bool use(std::uint64_t page, std::uint32_t count, std::string_view who);
  void count_pages();
  void problem(std::string what);

  PageReader& pages_;
  const Meta meta_;
  const std::span<const TableSchema* const> schemas_;
  std::vector<bool> used_;
  std::vector<bool> free_;
  VerifyReport report_;
};

void Verification::problem(std::string what) {
  if (report_.problems.size() < kProblemsMax) {
    report_.problems.push_back(std::move(what));
  } else if (report_.problems.size() == kProblemsMax) {
    report_.problems.emplace_back("there are more problems than are listed");
  }
}

bool Verification::use(std::uint64_t page, std::uint32_t count, std::string_view who) {
  for (std::uint64_t at = page; at < page + count; ++at) {
    if (at >= used_.size()) {
      problem(fmt::format("{}: page {} lies behind the end", who, at));
      return false;
    }
    if (used_[static_cast<std::size_t>(at)]) {
      problem(fmt::format("{}: page {} is reachable twice", who, at));
      return false;
    }
    used_[static_cast<std::size_t>(at)] = true;
  }
  return true;
}

StructureVisitor Verification::visitor_for(std::string name) {
  StructureVisitor visitor;
  visitor.visit_page = [this, name](PageNo number, std::uint32_t count) -> Result<bool> {
    return use(number.value(), count, name);
  };
  visitor.problem = [this, name](std::string what) { problem(fmt::format("{}: {}", name, what)); };
  return visitor;
}

Result<void> Verification::walk_region(std::uint64_t region) {
  const std::uint64_t first = region * kRegionPages;
  auto page = pages_.page(PageNo(first));
  if (!page) {
    if (page.error().code() != ErrorCode::corrupt) {
      return std::move(page).error();
    }
    problem(page.error().to_string());
    return {};
  }
  static_cast<void>(use(first, 1, "free map"));
  if (page->header().type != PageType::kFreeMap || page->page_count != 1) {
    problem(fmt::format("page {} is no free map", first));
    return {};
  }
  const Bytes content = page->content();
  std::uint32_t count = 0;
  for (std::uint64_t index = 0; index < kRegionPages; ++index) {
    if (!free_map_bit(content, index)) {
      continue;
    }
    ++count;
    if (first + index >= meta_.page_count) {
      problem(fmt::format("page {} is free but lies behind the end", first + index));
    } else {
      free_[static_cast<std::size_t>(first + index)] = true;
    }
  }
  if (count != free_map_count(content)) {
    problem(fmt::format("free map of region {}: counts {} free pages, has {}", region,
                        free_map_count(content), count));
  }
  report_.pages_free += count;
  return {};
}

Result<void> Verification::walk_free_map() {
  free_.assign(used_.size(), false);
  for (std::uint64_t region = 0; region * kRegionPages < meta_.page_count; ++region) {
    RK_TRY(walk_region(region));
  }
  if (report_.pages_free != meta_.free_pages) {
    problem(fmt::format("{} pages are free, the transaction counted {}", report_.pages_free,
                        meta_.free_pages));
  }
  return {};
}

Result<void> Verification::walk_structure(std::string_view name, Bytes value) {
  ++report_.structures;
  auto entry = decode_catalog_entry(value);
  if (!entry) {
    problem(fmt::format("{}: {}", name, entry.error().to_string()));
    return {};
  }
  const StructureVisitor visitor = visitor_for(std::string(name));
  switch (entry->kind) {
    case StructureKind::kTree:
      return check_tree(pages_, entry->root, visitor);
    case StructureKind::kFixedTree:
      return check_fixed_tree(pages_, entry->root, visitor);
    case StructureKind::kTable: {
      const auto found = std::find_if(schemas_.begin(), schemas_.end(),
                                      [&](const auto* schema) { return schema->name == name; });
      const TableSchema* schema = found == schemas_.end() ? nullptr : *found;
      if (schema != nullptr) {
        if (auto bound = entry->table.bind(*schema); !bound) {
          problem(fmt::format("{}: {}", name, bound.error().to_string()));
          schema = nullptr;
        }
      }
      return check_table(pages_, entry->table, schema, visitor);
    }
  }
  return {};
}

void Verification::count_pages() {
  for (std::size_t page = 0; page < used_.size(); ++page) {
    report_.pages_reachable += used_[page] ? 1U : 0U;
    if (used_[page] && free_[page]) {
      problem(fmt::format("page {} is free and in use", page));
    } else if (!used_[page] && !free_[page]) {
      problem(fmt::format("page {} is neither free nor reachable", page));
    }
  }
}

Result<VerifyReport> Verification::run() {
  RK_TRY(walk_free_map());
  RK_TRY(check_tree(pages_, meta_.catalog, visitor_for("catalog"),
                    [this](Bytes key, Bytes value) -> Result<void> {
                      return walk_structure(as_text(key), value);
                    }));
  count_pages();
  return std::move(report_);
}

}  // namespace

Result<VerifyReport> Engine::verify(std::span<const TableSchema* const> schemas) {
  RK_TRY_ASSIGN(const StateChain::Snapshot snapshot, states_.open());
  ReadTxn::Rep reader(*this, snapshot);
  auto report = Verification(reader, snapshot.state->meta, schemas).run();
  if (report && snapshot.state->map->faulted()) {
    return Error(ErrorCode::io, "reading the data file failed during verify()");
  }
  return report;
}

}  // namespace rookery::store
