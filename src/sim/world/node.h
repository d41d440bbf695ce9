// A node of a simulated world: the shards of production, simulated drivers, handlers on strands. It
// can start, pause, crash, start again with another incarnation, and shut down. It is an
// ulnet::Lnet, so all code above LNet runs on it unchanged. Source: DESIGN.md 2, 3, 6.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lnet/base/memory_budget.h"
#include "lnet/core/contract/api.h"
#include "lnet/core/contract/config.h"
#include "lnet/core/contract/drop_reason.h"
#include "lnet/core/contract/lnet_calls.h"
#include "lnet/core/flow/shard.h"
#include "lnet/lnd/sock/engine/counters.h"
#include "lnet/lnd/sock/engine/tunables.h"
#include "sim/network/wire_model.h"
#include "sim/world/checker.h"
#include "sim/world/sim_driver.h"
#include "ulnet/lnet.hpp"

namespace ulnet::lnd::sock {
class Engine;
}

namespace ulnet::sim {

struct NiSetup {
  Nid nid;
  std::optional<DriverKind> driver{};  ///< none: the node's. kSock takes tcp NIDs only
  core::NetTunables tunables{};
  std::int32_t conns_per_peer = 1;
  Duration lnd_timeout{};  ///< 0: derived from NodeSetup::globals
  Duration service{};      ///< Wire::set_service()
  /// Wire::attach(); none: it reaches all other places directly
  std::optional<SwitchId> at_switch{};
};

struct NodeSetup {
  std::string name{};          ///< unique; empty: "n" and the node's number
  std::vector<NiSetup> nis{};  ///< besides 0@lo; by net, then by NI
  DriverKind driver = DriverKind::kPipe;
  core::Globals globals{};
  /// Selection policies; never null.
  std::shared_ptr<const core::udsp::RuleList> policies = core::udsp::RuleList::none();
  /// Routes by which it reaches nets that it is not on; never null.
  std::shared_ptr<const core::RouteList> routes = core::RouteList::none();
  core::Routing routing{};  ///< whether it forwards messages of other nodes
  lnd::sock::SockTunables sock{};
  std::uint64_t hold_memory = MemoryBudget::kUnlimited;  ///< bytes for held payload
  /// How many of a million times the system has no memory for held payload, or for a connection
  /// that a peer has opened.
  std::uint32_t no_memory_ppm = 0;
  /// How many of a million times the process has no descriptor for a connection.
  std::uint32_t no_descriptor_ppm = 0;
  Pid pid = Pid::lustre();
  /// Whether its shards announce the memory of MDs (core::NodeConfig::announces_memory).
  bool announces_memory = false;
  /// CPU partitions, each with a shard. A call runs on a random partition. Messages between shards
  /// take up to `shard_msg_delay`, and arrive in order for each pair of shards.
  std::uint32_t partitions = 1;
  Duration shard_msg_delay = std::chrono::microseconds(20);
  /// A handler runs up to this long after its event was posted, at random; events of one MD stay in
  /// order. 0: at once.
  Duration handler_delay{};

  /// Whether a handler runs before another node sees anything that its message caused: the handler
  /// is not delayed, and no inter-shard message is needed to reach it.
  bool handles_at_once() const { return handler_delay == Duration{} && partitions == 1; }
  /// Whether the node has an NI on this net.
  bool is_on(NetId net) const {
    for (const NiSetup& ni : nis)
      if (ni.nid.net() == net) return true;
    return false;
  }
};

/// Called when a ping of start_ping() ends.
class PingSink {
 public:
  virtual ~PingSink() = default;
  virtual void on_ping(std::uint64_t ticket, int status, const PingReply& reply) = 0;
};

/// What a node still holds. All values are zero before it starts and after it stopped, except for
/// MDs and MEs that users did not unlink.
struct Leftovers {
  std::size_t messages = 0;   ///< in the shards
  std::size_t responses = 0;  ///< ACKs and REPLYs awaited
  std::size_t mds = 0, mes = 0;
  std::size_t driver_messages = 0;  ///< not ended by the drivers
  std::size_t shard_msgs = 0;       ///< inter-shard messages under way
  std::size_t events = 0;           ///< posted, not handled
  bool operator==(const Leftovers&) const = default;
};

class SimNode final : public core::LnetCalls<core::LnetOfShards> {
 public:
  enum class State : std::uint8_t { kDown, kUp, kPaused, kStopping, kStopped };

  /// Called by World::add_node().
  SimNode(World& world, std::uint32_t number, NodeSetup setup);
  ~SimNode() override;

  // Identity
  std::uint32_t number() const { return number_; }  ///< dense, in the order of add_node()
  const std::string& name() const { return setup_.name; }
  const NodeSetup& setup() const { return setup_; }
  State state() const { return state_; }
  /// Whether LNet calls may be made and are answered.
  bool up() const { return state_ == State::kUp; }
  /// The NID of the NI with this index, not counting 0@lo; any when that NI does not exist.
  Nid nid(std::size_t index = 0) const {
    return index < setup_.nis.size() ? setup_.nis[index].nid : Nid::any();
  }
  ProcessId id(std::size_t index = 0) const { return {nid(index), setup_.pid}; }
  Place place(std::size_t index = 0) const { return places_[index]; }
  /// How often the node was started.
  std::uint32_t starts() const { return starts_; }
  /// The number of the current start; it only grows. It is also the interface cookie.
  std::uint64_t incarnation() const { return incarnation_number_; }

