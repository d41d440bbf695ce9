#include "sim/load/faults.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/foreign/hostile_peer.h"
#include "sim/foreign/lying_peer.h"
#include "sim/foreign/spoofing_peer.h"
#include "sim/network/ipv6_nid.h"
#include "sim/world/world.h"

namespace ulnet::sim {
namespace {

/// The first address of the NIs that kNiAdd gives to nodes, one for each node.
constexpr std::uint32_t kAnotherAddress = 0x0ac80001;

/// A fault of the link from one node to another.
class LinkFault : public Fault {
 public:
  using Fault::Fault;

 protected:
  bool strike(World& world) final {
    const auto [from, to] = two_nodes(world);
    if (from == nullptr || from->setup().nis.empty() || to->setup().nis.empty()) return false;
    from_ = from;
    to_ = to;
    const Place here = any_place(*from);
    const Place there = any_place(*to);
    link_ = &world.wire().link(here, there);
    say(world, *from, true, to);
    turn(world, *link_, true);
    return true;
  }
  bool mend(World& world) final {
    say(world, *from_, false, to_);
    turn(world, *link_, false);
    return true;
  }
  virtual void turn(World& world, Link& link, bool broken) = 0;

 private:
  SimNode* from_ = nullptr;
  SimNode* to_ = nullptr;
  Link* link_ = nullptr;
};

/// Turns a switch of a link: calls `set` with `while_broken`, and with the other value when the
/// fault is over.
class SwitchFault final : public LinkFault {
 public:
  using Switch = void (Wire::*)(Place from, Place to, bool on);
  SwitchFault(std::string name, FaultKind kind, const FaultPace& pace, Switch set,
              bool while_broken)
      : LinkFault(std::move(name), kind, pace), set_(set), while_broken_(while_broken) {}

 private:
  void turn(World& world, Link& link, bool broken) override {
    (world.wire().*set_)(link.from(), link.to(), broken == while_broken_);
  }
  const Switch set_;
  const bool while_broken_;
};

/// Raises one of the probabilities of a link's model.
class ChanceFault final : public LinkFault {
 public:
  ChanceFault(std::string name, FaultKind kind, const FaultPace& pace, LinkChance which)
      : LinkFault(std::move(name), kind, pace), which_(which) {}

 private:
  void turn(World& world, Link& link, bool broken) override {
    if (broken)
      raised_ = world.wire().raise(link, which_, pace().ppm);
    else
      world.wire().lower(link, raised_);
  }
  const LinkChance which_;
  std::uint64_t raised_ = 0;
};

class InterfaceDown final : public Fault {
 public:
  using Fault::Fault;

 private:
  bool strike(World& world) override {
    node_ = &any_node(world);
    if (node_->setup().nis.empty()) return false;
    nid_ = node_->nid(rng().below(node_->setup().nis.size()));
    set(world, false);
    return true;
  }
  bool mend(World& world) override {
    set(world, true);
    return true;
  }
  void set(World& world, bool up) {
    say(world, *node_, !up);
    for (std::size_t i = 0; i < node_->setup().nis.size(); ++i)
      if (node_->nid(i) == nid_) return node_->set_link(i, up);
    world.wire().set_up(world.wire().place(nid_), up);  // the NI was removed meanwhile
  }
  SimNode* node_ = nullptr;
  Nid nid_;
};

class Crash final : public Fault {
 public:
  using Fault::Fault;

 private:
  bool strike(World& world) override {
    node_ = &any_node(world);
    if (!node_->up() && node_->state() != SimNode::State::kPaused) return false;
    say(world, *node_, true);
    node_->crash(rng().below(2) == 0);
    return true;
  }
  bool mend(World& world) override {
    if (node_->state() != SimNode::State::kDown) return true;
    say(world, *node_, false);
    node_->start();
    return true;
  }
  SimNode* node_ = nullptr;
};

class Pause final : public Fault {
 public:
  using Fault::Fault;

 private:
  bool strike(World& world) override {
    node_ = &any_node(world);
    if (!node_->up()) return false;
    say(world, *node_, true);
    node_->pause();
    return true;
  }
  bool mend(World& world) override {
    if (node_->state() != SimNode::State::kPaused) return true;
    say(world, *node_, false);
    node_->resume();
    return true;
  }
  SimNode* node_ = nullptr;
};

/// A fault of one end of an open connection.
class StreamFault final : public Fault {
 public:
  using Fault::Fault;

