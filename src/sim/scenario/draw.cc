#include "sim/scenario/draw.h"

#include <algorithm>

#include "sim/kernel/seeds.h"
#include "sim/network/ipv6_nid.h"
#include "sim/scenario/draw_admin.h"
#include "sim/scenario/draw_parts.h"

namespace ulnet::sim {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint32_t kMaxNodes = 16;

class Draw : Dice {
 public:
  explicit Draw(std::uint64_t seed) : Dice(Rng{0}) { scenario_.seed = seed; }

  Scenario scenario() {
    scenario_.aftermath = true;
    about("nodes"), nodes();
    about("routers"), routers();
    about("partitions"), partitions();
    about("rails"), rails();
    if (ends_ == 0) about("own nets"), draw_own_nets(*this, scenario_);
    about("addresses"), draw_addresses(*this, scenario_);
    about("links"), links();
    about("loads"), busy_ = draw_loads(*this, scenario_);
    about("bulk"), draw_bulk(*this, scenario_);
    about("faults");
    if (often(15) && ends_ == 0) {  // loads ask routers at NIDs on their other side
      nothing_fails();
    } else {
      faults();
      about("restarts"), restarts();
      about("shutdowns"), shutdowns();
      about("standstills"), standstills();
      about("strangers"), hostiles();
      about("silence"), silence();
      about("take-overs"), take_overs();
    }
    about("untold puts"), draw_unacknowledged_puts(*this, scenario_);
    about("peer-dels"), peer_dels();
    about("ni-dels"), ni_dels();
    about("multi-rail"), multi_rail();
    about("flaps"), draw_flaps(*this, scenario_, busy_);
    about("switches"), draw_switches(*this, scenario_, busy_);
    about("handlers"), draw_slow_handlers(*this, scenario_);
    about("idle users"), draw_idle_users(*this, scenario_, busy_);
    about("fault rules"), fault_rules();
    about("router crashes"), router_crashes();
    AdminDraw admin(*this, scenario_, ends_, busy_);
    about("settings"), admin.settings();
    about("policies"), admin.policies();
    about("routes"), admin.routes();
    about("routing"), admin.routing();
    about("configured peers"), admin.peers();
    about("descriptors"), draw_descriptors(*this, scenario_);
    about("old nodes"), draw_old_nodes(*this, scenario_);
    about("room for peers"), draw_peer_limits(*this, scenario_);
    about("selftest"), draw_selftest(*this, scenario_);
    about("announced memory"), draw_announced_memory(*this, scenario_);
    scenario_.name = std::to_string(scenario_.nodes.size()) + " nodes, " +
                     std::to_string(scenario_.acts.size()) + " faults, " +
                     std::to_string(scenario_.loads.size()) + " loads";
    return std::move(scenario_);
  }

 private:
  /// Begins a part of the scenario with a generator of its own, so that a change of one part does
  /// not change what is drawn for the others.
  void about(const char* what) { take(rng_for(scenario_.seed, std::string("draw/") + what)); }
  NodeNumber any_node() { return static_cast<NodeNumber>(below(scenario_.nodes.size())); }

  void nodes();
  void routers();
  void router_crashes();
  void partitions();
  void rails();
  LinkModel model();
  void links();
  void nothing_fails();
  void faults();
  void restarts();
  void shutdowns();
  void standstills();
  void hostiles();
  void silence();
  void take_overs();
  void peer_dels();
  void ni_dels();
  void multi_rail();
  void more_rails();
  void change_configurations();
  void fault_rules();
  void add(const Act& act) { add_act(scenario_, act); }
  Act act() { return draw_act(*this, scenario_, busy_); }
  Act fault(FaultKind kind) {
    Act made = act();
    made.what = Act::What::kFault;
    made.fault = kind;
    return made;
  }

