#include "sim/tool/features.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lnet/core/contract/drop_reason.h"
#include "sim/world/checker.h"

namespace ulnet::tools {
namespace {

using core::DropReason;
using core::Globals;
using sim::FaultKind;
using sim::NiSetup;
using sim::NodeSetup;
using sim::Report;
using sim::Scenario;

std::size_t nets_of(std::span<const NodeSetup> nodes) {
  std::set<NetId> nets;
  for (const NodeSetup& node : nodes)
    for (const NiSetup& ni : node.nis) nets.insert(ni.nid.net());
  return nets.size();
}
std::size_t nets_of(const NodeSetup& node) { return nets_of({&node, 1}); }

bool counted(const std::map<std::string, std::uint64_t>& counts, const std::string& word) {
  const auto found = counts.find(word);
  return found != counts.end() && found->second != 0;
}
bool struck(const Report& report, FaultKind kind) {
  return counted(report.acts, std::string("fault ") + to_string(kind));
}
template <class Change>
bool any_change(const Scenario& drawn, const std::function<bool(const Change&)>& fits) {
  return std::ranges::any_of(drawn.acts, [&](const sim::Act& act) {
    const auto* change = std::get_if<Change>(&act.change);
    return act.what == sim::Act::What::kAdmin && change != nullptr && fits(*change);
  });
}
/// Whether a rule with exactly these criteria was added.
template <bool kSource, bool kDestination, bool kRouter>
bool policy(const Scenario& drawn, const Report&) {
  return any_change<sim::AddPolicy>(drawn, [](const sim::AddPolicy& added) {
    const core::udsp::Rule& rule = added.rule;
    return rule.src.has_value() == kSource && rule.dst.has_value() == kDestination &&
           rule.rte.has_value() == kRouter;
  });
}
bool flaps(const Scenario& drawn, bool longer_than_a_retry) {
  return std::ranges::any_of(drawn.acts, [&](const sim::Act& act) {
    return act.what == sim::Act::What::kFault && act.fault == FaultKind::kInterface &&
           act.lasts != Duration{} && (act.lasts > drawn.streams.dial_retry) == longer_than_a_retry;
  });
}

bool occurred(const Signs& signs, const Scenario& drawn, const Report& report) {
  if (signs.mark != nullptr && !counted(report.marks, signs.mark)) return false;
  if (signs.act != nullptr && !counted(report.acts, signs.act)) return false;
  if (signs.fault && !struck(report, *signs.fault)) return false;
  if (signs.drop && report.drops[static_cast<std::size_t>(*signs.drop)] == 0) return false;
  if (signs.node != nullptr && std::ranges::none_of(drawn.nodes, signs.node)) return false;
  if (signs.global != nullptr && std::ranges::none_of(drawn.nodes, [&](const NodeSetup& node) {
        return node.globals.*signs.global != Globals{}.*signs.global;
      }))
    return false;
  if (signs.setting != nullptr &&
      !(counted(report.acts, "fault setting") &&
        any_change<sim::SetGlobal>(
            drawn, [&](const sim::SetGlobal& set) { return set.setting->field == signs.setting; })))
    return false;
  return signs.occurs == nullptr || signs.occurs(drawn, report);
}

constexpr Feature kFeatures[] = {
    // ---- multirail.md
    {"multirail 2.1",
     "a node has several NIs",
     {.node = [](const NodeSetup& node) { return node.nis.size() > 1; }}},
    {"multirail 2.1", "an NI is deleted", {.fault = FaultKind::kNiDel}},
    {"multirail 2.1", "an NI is added", {.fault = FaultKind::kNiAdd}},
    {"multirail 2.1", "a net is deleted", {.fault = FaultKind::kNetDel}},
    {"multirail 2.2", "a peer is deleted", {.fault = FaultKind::kPeerDel}},
    {"multirail 2.2", "a peer is configured", {.act = "fault peer-add"}},
    {"multirail 2.2",
     "a peer's primary NID is locked",
     {.act = "fault peer-add",
      .occurs =
          [](const Scenario& s, const Report&) {
            return any_change<sim::AddPeer>(
                s, [](const sim::AddPeer& add) { return add.peer.lock_primary; });
          }}},
    {"multirail 3.2",
     "several NIs on one net",
     {.node = [](const NodeSetup& node) { return node.nis.size() > nets_of(node); }}},
    {"multirail 3.2",
     "each NI of a node on a net of its own",
     {.node =
          [](const NodeSetup& node) {
            return node.nis.size() > 1 && nets_of(node) == node.nis.size() && !node.routing.on;
          }}},
    {"multirail 3.2",
     "a link goes down for less than a retry of TCP",
     {.mark = "interface down",
      .occurs = [](const Scenario& s, const Report&) { return flaps(s, false); }}},
    {"multirail 3.2",
     "a link goes down for longer than a retry of TCP",
     {.mark = "interface down",
      .occurs = [](const Scenario& s, const Report&) { return flaps(s, true); }}},
    {"multirail 3.3", "routers", {.node = [](const NodeSetup& node) { return node.routing.on; }}},
    {"multirail 3.3",
     "a chain of routers over more than three nets",
     {.node = [](const NodeSetup& node) { return node.routing.on; },
      .occurs = [](const Scenario& s, const Report&) { return nets_of(s.nodes) > 3; }}},
    {"multirail 3.3",
     "a router with several NIs on a net",
     {.node =
          [](const NodeSetup& node) {
            return node.routing.on && node.nis.size() > nets_of(node);
          }}},
    {"multirail 3.3",
     "routes with hops or priority",
     {.node =
          [](const NodeSetup& node) {
            return std::ranges::any_of(node.routes->nets(), [](const auto& net) {
              return std::ranges::any_of(net.second, [](const core::Route& route) {
                return route.hops > 0 || route.priority != 0;
              });
            });
          }}},
    {"multirail 4",
     "discovery off at a node",
     {.node = [](const NodeSetup& node) { return node.globals.discovery == 0; }}},
    {"multirail 4.4", "a peer advertises NIDs of others", {.fault = FaultKind::kLies}},
    {"multirail 4.6", "older info is refused", {.drop = DropReason::kInfoOld}},
    {"multirail 4.4", "a peer without multi-rail", {.act = "old node downrev"}},
    {"multirail 4.4",
     "a peer without discovery that is multi-rail",
     {.act = "old node no-discovery"}},
    {"multirail 4.4", "a peer is upgraded during traffic", {.act = "old node upgraded"}},
    {"multirail 4.4", "a peer is downgraded during traffic", {.act = "old node downgraded"}},
    {"multirail 4.8", "discovery is turned off and on", {.fault = FaultKind::kDiscovery}},
    {"multirail 5", "health sensitivity set", {.global = &Globals::health_sensitivity}},
    {"multirail 5", "an administrator sets the health of an NI", {.act = "fault health"}},
    {"multirail 5.3", "a message is sent again", {.mark = "message sent again"}},
    {"multirail 6", "another transaction time-out", {.global = &Globals::transaction_timeout}},
    {"multirail 9.1",
     "a router that waits before it forwards",
     {.node = [](const NodeSetup& node) { return node.routing.on && !node.routing.at_once; }}},
    {"multirail 9.1", "routing is turned off and on", {.act = "fault routing"}},
    {"multirail 9.2", "a route is added", {.act = "fault route-add"}},
    {"multirail 9.2", "a route is deleted", {.act = "fault route-del"}},
    {"multirail 9.6",
     "routes that only one side has (drop_asym_route)",
     {.drop = DropReason::kAsymmetricRoute}},
    {"multirail 9.7", "a router has no buffer for a message", {.drop = DropReason::kNotForwarded}},
    {"multirail 10.1",
     "a policy for local nets or NIs",
     {.act = "fault policy", .occurs = policy<true, false, false>}},
    {"multirail 10.1",
     "a policy for peer nets or NIs",
     {.act = "fault policy", .occurs = policy<false, true, false>}},
    {"multirail 10.1",
     "a policy for pairs of NIs",
     {.act = "fault policy", .occurs = policy<true, true, false>}},
    {"multirail 10.1",
     "a policy for gateways",
     {.act = "fault policy", .occurs = policy<false, true, true>}},
    {"multirail 11", "fault rules drop", {.drop = DropReason::kFaultRule}},
    {"multirail 11", "fault rules drop what is sent", {.drop = DropReason::kFaultRuleSent}},
    {"multirail 12",
     "transaction_timeout is set at run time",
     {.setting = &Globals::transaction_timeout}},
    {"multirail 12", "retry_count is set at run time", {.setting = &Globals::retry_count}},
    {"multirail 12",
     "health_sensitivity is set at run time",
     {.setting = &Globals::health_sensitivity}},
    {"multirail 12", "numa_range is set at run time", {.setting = &Globals::numa_range}},
    {"multirail 12", "recovery_limit is set at run time", {.setting = &Globals::recovery_limit}},
    {"multirail 12",
     "max_recovery_ping_interval is set at run time",
     {.setting = &Globals::max_recovery_ping_interval}},
    {"multirail 12", "drop_asym_route is set at run time", {.setting = &Globals::drop_asym_route}},
    // ---- core-semantics.md
    {"core-semantics 4.4", "an MD is unlinked while it is in use", {.mark = "cancelled"}},
    {"core-semantics 4.5", "an MD unlinks itself", {.mark = "MD unlinked itself"}},
    {"core-semantics 5",
     "a node's program does not call progress() until all faults end",
     {.fault = FaultKind::kPause,
      .occurs =
          [](const Scenario& s, const Report&) {
            return std::ranges::any_of(s.acts, [&](const sim::Act& act) {
              return act.what == sim::Act::What::kFault && act.fault == FaultKind::kPause &&
                     (act.lasts == Duration{} || act.at + act.lasts >= s.lasts);
            });
          }}},
    {"core-semantics 5.1", "an event queue that nobody polls is full", {.act = "load queue full"}},
    {"core-semantics 5",
     "a handler keeps events waiting for 10 ms and more",
     {.node =
          [](const NodeSetup& node) {
            return node.handler_delay >= std::chrono::milliseconds(10);
          }}},
    {"core-semantics 6", "PUTs or GETs of 1 MiB", {.mark = "message of 1 MiB"}},
    {"core-semantics 6.1", "a PUT is cut to its buffer", {.mark = "PUT cut to its buffer"}},
    {"core-semantics 7.1", "a message waits for a lazy portal", {.mark = "held for a lazy portal"}},
    {"core-semantics 8", "no match entry fits", {.drop = DropReason::kNoMatch}},
    {"core-semantics 10",
     "an NI with one credit",
     {.node =
          [](const NodeSetup& node) {
            return std::ranges::any_of(node.nis,
                                       [](const NiSetup& ni) { return ni.tunables.credits == 1; });
          }}},
    {"core-semantics 10.3",
     "a router with few buffers",
     {.node =
          [](const NodeSetup& node) {
            return node.routing.on && std::ranges::any_of(node.routing.buffers, [](std::int32_t n) {
                     return n != 0 && n <= 2;
                   });
          }}},
    {"core-semantics 13",
     "several CPU partitions",
     {.node = [](const NodeSetup& node) { return node.partitions > 1; }}},
    // ---- wire-lnet.md
    {"wire-lnet 1.3",
     "IPv6 NIDs",
     {.node =
          [](const NodeSetup& node) {
            return std::ranges::any_of(node.nis,
                                       [](const NiSetup& ni) { return !ni.nid.is_small(); });
          }}},
    {"wire-lnet 4.5",
     "a node has an IPv4 and an IPv6 NID",
     {.node =
          [](const NodeSetup& node) {
            return std::ranges::any_of(node.nis, [&](const NiSetup& ni) {
              return ni.nid.is_small() != node.nis[0].nid.is_small();
            });
          }}},
    // ---- wire-socklnd.md
    {"wire-socklnd 4",
     "messages over TCP",
     {.node = [](const NodeSetup& node) { return node.driver == sim::DriverKind::kSock; }}},
    {"wire-socklnd 4.5", "a duplicate connection is refused", {.mark = "tcp: refused_duplicate"}},
    {"wire-socklnd 6.1",
     "checksums",
     {.node = [](const NodeSetup& node) { return node.sock.enable_csum != 0; }}},
    {"wire-socklnd 7",
     "zero-copy acknowledgements",
     {.node = [](const NodeSetup& node) { return node.sock.zc_request != 0; }}},
    {"wire-socklnd 7.2", "keepalive messages", {.mark = "tcp: keepalives_sent"}},
    {"wire-socklnd 8", "a peer restarts", {.mark = "peer restarted"}},
    {"wire-socklnd 9", "a connection race", {.mark = "tcp: refused_race"}},
    {"wire-socklnd 10", "a connection half open", {.fault = FaultKind::kHalfOpen}},
    {"wire-socklnd 10", "a stream stalls", {.fault = FaultKind::kStall}},
    {"wire-socklnd 2.1", "an unprivileged peer is refused", {.mark = "tcp: refused_unprivileged"}},
    // ---- cli-lst.md
    {"cli-lst 4", "a selftest session's console disappears", {.act = "selftest abandoned"}},
    // ---- the machine and the network
    {"DESIGN 6", "a hostile peer", {.fault = FaultKind::kNonsense}},
    {"DESIGN 6", "a hostile peer takes a NID over", {.fault = FaultKind::kTakeOver}},
    {"DESIGN 6", "a node crashes", {.fault = FaultKind::kCrash}},
    {"DESIGN 6", "a node is paused", {.fault = FaultKind::kPause}},
    {"DESIGN 6", "a node shuts down and starts again", {.act = "fault shutdown"}},
    {"DESIGN 6",
     "switches with limited bandwidth",
     {.occurs = [](const Scenario& s, const Report&) { return !s.switches.links.empty(); }}},
    {"DESIGN 6", "a link between switches is cut", {.act = "fault link-cut"}},
    {"DESIGN 6",
     "a system without memory for payload that is held",
     {.node =
          [](const NodeSetup& node) {
            return node.no_memory_ppm != 0 || node.hold_memory != MemoryBudget::kUnlimited;
          }}},
    {"DESIGN 2",
     "a driver that wants to know the memory of MDs",
     {.node = [](const NodeSetup& node) { return node.announces_memory; }}},
    {"DESIGN 6",
     "a process without descriptors for connections",
     {.mark = "tcp: refused_no_descriptor"}},
    {"DESIGN 6", "no space for a new peer", {.drop = DropReason::kTooManyPeers}},
};

}  // namespace

std::span<const Feature> features() { return kFeatures; }

void FeatureCounts::add(const Scenario& drawn, const Report& report) {
  ++worlds_;
  for (std::size_t i = 0; i < counts_.size(); ++i)
    if (occurred(features()[i].signs, drawn, report)) ++counts_[i];
}

std::vector<const Feature*> FeatureCounts::rarer_than(std::uint64_t least) const {
  std::vector<const Feature*> rare;
  for (std::size_t i = 0; i < counts_.size(); ++i)
    if (counts_[i] * 10'000 < least * worlds_) rare.push_back(&features()[i]);
  return rare;
}

std::string FeatureCounts::table() const {
  std::string text = fmt::format("{:<20} {:>7}  feature\n", "clause", "worlds");
  for (std::size_t i = 0; i < counts_.size(); ++i)
    text += fmt::format("{:<20} {:>7}  {}\n", features()[i].clause, counts_[i], features()[i].name);
  return text;
}

}  // namespace ulnet::tools
