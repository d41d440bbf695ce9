// A bounded crew of threads that each serve one connection at a time. Threads come when there is
// work and go when there has been none for a while. What is accepted beyond them waits, and those
// who serve an idle connection are told to let it go.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

#include "node/control/wake.h"

namespace ulnet::node::control {

class Workers {
 public:
  /// Serves one connection and closes it. Must not throw, and must return soon after `stopping()`.
  using Serve = std::function<void(int connection)>;

  Workers(std::size_t threads_max, Serve serve)
      : threads_max_(threads_max), serve_(std::move(serve)) {}
  /// stop() must have been called.
  ~Workers();

  /// Takes over the descriptor. False (and it is the caller's still) when too many wait already, or
  /// after stop().
  bool submit(int connection);
  /// True while there is room for another submit().
  bool has_room() const;

  bool stopping() const;
  /// Somebody waits for a thread: idle connections should end.
  bool crowded() const;
  /// Readable while stopping(), while crowded().
  int stopping_descriptor() const { return stopping_flag_.descriptor(); }
  int crowded_descriptor() const { return crowded_flag_.descriptor(); }

  /// Closes what waits, tells the others to end, and waits for them.
  void stop();

 private:
  void run();

  const std::size_t threads_max_;
  const Serve serve_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // guarded by mutex_
  std::deque<int> waiting_;
  std::size_t threads_ = 0;
  std::size_t idle_ = 0;
  bool stopping_ = false;
  WakeFlag stopping_flag_;
  WakeFlag crowded_flag_;
};

}  // namespace ulnet::node::control
