// SPDX-License-Identifier: Apache-2.0
#include "fault_registry.h"

#include <array>
#include <cerrno>
#include <mutex>

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rookery/base/check.h"

namespace rookery::os {
namespace {

constexpr std::size_t kChunkSlots = 1024;
constexpr std::size_t kChunks = 1024;
constexpr std::uintptr_t kPage = 4096;

struct Chunk {
  std::array<FaultSlot, kChunkSlots> slots;
};

// Chunks are added and never freed, so the handler may walk them without a lock.
constinit std::array<std::atomic<Chunk*>, kChunks> chunks{};
constinit std::mutex registration;           // writers only; the handler never takes it
constinit std::size_t first_maybe_free = 0;  // guarded by `registration`
constinit bool installed = false;            // guarded by `registration`
struct sigaction previous_action;            // written once, before the handler is in place

// Raw calls: the wrappers of libc are not promised to be safe in a signal handler (and sanitizers
// intercept them).
bool map_zeros(std::uintptr_t begin, std::size_t size, bool writable) noexcept {
  const int protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;
  const long mapped = syscall(SYS_mmap, begin, size, protection,
                              MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);
  return mapped == static_cast<long>(begin);
}

// True if the range was ours and now reads as zeros.
bool repair(FaultSlot& slot, std::uintptr_t address) noexcept {
  // Acquire pairs with the release in register: a begin that is seen has its end.
  std::uintptr_t begin = slot.begin.load(std::memory_order_acquire);
  std::uintptr_t end = slot.end.load(std::memory_order_acquire);
  while (slot.begin.load(std::memory_order_acquire) != begin) {  // reused between the two loads
    begin = slot.begin.load(std::memory_order_acquire);
    end = slot.end.load(std::memory_order_acquire);
  }
  if (begin <= 1 || address < begin || address >= end) {
    return false;
  }
  const bool writable = slot.writable.load(std::memory_order_relaxed);
  const std::uintptr_t page = address & ~(kPage - 1);
  // One page, so that the rest of the file stays readable; the whole range where the process has no
  // map left for the split.
  if (!map_zeros(page, kPage, writable) && !map_zeros(begin, end - begin, writable)) {
    return false;
  }
  // Release pairs with the acquire in Mapping::faulted(), for readers on other threads.
  slot.faulted.store(true, std::memory_order_release);
  return true;
}

void on_sigbus(int signal_number, siginfo_t* info, void* /*context*/) noexcept {
  const int saved_errno = errno;
  // si_code <= 0: sent by a process, not caused by an access.
  if (info->si_code > 0) {
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    for (std::atomic<Chunk*>& entry : chunks) {
      Chunk* chunk = entry.load(std::memory_order_acquire);  // pairs with the release in claim_slot
      if (chunk == nullptr) {
        break;
      }
      for (FaultSlot& slot : chunk->slots) {
        if (repair(slot, address)) {
          errno = saved_errno;
          return;
        }
      }
    }
  }
  // Not ours. With the old action back, the access is repeated on return and meets it.
  sigaction(signal_number, &previous_action, nullptr);
  if (info->si_code <= 0) {
    raise(signal_number);  // blocked until this handler returns
  }
  errno = saved_errno;
}

void install_handler() noexcept {
  struct sigaction action {};

  action.sa_sigaction = on_sigbus;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  RK_CHECK(sigaction(SIGBUS, nullptr, &previous_action) == 0);
  RK_CHECK(sigaction(SIGBUS, &action, nullptr) == 0);
}

// Requires: `registration` is held.
FaultSlot* claim_slot() noexcept {
  for (std::size_t i = first_maybe_free; i < kChunks * kChunkSlots; ++i) {
    std::atomic<Chunk*>& entry = chunks[i / kChunkSlots];
    Chunk* chunk = entry.load(std::memory_order_relaxed);  // only changed under the lock
    if (chunk == nullptr) {
      chunk = new Chunk;
      entry.store(chunk, std::memory_order_release);  // pairs with the acquire in on_sigbus
    }
    FaultSlot& slot = chunk->slots[i % kChunkSlots];
    if (slot.begin.load(std::memory_order_relaxed) == 0) {
      first_maybe_free = i + 1;
      return &slot;
    }
  }
  return nullptr;
}

}  // namespace

FaultSlot* register_fault_range(const void* begin, std::size_t size, bool writable) noexcept {
  const std::lock_guard<std::mutex> lock(registration);
  if (!installed) {
    install_handler();
    installed = true;
  }
  FaultSlot* slot = claim_slot();
  if (slot == nullptr) {
    return nullptr;
  }
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  slot->begin.store(1, std::memory_order_release);
  slot->end.store(address + size, std::memory_order_release);
  slot->writable.store(writable, std::memory_order_relaxed);
  slot->faulted.store(false, std::memory_order_relaxed);
  slot->begin.store(address, std::memory_order_release);  // pairs with the acquire in repair
  return slot;
}

void unregister_fault_range(FaultSlot& slot) noexcept {
  const std::lock_guard<std::mutex> lock(registration);
  slot.begin.store(0, std::memory_order_release);
  // The search restarts low; slots in use are few thousand at most and registration is rare.
  first_maybe_free = 0;
}

}  // namespace rookery::os