  // Start and end. Not to be called from a handler of this node.
  /// Starts from kDown or kStopped. add_node() starts a node for the first time.
  void start();
  /// The process dies. Its MDs, events and connections are gone; no handler is called any more.
  /// `silent`: the machine dies too, so that its peers get no notification.
  void crash(bool silent = false);
  /// Inputs, timers and handlers wait until resume(); messages and bytes still arrive at the
  /// machine.
  void pause();
  void resume();
  /// Shuts down as ulnetd does: refuses new calls, gives messages under way `grace` to end, stops
  /// the NIs. Returns at once; the state becomes kStopped later.
  void shutdown(Duration grace = std::chrono::seconds(5));
  /// Sets the link of this NI down or up: the wire at the address of this NI changes, and the node
  /// gets NiState.
  void set_link(std::size_t index, bool up);

  // Configuration. A change makes a new snapshot; an NI that was removed drains and stops. A paused
  // node takes the change when it resumes.
  /// Changes a part of the configuration. The node keeps the new values when it starts again.
  void configure(const core::Globals& globals);
  void configure(std::shared_ptr<const core::udsp::RuleList> policies);
  void configure(const core::Routing& routing);
  void configure(std::shared_ptr<const core::RouteList> routes);
  /// -EADDRINUSE: a node has that NID, or an NI of this node with that NID has not stopped yet.
  /// -EAGAIN: the node is paused.
  Result<void> add_ni(const NiSetup& ni);
  void remove_ni(const Nid& nid);

  // ulnet::Lnet. -ESHUTDOWN while the node is down, -EAGAIN while it is paused. A call that waits
  // runs the world until it ends, so only the code that runs the world may make it: inside an
  // act(), a handler or a checker it returns -EDEADLK.
  std::uint32_t cpts() const override { return setup_.partitions; }
  Result<void> md_unlink(MdHandle md) override;
  Result<PingReply> ping(const PingRequest& request) override;
  Result<PingReply> discover(const Nid& nid, bool force) override;
  void after(std::chrono::nanoseconds delay, std::function<void()> fn) override;
  bool progress(std::chrono::nanoseconds wait) override;
  bool polled() const override { return true; }
  bool in_handler() const override;

  /// Starts a ping that ends in `sink`, which must outlive the ping or the current incarnation.
  /// Returns its ticket.
  Result<std::uint64_t> start_ping(const PingRequest& request, PingSink& sink);
  /// As start_ping(), for discover().
  Result<std::uint64_t> start_discovery(const Nid& nid, bool force, PingSink& sink);
  /// Makes any call of lnet/core/contract/api.h, also an administrator's.
  void call(core::ApiCall& call);

  // State for inspection. Pointers are null while the node is down. The node records nothing for
  // these functions, so they cost nothing when they are not used.
  const core::ShardState* shard_state(std::uint32_t shard = 0) const;
  std::uint32_t shards() const { return setup_.partitions; }
  const core::NodeConfig* config() const;
  /// Whether the node forwards messages of other nodes, or has done so.
  bool has_routed() const { return has_routed_; }
  /// Whether the NI belongs to the TCP driver, or did until it was removed.
  bool over_tcp(core::NiId id) const;
  /// The TCP driver's engine; null without one.
  const lnd::sock::Engine* engine() const;
  Leftovers leftovers() const;
  /// The number of inter-shard messages under way.
  std::size_t shard_msgs() const;
  /// Messages dropped or refused, by reason, summed over all incarnations.
  std::array<std::uint64_t, core::kDropReasons> drops() const;
  /// The counters of its TCP drivers, summed over all incarnations.
  std::array<std::uint64_t, lnd::sock::kCountKinds> sock_counts() const;
  /// Whether a message, an awaited answer, an inter-shard message or an event is under way in this
  /// node.
  bool busy() const;
  /// Whether the node is busy with nothing but possible answers to pings that LNet repeats for as
  /// long as they fail: pings of NIs in recovery, pings of gateways, and a router's pings for its
  /// nets and its routes (spec/multirail.md 7, 9.4).
  bool only_repeats_pings() const;

 private:
  friend class World;
  struct Incarnation;

  Result<void> answer(core::ApiCall& api) override;
  void plug_in(const NiSetup& ni);
  void publish();
  /// Begins a call that ends later, in `sink`, which gets the ticket.
  template <class Call>
  Result<std::uint64_t> begin(Call call, PingSink& sink);
  /// Begins the call and runs the world until the call has ended.
  template <class Call>
  Result<PingReply> wait_for(Call call);
  void end_incarnation(bool silent);

  World& world_;
  const std::uint32_t number_;
  NodeSetup setup_;
  std::vector<Place> places_;
  State state_ = State::kDown;
  bool has_routed_ = false;
  std::uint32_t starts_ = 0;
  std::uint64_t incarnation_number_ = 0;
  std::array<std::uint64_t, core::kDropReasons> past_drops_{};
  std::array<std::uint64_t, lnd::sock::kCountKinds> past_counts_{};
  std::unique_ptr<Incarnation> incarnation_;
};

}  // namespace ulnet::sim
