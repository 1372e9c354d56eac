// SPDX-License-Identifier: Apache-2.0
#include "rookery/os/memory_file_system.h"

#include <cerrno>
#include <map>
#include <utility>

#include <unistd.h>

#include "rookery/base/check.h"
#include "rookery/os/os_error.h"

#include "memory_object.h"

namespace rookery::os {
namespace {

constexpr std::uint64_t kDevice = 0x6D656D;  // "mem"; no device of the kernel

// Purpose. A directory, or a name of a file. Shared pointers, because an open file outlives its
// last name, as on a disk.
struct Node {
  std::uint64_t inode = 0;
  std::map<std::string, std::shared_ptr<Node>, std::less<>> children;
  std::shared_ptr<MemoryObject> object;  // null for a directory

  [[nodiscard]] bool is_directory() const noexcept { return object == nullptr; }
};

using NodePtr = std::shared_ptr<Node>;

std::vector<std::string> split(std::string_view path) {
  std::vector<std::string> names;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view name = path.substr(0, slash);
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
    if (name == ".." && !names.empty()) {
      names.pop_back();
    } else if (!name.empty() && name != "." && name != "..") {
      names.emplace_back(name);
    }
  }
  return names;
}

}  // namespace

class MemoryFileSystem::State {
 public:
  explicit State(std::uint64_t capacity_bytes) : budget(capacity_bytes) { root->inode = 1; }

  // Where a path leads: the directory it lies in, its last name, and what that names (may be null).
  struct Place {
    NodePtr parent;
    std::string name;
    NodePtr node;
  };

  Result<Place> find(std::string_view call, std::string_view path) const RK_REQUIRES(mutex) {
    std::vector<std::string> names = split(path);
    if (names.empty()) {
      return Place{.parent = nullptr, .name = "", .node = root};
    }
    NodePtr at = root;
    for (std::size_t i = 0; i + 1 < names.size(); ++i) {
      const auto child = at->children.find(names[i]);
      if (child == at->children.end()) {
        return os_error(call, path, ENOENT);
      }
      if (!child->second->is_directory()) {
        return os_error(call, path, ENOTDIR);
      }
      at = child->second;
    }
    const auto found = at->children.find(names.back());
    NodePtr node = found == at->children.end() ? nullptr : found->second;
    return Place{.parent = at, .name = std::move(names.back()), .node = std::move(node)};
  }

  void put(const Place& place, NodePtr node) RK_REQUIRES(mutex) {
    if (!node->is_directory()) {
      node->object->link_count += 1;
    }
    place.parent->children[place.name] = std::move(node);
  }

  void erase(const Place& place) RK_REQUIRES(mutex) {
    if (!place.node->is_directory()) {
      place.node->object->link_count -= 1;
    }
    place.parent->children.erase(place.name);
  }

  FileInfo info_of(const NodePtr& node) RK_REQUIRES(mutex) {
    if (node->is_directory()) {
      return {.size_bytes = 0,
              .allocated_bytes = 0,
              .link_count = 2,
              .inode = node->inode,
              .device = kDevice,
              .is_directory = true};
    }
    return info_of(*node->object);
  }

  FileInfo info_of(MemoryObject& object) RK_REQUIRES(mutex) {
    FileInfo facts = object.info();
    facts.link_count = object.link_count;
    facts.device = kDevice;
    return facts;
  }

  SpaceBudget budget;  // before the tree: the files give back to it
  Mutex mutex;
  const NodePtr root = std::make_shared<Node>();
  std::uint64_t next_inode RK_GUARDED_BY(mutex) = 2;
};

namespace {

template <typename State>
class MemoryFile final : public File {
 public:
  MemoryFile(State& state, std::string path, std::shared_ptr<MemoryObject> object, Access access)
      : state_(state), path_(std::move(path)), object_(std::move(object)), access_(access) {}

  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  ~MemoryFile() override { object_->unlock(this); }

  Result<std::size_t> read_at(std::uint64_t offset, MutableBytes into) override {
    return object_->read_at(offset, into);
  }

  Result<void> write_at(std::uint64_t offset, Bytes from) override {
    return write_vector_at(offset, std::span(&from, 1));
  }

  Result<void> write_vector_at(std::uint64_t offset, std::span<const Bytes> parts) override {
    RK_TRY(check_writable("write"));
    return object_->write_parts(path_, offset, parts);
  }

