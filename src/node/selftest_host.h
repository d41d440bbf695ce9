// The selftest on a real node: its threads take turns (svc/selftest/turns.h), so that no handler
// waits for another. Source: DESIGN.md 1, 3.
//
//   SelftestHost selftest(*node);
//   selftest.start();
//   selftest.run([&](Selftest& it) { it.caller().call(...); });
//   selftest.stop(std::chrono::seconds(5));   // before the node stops
#pragma once

#include <functional>
#include <memory>

#include "svc/selftest/selftest.h"
#include "ulnet/lnet.hpp"

namespace ulnet::node {

class SelftestHost {
 public:
  using Selftest = svc::selftest::Selftest;

  /// `lnet` outlives it. It goes when stop() has said true, or when its node has stopped.
  explicit SelftestHost(Lnet& lnet, const svc::selftest::Settings& settings = {});
  ~SelftestHost();

  /// The node serves selftest from now on. Any thread.
  Result<void> start();
  /// Runs `fn` when it is its turn: inside this call, or soon after it on another thread. Any
  /// thread. Who waits for what `fn` does waits outside of handlers.
  void run(std::function<void(Selftest&)> fn);
  /// The same, not before `delay` has passed; never when it has gone or the node has stopped.
  void after(Duration delay, std::function<void(Selftest&)> fn);
  /// Ends everything and waits until LNet has nothing of it any more; false when that takes longer
  /// than `deadline`. In inline mode it moves the node meanwhile. Idempotent; not from a handler.
  bool stop(Duration deadline);

 private:
  class Street;
  std::shared_ptr<Street> street_;  ///< and of timers that run while it goes
};

}  // namespace ulnet::node
