#include "fgr/plan/rules.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <utility>

namespace ulnet::plan {
namespace {

using enum Severity;

constexpr auto kRules = std::to_array<RuleInfo>({
    {Rule::kDuplicateAddress, "FGR001", "duplicate-address", kError,
     "Two hosts have the same address or NID.", "Give each host an address of its own."},
    {Rule::kDuplicateName, "FGR002", "duplicate-name", kError, "Two hosts have the same name.",
     "Give each host a name of its own."},
    {Rule::kMissingAddress, "FGR003", "missing-address", kError,
     "A host has no address on a net that it needs.",
     "Give the host its address in the site file."},
    {Rule::kOtherSwitch, "FGR004", "group-of-another-switch", kError,
     "A router or a server is in a group whose servers are plugged into another switch.",
     "Put it into a group of its switch, or move its cable."},
    {Rule::kWrongParity, "FGR005", "wrong-parity", kError,
     "A router or a server of the left side is in an odd group, or one of the right in an even "
     "one.",
     "Put it into a group of its side, or move its cable."},
    {Rule::kNoRouters, "FGR006", "group-without-routers", kError, "No router leads to a group.",
     "Give the group routers that are plugged into its switch."},
    {Rule::kTooFewRouters, "FGR007", "too-few-routers", kError,
     "The routers of a client system at a switch are too few for the groups there.",
     "Plug more routers into the switch, or ask for less ('share of clients', 'routers per "
     "group')."},
    {Rule::kSpareRouter, "FGR008", "router-without-group", kError,
     "A router is for the OSSs of a file system, and none of its groups is at the router's switch.",
     "Plug the router into a switch that has groups, or let it lead to the file system there."},
    {Rule::kNoMetadata, "FGR009", "no-metadata", kError,
     "A file system has neither an MGS nor an MDS.",
     "List the MGS and the MDS of the file system."},
    {Rule::kBandwidth, "FGR010", "bandwidth-deficit", kWarning,
     "The routers of a group carry less than its OSSs move at peak.",
     "Give the group more routers, or fewer OSSs ('OSSs per group')."},
    {Rule::kNetsOverlap, "FGR011", "nets-overlap", kError,
     "Two file systems, or a file system and clients, have the same net, or a net among servers is "
     "a group's too.",
     "Give one of them another base ('net'), whose groups' numbers are free, or another 'net among "
     "servers'."},
    {Rule::kPatternMatchesOthers, "FGR012", "pattern-matches-others", kError,
     "A pattern of addresses also matches hosts that it is not for.",
     "Write the pattern so that it matches only the hosts of the net."},
    {Rule::kNetNumber, "FGR013", "net-number", kError,
     "A group's net would have a number above 65535.",
     "Choose a smaller base ('net') for the file system."},
    {Rule::kTooManyRoutes, "FGR014", "too-many-routes", kError,
     "A host would have more routes than it can.",
     "Do without secondary routes ('secondary routes: no'), or make larger groups."},
    {Rule::kTooManyNets, "FGR015", "too-many-nets", kError,
     "A host would be on more nets than a node can.",
     "Do without secondary routes ('secondary routes: no'), or make larger groups."},
    {Rule::kLongParameter, "FGR016", "long-parameter", kWarning,
     "The text of a module parameter is longer than such a text may be.",
     "Configure these hosts with lnetctl import and the files in lnetctl/ instead."},
    {Rule::kMissingNet, "FGR017", "missing-net", kError,
     "A host is not on a net of its groups, or a server is not on that among the servers.",
     "Let the rule for the net match the host's address there."},
    {Rule::kUnplannedNet, "FGR018", "unplanned-net", kError,
     "A host is on a net that is not planned for it.",
     "Take the host's address out of the rule for this net."},
    {Rule::kMissingRoute, "FGR019", "missing-route", kError, "A route of the plan is missing.",
     "Add the route, as ulnet-fgr plan writes it."},
    {Rule::kUnplannedRoute, "FGR020", "unplanned-route", kError,
     "There is a route that the plan does not have.", "Remove the route."},
    {Rule::kOneSidedRoute, "FGR021", "one-sided-route", kError,
     "Clients have a route of which the servers lack the way back, or the reverse.",
     "Add the missing route, as ulnet-fgr plan writes it."},
    {Rule::kSecondaryFirst, "FGR022", "secondary-first", kError,
     "Hop counts or priorities prefer other routers than the primary ones.",
     "Give primary routes hop count 1 and secondary ones 2, all with the same priority."},
    {Rule::kOtherHops, "FGR023", "other-hops", kNote,
     "A route has another hop count or priority than planned, and is preferred as planned.",
     "Give the route the hop count of the plan, so that all files agree."},
    {Rule::kUnknownNid, "FGR024", "unknown-nid", kError, "A NID belongs to no host of the site.",
     "Correct the NID, or add its host to the site file."},
    {Rule::kNotRouting, "FGR025", "not-routing", kError, "Routing is off on a router.",
     "Turn it on: lnetctl set routing 1."},
    {Rule::kUnknownHost, "FGR026", "unknown-host", kWarning,
     "A file belongs to no host of the site, and was not compared.",
     "Name the file by its host, say --host HOST=FILE, or add the host to the site file."},
    {Rule::kUnknownSwitch, "FGR027", "unknown-switch", kError,
     "One host alone names a switch, or routers name one into which no server of their file system "
     "is plugged.",
     "Correct the switch's name in the site file, or declare the switch in 'switches'."},
    {Rule::kMissingSwitch, "FGR028", "missing-switch", kError,
     "Neither the site nor the fabric says into which switch a host is plugged.",
     "Say 'switch' of the host, or give the output of ibnetdiscover (--ibnetdiscover FILE)."},
    {Rule::kOtherCable, "FGR029", "other-cable", kError,
     "In the fabric a host is plugged into another switch than in the site.",
     "Move the cable, or correct 'switch' in the site file."},
    {Rule::kNotInFabric, "FGR030", "not-in-fabric", kWarning,
     "A host of the site, or one of its cables, is not in the fabric.",
     "See whether the host is up and its cable plugged in, and whether its adapter's description "
     "is the host's name; or say the adapter's 'guid' in the site file."},
    {Rule::kDefaultName, "FGR031", "default-name", kWarning,
     "Adapters have the vendor's default description, so that their hosts are not known.",
     "Let each host write its name into its adapter's node_desc (rdma-ndd does), or say the "
     "adapter's 'guid' in the site file."},
    {Rule::kCutFabric, "FGR032", "cut-fabric", kWarning,
     "The text of the fabric is not whole, so that cables may be missing in it.",
     "Run ibnetdiscover again, and look at its exit code and whether the disk is full."},
    {Rule::kOtherFabric, "FGR033", "other-fabric", kWarning,
     "No host of the site is in the fabric: it is that of another site, or has other names.",
     "Give the output of ibnetdiscover from a host of this site."},
});

}  // namespace

std::span<const RuleInfo> all_rules() { return kRules; }

const RuleInfo& info_of(Rule rule) { return kRules[static_cast<std::size_t>(rule)]; }

bool leaves_unchecked(Rule rule) {
  constexpr Rule kUnchecked[] = {Rule::kUnknownHost, Rule::kNotInFabric, Rule::kDefaultName,
                                 Rule::kCutFabric, Rule::kOtherFabric};
  return std::ranges::find(kUnchecked, rule) != std::end(kUnchecked);
}

Finding make_finding(Rule rule, std::string where, std::string subject, std::string what,
                     std::string cure) {
  const RuleInfo& info = info_of(rule);
  if (cure.empty()) cure = info.cure;
  return {{.reason = std::move(what), .hint = std::move(cure), .severity = info.severity},
          rule,
          std::move(where),
          std::move(subject)};
}

std::string sentence_of(const Finding& finding) {
  return finding.where.empty() ? finding.reason : finding.where + ": " + finding.reason;
}

}  // namespace ulnet::plan
