// A site in the simulator: how long each OSS takes to move a fixed amount of data that all clients
// write or read. Source: design document 004, sections I.B, I.C, III.A; docs/FGR.md, "simulate".
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fgr/plan/plan.h"
#include "fgr/simulate/file_placement.h"
#include "fgr/simulate/losses.h"
#include "lnet/base/time.h"
#include "ulnet/result.hpp"

namespace ulnet::tools::fgr {

struct TrialSetup {
  bool write = true;
  /// each OSS moves the data that its kind moves at peak in this time
  double seconds = 60;
  std::uint64_t bytes_per_oss = 0;  ///< if not 0: each OSS moves this many bytes instead
  Lost lost;
  Duration lose_at{};  ///< 0: from the start
  std::uint64_t seed = 1;
  ClientFiles files;
  bool all_routes = false;        ///< RoutesOfHosts::all
  std::size_t client_routes = 0;  ///< RoutesOfHosts::of_client; 0: as many as fit into memory
  std::uint32_t window = 16;      ///< messages under way, per OSS
  /// The approximate limit for all OSSs together. A simulated message may then stand for more than
  /// 1 MiB.
  std::uint64_t messages = 1'000'000;
};

/// The path that the payload of a message took.
enum class PayloadWay : std::uint8_t {
  kOwn,        ///< through a router of the OSS's group at the OSS's switch
  kSecondary,  ///< through a router of another group there
  kCrossing,   ///< through a router at another switch, so over a link between switches
};

/// The times that messages took, in seconds.
struct Latencies {
  std::uint64_t messages = 0;
  double mean = 0;
  /// The shortest time, then the longest times of the fastest 1 %, 2 %, … 100 %.
  std::array<double, 101> percentiles{};
};

struct OssOutcome {
  HostPlace place;
  bool lost = false;              ///< the OSS was lost before it had moved everything
  double amount = 0;              ///< bytes that it was to move
  double bytes = 0;               ///< that it has moved
  std::optional<double> seconds;  ///< until it had moved everything; nothing: it did not
  double gb_per_s = 0;            ///< 10^9 bytes a second, while it moved data
  double p50 = 0, p99 = 0;        ///< seconds that a message took
  std::uint64_t failed = 0;       ///< operations that were begun again
};

/// One direction of a link between switches.
struct IslWay {
  double bytes = 0;  ///< bytes that it carried, with headers
  double busy = 0;   ///< share of the time
};

/// The link between a switch and its file system's core switch.
struct IslOutcome {
  std::string at_switch;
  double gb_per_s = 0;  ///< its capacity in each direction
  IslWay to_core, from_core;
};

struct Outcome {
  bool flat = false;             ///< all servers of a file system were one group
  std::vector<OssOutcome> osss;  ///< by file system, in the order of its servers
  std::vector<IslOutcome> isls;
  double seconds = 0;               ///< until the last OSS had finished, or nothing moved any more
  double crossing = 0;              ///< share of the payload that went over links between switches
  Latencies latencies;              ///< of all messages that were moved
  std::array<Latencies, 3> by_way;  ///< by PayloadWay
  /// share of the time, as the mean of those that moved something
  double routers_busy = 0;
  double busiest_router = 0;
  double bytes_per_oss = 0;  ///< the amount of an OSS of the fastest kind
  double message_bytes = 0;  ///< bytes that one simulated message stands for
  std::size_t clients = 0;   ///< clients that had a file
  /// The most routes to a net of a client; 0: all usable routes of the plan.
  std::size_t client_routes = 0;
  std::uint64_t steps = 0;  ///< of the simulator

  const Latencies& of(PayloadWay way) const { return by_way[static_cast<std::size_t>(way)]; }
};

/// Returns the plan of the site with one group for all servers of each file system.
plan::Plan flat_plan(const plan::Plan& plan);

/// Returns the bandwidth, in each direction, of the link between a switch of the file system and
/// its core switch: FileSystem::isl_gb_per_s. Without it, half of the peak bandwidth of the OSSs at
/// the switch with the most of them.
double isl_gb_per_s(const plan::FileSystem& system);

/// Returns the number of messages with which all of the plans can be simulated in 4 GiB of memory
/// each, at most TrialSetup::messages; a small number if even that would not fit.
std::uint64_t messages_that_fit(std::span<const plan::Plan> plans, TrialSetup setup);

/// Simulates the site. Calls `go_on` with the share that is done, 0 to 1; `go_on` returns whether
/// to continue. -EINVAL: there is no OSS, or an OSS without a client's file. -E2BIG: the simulation
/// would take more than 4 GiB of memory. -EINTR: `go_on` returned false. -EPROTO: the simulator
/// found a mistake in ulnet; the reason describes it.
Result<Outcome> run_trial(const plan::Plan& plan, const TrialSetup& setup,
                          const std::function<bool(double)>& go_on);

}  // namespace ulnet::tools::fgr
