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

bool any_node(const Scenario& drawn, bool (*fits)(const NodeSetup&)) {
  return std::ranges::any_of(drawn.nodes, fits);
}
template <auto kMember>
bool any_global_set(const Scenario& drawn, const Report&) {
  return std::ranges::any_of(drawn.nodes, [](const NodeSetup& node) {
    return node.globals.*kMember != Globals{}.*kMember;
  });
}
std::size_t nets_of(const NodeSetup& node) {
  std::set<NetId> nets;
  for (const NiSetup& ni : node.nis) nets.insert(ni.nid.net());
  return nets.size();
}
std::size_t nets_of(const Scenario& drawn) {
  std::set<NetId> nets;
  for (const NodeSetup& node : drawn.nodes)
    for (const NiSetup& ni : node.nis) nets.insert(ni.nid.net());
  return nets.size();
}
/// Whether an act under this word found something to do: only such an act is counted.
bool counted(const std::map<std::string, std::uint64_t>& counts, const char* word) {
  const auto found = counts.find(word);
  return found != counts.end() && found->second != 0;
}
template <FaultKind kKind>
bool struck(const Scenario&, const Report& report) {
  return counted(report.acts, (std::string("fault ") + to_string(kKind)).c_str());
}
bool marked(const Report& report, const char* mark) { return counted(report.marks, mark); }
template <DropReason kReason>
bool dropped(const Scenario&, const Report& report) {
  return report.drops[static_cast<std::size_t>(kReason)] != 0;
}
template <class Change>
bool any_change(const Scenario& drawn, const Report& report, const char* word,
                bool (*fits)(const Change&)) {
  return counted(report.acts, (std::string("fault ") + word).c_str()) &&
         std::ranges::any_of(drawn.acts, [&](const sim::Act& act) {
           const auto* change = std::get_if<Change>(&act.change);
           return act.what == sim::Act::What::kAdmin && change != nullptr && fits(*change);
         });
}
/// Whether a rule with exactly these criteria was added.
template <bool kSource, bool kDestination, bool kRouter>
bool policy(const Scenario& drawn, const Report& report) {
  return any_change<sim::AddPolicy>(drawn, report, "policy", [](const sim::AddPolicy& added) {
    const core::udsp::Rule& rule = added.rule;
    return rule.src.has_value() == kSource && rule.dst.has_value() == kDestination &&
           rule.rte.has_value() == kRouter;
  });
}
template <auto kMember>
bool setting(const Scenario& drawn, const Report& report) {
  return any_change<sim::SetGlobal>(drawn, report, "setting", [](const sim::SetGlobal& set) {
    return set.setting->field == kMember;
  });
}
bool flaps(const Scenario& drawn, bool longer_than_a_retry) {
  return std::ranges::any_of(drawn.acts, [&](const sim::Act& act) {
    return act.what == sim::Act::What::kFault && act.fault == FaultKind::kInterface &&
           act.lasts != Duration{} && (act.lasts > drawn.streams.dial_retry) == longer_than_a_retry;
  });
}

