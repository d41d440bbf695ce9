// Passes requests to reload the configuration from threads of the control API to the main thread,
// which owns the configuration in force.
#pragma once

#include <functional>
#include <future>
#include <mutex>
#include <vector>

#include "admin/http/wake.h"
#include "admin/server/reload.h"

namespace ulnet::tools {

class ReloadRequests {
 public:
  /// Requests a reload and waits until the main thread has done it. Any thread but the main one.
  /// -ESHUTDOWN after close().
  Result<node::control::Reloaded> ask();
  /// For poll(): readable while a request waits.
  int descriptor() const { return asked_.descriptor(); }
  /// Calls `reload` once for all requests that wait; not at all without one. Main thread.
  void serve(const std::function<node::control::Reloaded()>& reload);
  /// Ends all requests, waiting and later ones, with -ESHUTDOWN.
  void close();

 private:
  using Answer = std::promise<Result<node::control::Reloaded>>;
  std::vector<Answer> take_waiting();

  std::mutex mutex_;  // guards the rest
  std::vector<Answer> waiting_;
  bool closed_ = false;
  http::WakeFlag asked_;
};

}  // namespace ulnet::tools
