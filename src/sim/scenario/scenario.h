// A scenario as a value: nodes, links, loads, faults and their times, and expectations. A scenario
// is written as YAML (reader.h) or drawn from a seed (draw.h); run.h runs it. Source: DESIGN.md 6.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "lnet/core/contract/fault.h"
#include "sim/load/faults.h"
#include "sim/load/loads.h"
#include "sim/load/old_node.h"
#include "sim/load/selftest_load.h"
#include "sim/network/streams.h"
#include "sim/network/wire_model.h"
#include "sim/scenario/admin.h"
#include "sim/scenario/switches.h"
#include "sim/world/node.h"
#include "text/quantity.h"

namespace ulnet::sim {

/// Each old node has a portal of its own, which no load uses.
inline constexpr std::size_t kMaxOldNodes = 4;

/// A node's index in Scenario::nodes.
using NodeNumber = std::uint32_t;

/// The model of all links from the addresses of one node to those of another.
struct LinkBetween {
  NodeNumber from = 0, to = 0;
  LinkModel model;
};

/// Each node of `from` begins `count` operations, up to `window` at a time. Its targets are the
/// nodes of `to` in turn, except itself and nodes that share no net with it and to which none of
/// its routes leads. kMix: random operations between all nodes (loads.h). kRandom: random calls,
/// one after the other (random_load.h). For kMix and kRandom `count` is the total, and 0 means
/// until faults end.
struct LoadSpec {
  enum class What : std::uint8_t { kPut, kGet, kPing, kMix, kRandom } what = What::kPut;
  std::vector<NodeNumber> from, to;
  std::uint64_t count = 1;
  /// Not 0: in place of `count`, any number of operations begin during this time from `start` on.
  /// After a failure a sender waits 100 ms. Not for kMix and kRandom.
  Duration lasts{};
  std::uint32_t min_bytes = 4096, max_bytes = 4096;
  std::uint32_t window = 8;
  Duration start{};  ///< since the world began
  /// A PUT or GET that has not ended after this time has failed, as with LNet selftest; 0: it ends
  /// when LNet reports its end. Not for kMix and kRandom.
  Duration patience{};
  /// Between two operations of a sender (kMix: of a slot; kRandom: between calls, at most).
  Duration every{};
  bool ack = true;        ///< PUTs only
  bool unpolled = false;  ///< kRandom: events go into event queues that are never polled

  /// Whether all nodes take part, at random.
  bool by_chance() const { return what == What::kMix || what == What::kRandom; }
};

/// A fault at a given time, which is undone after a while.
struct Act {
  enum class What : std::uint8_t {
    kFault,     ///< the fault in `fault`
    kShutdown,  ///< the node shuts down; undone by starting it again
    kRule,      ///< an administrator gives `node` a fault rule; undone by deleting it
    kAdmin,     ///< an administrator of `node` changes it; undone by the reverse change
    kLinkCut,   ///< nothing passes the link between two switches
    kLinkSlow,  ///< the link has only `bandwidth`
    kHeal,      ///< ends all faults
  } what = What::kFault;
  FaultKind fault = FaultKind::kCrash;
  Duration at{};                ///< since the world began
  Duration lasts{};             ///< 0: until all faults end
  NodeNumber node = 0;          ///< the node hit; for a link: the sender
  NodeNumber other = 0;         ///< for a link or stream: the receiver
  std::uint32_t ni = 0;         ///< for an interface: its index in the node
  bool silent = false;          ///< for a crash: the peers get no notification
  std::uint32_t ppm = 100'000;  ///< of a million messages, for loss, duplication, reordering
  core::FaultRule rule;         ///< kRule; the rule has all values that core::settled() requires
  AdminChange change;           ///< kAdmin
  SwitchLinkId switch_link;     ///< kLinkCut, kLinkSlow
  std::uint64_t bandwidth = 0;  ///< bytes a second
};
/// The faults of links between switches, by their words; Act::What::kLinkCut is the first.
inline constexpr std::array kLinkFaults = {"link-cut", "link-slow"};
/// Whether the fault is between two nodes, not at one node.
bool between_nodes(FaultKind fault);

/// A fault that strikes at random.
struct FaultRate {
  FaultKind kind = FaultKind::kLoss;
  FaultPace pace;
};

/// A number that must lie in a range when the world is quiet. `line` is its line in the file.
struct Expectation {
  enum class What : std::uint8_t {
    kDelivered,  ///< messages whose contents arrived and were right
    kFailed,     ///< operations that ended with an error
    kEvents,     ///< events handled, of type `index`; all with kAll
    kDrops,      ///< by core::DropReason `index`; all with kAll
    kLost,       ///< messages lost on the wire, by WireLoss `index`; all with kAll
    kCounter,    ///< counter of `node`, by position in Counters
    /// Faults that struck: `index` counts FaultKind, then kLinkFaults, then kAdminWords; all with
    /// kAll.
    kFaults,
    kTrips,      ///< Tally::round_trips() when the workload was done
    kDiscovery,  ///< Tally::most_discovery()
    /// `index` / kLinkValues selects one use of a link between switches, when the workload was
    /// done; the remainder is the LinkValue.
    kSwitchLink,
  } what = What::kDelivered;
  enum LinkValue : std::uint8_t { kBytes, kBusyPercent, kHighestQueue, kLostPieces, kLinkValues };
  static constexpr std::uint32_t kAll = ~0U;
  std::uint32_t index = kAll;
  NodeNumber node = 0;
  text::Range range;
  int line = 0;
  std::string name;  ///< as in the file: "drops: no matching buffer"
};

struct Scenario {
  std::string name;
  std::uint64_t seed = 1;
  LinkModel link;  ///< the model of every pair of nodes that `links` does not contain
  StreamModel streams;
  std::vector<LinkBetween> links;
  SwitchesSpec switches;
  std::vector<NodeSetup> nodes;
  /// Bytes a second that each interface sends, to all others together; 0: as much as its links
  /// carry. Routers need a rate: pipes take everything that they are given, and keep it.
  std::uint64_t interface_rate = 0;
  std::vector<LoadSpec> loads;
  std::vector<SelftestSetup> selftests;  ///< no node takes part in two of them
  std::vector<OldNodeSetup> old_nodes;   ///< at most kMaxOldNodes
  std::vector<Act> acts;
  std::vector<FaultRate> rates;
  Duration lasts = std::chrono::seconds(10);  ///< then faults end and loads begin no new operation
  /// Not 0: the report has what each load delivered in each interval of this length (run.h).
  Duration sample{};
  Duration quiet_within = std::chrono::minutes(10);  ///< after `lasts`, until the world is quiet
  std::uint64_t steps = 200'000'000;  ///< the run ends as kOutOfSteps after this number
  /// After everything has ended, nothing disturbs the world for a minute, and then nodes send to
  /// each other (aftermath.h).
  bool aftermath = false;
  bool shutdown = true;        ///< in the end all nodes shut down, and nothing may be left in them
  bool nothing_fails = false;  ///< no faults, and time-outs suffice: add nothing_fails_checker()
  std::vector<Expectation> expect;
};

}  // namespace ulnet::sim
