// The selftest on a real node. Its threads enter the selftest one at a time: a thread that finds
// another one inside leaves its event with that thread (serial_queue.h), so that no handler waits
// for another. Source: DESIGN.md 1, 3.
//
//   SelftestHost selftest(*node);
//   selftest.start();
//   selftest.run([&](Selftest& it) { it.caller().call(...); });
//   selftest.stop(std::chrono::seconds(5));   // before the node stops
#pragma once

#include <functional>
#include <memory>

#include "selftest/service/selftest.h"
#include "ulnet/lnet.hpp"

namespace ulnet::node {

class SelftestHost {
 public:
  using Selftest = svc::selftest::Selftest;

  /// `lnet` must outlive this object, which may be destroyed once stop() has returned true or the
  /// node has stopped.
  explicit SelftestHost(Lnet& lnet, const svc::selftest::Settings& settings = {});
  ~SelftestHost();

  /// Starts serving selftest. Any thread.
  Result<void> start();
  /// Runs `fn` inside the selftest. If another thread is inside now, that thread runs `fn` soon
  /// afterwards; otherwise this call runs it. Any thread. A handler must not wait for the result of
  /// `fn`.
  void run(std::function<void(Selftest&)> fn);
  /// Runs `fn` inside the selftest once `delay` has passed. Does not run it if this object was
  /// destroyed or the node has stopped by then.
  void after(Duration delay, std::function<void(Selftest&)> fn);
  /// Ends the selftest and waits until LNet has released all its memory. Returns false when that
  /// takes longer than `deadline`. In inline mode this thread moves the node meanwhile. Idempotent;
  /// not from a handler.
  bool stop(Duration deadline);

 private:
  class Runtime;
  /// shared with timers, which may run while this object is destroyed
  std::shared_ptr<Runtime> runtime_;
};

}  // namespace ulnet::node