  Result<void> sync_data() override { return {}; }

  Result<void> allocate(std::uint64_t offset, std::uint64_t length) override {
    RK_TRY(check_writable("fallocate"));
    return object_->allocate(path_, offset, length);
  }

  Result<void> punch_hole(std::uint64_t offset, std::uint64_t length) override {
    RK_TRY(check_writable("fallocate"));
    return object_->punch_hole(offset, length);
  }

  Result<void> truncate(std::uint64_t size_bytes) override {
    RK_TRY(check_writable("ftruncate"));
    return object_->truncate(path_, size_bytes);
  }

  Result<FileInfo> info() override {
    const MutexLock lock(state_.mutex);
    return state_.info_of(*object_);
  }

  Result<std::optional<std::int64_t>> try_lock() override {
    RK_TRY(check_writable("lock"));
    if (object_->try_lock(this)) {
      return std::optional<std::int64_t>();
    }
    return std::optional<std::int64_t>(getpid());  // nobody else can see these files
  }

  Result<std::unique_ptr<Mapping>> map(std::uint64_t length, Access access) override {
    if (access == Access::kReadWrite) {
      RK_TRY(check_writable("mmap"));
    }
    return object_->map(path_, length, access);
  }

  bool is_direct() const noexcept override { return false; }

 private:
  Result<void> check_writable(std::string_view call) const {
    if (access_ == Access::kReadOnly) {
      return os_error(call, path_, EBADF);
    }
    return {};
  }

  State& state_;
  const std::string path_;
  const std::shared_ptr<MemoryObject> object_;
  const Access access_;
};

}  // namespace

MemoryFileSystem::MemoryFileSystem(std::uint64_t capacity_bytes)
    : state_(std::make_unique<State>(capacity_bytes)) {}

MemoryFileSystem::~MemoryFileSystem() = default;

void MemoryFileSystem::set_capacity(std::uint64_t capacity_bytes) {
  state_->budget.set_capacity(capacity_bytes);
}

std::uint64_t MemoryFileSystem::used_bytes() const {
  return state_->budget.used_bytes();
}

Result<std::unique_ptr<File>> MemoryFileSystem::open(std::string_view path,
                                                     const OpenOptions& options) {
  const MutexLock lock(state_->mutex);
  RK_TRY_ASSIGN(State::Place place, state_->find("open", path));
  if (place.node == nullptr) {
    if (options.creation == Creation::kOpenExisting) {
      return os_error("open", path, ENOENT);
    }
    place.node = std::make_shared<Node>();
    place.node->inode = state_->next_inode++;
    place.node->object = std::make_shared<MemoryObject>(state_->budget, place.node->inode);
    state_->put(place, place.node);
  } else if (options.creation == Creation::kCreateNew) {
    return os_error("open", path, EEXIST);
  } else if (place.node->is_directory()) {
    return os_error("open", path, EISDIR);
  }
  return std::make_unique<MemoryFile<State>>(*state_, std::string(path), place.node->object,
                                             options.access);
}

Result<void> MemoryFileSystem::rename(std::string_view source, std::string_view target) {
  const MutexLock lock(state_->mutex);
  RK_TRY_ASSIGN(const State::Place from, state_->find("rename", source));
  RK_TRY_ASSIGN(const State::Place to, state_->find("rename", target));
  if (from.node == nullptr) {
    return os_error("rename to " + std::string(target), source, ENOENT);
  }
  if (from.parent == nullptr || to.parent == nullptr) {
    return os_error("rename", source, EBUSY);  // the root
  }
  for (NodePtr at = state_->root; from.node->is_directory();) {  // a directory into itself?
    const std::vector<std::string> names = split(target);
    for (std::size_t i = 0; i + 1 < names.size(); ++i) {
      at = at->children.find(names[i])->second;
      if (at == from.node) {
        return os_error("rename to " + std::string(target), source, EINVAL);
      }
    }
    break;
  }
  if (to.node != nullptr) {
    if (to.node == from.node ||
        (to.node->object != nullptr && to.node->object == from.node->object)) {
      return {};  // two names of one file: nothing to do, as POSIX has it
    }
    if (to.node->is_directory() != from.node->is_directory()) {
      return os_error("rename to " + std::string(target), source,
                      to.node->is_directory() ? EISDIR : ENOTDIR);
    }
    if (!to.node->children.empty()) {
      return os_error("rename to " + std::string(target), source, ENOTEMPTY);
    }
    state_->erase(to);
  }
  state_->erase(from);
  state_->put(to, from.node);
  return {};
}

