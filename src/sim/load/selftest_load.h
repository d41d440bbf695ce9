// LNet selftest on nodes of a world: the nodes of a setup serve it whenever they are up, and at
// one of them a user at a console has some send test RPCs to others (selftest_user.h), until the
// console disappears. Then nobody ends the session but the nodes themselves. A run ends as a
// violation of "selftest" when a node keeps a session of which it has not heard for the time-out,
// or ends one of which it has; when tests go on though their session is over; when a command does
// not end; or when something of a selftest is left after its stop. Source:
// spec/wire-selftest.md 1.3, 3, 7, spec/cli-lst.md 4.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/load/load.h"
#include "sim/load/selftest_user.h"

namespace ulnet::sim {

struct SelftestSetup {
  enum class What : std::uint8_t { kPing, kRead, kWrite } what = What::kPing;
  std::uint32_t console = 0;            ///< the number of its node, which may be among the others
  std::vector<std::uint32_t> from, to;  ///< clients and servers, by number; no node is both
  std::uint32_t bytes = 4096;           ///< of each kRead and kWrite
  std::uint32_t concurrency = 1;        ///< RPCs of a client under way
  bool keep_going = false;              ///< after an RPC that failed another one begins
  Duration start{};                     ///< since the world began
  /// Then, or when faults end, the console disappears. 0: it ends its session when faults end.
  Duration lasts{};
  /// The console does not disappear, but gets no command any more.
  bool forgotten = false;
  // Whole seconds, as the parameters and options that they are.
  Duration session_timeout = std::chrono::seconds(100);  ///< of the nodes
  Duration console_timeout = std::chrono::seconds(300);  ///< of a console that nobody uses
  Duration rpc_timeout = std::chrono::seconds(64);       ///< of test RPCs
  bool operator==(const SelftestSetup&) const = default;
};
/// "ping", "read" or "write".
const char* to_string(SelftestSetup::What what);

/// Counts in Exercised::acts: "selftest abandoned": the console disappeared, or was forgotten,
/// while a test ran of which RPCs had ended well; "selftest expired": sessions that nodes ended by
/// themselves.
class SelftestLoad final : public Load {
 public:
  /// No node may take part in two such loads.
  SelftestLoad(std::string name, const SelftestSetup& setup);
  ~SelftestLoad() override;

  /// The console has gone and no node that is up holds its session.
  bool done() const override { return setup_.lasts != Duration{} && settled_; }
  /// Stops the selftests.
  void take_back(World& world) override;
  /// The selftest of this node; null: it does not take part, or is not up.
  SelftestHost* host(const SimNode& node);

  void begin(World& world) override;
  void act(World& world) override;
  void node_changed(World& world, SimNode& node, NodeChange change) override;
  void wind_down(World& world) override;

 private:
  struct Dead;
  struct Part;

  void open(Part& part);
  void close(Part& part);
  void sit_down();
  void disappear();
  void count_abandoned();
  void judge(Part& part, Duration time);
  void judge_session(Part& part);
  void judge_end(Part& part, Duration time);
  bool has_traffic() const;
  bool is_settled() const;
  SelftestOrders orders();
  std::vector<ProcessId> ids(const std::vector<std::uint32_t>& nodes);
  void wrong(const Part& part, const std::string& what);

  const SelftestSetup setup_;
  World* world_ = nullptr;
  std::vector<std::unique_ptr<Part>> parts_;  ///< by the number of their nodes
  Part* console_ = nullptr;
  std::unique_ptr<SelftestUser> user_;  ///< null: nobody has sat down, or the node has gone
  bool sat_ = false;                    ///< somebody has sat down at the console, or never will
  bool gone_ = false;                   ///< the console has disappeared, or been forgotten
  bool may_have_ended_ = false;         ///< nodes may have been told that the session is over
  bool over_ = false;                   ///< after wind_down()
  bool withdrawn_ = false;              ///< after take_back()
  bool settled_ = false;
  Instant looked_{};  ///< when act() ran last
};

}  // namespace ulnet::sim
