// What the node's log says of the door: every change with who asked for it, who was refused, and
// for the curious every request.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "node/control/message.h"

namespace ulnet::node::control {

/// Where lines go; `level` 0 (debug) to 3 (error). Any thread. Empty: nowhere.
using DoorLog = std::function<void(int level, const std::string& line)>;

/// A request that was answered. `change`: what it changes, in lnetctl's words ("net add"); empty
/// when it only looks.
void log_request(const DoorLog& log, const Request& request, const Reply& reply,
                 std::string_view change);
/// A request that its caller may not make; `what` is none of the caller's words, so that the log
/// can fold them.
void log_refusal(const DoorLog& log, const Request& request, std::string_view what);

}  // namespace ulnet::node::control
