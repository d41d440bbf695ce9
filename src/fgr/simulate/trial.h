// A site in the simulator: how long each OSS takes to move a fixed amount of what all clients write
// or read. Source: design document 004, sections I.B, I.C, III.A; docs/FGR.md, "simulate".
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
  double seconds = 60;              ///< each OSS moves what its kind moves at peak in so long ...
  std::uint64_t bytes_per_oss = 0;  ///< ... or, not 0: so much
  Lost lost;
  Duration lose_at{};  ///< 0: from the start
  std::uint64_t seed = 1;
  ClientFiles files;
  bool all_routes = false;        ///< RoutesOfHosts::all
  std::size_t client_routes = 0;  ///< RoutesOfHosts::of_client; 0: as the memory has room for
  std::uint32_t window = 16;      ///< messages under way, of each OSS
  /// Of all OSSs together, at most about so many; then each stands for more than 1 MiB.
  std::uint64_t messages = 1'000'000;
};

/// Which way the payload of a message went.
enum class PayloadWay : std::uint8_t {
  kOwn,        ///< by a router of the OSS's group at the OSS's switch
  kSecondary,  ///< by one of another group there
  kCrossing,   ///< by one at another switch, so over a link between switches
};

/// How long messages took: seconds.
struct Latencies {
  std::uint64_t messages = 0;
  double mean = 0;
  /// The shortest, then what 1 %, 2 %, … 100 % took at most.
  std::array<double, 101> percentiles{};
};

struct OssOutcome {
  HostPlace place;
  bool lost = false;              ///< before it had moved all
  double amount = 0;              ///< bytes that it was to move
  double bytes = 0;               ///< that it has moved
  std::optional<double> seconds;  ///< until it had moved all; none: it did not
  double gb_per_s = 0;            ///< 10^9 bytes a second, while it moved them
  double p50 = 0, p99 = 0;        ///< seconds that a message took
  std::uint64_t failed = 0;       ///< operations that were begun again
};

/// One direction of a link between switches.
struct IslWay {
  double bytes = 0;  ///< that it carried, headers among them
  double busy = 0;   ///< share of the time
};

/// The link between a switch and its file system's core switch.
struct IslOutcome {
  std::string at_switch;
  double gb_per_s = 0;  ///< what it can carry, each way
  IslWay to_core, from_core;
};

struct Outcome {
  bool flat = false;             ///< all servers of a file system were one group
  std::vector<OssOutcome> osss;  ///< by file system, in the order of its servers
  std::vector<IslOutcome> isls;
  double seconds = 0;               ///< until the last OSS was done, or nothing moved any more
  double crossing = 0;              ///< share of the payload that went over links between switches
  Latencies latencies;              ///< of all messages that were moved
  std::array<Latencies, 3> by_way;  ///< by PayloadWay
  double routers_busy = 0;          ///< share of the time, the mean of those that moved something
  double busiest_router = 0;
  double bytes_per_oss = 0;  ///< that the fastest kind was to move
  double message_bytes = 0;  ///< for which one simulated message stands
  std::size_t clients = 0;   ///< that had a file
  /// Routes to a net that a client had at most; 0: all of the plan that it could take.
  std::size_t client_routes = 0;
  std::uint64_t steps = 0;  ///< of the simulator

  const Latencies& of(PayloadWay way) const { return by_way[static_cast<std::size_t>(way)]; }
};

/// The same site with one group for all servers of each file system.
plan::Plan flat_plan(const plan::Plan& plan);

/// Bytes a second, each way, of the link between a switch of the file system and its core switch:
/// FileSystem::isl_gb_per_s, and without it half of what the OSSs at the switch with the most of
/// them move at peak.
double isl_gb_per_s(const plan::FileSystem& system);

/// How many messages all of the plans can be simulated with, at most TrialSetup::messages, in 4 GiB
/// of memory each; few, where even those would not fit.
std::uint64_t messages_that_fit(std::span<const plan::Plan> plans, TrialSetup setup);

/// `go_on` is told of the share that is done, 0 to 1, and answers whether to go on. -EINVAL: there
/// is no OSS, or one without a client's file. -E2BIG: it would take more than 4 GiB of memory.
/// -EINTR: it was not to go on. -EPROTO: the simulator found a mistake in ulnet; it says which.
Result<Outcome> run_trial(const plan::Plan& plan, const TrialSetup& setup,
                          const std::function<bool(double)>& go_on);

}  // namespace ulnet::tools::fgr
