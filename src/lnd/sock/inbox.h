// What other threads put before a reactor: commands, connections handed over, and jobs. Its lock is
// held for a few moves only, never while anything is called; two vectors swap, so that in the
// steady state nothing is allocated.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <vector>

#include "lnd/sock/engine.h"
#include "lnd/sock/sockets.h"

namespace ulnet::lnd::sock {

/// Something to be done under the token; the thread that wants it waits until `done`.
struct Job {
  std::function<void(Engine&)> run;
  bool done = false;  ///< guarded by the reactor's lock for jobs
};
/// An accepted connection whose peer belongs to the reactor that gets it.
struct Handover {
  Arrival arrival;
  Descriptor socket;
};

class Inbox {
 public:
  void put(Command&& command) {
    const std::lock_guard hold(lock_);
    commands_.push_back(std::move(command));
    pending_.store(true, std::memory_order_seq_cst);
  }
  void put(Job& job) {
    const std::lock_guard hold(lock_);
    jobs_.push_back(&job);
    pending_.store(true, std::memory_order_seq_cst);
  }
  void put(Handover&& handover) {
    const std::lock_guard hold(lock_);
    handovers_.push_back(std::move(handover));
    pending_.store(true, std::memory_order_seq_cst);
  }

  bool pending() const { return pending_.load(std::memory_order_seq_cst); }
  /// Swaps what is there into empty vectors.
  void take(std::vector<Command>& commands, std::vector<Job*>& jobs,
            std::vector<Handover>& handovers) {
    const std::lock_guard hold(lock_);
    pending_.store(false, std::memory_order_seq_cst);
    commands.swap(commands_);
    jobs.swap(jobs_);
    handovers.swap(handovers_);
  }
  /// The commands alone; jobs and handovers stay.
  void take_commands(std::vector<Command>& commands) {
    const std::lock_guard hold(lock_);
    pending_.store(!jobs_.empty() || !handovers_.empty(), std::memory_order_seq_cst);
    commands.swap(commands_);
  }

 private:
  std::mutex lock_;
  std::vector<Command> commands_;
  std::vector<Job*> jobs_;
  std::vector<Handover> handovers_;
  std::atomic<bool> pending_{false};
};

}  // namespace ulnet::lnd::sock
