// SPDX-License-Identifier: Apache-2.0
#include "rookery/testing/fiber_scheduler.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rookery/base/check.h"
#include "rookery/base/prng.h"

#include "fiber.h"

namespace rookery::testing {
namespace {

constexpr std::uint64_t kHashPrime = 0x100000001B3;  // FNV

struct Fiber {
  enum class Phase : std::uint8_t { kRunnable, kBlocked, kDone };

  std::string name;
  std::uint64_t number = 0;
  Phase phase = Phase::kRunnable;
  bool abandoned = false;
  std::function<void()> body;
  std::unique_ptr<FiberContext> context;

  // While blocked.
  os::WaitChannel channel;
  std::optional<std::pair<os::MonotonicTime, std::uint64_t>> timer;
  bool woken = false;
};

// Shared: a Thread may outlive its fiber, and the fiber a Thread that was joined.
using FiberPtr = std::shared_ptr<Fiber>;

// Purpose. The handle of a fiber. Waits on the fiber's own address.
class FiberThread final : public os::Thread {
 public:
  explicit FiberThread(FiberPtr fiber) : fiber_(std::move(fiber)) {}

  FiberThread(const FiberThread&) = delete;
  FiberThread& operator=(const FiberThread&) = delete;

  ~FiberThread() override { FiberThread::join(); }

  void join() override {
    os::SchedulerHook* hook = os::SchedulerHook::current();
    if (hook != nullptr) {
      hook->yield("join");
    }
    while (fiber_->phase != Fiber::Phase::kDone && !fiber_->abandoned) {
      RK_CHECK(hook != nullptr);
      hook->wait_on({.address = fiber_.get(), .what = "the end of", .holder = fiber_.get()},
                    os::kNoTimeout);
    }
  }

 private:
  FiberPtr fiber_;
};

}  // namespace

class FiberScheduler::State {
 public:
  State(FiberScheduler& owner, VirtualClock& clock, const SchedulerOptions& options)
      : owner_(owner), clock_(clock), options_(options), prng_(options.seed) {
    if (options_.switch_one_in == 0) {
      // Some bugs need many switches, some need one that comes late.
      constexpr std::uint64_t kChoices[] = {1, 2, 4, 16, 64};
      options_.switch_one_in = kChoices[prng_.below(std::size(kChoices))];
    }
  }

  SimulationReport run(std::function<void()> body) {
    RK_CHECK(os::SchedulerHook::current() == nullptr);
    report_ = SimulationReport();
    const os::MonotonicTime began = clock_.now();
    os::SchedulerHook::set_current(&owner_);
    FiberContext thread;
    thread_ = &thread;
    static_cast<void>(spawn("main", std::move(body)));
    current_ = choose();
    previous_context_ = &thread;
    thread.switch_to(*current_->context);
    current_ = nullptr;
    thread_ = nullptr;
    os::SchedulerHook::set_current(nullptr);
    finish_report(began);
    abandon_rest();
    return std::move(report_);
  }

  FiberPtr spawn(std::string name, std::function<void()> body) {
    auto fiber = std::make_shared<Fiber>();
    fiber->name = std::move(name);
    fiber->number = next_number_++;
    fiber->body = std::move(body);
    std::unique_ptr<FiberStack> stack;
    reclaim();
    if (!free_stacks_.empty()) {
      stack = std::move(free_stacks_.back());
      free_stacks_.pop_back();
    } else {
      stack = std::make_unique<FiberStack>();
    }
    fiber->context = std::make_unique<FiberContext>(std::move(stack), &State::fiber_main);
    alive_.push_back(fiber);
    runnable_.push_back(fiber.get());
    return fiber;
  }