  Scenario scenario_;
  NodeNumber ends_ = 0;  ///< nodes that are not routers; 0: there are no routers
  Duration busy_{};      ///< about how long the loads take
};

// ---- nodes --------------------------------------------------------------------------------------

void Draw::nodes() {
  // Small worlds are quick and find most errors; large ones find the rest.
  const std::uint64_t most = often(70) ? 5 : kMaxNodes;
  const std::uint64_t count = 2 + below(most - 1);
  const std::uint64_t nets = often(30) ? 2 : 1;
  const DriverKind driver = often(60) ? DriverKind::kSock : DriverKind::kPipe;
  NodeSetup common;
  common.driver = driver;
  draw_settings(*this, common);
  const bool alike = often(60);
  for (std::uint32_t i = 0; i < count; ++i) {
    NodeSetup setup = common;
    if (!alike) draw_settings(*this, setup);
    setup.name = "n" + std::to_string(i);
    core::NetTunables tunables;
    tunables.credits = one_of({1, 4, 16, 256});
    tunables.peer_credits = std::min(one_of({1, 2, 8, 8}), tunables.credits);
    const std::int32_t conns = one_of({1, 1, 2, 4});
    for (std::uint32_t net = 0; net < nets; ++net) {
      const NetId id{NetType::kTcp, static_cast<std::uint16_t>(net)};
      setup.nis.push_back({.nid = Nid::small(id, 0x0a000001U + (net << 16) + i),
                           .tunables = tunables,
                           .conns_per_peer = conns});
    }
    scenario_.nodes.push_back(std::move(setup));
  }
}

/// In a fifth of the worlds there are routers between the nodes.
void Draw::routers() {
  if (!often(20)) return;
  ends_ = static_cast<NodeNumber>(scenario_.nodes.size());
  draw_routers(*this, scenario_, often(50));
}

/// Half of the worlds have one partition per node.
void Draw::partitions() {
  if (often(50)) return;
  for (NodeSetup& setup : scenario_.nodes) {
    setup.partitions = static_cast<std::uint32_t>(one_of({1, 2, 2, 3, 4, 8}));
    setup.shard_msg_delay = spread(12);
    setup.globals.portal_rotor = static_cast<core::PortalRotor>(below(4));
  }
}

/// In some worlds half of the nodes have a second NI on their first net.
void Draw::rails() {
  if (!often(30)) return;
  std::uint32_t number = 0;
  for (NodeSetup& setup : scenario_.nodes) {
    ++number;
    if (often(50)) continue;
    NiSetup second = setup.nis[0];
    second.nid = Nid::small(second.nid.net(), 0x0a800000U + number);
    setup.nis.push_back(second);
  }
}

// ---- links --------------------------------------------------------------------------------------

LinkModel Draw::model() {
  LinkModel model;
  model.delay = spread(15);
  if (often(60)) model.jitter = spread(14);
  if (often(40)) model.bytes_per_second = 1'000'000ULL << below(11);
  if (often(30)) model.loss_ppm = static_cast<std::uint32_t>(below(20'000));
  if (often(30)) model.duplicate_ppm = static_cast<std::uint32_t>(below(20'000));
  if (often(30)) model.reorder_ppm = static_cast<std::uint32_t>(below(50'000));
  model.reorder = spread(15);
  return model;
}

void Draw::links() {
  scenario_.link = model();
  StreamModel& streams = scenario_.streams;
  streams.window = static_cast<std::uint32_t>(one_of({4 << 10, 64 << 10, 256 << 10}));
  streams.piece = static_cast<std::uint32_t>(one_of({512, 9000, 64 << 10}));
  streams.split_ppm = static_cast<std::uint32_t>(below(300'000));
  streams.short_ppm = static_cast<std::uint32_t>(below(300'000));
  const std::uint64_t special = often(40) ? 1 + below(3) : 0;
  for (std::uint64_t i = 0; i < special; ++i) {
    const NodeNumber from = any_node();
    const NodeNumber to = any_node();
    const LinkModel own = model();
    if (from != to) scenario_.links.push_back({from, to, own});
  }
}

// ---- faults -------------------------------------------------------------------------------------

/// Makes links and time-outs such that no message fails. All nodes need the same number of
/// connections: otherwise one side may close a connection that it does not need, and the messages
/// under way on the other connections are lost with it.
void Draw::nothing_fails() {
  scenario_.nothing_fails = true;
  const auto sound = [](LinkModel& model) {
    model.loss_ppm = model.duplicate_ppm = 0;
    if (model.bytes_per_second != 0)
      model.bytes_per_second = std::max<std::uint64_t>(model.bytes_per_second, 64'000'000);
    model.delay = std::min<Duration>(model.delay, milliseconds(2));
    model.jitter = std::min<Duration>(model.jitter, milliseconds(2));
  };
  sound(scenario_.link);
  for (LinkBetween& between : scenario_.links) sound(between.model);
  for (NodeSetup& node : scenario_.nodes) {
    node.globals.transaction_timeout = 150;
    node.globals.retry_count = std::min(node.globals.retry_count, 1);
    for (NiSetup& ni : node.nis) ni.conns_per_peer = scenario_.nodes[0].nis[0].conns_per_peer;
  }
}

void Draw::faults() {
  const std::uint64_t count = often(15) ? 0 : 1 + below(often(30) ? 40 : 12);
  for (std::uint64_t i = 0; i < count; ++i) add(act());
}

/// A node crashes again and again, soon after it has begun an operation, so that messages for one
/// incarnation reach the next.
void Draw::restarts() {
  if (!often(30)) return;
  const Duration round_trip = 2 * scenario_.link.delay + microseconds(20);
  Act made = fault(FaultKind::kCrash);
  made.silent = often(70);
  for (std::uint64_t left = 2 + below(10); left != 0 && made.at <= scenario_.lasts; --left) {
    made.lasts = microseconds(1) + up_to(round_trip);
    add(made);
    made.at += made.lasts + up_to(4 * round_trip);
  }
}

/// Nodes shut down while others still send to them, and start again.
void Draw::shutdowns() {
  if (!often(30)) return;
  for (std::uint64_t left = 1 + below(4); left != 0; --left) {
    Act made = act();
    made.what = Act::What::kShutdown;
    made.lasts = spread(20);
    add(made);
  }
}

/// Nothing moves between some nodes for about as long as the loads take, or longer. Users therefore
/// give up messages that a driver still has.
void Draw::standstills() {
  if (!often(30)) return;
  constexpr std::array kKinds = {FaultKind::kClog, FaultKind::kStall, FaultKind::kStall,
                                 FaultKind::kPartition};
  for (std::uint64_t left = 1 + below(8); left != 0; --left) {
    Act made = act();
    made.what = Act::What::kFault;
    made.fault = kKinds[below(kKinds.size())];
    made.lasts = often(50) ? busy_ : Duration(seconds(1 + below(400)));
    add(made);
  }
}

/// Hostile peers, and settings that matter to them.
void Draw::hostiles() {
  if (scenario_.nodes[0].driver != DriverKind::kSock || !often(40)) return;
  const std::uint64_t count = 1 + below(often(30) ? 20 : 4);
  for (std::uint64_t i = 0; i < count; ++i) add(fault(FaultKind::kNonsense));
  for (NodeSetup& node : scenario_.nodes) draw_bounds(*this, node);
  if (often(20)) draw_idle_peers(*this, scenario_);
}

/// One stream stalls for longer than the drivers' time-out, while small messages go on.
void Draw::silence() {
  if (scenario_.nodes[0].driver != DriverKind::kSock || !often(10)) return;
  Act silent = fault(FaultKind::kStall);
  silent.at = milliseconds(200 + below(300));
  silent.lasts = seconds(10);
  add(silent);
  LoadSpec small;
  small.from = {silent.node};
  small.to = {silent.other};
  small.every = milliseconds(50 + below(200));
  small.count = 12'000'000 / static_cast<std::uint64_t>(small.every / microseconds(1));
  small.window = 64;
  small.min_bytes = small.max_bytes = static_cast<std::uint32_t>(below(200));
  small.ack = false;
  scenario_.loads.push_back(std::move(small));
  scenario_.lasts = std::max<Duration>(scenario_.lasts, seconds(12));
  for (NodeSetup& node : scenario_.nodes) node.globals.transaction_timeout = 5;
}

/// A hostile peer sends hellos with a node's NID.
void Draw::take_overs() {
  if (scenario_.nodes[0].driver != DriverKind::kSock || !often(15)) return;
  for (std::uint64_t left = 1 + below(4); left != 0; --left) add(fault(FaultKind::kTakeOver));
}

/// Administrators delete peers.
void Draw::peer_dels() {
  if (!often(30)) return;
  for (std::uint64_t left = 1 + below(often(30) ? 40 : 6); left != 0; --left)
    add(fault(FaultKind::kPeerDel));
}

/// Administrators delete second NIs and add them again. Nothing else is broken in such a world: a
/// fault of an interface or a link names NIs by their place among those of the node.
void Draw::ni_dels() {
  if (scenario_.nothing_fails || !often(35)) return;
  std::vector<NodeNumber> several;
  for (NodeNumber node = 0; node < scenario_.nodes.size(); ++node)
    if (scenario_.nodes[node].nis.size() > 1) several.push_back(node);
  if (several.empty()) return;
  scenario_.acts.clear();
  for (std::uint64_t left = 1 + below(often(30) ? 40 : 8); left != 0; --left) {
    Act made = fault(FaultKind::kNiDel);
    made.node = several[below(several.size())];
    made.other = (made.node + 1) % static_cast<NodeNumber>(scenario_.nodes.size());
    made.ni = 0;
    add(made);
  }
}

// ---- multi-rail ---------------------------------------------------------------------------------

/// In a third of the worlds nodes have several NIs, and the subjects of discovery change: links go
/// down and up, NIs and nets are added and deleted, discovery is turned off and on, peers are
/// deleted.
void Draw::multi_rail() {
  if (!often(35)) return;
  more_rails();
  if (!scenario_.nothing_fails) change_configurations();
}

/// Each node gets up to three more NIs, on one net or on two.
void Draw::more_rails() {
  const NetId second{NetType::kTcp, 7};
  const bool two_nets = often(40);
  std::uint32_t number = 0;
  for (NodeSetup& setup : scenario_.nodes) {
    ++number;
    for (std::uint32_t more = 0, count = static_cast<std::uint32_t>(below(4)); more < count;
         ++more) {
      NiSetup ni = setup.nis[0];
      const NetId net = two_nets && often(50) ? second : ni.nid.net();
      ni.nid = nid_like(ni.nid, net, 0x0a900000U + (more << 16) + number);
      setup.nis.push_back(ni);
    }
  }
}

void Draw::change_configurations() {
  constexpr std::array kKinds = {
      FaultKind::kInterface, FaultKind::kInterface, FaultKind::kNiDel,   FaultKind::kNiAdd,
      FaultKind::kNetDel,    FaultKind::kDiscovery, FaultKind::kPeerDel, FaultKind::kCrash};
  const bool liars = scenario_.nodes[0].driver == DriverKind::kSock && often(30);
  for (std::uint64_t left = 1 + below(often(30) ? 40 : 10); left != 0; --left) {
    Act made = act();
    made.what = Act::What::kFault;
    made.fault = liars && often(25) ? FaultKind::kLies : kKinds[below(kKinds.size())];
    add(made);
  }
  for (NodeSetup& setup : scenario_.nodes)
    if (often(15)) setup.globals.discovery = 0;
}

/// Administrators test with fault rules.
void Draw::fault_rules() {
  if (scenario_.nothing_fails || !often(35)) return;
  for (std::uint64_t left = 1 + below(4); left != 0; --left) {
    Act made = act();
    made.what = Act::What::kRule;
    made.rule = draw_fault_rule(*this, scenario_.nodes[made.node], scenario_.nodes[made.other]);
    add(made);
  }
}

/// Routers crash while messages are in their buffers, and start again.
void Draw::router_crashes() {
  if (ends_ == 0 || !often(60)) return;
  for (std::uint64_t left = 1 + below(6); left != 0; --left) {
    Act made = act();
    made.what = often(80) ? Act::What::kFault : Act::What::kShutdown;
    made.fault = FaultKind::kCrash;
    made.node = ends_ + static_cast<NodeNumber>(below(scenario_.nodes.size() - ends_));
    made.other = 0;
    made.ni = 0;
    made.lasts = spread(22);
    add(made);
  }
}

}  // namespace

Scenario draw_scenario(std::uint64_t seed) { return Draw(seed).scenario(); }

}  // namespace ulnet::sim
