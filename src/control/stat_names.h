// The global counters by LNet's names, in the order of `stats show` (spec/cli-lnetctl.md 12.1): the
// one list from which the tree and the metrics are made.
#pragma once

#include <array>

#include "core/contract/stats.h"

namespace ulnet::node::control {

struct StatName {
  const char* name;
  std::uint64_t core::GlobalStats::*value;
  bool gauge = false;  ///< may go down
};

using G = core::GlobalStats;
inline constexpr std::array<StatName, 26> kGlobalStats = {{
    {"msgs_alloc", &G::msgs_alloc, true},
    {"msgs_max", &G::msgs_max, true},
    {"rst_alloc", &G::rst_alloc, true},
    {"errors", &G::errors},
    {"send_count", &G::send_count},
    {"resend_count", &G::resend_count},
    {"response_timeout_count", &G::response_timeout_count},
    {"local_interrupt_count", &G::local_interrupt_count},
    {"local_dropped_count", &G::local_dropped_count},
    {"local_aborted_count", &G::local_aborted_count},
    {"local_no_route_count", &G::local_no_route_count},
    {"local_timeout_count", &G::local_timeout_count},
    {"local_error_count", &G::local_error_count},
    {"remote_dropped_count", &G::remote_dropped_count},
    {"remote_error_count", &G::remote_error_count},
    {"remote_timeout_count", &G::remote_timeout_count},
    {"network_timeout_count", &G::network_timeout_count},
    {"failed_resends", &G::failed_resends},
    {"successful_resends", &G::successful_resends},
    {"recv_count", &G::recv_count},
    {"route_count", &G::route_count},
    {"drop_count", &G::drop_count},
    {"send_length", &G::send_length},
    {"recv_length", &G::recv_length},
    {"route_length", &G::route_length},
    {"drop_length", &G::drop_length},
}};

}  // namespace ulnet::node::control
