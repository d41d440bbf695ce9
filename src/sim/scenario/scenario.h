// A scenario as a value: nodes, links, loads, faults and when they strike, and expectations.
// People write one as YAML (reader.h), or it is drawn from a seed (draw.h); run.h runs it.
// Source: DESIGN.md 6.
#pragma once

#include <array>
#include <cstdint>
#include <map>
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

/// Each has a portal of its own, which no load has.
inline constexpr std::size_t kMostOldNodes = 4;

/// A node's index in Scenario::nodes.
using NodeNumber = std::uint32_t;

/// The model of all links from the addresses of one node to those of another.
struct LinkBetween {
  NodeNumber from = 0, to = 0;
  LinkModel model;
};

/// Each node of `from` begins `count` operations, up to `window` at a time. It takes the nodes of
/// `to` in turn, except itself and nodes that are on none of its nets, and that no route of it
/// leads to. kMix: random operations between
/// all nodes (loads.h); kRandom: random calls, one after the other (random_load.h); for both
/// `count` is the total, and 0 means until faults end.
struct LoadSpec {
  enum class What : std::uint8_t { kPut, kGet, kPing, kMix, kRandom } what = What::kPut;
  std::vector<NodeNumber> from, to;
  std::uint64_t count = 1;
  /// Not 0: operations begin for so long from `start` on, however many that are, in place of
  /// `count`. After one that failed a sender waits 100 ms. Not of kMix and kRandom.
  Duration lasts{};
  std::uint32_t min_bytes = 4096, max_bytes = 4096;
  std::uint32_t window = 8;
  Duration start{};  ///< since the world began
  /// A PUT or GET that has not ended after so long has failed, as with LNet selftest; 0: it ends
  /// when LNet says so. Not of kMix and kRandom.
  Duration patience{};
  /// Between two operations of a sender (kMix: of a slot; kRandom: between calls, at most).
  Duration every{};
  bool ack = true;        ///< PUTs only
  bool unpolled = false;  ///< kRandom: events go into event queues that nobody polls

  /// All nodes take part, at random.
  bool by_chance() const { return what == What::kMix || what == What::kRandom; }
};

/// A fault at a given time, which is mended after a while.
struct Act {
  enum class What : std::uint8_t {
    kFault,     ///< as `fault` says
    kShutdown,  ///< the node shuts down; mended by starting it again
    kRule,      ///< an administrator gives `node` a fault rule; mended by deleting it
    kAdmin,     ///< an administrator of `node` changes it; mended by taking that back
    kLinkCut,   ///< nothing passes the link between two switches
    kLinkSlow,  ///< it has `bandwidth` only
    kHeal,      ///< everything that is broken is mended
  } what = What::kFault;
  FaultKind fault = FaultKind::kCrash;
  Duration at{};                ///< since the world began
  Duration lasts{};             ///< 0: until all faults end
  NodeNumber node = 0;          ///< the node hit; of a link: the sender
  NodeNumber other = 0;         ///< of a link or stream: the receiver
  std::uint32_t ni = 0;         ///< of an interface: its index in the node
  bool silent = false;          ///< of a crash: the peers are not told
  std::uint32_t ppm = 100'000;  ///< of a million messages, for loss, duplication, reordering
  core::FaultRule rule;         ///< kRule; it has all that core::settled() asks for
  AdminChange change;           ///< kAdmin
  SwitchLinkId switch_link;     ///< kLinkCut, kLinkSlow
  std::uint64_t bandwidth = 0;  ///< bytes a second
};
/// The faults of links between switches, by their words; Act::What::kLinkCut is the first.
inline constexpr std::array kLinkFaults = {"link-cut", "link-slow"};
/// The fault is one between two nodes, and not at one.
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
    kEvents,     ///< handled, of type `index`; all with kAll
    kDrops,      ///< by core::DropReason `index`; all with kAll
    kLost,       ///< on the wire, by WireLoss `index`; all with kAll
    kCounter,    ///< of `node`, by position in Counters
    kFaults,  ///< faults that struck, of FaultKind `index`, then of kLinkFaults and kAdminWords; all with kAll
    kTrips,      ///< Tally::round_trips() when the workload was done
    kDiscovery,  ///< Tally::most_discovery()
    /// Of the use `index` / kLinkValues of links between switches, when the workload was done, the
    /// LinkValue that remains.
    kSwitchLink,
  } what = What::kDelivered;
  enum LinkValue : std::uint8_t { kBytes, kBusyPercent, kHighestQueue, kLostPieces, kLinkValues };
  static constexpr std::uint32_t kAll = ~0U;
  std::uint32_t index = kAll;
  NodeNumber node = 0;
  Range range;
  int line = 0;
  std::string name;  ///< as in the file: "drops: no matching buffer"
};

struct Scenario {
  std::string name;
  std::uint64_t seed = 1;
  LinkModel link;  ///< of every pair of nodes that `links` does not contain
  StreamModel streams;
  std::vector<LinkBetween> links;
  SwitchesSpec switches;
  std::vector<NodeSetup> nodes;
  /// Bytes a second that each interface sends, to all others together; 0: as much as its links
  /// carry. Routers need one: pipes take whatever they are given, and keep it.
  std::uint64_t interface_rate = 0;
  std::vector<LoadSpec> loads;
  std::vector<SelftestSetup> selftests;  ///< no node takes part in two of them
  std::vector<OldNodeSetup> old_nodes;   ///< at most kMostOldNodes
  std::vector<Act> acts;
  std::vector<FaultRate> rates;
  Duration lasts = std::chrono::seconds(10);  ///< then faults end and loads begin no new operation
  /// Not 0: the report has what each load delivered in each interval of so long (run.h).
  Duration sample{};
  Duration quiet_within = std::chrono::minutes(10);  ///< ... and after this the world must be quiet
  std::uint64_t steps = 200'000'000;                 ///< the run ends as kOutOfSteps after so many
  /// When all has ended, the world is left alone for a minute, and then nodes send to each other
  /// (aftermath.h).
  bool aftermath = false;
  bool shutdown = true;        ///< in the end all nodes shut down, and nothing may be left in them
  bool nothing_fails = false;  ///< no faults, and time-outs suffice: add the checker NothingFails
  std::vector<Expectation> expect;
};

}  // namespace ulnet::sim
