// An experiment as a value: a topology, loads, faults with their times, and expectations. People
// write one as YAML (reader.h). The same experiment runs live and in the simulator. docs/LAB.md
// describes it.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/live/wires.h"
#include "lab/topology/topology.h"
#include "text/quantity.h"

namespace ulnet::tools::lab {

/// Index in Experiment::loads.
using LoadNumber = std::size_t;

/// Each node of `from` has `concurrency` operations under way with each node of `to`, as long as
/// the load lasts.
struct ExperimentLoad {
  enum class What : std::uint8_t { kWrite, kRead, kPing } what = What::kWrite;
  std::string name;
  std::vector<NodeNumber> from, to;
  std::uint32_t size = 1U << 20;  ///< bytes of an operation; 0 for pings
  std::uint32_t concurrency = 4;
  Duration start{}, end{};  ///< since the experiment began
  conf::Place place;

  bool meets(const ExperimentLoad& other) const { return start < other.end && other.start < end; }
};
/// The words for each What, in its order.
inline constexpr auto kLoadWords = std::to_array<std::string_view>({"write", "read", "ping"});
inline std::string to_string(ExperimentLoad::What what) {
  return std::string(kLoadWords[static_cast<std::size_t>(what)]);
}

/// A fault that begins at a time, and may be repaired later.
struct ExperimentFault {
  enum class What : std::uint8_t { kKill, kPause, kLinkDown, kLinkRate } what = What::kKill;
  /// the name that people use: "router3", "client1:0", "left-right"
  std::string target;
  NodeNumber node = 0;                ///< for kKill, kPause
  WireEnd wire;                       ///< for kLinkDown, kLinkRate
  std::uint64_t bits_per_second = 0;  ///< for kLinkRate
  Duration at{}, end{};               ///< since the experiment began
  bool mended = true;                 ///< false: it lasts until the experiment's end
  conf::Place place;

  bool at_link() const { return what == What::kLinkDown || what == What::kLinkRate; }
};
inline constexpr auto kFaultWords =
    std::to_array<std::string_view>({"kill", "pause", "link-down", "link-rate"});
inline std::string to_string(ExperimentFault::What what) {
  return std::string(kFaultWords[static_cast<std::size_t>(what)]);
}
/// Returns "kill router3", "link-rate left-right 10mbit"
std::string description(const ExperimentFault& fault);

/// A range of shares, which includes both bounds. 1 is the rate before the first fault.
struct ShareRange {
  double least = 0, most = std::numeric_limits<double>::infinity();
  bool holds(double share) const { return least <= share && share <= most; }
};

struct Expected {
  enum class What : std::uint8_t {
    kLost,  ///< operations that did not end well
    /// the median rate while a fault lasts, as a share of the median before the first fault
    kRate,
    kRecovered,  ///< time from a fault's beginning until the rate is back for good
  } what = What::kLost;
  std::optional<LoadNumber> load;  ///< nothing: kLost counts all loads together
  text::Range lost;
  ShareRange share;
  Duration within{};
  std::string text;  ///< as in the file: "rate: odd: 0.4..0.6"
  conf::Place place;
};

/// A rate has recovered when it is at least this share of the rate before.
inline constexpr double kBackAt = 0.8;

struct Experiment {
  std::string name, about;
  Topology topology;  ///< without addresses, unless the file gives them
  std::string topology_text, topology_file;
  /// No wire is faster than this, in bits a second. It is part of `topology`, but not of the
  /// topology's text.
  std::optional<std::uint64_t> wires_at_most;
  std::vector<ExperimentLoad> loads;
  std::vector<ExperimentFault> faults;  ///< in the order of their times
  Duration lasts = std::chrono::seconds(20);
  Duration sample = std::chrono::milliseconds(500);
  std::vector<Expected> expected;
  /// True if the file requests that rates are judged on loopback too, where no wire limits them.
  bool rates_on_loopback = false;
  NodeNumber console = 0;  ///< runs the console of live loads; no fault hits it
};

}  // namespace ulnet::tools::lab
