#include "sim/load/faults.h"

#include <algorithm>

#include "sim/foreign/hostile_peer.h"
#include "sim/foreign/lying_peer.h"
#include "sim/foreign/spoofing_peer.h"
#include "sim/network/ipv6_nid.h"
#include "sim/world/world.h"

namespace ulnet::sim {
namespace {

/// The first address of the NIs that kNiAdd gives to nodes, one for each node.
constexpr std::uint32_t kAnotherAddress = 0x0ac80001;

/// The probability of a link's model that the fault raises; null: it raises none.
LinkChance chance_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::kLoss:
      return &LinkModel::loss_ppm;
    case FaultKind::kDuplication:
      return &LinkModel::duplicate_ppm;
    case FaultKind::kReordering:
      return &LinkModel::reorder_ppm;
    default:
      return nullptr;
  }
}

template <class Stranger>
std::shared_ptr<void> disturb_by(void (Stranger::*trouble)(), World& world, SimNode& node,
                                 std::size_t ni, Rng& rng) {
  const auto stranger = std::make_shared<Stranger>(world, node, ni, Rng(rng.next()));
  for (std::uint64_t left = 1 + rng.below(4); left != 0; --left) (*stranger.*trouble)();
  return stranger;
}

}  // namespace

std::vector<NiSetup> delete_ni(SimNode& node) {
  if (!node.up() || node.setup().nis.size() < 2) return {};
  const NiSetup last = node.setup().nis.back();
  node.remove_ni(last.nid);
  return {last};
}

std::vector<NiSetup> delete_net(SimNode& node, bool first) {
  std::vector<NiSetup> nis;
  if (!node.up() || node.setup().nis.empty()) return nis;
  const NetId front = node.nid().net(), back = node.setup().nis.back().nid.net();
  if (front == back) return nis;
  const NetId net = first ? front : back;
  for (const NiSetup& ni : node.setup().nis)
    if (ni.nid.net() == net) nis.push_back(ni);
  for (const NiSetup& ni : nis) node.remove_ni(ni.nid);
  return nis;
}

std::optional<Nid> add_another_ni(SimNode& node) {
  if (!node.up() || node.setup().nis.empty()) return std::nullopt;
  NiSetup ni = node.setup().nis.front();
  // The NI gets another address on each net: two NIs of a node cannot listen at one address.
  const NetId net = ni.nid.net();
  ni.nid = nid_like(ni.nid, net, kAnotherAddress + (net.num << 8) + node.number());
  ni.at_switch.reset();  // the first NI may be another one next time, and an address never moves
  return node.add_ni(ni).has_value() ? std::optional(ni.nid) : std::nullopt;
}

void turn_discovery(SimNode& node) { set_discovery(node, node.setup().globals.discovery == 0); }

void set_discovery(SimNode& node, std::int32_t value) {
  core::Globals globals = node.setup().globals;
  globals.discovery = value;
  node.configure(globals);
}

bool add_again(SimNode& node, std::vector<NiSetup>& gone) {
  const std::vector<NiSetup>& nis = node.setup().nis;
  while (!gone.empty()) {
    const NiSetup& ni = gone.front();
    if (std::ranges::find(nis, ni.nid, &NiSetup::nid) == nis.end() && !node.add_ni(ni))
      return false;
    gone.erase(gone.begin());
  }
  return true;
}

void set_up(World& world, SimNode& node, const Nid& ni, bool up) {
  for (std::size_t i = 0; i < node.setup().nis.size(); ++i)
    if (node.nid(i) == ni) return node.set_link(i, up);
  world.wire().set_up(world.wire().place(ni), up);  // the NI was removed meanwhile
}

std::function<void()> break_link(World& world, Link& link, FaultKind kind, std::uint32_t ppm) {
  Wire& wire = world.wire();
  if (const LinkChance chance = chance_of(kind); chance != nullptr)
    return [&wire, &link, raised = wire.raise(link, chance, ppm)] { wire.lower(link, raised); };
  const auto turn = [&wire, &link, kind](bool broken) {
    if (kind == FaultKind::kClog) wire.clog(link.from(), link.to(), broken);
    if (kind == FaultKind::kPartition) wire.cut(link.from(), link.to(), broken);
    if (kind == FaultKind::kNoRoute) wire.set_route(link.from(), link.to(), !broken);
  };
  turn(true);
  return [turn] { turn(false); };
}