Result<void> MemoryFileSystem::link(std::string_view source, std::string_view target) {
  const MutexLock lock(state_->mutex);
  RK_TRY_ASSIGN(const State::Place from, state_->find("link", source));
  RK_TRY_ASSIGN(const State::Place to, state_->find("link", target));
  if (from.node == nullptr) {
    return os_error("link to " + std::string(target), source, ENOENT);
  }
  if (from.node->is_directory()) {
    return os_error("link to " + std::string(target), source, EPERM);
  }
  if (to.node != nullptr) {
    return os_error("link to " + std::string(target), source, EEXIST);
  }
  auto name = std::make_shared<Node>();
  name->inode = from.node->inode;
  name->object = from.node->object;
  state_->put(to, std::move(name));
  return {};
}

Result<void> MemoryFileSystem::remove_file(std::string_view path) {
  const MutexLock lock(state_->mutex);
  RK_TRY_ASSIGN(const State::Place place, state_->find("unlink", path));
  if (place.node == nullptr) {
    return os_error("unlink", path, ENOENT);
  }
  if (place.node->is_directory()) {
    return os_error("unlink", path, EISDIR);
  }
  state_->erase(place);
  return {};
}

Result<void> MemoryFileSystem::create_directory(std::string_view path) {
  const MutexLock lock(state_->mutex);
  RK_TRY_ASSIGN(const State::Place place, state_->find("mkdir", path));
  if (place.node != nullptr) {
    return os_error("mkdir", path, EEXIST);
  }
  auto directory = std::make_shared<Node>();
  directory->inode = state_->next_inode++;
  state_->put(place, std::move(directory));
  return {};
}

Result<void> MemoryFileSystem::remove_directory(std::string_view path) {
  const MutexLock lock(state_->mutex);
  RK_TRY_ASSIGN(const State::Place place, state_->find("rmdir", path));
  if (place.node == nullptr) {
    return os_error("rmdir", path, ENOENT);
  }
  if (!place.node->is_directory()) {
    return os_error("rmdir", path, ENOTDIR);
  }
  if (place.parent == nullptr || !place.node->children.empty()) {
    return os_error("rmdir", path, place.parent == nullptr ? EBUSY : ENOTEMPTY);
  }
  state_->erase(place);
  return {};
}

Result<std::vector<std::string>> MemoryFileSystem::list(std::string_view path) {
  const MutexLock lock(state_->mutex);
  RK_TRY_ASSIGN(const State::Place place, state_->find("opendir", path));
  if (place.node == nullptr || !place.node->is_directory()) {
    return os_error("opendir", path, place.node == nullptr ? ENOENT : ENOTDIR);
  }
  std::vector<std::string> names;
  names.reserve(place.node->children.size());
  for (const auto& [name, node] : place.node->children) {
    names.push_back(name);
  }
  return names;
}

Result<void> MemoryFileSystem::sync_directory(std::string_view path) {
  const MutexLock lock(state_->mutex);
  RK_TRY_ASSIGN(const State::Place place, state_->find("fsync", path));
  if (place.node == nullptr || !place.node->is_directory()) {
    return os_error("fsync", path, place.node == nullptr ? ENOENT : ENOTDIR);
  }
  return {};
}

Result<std::optional<FileInfo>> MemoryFileSystem::info(std::string_view path) {
  const MutexLock lock(state_->mutex);
  const Result<State::Place> place = state_->find("stat", path);
  if (!place.has_value()) {
    if (place.error().code() == ErrorCode::not_found) {
      return std::optional<FileInfo>();
    }
    return place.error();
  }
  if (place->node == nullptr) {
    return std::optional<FileInfo>();
  }
  return std::optional(state_->info_of(place->node));
}

Result<SpaceInfo> MemoryFileSystem::space(std::string_view /*path*/) {
  const std::uint64_t total = state_->budget.capacity_bytes();
  const std::uint64_t used = state_->budget.used_bytes();
  return SpaceInfo{.total_bytes = total, .available_bytes = used < total ? total - used : 0};
}

}  // namespace rookery::os
