// The lines of the node's log about the control API: every change and who requested it, every
// refusal, and at debug level every other request.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "admin/server/reply.h"

namespace ulnet::node::control {

/// Receives the lines; `level` is 0 (debug) to 3 (error). Any thread. If it is empty, no line is
/// logged.
using ControlLog = std::function<void(int level, const std::string& line)>;

/// Logs a request that was answered. `change` is the line about its change (change_line()); empty
/// for a request that only reads.
void log_request(const ControlLog& log, const Request& request, const Reply& reply,
                 const std::string& change);
/// Returns the line about a request that changes something: the change (`change`, in lnetctl's
/// words, such as "net add"), how it ended, and who requested it.
std::string change_line(const Request& request, const Reply& reply, std::string_view change);
/// Logs a request that its caller may not make. `what` has none of the caller's words, so that the
/// log can fold repeated lines.
void log_refusal(const ControlLog& log, const Request& request, std::string_view what);
/// Logs that something has failed because memory or threads ran out. If logging fails too, there is
/// no line.
void log_no_memory(const ControlLog& log, std::string_view what) noexcept;
/// Logs that long answers are refused because memory ran out.
void log_shortage(const ControlLog& log);

}  // namespace ulnet::node::control