std::function<void()> break_stream(World& world, Handle socket, FaultKind kind) {
  Streams& streams = world.streams();
  if (kind == FaultKind::kReset) streams.reset(socket);
  if (kind == FaultKind::kHalfOpen) streams.half_open(socket);
  if (kind != FaultKind::kStall) return nullptr;
  streams.stall(socket, true);
  return [&streams, socket] { streams.stall(socket, false); };
}

std::shared_ptr<void> disturb(World& world, SimNode& node, std::size_t ni, FaultKind kind,
                              Rng& rng) {
  if (!HostilePeer::can_trouble(node, ni)) return nullptr;
  if (kind == FaultKind::kLies) return disturb_by(&LyingPeer::lie, world, node, ni, rng);
  return disturb_by(&HostilePeer::attack, world, node, ni, rng);
}

bool delete_peer(SimNode& node, const SimNode& other) {
  if (!node.up()) return false;
  bool any = false;
  for (const NiSetup& ni : other.setup().nis) {
    core::ApiCall del{core::call::PeerDel{ni.nid}};
    node.call(del);
    any |= del.status == 0;
  }
  return any;
}

void Fault::wait(World& world) {
  act_in(world, Duration(1) + up_to(rng(), std::max(pace_.every * 2, Duration{})));
}

void Fault::act(World& world) {
  if (broken()) return repair(world);
  if (over_) return;
  auto struck = strike(world);
  if (!struck) return wait(world);
  world.count(std::string("fault ") + to_string(kind_));
  mend_ = *std::move(struck);
  if (!broken()) return wait(world);
  act_in(world, Duration(1) + up_to(rng(), std::max(pace_.lasts, Duration{})));
}

void Fault::repair(World& world) {
  if (mend_()) mend_ = nullptr;
  set_busy(world, broken() && over_);
  if (broken()) return act_in(world, kMendAgain);
  if (!over_) wait(world);
}

void Fault::wind_down(World& world) {
  over_ = true;
  if (broken()) repair(world);
}

SimNode& Fault::any_node(World& world) { return world.node(rng().below(world.size())); }

Place Fault::any_place(const SimNode& node) {
  return node.place(rng().below(node.setup().nis.size()));
}

std::pair<SimNode*, SimNode*> Fault::two_nodes(World& world) {
  if (world.size() < 2) return {};
  const std::size_t first = rng().below(world.size());
  const std::size_t step = 1 + rng().below(world.size() - 1);
  return {&world.node(first), &world.node((first + step) % world.size())};
}

void Fault::say(World& world, const SimNode& node, bool breaks, const SimNode* other) {
  write_down(world, static_cast<std::uint8_t>(kind_), node.number(), breaks ? 1 : 0,
             other != nullptr ? other->number() : kNoNode);
}

Fault::Mend Fault::mended_by(World& world, const SimNode& node, std::function<void()> undo,
                             const SimNode* other) {
  return [this, &world, &node, undo = std::move(undo), other] {
    say(world, node, false, other);
    undo();
    return true;
  };
}

Fault::Struck Fault::strike_link(World& world) {
  const auto [from, to] = two_nodes(world);
  if (from == nullptr || from->setup().nis.empty() || to->setup().nis.empty()) return {};
  const Place here = any_place(*from);
  const Place there = any_place(*to);
  Link& link = world.wire().link(here, there);
  say(world, *from, true, to);
  return mended_by(world, *from, break_link(world, link, kind_, pace_.ppm), to);
}

Fault::Struck Fault::strike_stream(World& world) {
  const auto [from, to] = two_nodes(world);
  if (from == nullptr || from->setup().nis.empty() || to->setup().nis.empty()) return {};
  const Place here = any_place(*from);
  const Place there = any_place(*to);
  std::vector<Handle> sockets;
  world.streams().between(here, there, sockets);
  if (sockets.empty()) return {};
  const Handle socket = sockets[rng().below(sockets.size())];
  say(world, *from, true, to);
  auto undo = break_stream(world, socket, kind_);
  return undo ? mended_by(world, *from, std::move(undo), to) : Mend();
}

/// A foreign peer disturbs a node over TCP.
Fault::Struck Fault::let_disturb(World& world, SimNode& node) {
  if (node.setup().nis.empty()) return {};
  const std::size_t ni = rng().below(node.setup().nis.size());
  if (!HostilePeer::can_trouble(node, ni)) return {};
  say(world, node, true);
  return mended_by(world, node, [stranger = disturb(world, node, ni, kind_, rng())] {});
}

