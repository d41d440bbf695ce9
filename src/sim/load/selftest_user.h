// The user of an LNet selftest console on a simulated node: makes a session, groups and a test,
// runs the test, and looks at it until it is to end the session, or disappears without notice.
// Source: spec/cli-lst.md 3, 4, spec/wire-selftest.md 1.3, 5.1.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lnet/base/rng.h"
#include "selftest/console/console.h"
#include "sim/world/selftest_surroundings.h"

namespace ulnet::sim {

struct SelftestOrders {
  std::vector<ProcessId> from, to;  ///< clients and servers
  svc::selftest::console::TestSpec test;
  std::uint32_t timeout = 300;  ///< seconds after which the console ends an unused session
};

/// Gives one command at a time, and the next one when that command has ended. A step that fails is
/// tried again.
class SelftestUser {
 public:
  /// `host` must outlive it.
  SelftestUser(SelftestHost& host, SelftestOrders orders, Rng rng);

  // Not to be called inside an event or a call of the host.
  void begin() { soon(); }
  /// Gives no command any more. The console continues to exist.
  void forget() { forgets_ = true; }
  /// Ends the session, after the command under way has ended.
  void finish() { finishes_ = true; }
  /// The console's process dies: its requests stop, and no node gets a notification. The node must
  /// be up.
  void kill();

  /// Whether there is no session any more and none will follow.
  bool over() const;
  /// Whether the console may have notified nodes that the session is over.
  bool may_have_ended() const { return may_have_ended_; }
  /// Called after the node was up for `time`. Returns the command that takes too long; empty: no
  /// command does.
  std::string stood_by(Duration time);

 private:
  enum class Step : std::uint8_t { kSession, kClients, kServers, kTest, kRun, kLook, kEnd, kOver };
  struct Command {
    const char* name;
    Duration most;  ///< the longest time that it may take
    Duration took{};
  };

  void soon();
  void act();
  svc::selftest::console::Done<svc::selftest::console::NodeResults> then(Step good, Step bad,
                                                                         bool all);
  void new_session();
  void invite();
  void add_test();
  void run();
  void look();
  void end();
  void command(const char* name, Duration most);
  void ended(const Error* error);
  bool is_forgotten() const;

  SelftestHost& host_;
  const SelftestOrders orders_;
  Rng rng_;
  SelftestSurroundings surroundings_{host_};
  std::unique_ptr<svc::selftest::console::Console> console_;  ///< null: its process has died
  Step step_ = Step::kSession;
  std::array<bool, 2> grouped_{};  ///< whether the groups of clients and of servers exist
  bool forgets_ = false, finishes_ = false;
  bool may_have_ended_ = false;
  Instant used_{};                  ///< when the last command began
  std::optional<Command> command_;  ///< the command under way
  Duration alone_{};                ///< for how long the console got no command
  const std::shared_ptr<int> there_ = std::make_shared<int>();
};

}  // namespace ulnet::sim
