// SPDX-License-Identifier: Apache-2.0
#include "snapshot_slots.h"

#include <functional>
#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <ucontext.h>

namespace rookery::store {
namespace {

// Purpose. Runs a few bodies one step at a time, each on a stack of its own: before each atomic
// access the others may go on. Explores every order of accesses depth first: a schedule is a list
// of choices; the next one changes the last choice that can still be changed.
class Explorer {
 public:
  using Body = std::function<void()>;

  // Runs `make()`'s bodies under every schedule, or until `limit`; returns how many there were.
  template <typename Make>
  std::size_t explore(Make make, std::size_t limit) {
    std::size_t runs = 0;
    choices_.clear();
    do {
      run_once(make());
      ++runs;
    } while (advance() && runs < limit);
    return runs;
  }

  // Called before each access by the body that makes it.
  static void step() {
    if (current_ != nullptr) {
      Fiber* self = current_->running_;
      swapcontext(&self->context, &current_->scheduler_);
    }
  }

 private:
  struct Fiber {
    ucontext_t context{};
    Body body;
    bool done = false;
    std::vector<std::byte> stack = std::vector<std::byte>(64 * 1024);
  };

  struct Choice {
    std::size_t taken;
    std::size_t options;
  };

  static void enter() {
    Fiber* self = current_->running_;
    self->body();
    self->done = true;
    swapcontext(&self->context, &current_->scheduler_);
  }

  void run_once(std::vector<Body> bodies) {
    fibers_.resize(bodies.size());
    current_ = this;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      Fiber& fiber = fibers_[i];
      fiber.body = std::move(bodies[i]);
      fiber.done = false;
      getcontext(&fiber.context);
      fiber.context.uc_stack.ss_sp = fiber.stack.data();
      fiber.context.uc_stack.ss_size = fiber.stack.size();
      fiber.context.uc_link = nullptr;
      makecontext(&fiber.context, &Explorer::enter, 0);
    }
    std::size_t position = 0;
    for (;;) {
      std::vector<Fiber*> ready;
      for (Fiber& fiber : fibers_) {
        if (!fiber.done) {
          ready.push_back(&fiber);
        }
      }
      if (ready.empty()) {
        break;
      }
      if (position == choices_.size()) {
        choices_.push_back({0, ready.size()});
      }
      running_ = ready[choices_[position++].taken];
      swapcontext(&scheduler_, &running_->context);
    }
    current_ = nullptr;
  }

  bool advance() {
    while (!choices_.empty() && choices_.back().taken + 1 == choices_.back().options) {
      choices_.pop_back();
    }
    if (choices_.empty()) {
      return false;
    }
    ++choices_.back().taken;
    return true;
  }

  static Explorer* current_;

  ucontext_t scheduler_{};
  std::vector<Fiber> fibers_;
  Fiber* running_ = nullptr;
  std::vector<Choice> choices_;
};

Explorer* Explorer::current_ = nullptr;

template <typename T>
class SteppedAtomic {
 public:
  SteppedAtomic() = default;

  explicit(false) SteppedAtomic(T value) : value_(value) {}

  T load() const {
    Explorer::step();
    return value_.load();
  }

  void store(T value) {
    Explorer::step();
    value_.store(value);
  }

  bool compare_exchange_strong(T& expected, T desired) {
    Explorer::step();
    return value_.compare_exchange_strong(expected, desired);
  }

 private:
  std::atomic<T> value_;
};

struct SteppedAtomics {
  template <typename T>
  using Atomic = SteppedAtomic<T>;
};

struct State {
  std::uint64_t seq = 0;
  bool freed = false;
};

// Two slots in one chunk keep the number of schedules small.
using Gate = SnapshotGate<State, SteppedAtomics, 2, 1>;

// The planted fault of I7, as a reader that does it in the wrong order.
enum class Order { kRight, kLoadBeforeClaim };

// One reader opens and looks at its state at every step while a writer publishes and frees what
// nobody can see. Returns whether any schedule let the reader see a freed state.
bool reader_sees_freed_state(Order order, std::size_t* schedules) {
  bool seen = false;
  Explorer explorer;
  std::shared_ptr<Gate> gate;
  std::shared_ptr<std::vector<State>> states;
  const auto make = [&]() -> std::vector<Explorer::Body> {
    gate = std::make_shared<Gate>();
    states = std::make_shared<std::vector<State>>(std::vector<State>{{1, false}, {2, false}});
    gate->publish(&(*states)[0]);
    return {[&] {
              Gate::Snapshot snapshot;
              if (order == Order::kRight) {
                snapshot = gate->open();
              } else {
                snapshot.state = gate->published();
                snapshot.slot = gate->slots().claim(snapshot.state->seq);
              }
              seen = seen || snapshot.state->freed;
              Explorer::step();
              seen = seen || snapshot.state->freed;
              gate->close(snapshot);
            },
            [&] {
              for (std::size_t next = 1; next < states->size(); ++next) {
                gate->publish(&(*states)[next]);
                const std::uint64_t oldest = gate->slots().oldest((*states)[next].seq);
                for (std::size_t i = 0; i < next; ++i) {
                  (*states)[i].freed = (*states)[i].freed || (*states)[i].seq < oldest;
                }
              }
            }};
  };
  *schedules = explorer.explore(make, 300'000);
  return seen;
}

TEST(SnapshotGate, NoScheduleLetsAReaderSeeAFreedState) {
  std::size_t schedules = 0;
  EXPECT_FALSE(reader_sees_freed_state(Order::kRight, &schedules));
  EXPECT_GT(schedules, 100U);
}

TEST(SnapshotGate, TheTestFindsAReaderThatLoadsBeforeItClaims) {
  std::size_t schedules = 0;
  EXPECT_TRUE(reader_sees_freed_state(Order::kLoadBeforeClaim, &schedules));
}

TEST(SnapshotSlots, TwoReadersNeverShareASlot) {
  Explorer explorer;
  bool shared = false;
  using Slots = SnapshotSlots<SteppedAtomics, 2, 1>;
  std::shared_ptr<Slots> slots;
  std::array<Slots::Slot*, 2> taken{};
  const std::size_t runs = explorer.explore(
      [&]() -> std::vector<Explorer::Body> {
        shared = shared || (taken[0] != nullptr && taken[0] == taken[1]);
        slots = std::make_shared<Slots>();
        taken = {};
        return {[&] { taken[0] = slots->claim(5); }, [&] { taken[1] = slots->claim(6); }};
      },
      20'000);
  EXPECT_GT(runs, 20U);
  EXPECT_FALSE(shared);
  EXPECT_NE(taken[0], nullptr);
  EXPECT_NE(taken[1], nullptr);
}

TEST(SnapshotSlots, GrowsByChunksUpToItsBound) {
  SnapshotSlots<StdAtomics, 4, 3> slots;
  std::vector<SnapshotSlots<StdAtomics, 4, 3>::Slot*> taken;
  for (std::uint64_t i = 0; i < 12; ++i) {
    taken.push_back(slots.claim(100 - i));
    ASSERT_NE(taken.back(), nullptr);
  }
  EXPECT_EQ(slots.claim(1), nullptr);
  EXPECT_EQ(slots.open_count(), 12U);
  EXPECT_EQ(slots.oldest(200), 89U);
  EXPECT_EQ(slots.oldest(50), 50U);
  slots.release(*taken[11]);
  EXPECT_EQ(slots.oldest(200), 90U);
  EXPECT_NE(slots.claim(7), nullptr);
  for (std::size_t i = 0; i < 11; ++i) {
    slots.release(*taken[i]);
  }
}

}  // namespace
}  // namespace rookery::store
