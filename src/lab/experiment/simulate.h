// An experiment in the simulator.
#pragma once

#include <cstdint>
#include <string>

#include "lab/experiment/experiment.h"
#include "lab/experiment/measured.h"
#include "ulnet/result.hpp"

namespace ulnet::tools::lab {

/// Returns the experiment as a scenario of ulnet-sim. A write becomes a PUT that is acknowledged, a
/// read a GET. An operation that has not ended after the first client's rpc_timeout has failed, as
/// an RPC of selftest does. A node that is killed crashes, and its peers are notified: a kernel
/// also notifies peers when it closes the sockets of a process. The rail of a node with a rate
/// becomes a link between two switches (scenario_text.h).
std::string scenario_of(const Experiment& experiment, std::uint64_t seed);

/// Runs the experiment. The same experiment and seed give the same result. -EPROTO with the reason:
/// a checker or the run itself failed, which is a mistake in ulnet.
Result<Measured> simulate(const Experiment& experiment, std::uint64_t seed);

}  // namespace ulnet::tools::lab
