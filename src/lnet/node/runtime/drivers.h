// The drivers that a node has. To add a driver, add its row in drivers.cc. Nothing else in the node
// names a driver.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lnet/base/memory_budget.h"
#include "lnet/config/params.h"
#include "lnet/lnd/lnd.h"
#include "lnet/lnd/placing.h"
#include "lnet/lnd/report.h"

namespace ulnet::node {

/// Makes the driver of a trial node's tcp nets (Node::start_trial()). `inlet` outlives the driver.
using MakeTrialDriver = std::function<std::unique_ptr<lnd::Lnd>(lnd::Inlet& inlet)>;

/// What the constructor of a driver gets. `inlet`, `memory`, `reports` and what `placing` refers to
/// must outlive it.
struct DriverParts {
  lnd::Inlet& inlet;
  MemoryBudget& memory;
  const conf::ParamValues& params;
  bool polled = false;  ///< inline mode: the driver has no threads
  std::uint64_t last_incarnation = 0;
  lnd::Placing placing;
  lnd::ReportSink* reports = nullptr;
};

struct DriverRow {
  NetType nets = NetType::kAny;  ///< the type of its nets
  std::function<std::unique_ptr<lnd::Lnd>(const DriverParts& parts)> make;
  /// Checks a value as Lnd::set_tunable() does, when no driver runs. Null: the driver has no
  /// tunables.
  Result<void> (*check_tunable)(std::string_view name, std::string_view value) = nullptr;
  /// The log's line when the first NI of the driver has started. Null: no line.
  std::string (*greeting)(const conf::ParamValues& params) = nullptr;
  /// Checks the address of an NI's NID. -EADDRNOTAVAIL: it is no longer this machine's. Null: NIDs
  /// of the driver have no address.
  Result<void> (*check_address)(const Nid& nid) = nullptr;
  /// Whether the driver could listen on a port at the address of a NID now: 0 or a positive errno.
  /// Null: the driver listens on no ports.
  int (*port_error)(const Nid& nid, std::uint16_t port) = nullptr;
};

/// The drivers that every node has.
std::span<const DriverRow> all_drivers();
/// The same for a trial node (Node::start_trial()), whose tcp nets have the driver that `tcp`
/// makes; empty: one that listens on no port and connects to nobody.
std::vector<DriverRow> trial_drivers(MakeTrialDriver tcp);
/// Returns the driver for nets of this type; null: no driver has such nets.
const DriverRow* find_driver(NetType nets);
inline bool has_driver(NetType nets) { return find_driver(nets) != nullptr; }
/// Refuses a value that a driver would refuse; accepts a parameter that is no driver's tunable.
Result<void> check_tunable(std::string_view name, std::string_view value);

}  // namespace ulnet::node
