// Notifies descriptors and event queues when their Lnet is destroyed, so that they may be destroyed
// after it.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "ulnet/cxx20.hpp"

namespace ulnet {

/// The Lnet and all objects that depend on it share a Lifetime. It records whether the Lnet still
/// exists. Any thread.
class Lifetime {
 public:
  /// An object that uses the Lnet. It must be removed before it is destroyed.
  class Dependent {
   public:
    Dependent(const Dependent&) = delete;
    Dependent& operator=(const Dependent&) = delete;

   protected:
    Dependent() = default;
    virtual ~Dependent() = default;

   private:
    friend class Lifetime;
    /// The Lnet is gone: no handler runs any more. Called once, with the Lifetime's mutex held:
    /// must not call the Lifetime. end() releases the returned object after it has unlocked the
    /// mutex.
    virtual std::shared_ptr<void> lnet_gone() { return nullptr; }

    Dependent* before_ = this;  // neighbours in a ring
    Dependent* after_ = this;
  };

  Lifetime() = default;
  Lifetime(const Lifetime&) = delete;
  Lifetime& operator=(const Lifetime&) = delete;

  /// Adds a dependent that end() calls before all those of add_late(). So a thread that a late one
  /// wakes finds that the early ones have ended.
  void add_early(Dependent& dependent) {
    const std::lock_guard lock(mutex_);
    put_behind(all_, dependent);
  }
  void add_late(Dependent& dependent) {
    const std::lock_guard lock(mutex_);
    put_behind(*all_.before_, dependent);
  }
  /// Removes the dependent; does nothing if it is not in the ring any more.
  void remove(Dependent& dependent) {
    const std::lock_guard lock(mutex_);
    take_out(dependent);
  }
  /// Calls lnet_gone() of every dependent. The Lnet calls this when no handler runs any more.
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
