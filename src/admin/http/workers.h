// A bounded pool of threads that each serve one connection at a time. A thread starts when there is
// work and ends when it has been idle for a while. When all threads are busy, accepted connections
// wait, and the threads that serve an idle connection are signalled to end that connection.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>

#include "admin/http/wake.h"

namespace ulnet::http {

class Workers {
 public:
  /// Serves one connection and closes it. Must not throw, and must return soon after `stopping()`.
  using Serve = std::function<void(int connection)>;

  Workers(std::size_t threads_max, Serve serve)
      : threads_max_(threads_max), serve_(std::move(serve)) {}
  /// Call it only after stop().
  ~Workers();

  /// Takes over the descriptor. Returns false when too many connections wait, the system gives no
  /// thread, or stop() was called. Can throw std::bad_alloc. In both cases the descriptor stays the
  /// caller's.
  bool submit(int connection);
  /// Whether another submit() has space in the queue.
  bool has_capacity() const;

  bool stopping() const;
  /// Whether a connection waits for a thread. Idle connections should end then.
  bool crowded() const;
  /// Each function returns a descriptor. The first is readable while stopping() is true, the second
  /// while crowded() is true.
  int stopping_descriptor() const { return stopping_flag_.descriptor(); }
  int crowded_descriptor() const { return crowded_flag_.descriptor(); }

  /// Closes the connections that wait, signals the threads to end, and waits for them.
  void stop();

 private:
  void run();

  const std::size_t threads_max_;
  const Serve serve_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_:
  std::deque<int> waiting_;
  std::size_t threads_ = 0;
  std::size_t idle_ = 0;
  bool stopping_ = false;
  WakeFlag stopping_flag_;
  WakeFlag crowded_flag_;
};

}  // namespace ulnet::http
