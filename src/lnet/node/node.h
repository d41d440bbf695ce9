// One LNet node on real threads, sockets and clocks: shards, drivers and configuration put together
// behind the public API and the calls of the control API. A process may hold several nodes. Source:
// DESIGN.md 3, 5.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lnet/base/memory_budget.h"
#include "lnet/config/model.h"
#include "lnet/core/contract/api.h"
#include "lnet/core/contract/config.h"
#include "lnet/core/contract/fault.h"
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
  /// if it replaces one.
  static Result<std::unique_ptr<Node>> start(const NodeOptions& options,
                                             const MachineView& machine = {},
                                             std::uint32_t ping_sequence = 0);
  ~Node() override = default;

  // Configuration: any thread, one call at a time; a call may wait for drivers, and fails with
  // -EDEADLK inside a handler. An error's reason is the text that lnetctl shows as `descr`, its
  // code the `errno`.
  virtual Result<void> net_add(NetId net, const conf::NiItem& ni) = 0;
  /// Announces that these NIs will be added, one after the other. When the first NI of a net is
  /// added, its peers are spread permanently over the partitions of all NIs of that net that are
  /// named here.
  virtual Result<void> expect_nis(const std::vector<conf::NiRef>& nis) = 0;
  virtual Result<void> net_del(NetId net, const std::optional<std::string>& interface) = 0;
  virtual Result<void> nid_del(const Nid& nid) = 0;
  /// Calls `changes`, in which this thread makes calls that configure the node. All their changes
  /// come into force together when this returns; calls of other threads wait. (A deleted NI goes
  /// before the next one is added.) Each call has its own result; one that fails neither stops nor
  /// undoes others.
  virtual Result<void> change_together(const std::function<void()>& changes) = 0;
  /// `net set --nid NID|--all`: a null nid means all. `tunables`: those to change; each must be one
  /// that can change while an NI runs.
  virtual Result<void> ni_set(const std::optional<Nid>& nid, std::optional<int> health,
                              const conf::LndTunables& tunables) = 0;
  /// `net set --net NET --lnd-timeout S`; 0: use the global value.
  virtual Result<void> net_set_lnd_timeout(NetId net, int seconds) = 0;
  /// `peer add` (spec/multirail.md 2.2 has all errors): makes the peer, or adds NIDs to it.
  struct PeerAdd {
    Nid primary;
    std::vector<Nid> nids{};  ///< besides the primary one
    bool multi_rail = true;
    bool lock_primary = false;  ///< discovery may not change its primary NID
  };
  virtual Result<void> peer_add(const PeerAdd& peer) = 0;
  /// `peer del`: deletes some NIDs of the peer, or the whole peer when `nids` is empty or names its
  /// primary NID. `force`: deletes a locked primary NID too, which stays otherwise. -ENOENT:
  /// unknown; -ENODEV: not its primary NID; -ECHILD: a NID of another peer; -EBUSY: messages are
  /// under way (spec/multirail.md 2.2). Nothing is deleted on an error. Connections stay.
  virtual Result<void> peer_del(const Nid& primary, const std::vector<Nid>& nids, bool force) = 0;
  /// `peer set --health`: sets the health of a peer NI or, without `nid`, of all. -ENOENT: no such
  /// peer NI.
  virtual Result<void> peer_set_health(const std::optional<Nid>& nid, std::int32_t health) = 0;
  /// `peer set --state`: sets the state bits of the peer that has `nid` (spec/multirail.md 1.1),
  /// for tests and debugging. -ENOENT: no such peer.
  virtual Result<void> peer_set_state(const Nid& nid, std::uint32_t state) = 0;
  /// Sets a name of the `global` section or of `lnetctl set`.
  virtual Result<void> set_global(const std::string& name, std::int64_t value) = 0;
  /// Changes the selection policies. `change` gets a copy of their list and modifies it; the result
  /// applies to nets and NIDs that come later too. If `change` fails, its error is the answer and
  /// nothing has changed. It must not call the node.
  using UdspChange = std::function<Result<void>(core::udsp::RuleList&)>;
  virtual Result<void> change_udsp(const UdspChange& change) = 0;
  // Routes and routing (spec/multirail.md 9). A list of routes comes into force at once inside
  // change_together().
  /// `route add`, at a random place among the routes to its net. -EINVAL: a gateway on the net
  /// itself, an invalid net, NID or number of hops; -EEXIST: the net is local, or the route exists;
  /// -EHOSTUNREACH: no NI on the gateway's net; -E2BIG: too many.
  virtual Result<void> route_add(const core::Route& route) = 0;
  /// `route del`: deletes the route to `net` by `gateway`; without `net` all routes by that
  /// gateway, without `gateway` all routes to that net. -ENOENT: no such route; but success if the
  /// gateway is not a peer either.
  virtual Result<void> route_del(std::optional<NetId> net, const std::optional<Nid>& gateway) = 0;
  /// Adds the routes of a configuration, each with its own result. Skips routes that nodes of a
  /// site share and that are not for this node. If one of those names a NID of this node as its
  /// gateway, and `forwarding` is empty, this node routes.
  virtual std::vector<Result<void>> add_routes(const std::vector<conf::RouteItem>& routes) = 0;
  /// `set routing`. -EBUSY: routing is being turned off.
  virtual Result<void> set_routing(bool on) = 0;
  /// `set tiny_buffers` and others, for those with a value; 0: the default.
  virtual Result<void> set_buffers(const std::array<std::optional<std::int32_t>, 3>& buffers) = 0;
  virtual core::call::ShowRoutes routes() = 0;
  struct RoutingShow {
    core::call::ShowRouting now;
    core::Routing wanted;
    bool was_on = false;  ///< routing has been on since the node was started
  };
  virtual RoutingShow routing() = 0;

  // Fault rules (spec/multirail.md 11, lnet/core/contract/fault.h).
  /// `fault drop|delay add`: adds the rule before all other rules of its kind. If the rule has no
  /// seed, the node draws one; the result is the rule as it is in force. -EINVAL: settled() says
  /// why; -ENOSPC: too many.
  virtual Result<core::FaultRule> fault_add(const core::FaultRule& rule) = 0;
  /// `fault drop|delay del`: deletes the rules with exactly this source and destination; null: any.
  /// Returns how many it deleted. -ENOENT: no such rule.
  virtual Result<std::size_t> fault_del(core::FaultRule::Kind kind,
                                        const std::optional<core::FaultNids>& source,
                                        const std::optional<core::FaultNids>& destination) = 0;
  /// `fault drop|delay reset`: sets the counters of all rules of the kind to 0.
  virtual Result<void> fault_reset(core::FaultRule::Kind kind) = 0;
  /// All rules in the order in which the node applies them, with their counters. Any thread.
  virtual Result<std::vector<core::FaultRow>> faults() = 0;

  /// Sets a module parameter while the node runs; -EBUSY with the reason for a parameter that only
  /// the start reads.
  virtual Result<void> set_param(const std::string& name, const std::string& value) = 0;
  virtual std::map<std::string, std::string> params() = 0;
  /// The node calls `watch` with every parameter that set_param() has accepted, in that order,
  /// before set_param() returns; replaces the function set before. `watch` must not configure the
  /// node.
  using ParamWatch = std::function<void(const std::string& name, const std::string& value)>;
  virtual void on_param(ParamWatch watch) = 0;

  /// Sets the lowest level at which lines about peers and connections are logged
  /// (NodeOptions::log_level).
  virtual void set_log_level(int level) = 0;
  /// Writes a line to the node's log (NodeOptions::log). Any thread.
  virtual void log(int /*level*/, const std::string& /*line*/) {}

  /// `debug recovery`: returns the NIDs of unhealthy NIs that are pinged for their recovery: of
  /// this node's NIs (`local`), or of peer NIs.
  virtual std::vector<Nid> in_recovery(bool local) = 0;
  /// The messages that failed after their deadline since the statistics were reset.
  virtual core::LateMessages late_messages() = 0;
  /// The sequence number of the info that answers pings of this node; available after the node has
  /// stopped too.
  virtual std::uint32_t ping_sequence() = 0;

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
  virtual void reset_stats() = 0;
  /// How much memory others can make this node keep, and how much of it is taken. Any thread.
  virtual MemoryBudget& memory() = 0;
  /// The CPU partitions; constant, valid as long as the node exists.
  virtual const cpt::Table& cpt_table() const = 0;
  /// The partition to which a peer with this NID belongs, given how the NIs of its net are bound
  /// now (spec/core-semantics.md 13.2).
  virtual std::uint32_t cpt_of_nid(const Nid& nid) = 0;
  /// Which path a user's next PUT or GET to `to` would take, and why; `from`: the NI that the
  /// caller names, or any. The answer is for a message that begins in partition `cpt` with its
  /// memory there; without `cpt`, in the partition of `to` with memory at an unknown place.
  /// -EINVAL: `to` is "any"; -ERANGE: no such partition. If no path exists, the call succeeds and
  /// the answer says so.
  virtual Result<PathShow> explain_path(const Nid& to, const Nid& from,
                                        std::optional<std::uint32_t> cpt) = 0;
};

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
