// What the node's log says about the door: every change and who asked for it, every refusal, and
// at debug level every other request.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "admin/server/message.h"

namespace ulnet::node::control {

/// Where lines go; `level` 0 (debug) to 3 (error). Any thread. Empty: nowhere.
using DoorLog = std::function<void(int level, const std::string& line)>;

/// Logs a request that was answered. `change`: the line about what it has changed (change_line());
/// empty for a request that only reads.
void log_request(const DoorLog& log, const Request& request, const Reply& reply,
                 const std::string& change);
/// The line about a request that changes something: what (`change`, in lnetctl's words, as "net
/// add"), how it ended, and who asked.
std::string change_line(const Request& request, const Reply& reply, std::string_view change);
/// Logs a request that its caller may not make. `what` holds none of the caller's words, so that
/// the log can fold repeated lines.
void log_refusal(const DoorLog& log, const Request& request, std::string_view what);
/// Logs that something has failed for want of memory, or of a thread. If even that fails, nobody
/// hears of it.
void log_no_memory(const DoorLog& log, std::string_view what) noexcept;
/// Logs that long answers are refused for want of memory.
void log_shortage(const DoorLog& log);

}  // namespace ulnet::node::control
