// How descriptors and event queues learn that their Lnet is gone, so that they may be destroyed
// after it.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

namespace ulnet {

/// The life of one Lnet, known to everything that depends on it; it stays as long as any of these.
/// Any thread.
class Lifetime {
 public:
  /// Something that uses the Lnet. Must be removed before it is destroyed.
  class Dependent {
   public:
    Dependent(const Dependent&) = delete;
    Dependent& operator=(const Dependent&) = delete;

   protected:
    Dependent() = default;
    virtual ~Dependent() = default;

   private:
    friend class Lifetime;
    /// The Lnet is gone: no handler runs any more, and none will. Called once, under the Lifetime's
    /// lock: must not call back. What it returns is let go of after that lock.
    virtual std::shared_ptr<void> lnet_gone() { return nullptr; }

    Dependent* before_ = this;  // a ring
    Dependent* after_ = this;
  };

  Lifetime() = default;
  Lifetime(const Lifetime&) = delete;
  Lifetime& operator=(const Lifetime&) = delete;

  /// To be told first: a thread that is woken by one told last finds these ended already.
  void add_early(Dependent& dependent) {
    const std::lock_guard lock(mutex_);
    put_behind(all_, dependent);
  }
  void add_late(Dependent& dependent) {
    const std::lock_guard lock(mutex_);
    put_behind(*all_.before_, dependent);
  }
  /// Harmless when it is not there any more.
  void remove(Dependent& dependent) {
    const std::lock_guard lock(mutex_);
    take_out(dependent);
  }
  /// Tells everything that is there. By the Lnet, when no handler runs any more.
  void end() {
    std::vector<std::shared_ptr<void>> let_go;
    const std::lock_guard lock(mutex_);
    while (all_.after_ != &all_) {
      Dependent& dependent = *all_.after_;
      take_out(dependent);
      let_go.push_back(dependent.lnet_gone());
    }
  }

 private:
  struct Ring final : Dependent {};

  static void put_behind(Dependent& place, Dependent& dependent) {
    dependent.before_ = &place;
    dependent.after_ = place.after_;
    place.after_->before_ = &dependent;
    place.after_ = &dependent;
  }
  static void take_out(Dependent& dependent) {
    dependent.before_->after_ = dependent.after_;
    dependent.after_->before_ = dependent.before_;
    dependent.before_ = dependent.after_ = &dependent;
  }

  std::mutex mutex_;  // guards the ring
  Ring all_;
};

}  // namespace ulnet
