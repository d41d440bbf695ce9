// LNet selftest on nodes of a world. The nodes of a setup serve it whenever they are up. At one of
// them a user at a console makes some nodes send test RPCs to others (selftest_user.h), until the
// console disappears. Then only the nodes themselves can end the session.
//
// A run ends as a violation of "selftest" in these cases: a node keeps a session for which no
// request came within the time-out, or ends one for which a request came; tests continue although
// their session is over; a command does not end; or a selftest has objects left after its stop.
// Source: spec/wire-selftest.md 1.3, 3, 7, spec/cli-lst.md 4.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/load/load.h"
#include "sim/load/selftest_user.h"

namespace ulnet::sim {

struct SelftestSetup {
  enum class What : std::uint8_t { kPing, kRead, kWrite } what = What::kPing;
  std::uint32_t console = 0;            ///< the number of its node, which may be among the members
  std::vector<std::uint32_t> from, to;  ///< clients and servers, by number; no node is both
  std::uint32_t bytes = 4096;           ///< of each kRead and kWrite
  std::uint32_t concurrency = 1;        ///< RPCs of a client under way
  bool keep_going = false;              ///< after a failed RPC another one begins
  Duration start{};                     ///< since the world began
  /// The console disappears after this time, or when faults end. 0: it ends its session when faults
  /// end.
  Duration lasts{};
  /// The console does not disappear, but gets no further command.
  bool forgotten = false;
  // Whole seconds, like the parameters and options that they set.
  Duration session_timeout = std::chrono::seconds(100);  ///< of the nodes
  Duration console_timeout = std::chrono::seconds(300);  ///< of a console that gets no command
  Duration rpc_timeout = std::chrono::seconds(64);       ///< of test RPCs
  bool operator==(const SelftestSetup&) const = default;
};
/// "ping", "read" or "write".
const char* to_string(SelftestSetup::What what);

/// Counts in Exercised::acts: "selftest abandoned": the console disappeared, or was forgotten,
/// while a test ran some of whose RPCs had succeeded; "selftest expired": sessions that nodes ended
/// by themselves.
class SelftestLoad final : public Load {
 public:
  /// No node may take part in two such loads.
  SelftestLoad(std::string name, const SelftestSetup& setup);
  ~SelftestLoad() override;

  /// Whether the console has disappeared and no node that is up holds its session.
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
  void start_user();
  void disappear();
  void count_abandoned();
  void judge(Part& part, Duration time);
  /// `heard_before`: Part::heard of the look before this one.
  void judge_session(Part& part, Instant heard_before);
  void judge_end(Part& part, Duration time);
  bool has_traffic() const;
  bool is_settled() const;
  SelftestOrders orders();
  std::vector<ProcessId> ids(const std::vector<std::uint32_t>& nodes);
  void wrong(const Part& part, const std::string& what);

  const SelftestSetup setup_;
  World* world_ = nullptr;
  std::vector<std::unique_ptr<Part>> parts_;  ///< index: the number of the node
  Part* console_ = nullptr;
  std::unique_ptr<SelftestUser> user_;  ///< null: the user has not begun, or the node is gone
  bool sat_ = false;                    ///< the user has begun, or never will
  bool gone_ = false;                   ///< the console has disappeared, or been forgotten
  bool may_have_ended_ = false;         ///< nodes may know that the session is over
  bool over_ = false;                   ///< after wind_down()
  bool withdrawn_ = false;              ///< after take_back()
  bool settled_ = false;
  Instant looked_{};  ///< when act() ran last
};

}  // namespace ulnet::sim
