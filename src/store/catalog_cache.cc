// SPDX-License-Identifier: Apache-2.0
#include "catalog_cache.h"

#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "rookery/store/fixed_tree.h"
#include "rookery/store/tree.h"

namespace rookery::store {
namespace {

constexpr std::uint8_t kEntryVersion = 1;
constexpr std::size_t kEntryFront = 8;  // kind, version, zeros

}  // namespace

std::string encode_catalog_entry(const CatalogEntry& entry) {
  std::string bytes(kEntryFront, '\0');
  bytes[0] = static_cast<char>(entry.kind);
  bytes[1] = static_cast<char>(kEntryVersion);
  if (entry.kind == StructureKind::kTable) {
    return bytes + entry.table.encode();
  }
  bytes.append(reinterpret_cast<const char*>(&entry.root), sizeof(TreeRoot));
  return bytes;
}

Result<CatalogEntry> decode_catalog_entry(Bytes bytes) {
  if (bytes.size() < kEntryFront) {
    return Error(ErrorCode::corrupt, "catalog entry: too short");
  }
  const auto kind = static_cast<std::uint8_t>(bytes[0]);
  if (static_cast<std::uint8_t>(bytes[1]) != kEntryVersion) {
    return Error(ErrorCode::incompatible, "catalog entry: written by a later version");
  }
  const Bytes rest = bytes.subspan(kEntryFront);
  CatalogEntry entry;
  entry.kind = static_cast<StructureKind>(kind);
  switch (entry.kind) {
    case StructureKind::kTree:
    case StructureKind::kFixedTree:
      if (rest.size() != sizeof(TreeRoot)) {
        return Error(ErrorCode::corrupt, "catalog entry: a root of the wrong length");
      }
      entry.root = load<TreeRoot>(rest.data());
      return entry;
    case StructureKind::kTable: {
      RK_TRY_ASSIGN(entry.table, TableState::decode(rest));
      return entry;
    }
  }
  return Error(ErrorCode::corrupt, fmt::format("catalog entry: unknown kind {}", kind));
}

Result<CatalogCache::Cached*> CatalogCache::load(std::string_view name, StructureKind kind) {
  auto found = cached_.find(name);
  if (found == cached_.end()) {
    Cached fresh;
    fresh.entry.kind = kind;
    RK_TRY_ASSIGN(const auto stored, Tree(pages_, root_).get(as_bytes(name)));
    if (stored) {
      auto entry = decode_catalog_entry(*stored);
      if (!entry) {
        return entry.error().with_context(name);
      }
      fresh.entry = std::move(entry).value();
      fresh.stored = std::string(as_text(*stored));
      fresh.exists = true;
    }
    found = cached_.emplace(std::string(name), std::move(fresh)).first;
  }
  if (found->second.entry.kind != kind) {
    return Error(ErrorCode::invalid_argument,
                 fmt::format("{}: a structure of kind {}, not {}", name,
                             static_cast<int>(found->second.entry.kind), static_cast<int>(kind)));
  }
  return &found->second;
}

Result<CatalogCache::Cached*> CatalogCache::load_fixed(std::string_view name,
                                                       std::uint16_t value_size) {
  RK_TRY_ASSIGN(Cached * cached, load(name, StructureKind::kFixedTree));
  if (!cached->exists) {
    cached->entry.root.value_size = value_size;
  }
  if (cached->entry.root.value_size != value_size) {
    return Error(ErrorCode::invalid_argument,
                 fmt::format("{}: its values have {} bytes, not {}", name,
                             cached->entry.root.value_size, value_size));
  }
  return cached;
}

Result<CatalogCache::Cached*> CatalogCache::load_table(const TableSchema& schema) {
  RK_TRY_ASSIGN(Cached * cached, load(schema.name, StructureKind::kTable));
  if (cached->exists && !cached->table_bound) {
    RK_TRY(cached->entry.table.bind(schema));
    cached->table_bound = true;
  }
  return cached;
}

Result<const TreeRoot*> CatalogCache::find_tree(std::string_view name) {
  RK_TRY_ASSIGN(const Cached* cached, load(name, StructureKind::kTree));
  return &cached->entry.root;
}

Result<const TreeRoot*> CatalogCache::find_fixed_tree(std::string_view name,
                                                      std::uint16_t value_size) {
  RK_TRY_ASSIGN(const Cached* cached, load_fixed(name, value_size));
  return &cached->entry.root;
}

Result<const TableState*> CatalogCache::find_table(const TableSchema& schema) {
  RK_TRY_ASSIGN(const Cached* cached, load_table(schema));
  return cached->exists ? &cached->entry.table : nullptr;
}

Result<TreeRoot*> CatalogCache::open_tree(std::string_view name, std::uint32_t& next_owner) {
  RK_TRY_ASSIGN(Cached * cached, load(name, StructureKind::kTree));
  if (!cached->exists) {
    cached->entry.root.owner = next_owner++;
    cached->exists = true;
  }
  return &cached->entry.root;
}

Result<TreeRoot*> CatalogCache::open_fixed_tree(std::string_view name, std::uint16_t value_size,
                                                std::uint32_t& next_owner) {
  RK_TRY_ASSIGN(Cached * cached, load_fixed(name, value_size));
  if (!cached->exists) {
    cached->entry.root.owner = next_owner++;
    cached->exists = true;
  }
  return &cached->entry.root;
}

Result<TableState*> CatalogCache::open_table(const TableSchema& schema, std::uint32_t& next_owner) {
  RK_TRY_ASSIGN(Cached * cached, load_table(schema));
  if (!cached->exists) {
    cached->entry.table = TableState::create(schema, next_owner);
    next_owner += TableState::owner_count(schema);
    cached->exists = true;
    cached->table_bound = true;
  }
  return &cached->entry.table;
}

Result<void> CatalogCache::save(PageWriter& pages, TreeRoot& root) {
  MutableTree catalog(pages, root);
  for (auto& [name, cached] : cached_) {
    if (!cached.exists) {
      continue;
    }
    std::string now = encode_catalog_entry(cached.entry);
    if (now != cached.stored) {
      RK_TRY(catalog.put(as_bytes(name), as_bytes(now)));
      cached.stored = std::move(now);
    }
  }
  return {};
}

}  // namespace rookery::store
