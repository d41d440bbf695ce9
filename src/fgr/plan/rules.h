// The rules of `ulnet-fgr check`: the possible mistakes of a site, and of the files of its hosts.
// Source: docs/FGR.md, "Rules"; design document 004, sections II and III.A.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "lnet/config/problem.h"

namespace ulnet::plan {

using conf::Severity;

/// The number in a rule's id is its place here and does not change: a new rule comes at the end.
enum class Rule : std::uint8_t {
  kDuplicateAddress,
  kDuplicateName,
  kMissingAddress,
  kOtherSwitch,
  kWrongParity,
  kNoRouters,
  kTooFewRouters,
  kSpareRouter,
  kNoMetadata,
  kBandwidth,
  kNetsOverlap,
  kPatternMatchesOthers,
  kNetNumber,
  kTooManyRoutes,
  kTooManyNets,
  kLongParameter,
  kMissingNet,
  kUnplannedNet,
  kMissingRoute,
  kUnplannedRoute,
  kOneSidedRoute,
  kSecondaryFirst,
  kOtherHops,
  kUnknownNid,
  kNotRouting,
  kUnknownHost,
  kUnknownSwitch,
  kMissingSwitch,
  kOtherCable,
  kNotInFabric,
  kDefaultName,
  kCutFabric,
  kOtherFabric,
};

struct RuleInfo {
  Rule rule;
  std::string_view id;    ///< "FGR001"
  std::string_view name;  ///< "duplicate-address"
  Severity severity;
  std::string_view about;  ///< a sentence
  std::string_view cure;   ///< what to do, for findings without a cure of their own
};
/// Returns all rules, in the order of their ids.
std::span<const RuleInfo> all_rules();
const RuleInfo& info_of(Rule rule);
/// Whether a finding of this rule reports that something was not checked.
bool leaves_unchecked(Rule rule);

/// A problem that a rule finds in a site or in a file of its hosts. Its `reason` is a sentence
/// without its end, its `hint` an imperative sentence. Without a `file` it is about the site.
struct Finding : conf::Problem {
  Rule rule{};
  std::string where;    ///< place in the site: "home, group 004"; empty for a file
  std::string subject;  ///< the host, client system, file system or net concerned; may be empty

  bool operator==(const Finding&) const = default;
};
/// Makes a finding with the severity of its rule, and the rule's cure if `cure` is empty.
Finding make_finding(Rule rule, std::string where, std::string subject, std::string what,
                     std::string cure = {});
/// Returns `where` and the reason: "home, group 004: no router leads to it".
std::string sentence_of(const Finding& finding);

}  // namespace ulnet::plan
