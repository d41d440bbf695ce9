// The control API as one table: which handler answers which method and path, and which access it
// needs (docs/CONTROL-API.md).
#pragma once

#include <string_view>

#include "admin/server/handlers.h"
#include "admin/server/message.h"

namespace ulnet::node::control {

/// Finds the handler, checks the caller's access and the query's keys, and calls the handler. 404:
/// unknown path. 405: the path does not have this method. 403 with the reason: the caller has no
/// access.
Reply answer(Context& context, const Request& request);

/// The path of a batch, the only one whose body may be long (limits::kBatchBytes).
inline constexpr std::string_view kBatchPath = "/v1/batch";
/// The path of events. Unless its answer is a list, the answer ends with the connection.
inline constexpr std::string_view kEventsPath = "/v1/events";
/// Whether a batch may have the request. False for requests that only show state, and for requests
/// that must be made alone.
bool may_be_in_batch(const Request& request);

}  // namespace ulnet::node::control