  void step(const char* what) {
    ++report_.steps;
    std::uint64_t& hash = report_.trace_hash;
    hash = (hash ^ current_->number) * kHashPrime;
    for (const char* c = what; *c != '\0'; ++c) {
      hash = (hash ^ static_cast<unsigned char>(*c)) * kHashPrime;
    }
    if (options_.trace_steps_max > 0) {
      report_.trace.push_back(current_->name + ": " + what);
      if (report_.trace.size() > options_.trace_steps_max) {
        report_.trace.pop_front();
      }
    }
    clock_.advance(options_.step_time);
    if (report_.steps >= options_.steps_max) {
      report_.outcome = SimulationReport::Outcome::kStepLimit;
      current_->channel = {.address = current_, .what = "its turn"};
      current_->phase = Fiber::Phase::kBlocked;
      previous_context_ = current_->context.get();
      current_->context->leave_for_good(*thread_);
    }
  }

  void yield(const char* what) {
    step(what);
    if (prng_.chance(options_.switch_one_in)) {
      go_to(choose());
    }
  }

  bool wait_on(const os::WaitChannel& channel, os::Duration timeout) {
    step(channel.what);
    Fiber& fiber = *current_;
    fiber.woken = false;
    if (timeout <= os::Duration::zero()) {
      go_to(choose());
      return false;
    }
    fiber.phase = Fiber::Phase::kBlocked;
    fiber.channel = channel;
    std::erase(runnable_, &fiber);
    waiters_[channel.address].push_back(&fiber);
    const os::MonotonicTime now = clock_.now();
    if (timeout < os::MonotonicTime::max() - now) {
      fiber.timer = {now + timeout, next_timer_++};
      timers_.emplace(*fiber.timer, &fiber);
    }
    go_to(choose());
    return fiber.woken;
  }

  void wake_one(const void* address) {
    const auto found = waiters_.find(address);
    if (found != waiters_.end()) {
      wake(*found->second[prng_.below(found->second.size())], true);
    }
  }

  void wake_all(const void* address) {
    for (auto found = waiters_.find(address); found != waiters_.end();
         found = waiters_.find(address)) {
      wake(*found->second.front(), true);
    }
  }

  Fiber* current() const noexcept { return current_; }

  std::uint64_t steps() const noexcept { return report_.steps; }

 private:
  static void fiber_main() {
    State& state = *static_cast<FiberScheduler*>(os::SchedulerHook::current())->state_;
    Fiber& fiber = *state.current_;
    fiber.context->entered(*state.previous_context_);
    fiber.body();
    state.end(fiber);
  }

  [[noreturn]] void end(Fiber& fiber) {
    fiber.body = nullptr;  // what it captured goes now, on the fiber
    step("end");
    fiber.phase = Fiber::Phase::kDone;
    std::erase(runnable_, &fiber);
    wake_all(&fiber);
    Fiber* next = choose();
    current_ = next;
    previous_context_ = fiber.context.get();
    // Its stack is still in use here, so somebody else reclaims it.
    fiber.context->leave_for_good(next != nullptr ? *next->context : *thread_);
  }

  // Frees what ended fibers no longer run on.
  void reclaim() {
    std::erase_if(alive_, [this](const FiberPtr& fiber) {
      if (fiber->phase != Fiber::Phase::kDone) {
        return false;
      }
      free_stacks_.push_back(fiber->context->take_stack());
      fiber->context.reset();
      return true;
    });
  }

  void wake(Fiber& fiber, bool woken) {
    RK_CHECK(fiber.phase == Fiber::Phase::kBlocked);
    const auto found = waiters_.find(fiber.channel.address);
    std::erase(found->second, &fiber);
    if (found->second.empty()) {
      waiters_.erase(found);
    }
    if (fiber.timer.has_value()) {
      timers_.erase(*fiber.timer);
      fiber.timer.reset();
    }
    fiber.phase = Fiber::Phase::kRunnable;
    fiber.woken = woken;
    runnable_.push_back(&fiber);
  }

  // Null: nobody can ever run again.
  Fiber* choose() {
    if (runnable_.empty() && !timers_.empty()) {
      clock_.advance_to(timers_.begin()->first.first);
    }
    const os::MonotonicTime now = clock_.now();
    while (!timers_.empty() && timers_.begin()->first.first <= now) {
      wake(*timers_.begin()->second, false);
    }
    return runnable_.empty() ? nullptr : runnable_[prng_.below(runnable_.size())];
  }

