// Door threads ask for the configuration to be read again; the main thread, which owns what is in
// force, does it.
#pragma once

#include <functional>
#include <future>
#include <mutex>
#include <vector>

#include "node/control/reload.h"
#include "node/control/wake.h"

namespace ulnet::tools {

class ReloadRequests {
 public:
  /// Any thread but the one that serves: waits until it has served. -ESHUTDOWN after close().
  Result<node::control::Reloaded> ask();
  /// For poll(): readable while somebody waits.
  int descriptor() const { return asked_.descriptor(); }
  /// Calls `reload` once for all who wait; not at all when nobody does.
  void serve(const std::function<node::control::Reloaded()>& reload);
  /// Nobody is served any more.
  void close();

 private:
  using Answer = std::promise<Result<node::control::Reloaded>>;
  std::vector<Answer> take_waiting();

  std::mutex mutex_;  // guards the rest
  std::vector<Answer> waiting_;
  bool closed_ = false;
  node::control::WakeFlag asked_;
};

}  // namespace ulnet::tools
