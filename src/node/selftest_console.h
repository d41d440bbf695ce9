// The selftest of a real node with a console: it obeys the consoles of others, and has one of its
// own that commands are given to from any thread. Source: DESIGN.md 3, 5, spec/cli-lst.md 4.
#pragma once

#include <functional>
#include <memory>

#include "node/selftest_host.h"
#include "svc/selftest/console/console.h"

namespace ulnet::node {

class SelftestConsole {
 public:
  using Console = svc::selftest::console::Console;
  /// Gives commands; calls `over` once when the last of them has ended.
  using Command = std::function<void(Console&, std::function<void()> over)>;

  /// The node serves selftest from now on. The error is LNet's.
  static Result<std::unique_ptr<SelftestConsole>> start(std::shared_ptr<Lnet> lnet);
  /// stop() has said true, or the node has stopped.
  ~SelftestConsole();

  /// Waits until `command` is over; what it refers to must live on when it is not: false, because
  /// stop() was called. Any thread, not from a handler.
  bool run(Command command);
  /// Ends everything; false when that takes longer. Whoever waits in run() is let go. Idempotent.
  bool stop(Duration deadline);

 private:
  class Street;
  struct Bell;
  explicit SelftestConsole(std::shared_ptr<Lnet> lnet);

  std::shared_ptr<Lnet> lnet_;
  std::shared_ptr<Bell> bell_;  ///< of those who wait, also longer than this lives
  SelftestHost host_;
  std::unique_ptr<Street> street_;
  std::unique_ptr<Console> console_;  ///< touched at its turn only
};

}  // namespace ulnet::node