  void go_to(Fiber* next) {
    Fiber& from = *current_;
    if (next == &from) {
      return;
    }
    current_ = next;
    previous_context_ = from.context.get();
    from.context->switch_to(next != nullptr ? *next->context : *thread_);
  }

  void finish_report(os::MonotonicTime began) {
    reclaim();
    report_.elapsed = clock_.now() - began;
    std::string& text = report_.text;
    text = "seed " + std::to_string(options_.seed) + ": ";
    if (report_.outcome == SimulationReport::Outcome::kStepLimit) {
      text += "no end after " + std::to_string(report_.steps) + " steps";
    } else if (!alive_.empty()) {
      report_.outcome = SimulationReport::Outcome::kDeadlock;
      text += "deadlock";
    } else {
      text += "finished";
    }
    for (const FiberPtr& fiber : alive_) {
      text += "; '" + fiber->name + "' " + describe(*fiber);
    }
  }

  [[nodiscard]] std::string describe(const Fiber& fiber) const {
    if (fiber.phase == Fiber::Phase::kRunnable) {
      return "could run";
    }
    std::string text = std::string("waits for ") + fiber.channel.what;
    for (const FiberPtr& other : alive_) {
      if (other.get() == fiber.channel.holder) {
        const bool joins = fiber.channel.address == other.get();
        text += (joins ? " '" : " held by '") + other->name + "'";
      }
    }
    return text;
  }

  void abandon_rest() {
    for (const FiberPtr& fiber : alive_) {
      fiber->abandoned = true;
      fiber->context.reset();
      fiber->body = nullptr;
    }
    alive_.clear();
    runnable_.clear();
    waiters_.clear();
    timers_.clear();
  }

  FiberScheduler& owner_;
  VirtualClock& clock_;
  SchedulerOptions options_;
  Prng prng_;
  SimulationReport report_;

  std::vector<FiberPtr> alive_;
  std::vector<Fiber*> runnable_;  // the running one among them
  // Only looked up, never walked: the order of addresses must not decide anything.
  std::unordered_map<const void*, std::vector<Fiber*>> waiters_;
  std::map<std::pair<os::MonotonicTime, std::uint64_t>, Fiber*> timers_;
  std::uint64_t next_number_ = 0;
  std::uint64_t next_timer_ = 0;
  std::vector<std::unique_ptr<FiberStack>> free_stacks_;

  Fiber* current_ = nullptr;
  FiberContext* thread_ = nullptr;            // of the caller of run()
  FiberContext* previous_context_ = nullptr;  // who switched last
};

FiberScheduler::FiberScheduler(VirtualClock& clock, const SchedulerOptions& options)
    : state_(std::make_unique<State>(*this, clock, options)) {}

FiberScheduler::~FiberScheduler() = default;

SimulationReport FiberScheduler::run(std::function<void()> body) {
  return state_->run(std::move(body));
}

const void* FiberScheduler::self() const noexcept {
  return state_->current();
}

void FiberScheduler::yield(const char* what) noexcept {
  state_->yield(what);
}

bool FiberScheduler::wait_on(const os::WaitChannel& channel, os::Duration timeout) noexcept {
  return state_->wait_on(channel, timeout);
}

void FiberScheduler::wake_one(const void* address) noexcept {
  state_->wake_one(address);
}

void FiberScheduler::wake_all(const void* address) noexcept {
  state_->wake_all(address);
}

std::unique_ptr<os::Thread> FiberScheduler::start(std::string name, std::function<void()> body) {
  RK_CHECK(state_->current() != nullptr);
  auto thread = std::make_unique<FiberThread>(state_->spawn(std::move(name), std::move(body)));
  state_->yield("start");
  return thread;
}

void FiberScheduler::set_current_name(std::string_view name) {
  RK_CHECK(state_->current() != nullptr);
  state_->current()->name = name;
}

std::uint64_t FiberScheduler::steps() const noexcept {
  return state_->steps();
}

}  // namespace rookery::testing
