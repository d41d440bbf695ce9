#include "sim/scenario/script.h"

#include <algorithm>
#include <utility>

#include "sim/foreign/spoofing_peer.h"

namespace ulnet::sim {
namespace {

bool at_link(const Act& act) {
  return act.what == Act::What::kLinkCut || act.what == Act::What::kLinkSlow;
}
std::uint8_t link_fault(const Act& act) { return act.what == Act::What::kLinkCut ? 0 : 1; }

const char* word_of(const Act& act) {
  switch (act.what) {
    case Act::What::kFault:
      return to_string(act.fault);
    case Act::What::kShutdown:
      return "shutdown";
    case Act::What::kRule:
      return act.rule.kind == core::FaultRule::Kind::kDrop ? "drop rule" : "delay rule";
    case Act::What::kAdmin:
      return kAdminWords[act.change.index()];
    case Act::What::kLinkCut:
    case Act::What::kLinkSlow:
      return kLinkFaults[link_fault(act)];
    case Act::What::kHeal:
      break;
  }
  return "heal";
}

std::uint8_t detail_of(const Act& act) {
  if (act.what == Act::What::kRule) return Script::kRuleDetail;
  if (at_link(act)) return static_cast<std::uint8_t>(Script::kLinkDetail + link_fault(act));
  if (act.what == Act::What::kAdmin)
    return static_cast<std::uint8_t>(Script::kAdminDetail + act.change.index());
  return act.what == Act::What::kFault ? static_cast<std::uint8_t>(act.fault)
                                       : Script::kShutdownDetail;
}

bool add_rule(SimNode& node, const core::FaultRule& rule) {
  if (!node.up()) return false;
  core::ApiCall add{core::call::FaultAdd{rule}};
  node.call(add);
  return add.status == 0;
}

/// Deletes the rule. A node that was started again since has no rules, and one that shuts down has
/// lost them. A paused node deletes the rule when it resumes.
void delete_rules(SimNode& node, const core::FaultRule& rule) {
  if (node.state() == SimNode::State::kPaused)
    return node.after({}, [&node, rule] { delete_rules(node, rule); });
  if (!node.up()) return;
  core::ApiCall del{core::call::FaultDel{rule.kind, rule.source, rule.destination}};
  node.call(del);
}

void start_again(SimNode& node) {
  if (node.state() == SimNode::State::kDown || node.state() == SimNode::State::kStopped)
    node.start();
}

}  // namespace

Script::Script(const Scenario& scenario)
    : Actor("script"), scenario_(scenario), broken_(scenario.acts.size()) {
  const auto add = [this](const Play& play) {
    const auto earlier = [](const Play& a, const Play& b) { return a.when < b.when; };
    plays_.insert(std::ranges::upper_bound(plays_, play, earlier), play);
  };
  for (std::size_t i = 0; i < scenario.acts.size(); ++i) {
    const Act& act = scenario.acts[i];
    add({EventQueue::kOrigin + act.at, i, true});
    if (act.lasts != Duration{}) add({EventQueue::kOrigin + act.at + act.lasts, i, false});
  }
}

void Script::begin(World& world) {
  if (!done()) act_at(world, plays_.front().when);
}

void Script::act(World& world) {
  while (!done() && plays_[next_].when <= world.now()) {
    const Play play = plays_[next_++];
    const Act& act = scenario_.acts[play.act];
    Broken& broken = broken_[play.act];
    if (!play.begins) {
      mend(world, play.act);
    } else if (strike(world, act, broken)) {
      broken.now = true;
      world.count(std::string("fault ") + word_of(act));
      say(world, act, true);
    }
  }
  if (!done()) act_at(world, plays_[next_].when);
  set_busy(world, over_ && !done());
}

/// Begins no further act, and ends those in force. Afterwards the script only ends the acts that it
/// could not undo yet.
void Script::wind_down(World& world) {
  over_ = true;
  plays_.resize(next_);
  heal(world);
  if (!done()) act_at(world, plays_[next_].when);
  set_busy(world, !done());
}

void Script::heal(World& world) {
  for (std::size_t i = 0; i < broken_.size(); ++i) mend(world, i);
}

void Script::say(World& world, const Act& act, bool begins) {
  if (act.what == Act::What::kHeal) return;
  const bool fault = act.what == Act::What::kFault;
  if (at_link(act))
    return write_down(world, detail_of(act), kNoNode, begins ? 1 : 0, act.switch_link.value);
  write_down(world, detail_of(act), act.node, begins ? 1 : 0,
             fault && between_nodes(act.fault) ? act.other : kNoNode);
}

/// The links from `act.node` to `act.other` on all nets that both nodes are on.
std::vector<Link*> Script::links(World& world, const Act& act) {
  std::vector<Link*> all;
  const SimNode& from = world.node(act.node);
  const SimNode& to = world.node(act.other);
  for (std::size_t i = 0; i < from.setup().nis.size(); ++i)
    for (std::size_t j = 0; j < to.setup().nis.size(); ++j)
      if (from.nid(i).net() == to.nid(j).net())
        all.push_back(&world.wire().link(from.place(i), to.place(j)));
  return all;
}

/// Breaks one of the streams between the two nodes.
bool Script::strike_stream(World& world, const Act& act, Broken& broken) {
  std::vector<Handle> open;
  for (const Link* link : links(world, act))
    world.streams().between(link->from(), link->to(), open);
  if (open.empty()) return false;
  const Handle chosen = open[rng().below(open.size())];
  if (auto undo = break_stream(world, chosen, act.fault)) broken.undo.push_back(std::move(undo));
  return true;
}

bool Script::strike(World& world, const Act& act, Broken& broken) {
  SimNode& node = world.node(act.node);
  if (act.what == Act::What::kHeal) {
    heal(world);
    return true;
  }
  if (act.what == Act::What::kShutdown) {
    if (!node.up()) return false;
    node.shutdown();
    broken.undo = {[&node] { start_again(node); }};
    return true;
  }
  if (act.what == Act::What::kRule) {
    broken.undo = {[&node, &act] { delete_rules(node, act.rule); }};
    return add_rule(node, act.rule);
  }
  if (act.what == Act::What::kAdmin) {
    broken.take_back = carry_out(node, act.change, scenario_.nodes[act.node], rng());
    return broken.take_back != nullptr;
  }
  if (at_link(act)) {
    broken.now = true;
    set_switch_link(world, act.switch_link);
    broken.undo = {[this, &world, &act] { set_switch_link(world, act.switch_link); }};
    return true;
  }
  return strike_fault(world, act, broken);
}

/// Sets the link between two switches by the faults in force on it: the link is cut while one of
/// them is a cut, and has the lowest bandwidth of the others.
void Script::set_switch_link(World& world, SwitchLinkId link) {
  bool cut = false;
  std::optional<std::uint64_t> lowest;
  for (std::size_t i = 0; i < broken_.size(); ++i) {
    const Act& act = scenario_.acts[i];
    if (!broken_[i].now || !at_link(act) || act.switch_link != link) continue;
    if (act.what == Act::What::kLinkCut)
      cut = true;
    else
      lowest = std::min(lowest.value_or(act.bandwidth), act.bandwidth);
  }
  const std::uint64_t usual = scenario_.switches.links[link.value].model.bytes_per_second;
  world.wire().fabric().set_rate(link, lowest.value_or(usual));
  world.wire().cut_switch_link(link, cut);
}

bool Script::strike_fault(World& world, const Act& act, Broken& broken) {
  SimNode& node = world.node(act.node);
  switch (act.fault) {
    case FaultKind::kClog:
    case FaultKind::kPartition:
    case FaultKind::kNoRoute:
    case FaultKind::kLoss:
    case FaultKind::kDuplication:
    case FaultKind::kReordering:
      for (Link* link : links(world, act))
        broken.undo.push_back(break_link(world, *link, act.fault, act.ppm));
      // Raising a probability needs a link; the other faults also count between nodes without one.
      return !broken.undo.empty() || act.fault > FaultKind::kReordering;
    case FaultKind::kTakeOver: {
      const std::shared_ptr spoofer =
          SpoofingPeer::between(world, node, world.node(act.other), rng());
      if (spoofer != nullptr) spoofer->take_over();
      broken.stranger = spoofer;
      return spoofer != nullptr;
    }
    case FaultKind::kNonsense:
    case FaultKind::kLies:
      broken.stranger = disturb(world, node, act.ni, act.fault, rng());
      return broken.stranger != nullptr;
    case FaultKind::kReset:
    case FaultKind::kHalfOpen:
    case FaultKind::kStall:
      return strike_stream(world, act, broken);
    default:
      return strike_node(world, act, broken);
  }
}

/// Begins a fault that the machine or an administrator of a node causes.
bool Script::strike_node(World& world, const Act& act, Broken& broken) {
  SimNode& node = world.node(act.node);
  switch (act.fault) {
    case FaultKind::kPeerDel:
      return delete_peer(node, world.node(act.other));
    case FaultKind::kNiDel:
    case FaultKind::kNetDel:
      broken.gone =
          act.fault == FaultKind::kNiDel ? delete_ni(node) : delete_net(node, act.ni % 2 == 0);
      return !broken.gone.empty();
    case FaultKind::kNiAdd: {
      const auto added = add_another_ni(node);
      if (added) broken.undo = {[this, &node, ni = *added] { remove_added(node, ni); }};
      return added.has_value();
    }
    case FaultKind::kDiscovery:
      if (!node.up()) return false;
      turn_discovery(node);
      broken.undo = {[&node, usual = scenario_.nodes[act.node].globals.discovery] {
        set_discovery(node, usual);
      }};
      return true;
    case FaultKind::kInterface:
      if (act.ni >= node.setup().nis.size()) return false;
      broken.undo = {[&world, &node, ni = node.nid(act.ni)] { set_up(world, node, ni, true); }};
      node.set_link(act.ni, false);
      return true;
    case FaultKind::kCrash:
      if (!node.up() && node.state() != SimNode::State::kPaused) return false;
      node.crash(act.silent);
      broken.undo = {[&node] { start_again(node); }};
      return true;
    default:
      if (!node.up()) return false;
      node.pause();
      broken.undo = {[&node] {
        if (node.state() == SimNode::State::kPaused) node.resume();
      }};
      return true;
  }
}

/// Removes the NI that was added. If the NI has been deleted meanwhile, the script does not add it
/// again.
void Script::remove_added(SimNode& node, const Nid& added) {
  node.remove_ni(added);
  for (std::size_t i = 0; i < broken_.size(); ++i)
    if (scenario_.acts[i].node == node.number())
      std::erase_if(broken_[i].gone, [&](const NiSetup& ni) { return ni.nid == added; });
}

/// Undoes an administrator's change. False: that is not possible yet.
bool Script::take_back(SimNode& node, Broken& broken) {
  if (broken.take_back != nullptr && !broken.take_back(node)) return false;
  broken.take_back = nullptr;
  return true;
}

void Script::mend(World& world, std::size_t number) {
  const Act& act = scenario_.acts[number];
  Broken& broken = broken_[number];
  if (!broken.now) return;
  SimNode& node = world.node(act.node);
  const bool stopping =
      act.what == Act::What::kShutdown && node.state() == SimNode::State::kStopping;
  if (stopping || !add_again(node, broken.gone) || !take_back(node, broken)) {
    const Instant later = world.now() + kMendAgain;
    const auto place =
        std::find_if(plays_.begin() + static_cast<std::ptrdiff_t>(next_), plays_.end(),
                     [&](const Play& play) { return play.when > later; });
    plays_.insert(place, {later, number, false});
    return;
  }
  broken.now = false;
  say(world, act, false);
  for (const auto& undo : std::exchange(broken.undo, {})) undo();
  broken.stranger.reset();
}

}  // namespace ulnet::sim
