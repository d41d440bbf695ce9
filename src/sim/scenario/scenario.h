// A scenario as a value: which nodes there are, what lies between them, who sends what, what goes
// wrong and when, and what is expected of it. Written by people as YAML (reader.h), or drawn from a
// seed (draw.h); run by run.h. Source: DESIGN.md 6.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/faults.h"
#include "sim/loads.h"
#include "sim/node.h"
#include "sim/scenario/quantity.h"
#include "sim/streams.h"
#include "sim/wire_model.h"

namespace ulnet::sim {

/// How many nodes are in `nodes`, from 0.
using NodeNumber = std::uint32_t;

/// A link model for what goes from one node to another, over all of their addresses.
struct LinkBetween {
  NodeNumber from = 0, to = 0;
  LinkModel model;
};

/// Each of `from` begins `count` operations, one after the other with those of `to` that are not
/// itself and share a net with it, up to `window` of them at a time. kMix: everybody with
/// everybody, everything, by chance (loads.h); kRandom: one call after the other, without a plan
/// (random_load.h). Both: `count` in all, 0: until faults end.
struct LoadSpec {
  enum class What : std::uint8_t { kPut, kGet, kPing, kMix, kRandom } what = What::kPut;
  std::vector<NodeNumber> from, to;
  std::uint64_t count = 1;
  std::uint32_t min_bytes = 4096, max_bytes = 4096;
  std::uint32_t window = 8;
  Duration start{};  ///< since the world began
  Duration every{};  ///< between two operations of one sender (kMix: of a slot, at most; kRandom:
                     ///< between two calls, at most)
  bool ack = true;   ///< PUTs only

  /// Everybody takes part, by chance.
  bool by_chance() const { return what == What::kMix || what == What::kRandom; }
};

/// Something that goes wrong at a time that is said, and is mended after a while.
struct Act {
  enum class What : std::uint8_t {
    kFault,     ///< as `fault` says
    kShutdown,  ///< the node shuts down in order; mended by starting it again
    kHeal,      ///< everything that is broken is mended
  } what = What::kFault;
  FaultKind fault = FaultKind::kCrash;
  Duration at{};                ///< since the world began
  Duration lasts{};             ///< 0: until faults end
  NodeNumber node = 0;          ///< whom; of a link: where it begins
  NodeNumber other = 0;         ///< of a link or stream: where it ends
  std::uint32_t ni = 0;         ///< of an interface: which of the node's
  bool silent = false;          ///< of a crash: nobody is told
  std::uint32_t ppm = 100'000;  ///< loss, duplication, reordering
};
/// Has a place between two nodes, not at one.
bool between_nodes(FaultKind fault);

/// Something that goes wrong now and then, by chance.
struct FaultRate {
  FaultKind kind = FaultKind::kLoss;
  FaultPace pace;
};

/// A number that must lie in a range when the world is quiet. `line` is where the file says so.
struct Expectation {
  enum class What : std::uint8_t {
    kDelivered,  ///< messages whose data arrived and were verified
    kFailed,     ///< operations that ended with an error
    kEvents,     ///< handled, of type `index`; all with kAll
    kDrops,      ///< by core::DropReason `index`; all with kAll
    kLost,       ///< on the wire, by WireLoss `index`; all with kAll
    kCounter,    ///< of `node`, by position in Counters
    kFaults,     ///< that happened, of FaultKind `index`; all with kAll
  } what = What::kDelivered;
  static constexpr std::uint32_t kAll = ~0U;
  std::uint32_t index = kAll;
  NodeNumber node = 0;
  Range range;
  int line = 0;
  std::string name;  ///< as the file says it: "drops: no matching buffer"
};

struct Scenario {
  std::string name;
  std::uint64_t seed = 1;
  LinkModel link;  ///< of every pair that `links` does not name
  StreamModel streams;
  std::vector<LinkBetween> links;
  std::vector<NodeSetup> nodes;
  std::vector<LoadSpec> loads;
  std::vector<Act> acts;
  std::vector<FaultRate> rates;
  Duration lasts = std::chrono::seconds(10);  ///< then faults end and loads begin nothing new
  Duration quiet_within = std::chrono::minutes(10);  ///< ... and so much later nothing is under way
  std::uint64_t steps = 200'000'000;                 ///< more is a verdict
  bool shutdown = true;        ///< in the end all nodes shut down, and nothing may be left of them
  bool nothing_fails = false;  ///< nothing is broken and there is time: no message may fail
  std::vector<Expectation> expect;
};

}  // namespace ulnet::sim
