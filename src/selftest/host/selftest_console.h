// The selftest of a real node together with a console: the node serves the sessions of other
// consoles, and any thread may give commands to its own console. Source: DESIGN.md 3, 5,
// spec/cli-lst.md 4.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "selftest/console/console.h"
#include "selftest/host/selftest_host.h"

namespace ulnet::node {

class SelftestConsole {
 public:
  using Console = svc::selftest::console::Console;
  /// Gives commands to the console. Calls `over` once, when the last of these commands has ended.
  using Command = std::function<void(Console&, std::function<void()> over)>;

  /// Starts serving selftest. Applies those of the node's module parameters `params` that belong to
  /// selftest (selftest/service/settings.h). Fails with LNet's error, or that of a bad parameter.
  static Result<std::unique_ptr<SelftestConsole>> start(
      std::shared_ptr<Lnet> lnet, const std::map<std::string, std::string>& params = {});
  /// Call it only after stop() has returned true or the node has stopped.
  ~SelftestConsole();

  /// Runs `command` and waits until it has ended; then returns true. Returns false if stop() was
  /// called or `until` passed before that. The command can then still be running, so the data to
  /// which it refers must stay. Any thread, not from a handler.
  bool run(Command command, Instant until = kNever);
  /// Takes over a changed module parameter of the node, if it belongs to selftest. Any thread.
  void set_param(const std::string& name, const std::string& value);
  /// Ends the RPCs of all commands with -EINTR, so that no command waits for a node any more. Any
  /// thread.
  void interrupt();
  /// Ends the selftest and releases the threads that wait in run(). Returns false when that takes
  /// longer than `deadline`. Idempotent.
  bool stop(Duration deadline);

 private:
  class Runtime;
  struct WaitPoint;
  SelftestConsole(std::shared_ptr<Lnet> lnet, const svc::selftest::Settings& settings);

  std::shared_ptr<Lnet> lnet_;
  /// shared with threads that wait in run(), which may outlive this object
  std::shared_ptr<WaitPoint> wait_point_;
  SelftestHost host_;
  std::unique_ptr<Runtime> runtime_;
  std::unique_ptr<Console> console_;  ///< used inside host_.run() only
};

}  // namespace ulnet::node
