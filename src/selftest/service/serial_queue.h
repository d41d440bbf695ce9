// Runs events and calls one at a time, in the order in which they come. A thread that comes while
// another one is inside leaves its event or call there and goes on; the thread inside runs it
// before it leaves. So no handler waits for another, and no code is entered twice.
#pragma once

#include <functional>
#include <utility>
#include <variant>
#include <vector>

#include "ulnet/lnet.hpp"

namespace ulnet::svc::selftest {

/// For hosts without threads.
struct NoLock {
  void lock() {}
  void unlock() {}
};

/// The sink of a Host. `Lock` is held for moments only, never while an event or a call runs. Any
/// thread.
template <class Lock>
class SerialQueue final : public EventSink {
 public:
  void on_event(const Event& event) override {
    if (!enter([&] { waiting_.emplace_back(event); })) return;
    deliver(event);
    leave();
  }
  /// Runs `fn`, here or on the thread that is inside.
  void run(std::function<void()> fn) {
    if (!enter([&] { waiting_.emplace_back(std::move(fn)); })) return;
    fn();
    leave();
  }

 private:
  using Item = std::variant<Event, std::function<void()>>;

  static void deliver(const Event& event) {
    static_cast<EventSink*>(event.md_user_ptr)->on_event(event);
  }
  template <class Keep>
  bool enter(Keep&& keep) {
    const Guard guard(lock_);
    if (inside_) {
      keep();
      return false;
    }
    return inside_ = true;
  }
  /// Takes the items that have come meanwhile. If there are no items, leaves and returns false.
  bool take() {
    running_.clear();
    const Guard guard(lock_);
    waiting_.swap(running_);
    return inside_ = !running_.empty();
  }
  void leave() {
    while (take())
      for (const Item& item : running_) {
        if (const auto* event = std::get_if<Event>(&item)) {
          deliver(*event);
        } else {
          std::get<std::function<void()>>(item)();
        }
      }
  }
  struct Guard {
    explicit Guard(Lock& taken) : lock(taken) { lock.lock(); }
    ~Guard() { lock.unlock(); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    Lock& lock;
  };

  Lock lock_;
  bool inside_ = false;
  std::vector<Item> waiting_;
  std::vector<Item> running_;  ///< used by the thread inside
};

}  // namespace ulnet::svc::selftest