 private:
  bool momentary() const override { return kind() != FaultKind::kStall; }
  bool strike(World& world) override {
    const auto [from, to] = two_nodes(world);
    if (from == nullptr || from->setup().nis.empty() || to->setup().nis.empty()) return false;
    sockets_.clear();
    const Place here = any_place(*from);
    const Place there = any_place(*to);
    world.streams().between(here, there, sockets_);
    if (sockets_.empty()) return false;
    socket_ = sockets_[rng().below(sockets_.size())];
    from_ = from;
    to_ = to;
    say(world, *from, true, to);
    if (kind() == FaultKind::kReset) world.streams().reset(socket_);
    if (kind() == FaultKind::kHalfOpen) world.streams().half_open(socket_);
    if (kind() == FaultKind::kStall) world.streams().stall(socket_, true);
    return true;
  }
  bool mend(World& world) override {
    say(world, *from_, false, to_);
    world.streams().stall(socket_, false);
    return true;
  }
  std::vector<Handle> sockets_;
  Handle socket_;
  SimNode* from_ = nullptr;
  SimNode* to_ = nullptr;
};

/// A foreign peer disturbs a node over TCP, a few times at once, by `trouble`.
template <class Stranger, void (Stranger::*trouble)()>
class Strange final : public Fault {
 public:
  using Fault::Fault;

 private:
  bool strike(World& world) override {
    node_ = &any_node(world);
    if (node_->setup().nis.empty()) return false;
    const std::size_t ni = rng().below(node_->setup().nis.size());
    if (!HostilePeer::can_trouble(*node_, ni)) return false;
    say(world, *node_, true);
    stranger_ = std::make_unique<Stranger>(world, *node_, ni, Rng(rng().next()));
    for (std::uint64_t left = 1 + rng().below(4); left != 0; --left) (*stranger_.*trouble)();
    return true;
  }
  bool mend(World& world) override {
    say(world, *node_, false);
    stranger_.reset();
    return true;
  }
  SimNode* node_ = nullptr;
  std::unique_ptr<Stranger> stranger_;
};
using Nonsense = Strange<HostilePeer, &HostilePeer::attack>;
using Lies = Strange<LyingPeer, &LyingPeer::lie>;

class TakeOver final : public Fault {
 public:
  using Fault::Fault;

 private:
  bool strike(World& world) override {
    const auto [whom, claimed] = two_nodes(world);
    if (whom == nullptr) return false;
    spoofer_ = SpoofingPeer::between(world, *whom, *claimed, rng());
    if (spoofer_ == nullptr) return false;
    whom_ = whom;
    claimed_ = claimed;
    say(world, *whom, true, claimed);
    spoofer_->take_over();
    return true;
  }
  bool mend(World& world) override {
    say(world, *whom_, false, claimed_);
    spoofer_.reset();
    return true;
  }
  SimNode* whom_ = nullptr;
  SimNode* claimed_ = nullptr;
  std::unique_ptr<SpoofingPeer> spoofer_;
};

class PeerDeletion final : public Fault {
 public:
  using Fault::Fault;

 private:
  bool momentary() const override { return true; }
  bool strike(World& world) override {
    const auto [node, other] = two_nodes(world);
    if (node == nullptr || !delete_peer(*node, *other)) return false;
    say(world, *node, true, other);
    return true;
  }
  bool mend(World&) override { return true; }
};

class NiDeletion final : public Fault {
 public:
  using Fault::Fault;

 private:
  bool strike(World& world) override {
    node_ = &any_node(world);
    if (kind() == FaultKind::kNetDel)
      nis_ = delete_net(*node_, rng().below(2) == 0);
    else if (const auto ni = delete_ni(*node_))
      nis_ = {*ni};
    if (!nis_.empty()) say(world, *node_, true);
    return !nis_.empty();
  }
  bool mend(World& world) override {
    while (!nis_.empty() && add_ni(*node_, nis_.front())) nis_.erase(nis_.begin());
    if (nis_.empty()) say(world, *node_, false);
    return nis_.empty();
  }
  SimNode* node_ = nullptr;
  std::vector<NiSetup> nis_;  ///< the NIs that are still to be added again
};

class NiAddition final : public Fault {
 public:
  using Fault::Fault;

 private:
  bool strike(World& world) override {
    node_ = &any_node(world);
    ni_ = add_another_ni(*node_);
    if (ni_) say(world, *node_, true);
    return ni_.has_value();
  }
  bool mend(World& world) override {
    node_->remove_ni(*ni_);
    say(world, *node_, false);
    return true;
  }
  SimNode* node_ = nullptr;
  std::optional<Nid> ni_;
};

class DiscoveryTurn final : public Fault {
 public:
  using Fault::Fault;

