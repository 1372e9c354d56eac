// SPDX-License-Identifier: Apache-2.0
#include "journal_chain.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "aligned_buffer.h"
#include "journal.h"

namespace rookery::store {
namespace {

struct Folder {
  std::vector<JournalFileInfo> files;  // of this environment
  std::uint64_t damaged_seq_newest = 0;
  std::string damaged_path;
};

Error chain_error(const std::string& directory, std::string_view what) {
  return {ErrorCode::corrupt, fmt::format("{}: {}", directory, what)};
}

Result<Folder> read_folder(os::Platform& platform, const std::string& directory,
                           const Uuid& environment_id) {
  Folder folder;
  AlignedBuffer buffer;
  RK_TRY_ASSIGN(const auto names, platform.files.list(directory));
  for (const std::string& name : names) {
    if (!is_journal_file_name(name)) {
      continue;
    }
    const std::string path = os::join_path(directory, name);
    RK_TRY_ASSIGN(auto file,
                  platform.files.open(path, {.access = os::Access::kReadOnly, .direct = true}));
    const MutableBytes block = buffer.take(kJournalBlock);
    RK_TRY_ASSIGN(const std::size_t size, file->read_at(0, block));
    RK_TRY_ASSIGN(const auto decoded, decode_journal_file_header(block.first(size)));
    if (!decoded) {
      const std::uint64_t seq = std::strtoull(name.substr(0, 16).c_str(), nullptr, 16);
      folder.damaged_seq_newest = std::max(folder.damaged_seq_newest, seq);
      folder.damaged_path = path;
      continue;
    }
    if (decoded->header.environment_id != environment_id) {
      continue;  // somebody else's: by the ids alone it can have no part in this history
    }
    RK_TRY_ASSIGN(const auto info, file->info());
    if (info.size_bytes < decoded->header.size_bytes) {
      return chain_error(path, fmt::format("{} bytes long, made with {}", info.size_bytes,
                                           decoded->header.size_bytes));
    }
    folder.files.push_back({path, decoded->header, decoded->checksum});
  }
  std::sort(folder.files.begin(), folder.files.end(),
            [](const auto& a, const auto& b) { return a.header.seq < b.header.seq; });
  return folder;
}

const JournalFileInfo* find_file(const Folder& folder, const Uuid& id) {
  const auto found = std::find_if(folder.files.begin(), folder.files.end(),
                                  [&](const auto& file) { return file.header.file_id == id; });
  return found == folder.files.end() ? nullptr : &*found;
}

// Of two that continue the same file, one was given up before anything was written into it: the
// one of the lower epoch, or made first.
const JournalFileInfo* find_successor(const Folder& folder, const Uuid& id) {
  const JournalFileInfo* best = nullptr;
  for (const JournalFileInfo& file : folder.files) {
    if (file.header.predecessor_id != id || file.header.file_id == id) {
      continue;
    }
    if (best == nullptr || std::pair(file.header.epoch, file.header.seq) >
                               std::pair(best->header.epoch, best->header.seq)) {
      best = &file;
    }
  }
  return best;
}

void apply_header(const HeaderRecord& header, ChainLink& link) {
  if (header.floor.file_id == link.file.header.file_id) {
    link.floor = header.floor.batch;
  }
  if (header.has_fence != 0 && header.fence.file_id == link.file.header.file_id) {
    link.fence = header.fence.batch;
    link.fence_hash = header.fence.hash;
  }
}

Result<void> follow(const Folder& folder, const std::string& directory, const HeaderRecord& header,
                    JournalChain& chain) {
  Uuid at = header.start.file_id;
  if (header.start_retired == 0) {
    const JournalFileInfo* first = find_file(folder, at);
    if (first == nullptr) {
      return chain_error(directory, fmt::format("the journal {:016x}, where recovery starts, is "
                                                "missing or damaged",
                                                header.start.seq));
    }
    chain.links.push_back({*first, std::nullopt, 0, 0});
    apply_header(header, chain.links.back());
  }
  while (const JournalFileInfo* next = find_successor(folder, at)) {
    const auto& made = next->header;
    if (chain.links.empty()) {
      if (made.predecessor_batch != header.start.batch) {
        return chain_error(next->path, "continues another history than the header's");
      }
    } else {
      ChainLink& before = chain.links.back();
      if (before.fence && *before.fence != made.predecessor_batch) {
        return chain_error(next->path, "continues another batch than the header's fence");
      }
      before.fence = made.predecessor_batch;
      before.fence_hash = made.predecessor_hash;
    }
    if (chain.links.size() >= folder.files.size()) {
      return chain_error(directory, "the journals name each other in a circle");
    }
    chain.links.push_back({*next, std::nullopt, 0, 0});
    apply_header(header, chain.links.back());
    at = made.file_id;
  }
  return {};
}

bool in_chain(const JournalChain& chain, const Uuid& id) {
  return std::any_of(chain.links.begin(), chain.links.end(),
                     [&](const auto& link) { return link.file.header.file_id == id; });
}

// Nothing that should be part of the chain may have been left out of it.
Result<void> check_complete(const Folder& folder, const std::string& directory,
                            const HeaderRecord& header, JournalChain& chain) {
  const Uuid floor = header.floor.file_id;
  if (floor != Uuid{} && !in_chain(chain, floor) &&
      !(header.start_retired != 0 && floor == header.start.file_id)) {
    return chain_error(directory, fmt::format("the journal {:016x}, which holds commits, is "
                                              "missing or damaged",
                                              header.floor.seq));
  }
  if (!folder.damaged_path.empty() && folder.damaged_seq_newest > header.start.seq) {
    return chain_error(folder.damaged_path, "its first block is damaged");
  }
  for (const JournalFileInfo& file : folder.files) {
    chain.next_seq = std::max(chain.next_seq, file.header.seq + 1);
    chain.epoch_newest = std::max(chain.epoch_newest, file.header.epoch);
    if (in_chain(chain, file.header.file_id)) {
      continue;
    }
    const Uuid before = file.header.predecessor_id;
    if (file.header.seq > header.start.seq && before != header.start.file_id &&
        !in_chain(chain, before)) {
      return chain_error(file.path, "the journal before it is missing or damaged");
    }
    chain.others.push_back(file);
  }
  return {};
}

}  // namespace

Result<JournalChain> load_journal_chain(os::Platform& platform, const std::string& directory,
                                        const HeaderRecord& header) {
  RK_TRY_ASSIGN(const Folder folder, read_folder(platform, directory, header.environment_id));
  JournalChain chain;
  chain.epoch_newest = header.epoch;
  chain.next_seq = header.next_seq;
  RK_TRY(follow(folder, directory, header, chain));
  RK_TRY(check_complete(folder, directory, header, chain));
  return chain;
}

}  // namespace rookery::store