const Feature kFeatures[] = {
    // ---- multirail.md
    {"multirail 2.1", "a node has several NIs",
     [](const Scenario& s, const Report&) {
       return any_node(s, [](const NodeSetup& node) { return node.nis.size() > 1; });
     }},
    {"multirail 2.1", "an NI is deleted", struck<FaultKind::kNiDel>},
    {"multirail 2.1", "an NI is added", struck<FaultKind::kNiAdd>},
    {"multirail 2.1", "a net is deleted", struck<FaultKind::kNetDel>},
    {"multirail 2.2", "a peer is deleted", struck<FaultKind::kPeerDel>},
    {"multirail 2.2", "a peer is configured",
     [](const Scenario&, const Report& r) { return counted(r.acts, "fault peer-add"); }},
    {"multirail 2.2", "a peer's primary NID is locked",
     [](const Scenario& s, const Report& r) {
       return any_change<sim::AddPeer>(
           s, r, "peer-add", [](const sim::AddPeer& add) { return add.peer.lock_primary; });
     }},
    {"multirail 3.2", "several NIs on one net",
     [](const Scenario& s, const Report&) {
       return any_node(s, [](const NodeSetup& node) { return node.nis.size() > nets_of(node); });
     }},
    {"multirail 3.2", "each NI of a node on a net of its own",
     [](const Scenario& s, const Report&) {
       return any_node(s, [](const NodeSetup& node) {
         return node.nis.size() > 1 && nets_of(node) == node.nis.size() && !node.routing.on;
       });
     }},
    {"multirail 3.2", "a link goes down for less than a retry of TCP",
     [](const Scenario& s, const Report& r) {
       return flaps(s, false) && marked(r, "interface down");
     }},
    {"multirail 3.2", "a link goes down for longer than a retry of TCP",
     [](const Scenario& s, const Report& r) {
       return flaps(s, true) && marked(r, "interface down");
     }},
    {"multirail 3.3", "routers",
     [](const Scenario& s, const Report&) {
       return any_node(s, [](const NodeSetup& node) { return node.routing.on; });
     }},
    {"multirail 3.3", "a chain of routers over more than three nets",
     [](const Scenario& s, const Report&) {
       return nets_of(s) > 3 && any_node(s, [](const NodeSetup& node) { return node.routing.on; });
     }},
    {"multirail 3.3", "a router with several NIs on a net",
     [](const Scenario& s, const Report&) {
       return any_node(s, [](const NodeSetup& node) {
         return node.routing.on && node.nis.size() > nets_of(node);
       });
     }},
    {"multirail 3.3", "routes with hops or priority",
     [](const Scenario& s, const Report&) {
       return any_node(s, [](const NodeSetup& node) {
         return std::ranges::any_of(node.routes->nets(), [](const auto& net) {
           return std::ranges::any_of(net.second, [](const core::Route& route) {
             return route.hops > 0 || route.priority != 0;
           });
         });
       });
     }},
    {"multirail 4", "discovery off at a node",
     [](const Scenario& s, const Report&) {
       return any_node(s, [](const NodeSetup& node) { return node.globals.discovery == 0; });
     }},
    {"multirail 4.4", "a peer advertises NIDs of others", struck<FaultKind::kLies>},
    {"multirail 4.6", "older info is refused", dropped<DropReason::kInfoOld>},
    {"multirail 4.4", "a peer without multi-rail",
     [](const Scenario&, const Report& r) { return counted(r.acts, "old node downrev"); }},
    {"multirail 4.4", "a peer without discovery that is multi-rail",
     [](const Scenario&, const Report& r) { return counted(r.acts, "old node no-discovery"); }},
    {"multirail 4.4", "a peer is upgraded during traffic",
     [](const Scenario&, const Report& r) { return counted(r.acts, "old node upgraded"); }},
    {"multirail 4.4", "a peer is downgraded during traffic",
     [](const Scenario&, const Report& r) { return counted(r.acts, "old node downgraded"); }},
    {"multirail 4.8", "discovery is turned off and on", struck<FaultKind::kDiscovery>},
    {"multirail 5", "health sensitivity set", any_global_set<&Globals::health_sensitivity>},
    {"multirail 5", "an administrator sets the health of an NI",
     [](const Scenario&, const Report& r) { return counted(r.acts, "fault health"); }},
    {"multirail 5.3", "a message is sent again",
     [](const Scenario&, const Report& r) { return marked(r, "message sent again"); }},
    {"multirail 6", "another transaction time-out", any_global_set<&Globals::transaction_timeout>},
    {"multirail 9.1", "a router that waits before it forwards",
     [](const Scenario& s, const Report&) {
       return any_node(
           s, [](const NodeSetup& node) { return node.routing.on && !node.routing.at_once; });
     }},
    {"multirail 9.1", "routing is turned off and on",
     [](const Scenario&, const Report& r) { return counted(r.acts, "fault routing"); }},
    {"multirail 9.2", "a route is added",
     [](const Scenario&, const Report& r) { return counted(r.acts, "fault route-add"); }},
    {"multirail 9.2", "a route is deleted",
     [](const Scenario&, const Report& r) { return counted(r.acts, "fault route-del"); }},
    {"multirail 9.6", "routes that only one side has (drop_asym_route)",
     dropped<DropReason::kAsymmetricRoute>},
    {"multirail 9.7", "a router has no buffer for a message", dropped<DropReason::kNotForwarded>},
    {"multirail 10.1", "a policy for local nets or NIs", policy<true, false, false>},
    {"multirail 10.1", "a policy for peer nets or NIs", policy<false, true, false>},
    {"multirail 10.1", "a policy for pairs of NIs", policy<true, true, false>},
    {"multirail 10.1", "a policy for gateways", policy<false, true, true>},
    {"multirail 11", "fault rules drop", dropped<DropReason::kFaultRule>},
    {"multirail 11", "fault rules drop what is sent", dropped<DropReason::kFaultRuleSent>},
    {"multirail 12", "transaction_timeout is set at run time",
     setting<&Globals::transaction_timeout>},
    {"multirail 12", "retry_count is set at run time", setting<&Globals::retry_count>},
    {"multirail 12", "health_sensitivity is set at run time",
     setting<&Globals::health_sensitivity>},
    {"multirail 12", "numa_range is set at run time", setting<&Globals::numa_range>},
    {"multirail 12", "recovery_limit is set at run time", setting<&Globals::recovery_limit>},
    {"multirail 12", "max_recovery_ping_interval is set at run time",
     setting<&Globals::max_recovery_ping_interval>},
    {"multirail 12", "drop_asym_route is set at run time", setting<&Globals::drop_asym_route>},
    // ---- core-semantics.md
    {"core-semantics 4.4", "an MD is unlinked while it is in use",
     [](const Scenario&, const Report& r) { return marked(r, "cancelled"); }},
    {"core-semantics 4.5", "an MD unlinks itself",
     [](const Scenario&, const Report& r) { return marked(r, "MD unlinked itself"); }},
    {"core-semantics 5", "a node's program does not call progress() until all faults end",
     [](const Scenario& s, const Report& r) {
       return struck<FaultKind::kPause>(s, r) &&
              std::ranges::any_of(s.acts, [&](const sim::Act& act) {
                return act.what == sim::Act::What::kFault && act.fault == FaultKind::kPause &&
                       (act.lasts == Duration{} || act.at + act.lasts >= s.lasts);
              });
     }},
    {"core-semantics 5.1", "an event queue that nobody polls is full",
     [](const Scenario&, const Report& r) { return counted(r.acts, "load queue full"); }},
    {"core-semantics 5", "a handler keeps events waiting for 10 ms and more",
     [](const Scenario& s, const Report&) {
       return any_node(s, [](const NodeSetup& node) {
         return node.handler_delay >= std::chrono::milliseconds(10);
       });
     }},
    {"core-semantics 6", "PUTs or GETs of 1 MiB",
     [](const Scenario&, const Report& r) { return marked(r, "message of 1 MiB"); }},
    {"core-semantics 6.1", "a PUT is cut to its buffer",
     [](const Scenario&, const Report& r) { return marked(r, "PUT cut to its buffer"); }},
    {"core-semantics 7.1", "a message waits for a lazy portal",
     [](const Scenario&, const Report& r) { return marked(r, "held for a lazy portal"); }},
    {"core-semantics 8", "no match entry fits", dropped<DropReason::kNoMatch>},
    {"core-semantics 10", "an NI with one credit",
     [](const Scenario& s, const Report&) {
       return any_node(s, [](const NodeSetup& node) {
         return std::ranges::any_of(node.nis,
                                    [](const NiSetup& ni) { return ni.tunables.credits == 1; });
       });
     }},
    {"core-semantics 10.3", "a router with few buffers",
     [](const Scenario& s, const Report&) {
       return any_node(s, [](const NodeSetup& node) {
         return node.routing.on && std::ranges::any_of(node.routing.buffers, [](std::int32_t n) {
                  return n != 0 && n <= 2;
                });
       });
     }},
    {"core-semantics 13", "several CPU partitions",
     [](const Scenario& s, const Report&) {
       return any_node(s, [](const NodeSetup& node) { return node.partitions > 1; });
     }},
    // ---- wire-lnet.md
    {"wire-lnet 1.3", "IPv6 NIDs",
     [](const Scenario& s, const Report&) {
       return any_node(s, [](const NodeSetup& node) {
         return std::ranges::any_of(node.nis, [](const NiSetup& ni) { return !ni.nid.is_small(); });
       });
     }},
    {"wire-lnet 4.5", "a node has an IPv4 and an IPv6 NID",
     [](const Scenario& s, const Report&) {
       return any_node(s, [](const NodeSetup& node) {
         return std::ranges::any_of(node.nis, [&](const NiSetup& ni) {
           return ni.nid.is_small() != node.nis[0].nid.is_small();
         });
       });
     }},
    // ---- wire-socklnd.md
    {"wire-socklnd 4", "messages over TCP",
     [](const Scenario& s, const Report&) {
       return any_node(s,
                       [](const NodeSetup& node) { return node.driver == sim::DriverKind::kSock; });
     }},
    {"wire-socklnd 4.5", "a duplicate connection is refused",
     [](const Scenario&, const Report& r) { return marked(r, "tcp: refused_duplicate"); }},
    {"wire-socklnd 6.1", "checksums",
     [](const Scenario& s, const Report&) {
       return any_node(s, [](const NodeSetup& node) { return node.sock.enable_csum != 0; });
     }},
    {"wire-socklnd 7", "zero-copy acknowledgements",
     [](const Scenario& s, const Report&) {
       return any_node(s, [](const NodeSetup& node) { return node.sock.zc_request != 0; });
     }},
    {"wire-socklnd 7.2", "keepalive messages",
     [](const Scenario&, const Report& r) { return marked(r, "tcp: keepalives_sent"); }},
    {"wire-socklnd 8", "a peer restarts",
     [](const Scenario&, const Report& r) { return marked(r, "peer restarted"); }},
    {"wire-socklnd 9", "a connection race",
     [](const Scenario&, const Report& r) { return marked(r, "tcp: refused_race"); }},
    {"wire-socklnd 10", "a connection half open", struck<FaultKind::kHalfOpen>},
    {"wire-socklnd 10", "a stream stalls", struck<FaultKind::kStall>},
    {"wire-socklnd 2.1", "an unprivileged peer is refused",
     [](const Scenario&, const Report& r) { return marked(r, "tcp: refused_unprivileged"); }},
    // ---- cli-lst.md
    {"cli-lst 4", "a selftest session's console disappears",
     [](const Scenario&, const Report& r) { return counted(r.acts, "selftest abandoned"); }},
    // ---- the machine and the network
    {"DESIGN 6", "a hostile peer", struck<FaultKind::kNonsense>},
    {"DESIGN 6", "a hostile peer takes a NID over", struck<FaultKind::kTakeOver>},
    {"DESIGN 6", "a node crashes", struck<FaultKind::kCrash>},
    {"DESIGN 6", "a node is paused", struck<FaultKind::kPause>},
    {"DESIGN 6", "a node shuts down and starts again",
     [](const Scenario&, const Report& r) { return counted(r.acts, "fault shutdown"); }},
    {"DESIGN 6", "switches with limited bandwidth",
     [](const Scenario& s, const Report&) { return !s.switches.links.empty(); }},
    {"DESIGN 6", "a link between switches is cut",
     [](const Scenario&, const Report& r) { return counted(r.acts, "fault link-cut"); }},
    {"DESIGN 6", "a system without memory for payload that is held",
     [](const Scenario& s, const Report&) {
       return any_node(s, [](const NodeSetup& node) {
         return node.no_memory_ppm != 0 || node.hold_memory != MemoryBudget::kUnlimited;
       });
     }},
    {"DESIGN 6", "a process without descriptors for connections",
     [](const Scenario&, const Report& r) { return marked(r, "tcp: refused_no_descriptor"); }},
    {"DESIGN 6", "no space for a new peer", dropped<DropReason::kTooManyPeers>},
};

}  // namespace

std::span<const Feature> features() { return kFeatures; }

void FeatureCounts::add(const Scenario& drawn, const Report& report) {
  ++worlds_;
  for (std::size_t i = 0; i < counts_.size(); ++i)
    if (features()[i].occurs(drawn, report)) ++counts_[i];
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
