// A record of a trace as a line of text.
#pragma once

#include <functional>
#include <string>

#include "sim/kernel/trace.h"

namespace ulnet::sim {

/// One line without a newline: "[    12.000345000] n3 input SendDone ...". The time counts from
/// the start of the world. `name` returns the name of a node.
std::string to_string(const TraceRecord& record,
                      const std::function<std::string(std::uint32_t)>& name);

}  // namespace ulnet::sim