Fault::Struck Fault::take_over(World& world) {
  const auto [whom, claimed] = two_nodes(world);
  if (whom == nullptr) return {};
  const std::shared_ptr spoofer = SpoofingPeer::between(world, *whom, *claimed, rng());
  if (spoofer == nullptr) return {};
  say(world, *whom, true, claimed);
  spoofer->take_over();
  return mended_by(
      world, *whom, [spoofer] {}, claimed);
}

Fault::Struck Fault::delete_entry(World& world) {
  const auto [node, other] = two_nodes(world);
  if (node == nullptr || !delete_peer(*node, *other)) return {};
  say(world, *node, true, other);
  return Mend();
}

Fault::Struck Fault::delete_nis(World& world, SimNode& node) {
  auto gone = kind_ == FaultKind::kNetDel ? delete_net(node, rng().below(2) == 0) : delete_ni(node);
  if (gone.empty()) return {};
  say(world, node, true);
  return [this, &world, &node, gone = std::move(gone)]() mutable {
    if (!add_again(node, gone)) return false;
    say(world, node, false);
    return true;
  };
}

Fault::Struck Fault::add_ni(World& world, SimNode& node) {
  const auto added = add_another_ni(node);
  if (!added) return {};
  say(world, node, true);
  return [this, &world, &node, added] {
    node.remove_ni(*added);
    say(world, node, false);
    return true;
  };
}

Fault::Struck Fault::change_discovery(World& world, SimNode& node) {
  if (!node.up()) return {};
  turn_discovery(node);
  say(world, node, true);
  return [this, &world, &node] {
    turn_discovery(node);
    say(world, node, false);
    return true;
  };
}

Fault::Struck Fault::take_down(World& world, SimNode& node) {
  if (node.setup().nis.empty()) return {};
  const Nid nid = node.nid(rng().below(node.setup().nis.size()));
  say(world, node, true);
  set_up(world, node, nid, false);
  return mended_by(world, node, [&world, &node, nid] { set_up(world, node, nid, true); });
}

Fault::Struck Fault::crash(World& world, SimNode& node) {
  if (!node.up() && node.state() != SimNode::State::kPaused) return {};
  say(world, node, true);
  node.crash(rng().below(2) == 0);
  return [this, &world, &node] {
    if (node.state() != SimNode::State::kDown) return true;
    say(world, node, false);
    node.start();
    return true;
  };
}

Fault::Struck Fault::pause(World& world, SimNode& node) {
  if (!node.up()) return {};
  say(world, node, true);
  node.pause();
  return [this, &world, &node] {
    if (node.state() != SimNode::State::kPaused) return true;
    say(world, node, false);
    node.resume();
    return true;
  };
}

Fault::Struck Fault::strike(World& world) {
  switch (kind_) {
    case FaultKind::kLoss:
    case FaultKind::kDuplication:
    case FaultKind::kReordering:
    case FaultKind::kClog:
    case FaultKind::kPartition:
    case FaultKind::kNoRoute:
      return strike_link(world);
    case FaultKind::kReset:
    case FaultKind::kHalfOpen:
    case FaultKind::kStall:
      return strike_stream(world);
    case FaultKind::kTakeOver:
      return take_over(world);
    case FaultKind::kPeerDel:
      return delete_entry(world);
    case FaultKind::kNonsense:
    case FaultKind::kLies:
      return let_disturb(world, any_node(world));
    case FaultKind::kNiDel:
    case FaultKind::kNetDel:
      return delete_nis(world, any_node(world));
    case FaultKind::kNiAdd:
      return add_ni(world, any_node(world));
    case FaultKind::kDiscovery:
      return change_discovery(world, any_node(world));
    case FaultKind::kInterface:
      return take_down(world, any_node(world));
    case FaultKind::kCrash:
      return crash(world, any_node(world));
    case FaultKind::kPause:
      break;
  }
  return pause(world, any_node(world));
}

std::unique_ptr<Fault> make_fault(FaultKind kind, const FaultPace& pace, std::string name) {
  if (name.empty()) name = std::string("fault/") + to_string(kind);
  return std::make_unique<Fault>(std::move(name), kind, pace);
}

}  // namespace ulnet::sim
