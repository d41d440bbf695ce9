// The selftest of a real node with a console: it obeys the consoles of others, and has one of its
// own that commands are given to from any thread. Source: DESIGN.md 3, 5, spec/cli-lst.md 4.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "node/selftest_host.h"
#include "svc/selftest/console/console.h"

namespace ulnet::node {

class SelftestConsole {
 public:
  using Console = svc::selftest::console::Console;
  /// Gives commands; calls `over` once when the last of them has ended.
  using Command = std::function<void(Console&, std::function<void()> over)>;

  /// The node serves selftest from now on, as those of its module parameters say that are
  /// selftest's (svc/selftest/settings.h). The error is LNet's.
  static Result<std::unique_ptr<SelftestConsole>> start(
      std::shared_ptr<Lnet> lnet, const std::map<std::string, std::string>& params = {});
  /// stop() has said true, or the node has stopped.
  ~SelftestConsole();

  /// Waits until `command` is over; what it refers to must live on when it is not: false, because
  /// stop() was called or that time has come. Any thread, not from a handler.
  bool run(Command command, Instant until = kNever);
  /// A module parameter that has changed and may be selftest's. Any thread.
  void set_param(const std::string& name, const std::string& value);
  /// What commands ask nodes for fails with -EINTR, so that none waits any more. Any thread.
  void interrupt();
  /// Ends everything; false when that takes longer. Whoever waits in run() is let go. Idempotent.
  bool stop(Duration deadline);

 private:
  class Street;
  struct Door;
  SelftestConsole(std::shared_ptr<Lnet> lnet, const svc::selftest::Settings& settings);

  std::shared_ptr<Lnet> lnet_;
  std::shared_ptr<Door> door_;  ///< of those who wait, also longer than this lives
  SelftestHost host_;
  std::unique_ptr<Street> street_;
  std::unique_ptr<Console> console_;  ///< touched at its turn only
};

}  // namespace ulnet::node