 private:
  bool strike(World& world) override {
    node_ = &any_node(world);
    if (!node_->up()) return false;
    turn_discovery(*node_);
    say(world, *node_, true);
    return true;
  }
  bool mend(World& world) override {
    turn_discovery(*node_);
    say(world, *node_, false);
    return true;
  }
  SimNode* node_ = nullptr;
};

}  // namespace

std::optional<NiSetup> delete_ni(SimNode& node) {
  if (!node.up() || node.setup().nis.size() < 2) return std::nullopt;
  const NiSetup last = node.setup().nis.back();
  node.remove_ni(last.nid);
  return last;
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

bool add_ni(SimNode& node, const NiSetup& ni) {
  const std::vector<NiSetup>& nis = node.setup().nis;
  return std::ranges::find(nis, ni.nid, &NiSetup::nid) != nis.end() || node.add_ni(ni).has_value();
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

void Fault::wait(World& world) { act_in(world, Duration(1) + up_to(pace_.every * 2)); }

void Fault::act(World& world) {
  if (broken_) return repair(world);
  if (over_) return;
  if (!strike(world)) return wait(world);
  world.count(std::string("fault ") + to_string(kind_));
  if (momentary()) return wait(world);
  broken_ = true;
  act_in(world, Duration(1) + up_to(pace_.lasts));
}

void Fault::repair(World& world) {
  broken_ = !mend(world);
  set_busy(world, broken_ && over_);
  if (broken_) return act_in(world, kMendAgain);
  if (!over_) wait(world);
}

void Fault::wind_down(World& world) {
  over_ = true;
  if (broken_) repair(world);
}

Duration Fault::up_to(Duration most) {
  const auto bound = static_cast<std::uint64_t>(std::max<std::int64_t>(most.count(), 0)) + 1;
  return Duration(static_cast<std::int64_t>(rng().below(bound)));
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

std::unique_ptr<Fault> make_fault(FaultKind kind, const FaultPace& pace, std::string name) {
  if (name.empty()) name = std::string("fault/") + to_string(kind);
  switch (kind) {
    case FaultKind::kLoss:
      return std::make_unique<ChanceFault>(std::move(name), kind, pace, &LinkModel::loss_ppm);
    case FaultKind::kDuplication:
      return std::make_unique<ChanceFault>(std::move(name), kind, pace, &LinkModel::duplicate_ppm);
    case FaultKind::kReordering:
      return std::make_unique<ChanceFault>(std::move(name), kind, pace, &LinkModel::reorder_ppm);
    case FaultKind::kClog:
      return std::make_unique<SwitchFault>(std::move(name), kind, pace, &Wire::clog, true);
    case FaultKind::kPartition:
      return std::make_unique<SwitchFault>(std::move(name), kind, pace, &Wire::cut, true);
    case FaultKind::kNoRoute:
      return std::make_unique<SwitchFault>(std::move(name), kind, pace, &Wire::set_route, false);
    case FaultKind::kNonsense:
      return std::make_unique<Nonsense>(std::move(name), kind, pace);
    case FaultKind::kTakeOver:
      return std::make_unique<TakeOver>(std::move(name), kind, pace);
    case FaultKind::kPeerDel:
      return std::make_unique<PeerDeletion>(std::move(name), kind, pace);
    case FaultKind::kNiAdd:
      return std::make_unique<NiAddition>(std::move(name), kind, pace);
    case FaultKind::kDiscovery:
      return std::make_unique<DiscoveryTurn>(std::move(name), kind, pace);
    case FaultKind::kLies:
      return std::make_unique<Lies>(std::move(name), kind, pace);
    case FaultKind::kNiDel:
    case FaultKind::kNetDel:
      return std::make_unique<NiDeletion>(std::move(name), kind, pace);
    case FaultKind::kInterface:
      return std::make_unique<InterfaceDown>(std::move(name), kind, pace);
    case FaultKind::kCrash:
      return std::make_unique<Crash>(std::move(name), kind, pace);
    case FaultKind::kPause:
      return std::make_unique<Pause>(std::move(name), kind, pace);
    case FaultKind::kReset:
    case FaultKind::kHalfOpen:
    case FaultKind::kStall:
      break;
  }
  return std::make_unique<StreamFault>(std::move(name), kind, pace);
}

}  // namespace ulnet::sim
