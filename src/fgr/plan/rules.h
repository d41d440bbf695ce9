// The rules of `ulnet-fgr check`: the possible mistakes of a site, and of the files of its hosts.
// Source: docs/FGR.md, "Rules"; design document 004, sections II and III.A.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace ulnet::plan {

enum class Severity : std::uint8_t {
  kNote,     ///< other than planned, but harmless
  kWarning,  ///< works, but not as well as it should
  kError,
};
/// Returns "note", "warning", "error".
std::string_view to_string(Severity severity);

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

}  // namespace ulnet::plan
