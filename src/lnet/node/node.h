// One LNet node on real threads, sockets and clocks: shards, drivers and configuration put together
// behind the public API and the calls of the control API. A process may hold several nodes. Source:
// DESIGN.md 3, 5.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lnet/base/memory_budget.h"
#include "lnet/config/change.h"
#include "lnet/core/contract/api.h"
#include "lnet/core/contract/config.h"
#include "lnet/node/runtime/drivers.h"
#include "lnet/node/runtime/node_events.h"
#include "lnet/node/runtime/state.h"
#include "lnet/os/partitions.h"
#include "ulnet/node.hpp"

namespace ulnet::node {

using ulnet::Mode;
/// A path, and why the node would choose it.
using PathShow = core::call::ExplainPath;
using ulnet::NodeOptions;  // `networks` is for ulnet::Node::start; Node::start below ignores it

class Node : public ulnet::Node {
 public:
  /// Starts a node that has 0@lo only; nets are added afterwards. -EINVAL with the reason: a bad
  /// parameter. CPU partitions that do not fit `machine` fail with the errors of
  /// Partitions::make(). `ping_sequence`: the ping_sequence() of the node that this one replaces,
  /// if it replaces one. `more`: drivers besides those that every node has.
  static Result<std::unique_ptr<Node>> start(const NodeOptions& options,
                                             const MachineView& machine = {},
                                             std::uint32_t ping_sequence = 0,
                                             std::vector<DriverRow> more = {});
  /// Starts a node on which a configuration can be tried. It accepts and refuses the changes that a
  /// started node would, but listens on no port and connects to nobody, the devices of its NIs need
  /// not exist, and it does not watch the machine's links. `tcp` makes another driver for its tcp
  /// nets, for tests whose nodes reach each other without sockets.
  static Result<std::unique_ptr<Node>> start_trial(const NodeOptions& options,
                                                   const MachineView& machine = {},
                                                   MakeTrialDriver tcp = {});
  ~Node() override = default;

  // Configuration: any thread, one call at a time; a call may wait for drivers.
  /// Makes the changes, in their order. All of them come into force together when this returns;
  /// calls of other threads wait. (A deleted NI goes before the next one is added.) Each change has
  /// its own result; one that fails neither stops nor undoes others. An error's reason is the text
  /// that lnetctl shows as `descr`, its code the `errno`. -EDEADLK: inside a handler; -ESHUTDOWN:
  /// the node is stopped.
  virtual std::vector<Result<void>> change_all(std::span<conf::Change> changes) = 0;
  /// Makes one change.
  Result<void> change(conf::Change change) { return std::move(change_all({&change, 1}).front()); }
  /// Has the shards answer a call that shows something (core::ask()). Any thread.
  virtual Result<void> answer(core::ApiCall& call) = 0;
  struct RoutingShow {
    core::call::ShowRouting now;
    core::Routing wanted;
    bool was_on = false;  ///< routing has been on since the node was started
  };
  virtual RoutingShow routing() = 0;

  virtual std::map<std::string, std::string> params() = 0;
  /// The node calls `watch` with every parameter that is set while it runs, in that order, before
  /// the change returns; replaces the function set before. `watch` must not configure the node.
  using ParamWatch = std::function<void(const std::string& name, const std::string& value)>;
  virtual void on_param(ParamWatch watch) = 0;

  /// Sets the lowest level at which lines about peers and connections are logged
  /// (NodeOptions::log_level).
  virtual void set_log_level(int level) = 0;
  /// Writes a line to the node's log (NodeOptions::log). Any thread.
  virtual void log(int /*level*/, const std::string& /*line*/) {}

  // State, for the control API (lnet/node/runtime/state.h). Any thread.
  virtual NodeState state() = 0;
  /// Calls `take` with each peer that this node knows, 0@lo among them, in the order of creation,
  /// until it returns false. It reads a few peers at a time, so its memory does not grow with their
  /// number; a peer that comes or goes meanwhile may be included or not. `take` may wait. `only`:
  /// the peer that has this NID; any: all.
  using TakePeer = std::function<bool(const core::PeerShow&)>;
  virtual void for_each_peer(const Nid& only, const TakePeer& take) = 0;
  /// The events of the node. The object may outlive the node, and its stream ends with the node.
  /// Not null.
  virtual std::shared_ptr<NodeEvents> events() = 0;
  /// How much memory others can make this node keep, and how much of it is taken. Any thread.
  virtual MemoryBudget& memory() = 0;
  /// The CPU partitions; constant, valid as long as the node exists.
  virtual const cpt::Table& cpt_table() const = 0;
  /// The partition to which a peer with this NID belongs, given how the NIs of its net are bound
  /// now (spec/core-semantics.md 13.2).
  virtual std::uint32_t cpt_of_nid(const Nid& nid) = 0;
};

/// Which path a user's next PUT or GET to `to` would take, and why; `from`: the NI that the caller
/// names, or any. The answer is for a message that begins in partition `cpt` with its memory there;
/// without `cpt`, in the partition of `to` with memory at an unknown place. -EINVAL: `to` is "any";
/// -ERANGE: no such partition. If no path exists, the call succeeds and the answer says so.
Result<PathShow> explain_path(Node& node, const Nid& to, const Nid& from,
                              std::optional<std::uint32_t> cpt);
/// The routes and their gateways, by net.
core::call::ShowRoutes routes_of(Node& node);
/// `debug recovery`: the NIDs of unhealthy NIs that are pinged for their recovery: of this node's
/// NIs (`local`), or of peer NIs.
std::vector<Nid> in_recovery(Node& node, bool local);
/// The counters of all shards together, without NIs and peers. Also of a node that has stopped.
core::call::Show totals(Node& node);

/// How long to wait before calling first_checks_are_over() again.
inline constexpr std::chrono::milliseconds kUntilFirstChecksAreAskedFor{50};
/// The last part of a start with routes (spec/multirail.md 9.4). False: with
/// check_routers_before_use, the first check of a gateway has neither been answered nor failed yet.
/// The call makes the list of all routes, so do not call it in a loop without pauses.
bool first_checks_are_over(Node& node);
/// Waits until the first checks are over, or until `gives_up` returns true, which is called at
/// least every kUntilFirstChecksAreAskedFor. `mode`: that of the node; an inline node is polled
/// meanwhile. Not in a handler.
void wait_for_first_checks(Node& node, Mode mode, const std::function<bool()>& gives_up = {});

}  // namespace ulnet::node
