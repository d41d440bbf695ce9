// The control API: which handler answers which method and path, and which access it needs
// (docs/CONTROL-API.md). admin/api/changes.h has the requests that change the node.
#pragma once

#include <span>
#include <vector>

#include "admin/http/session.h"
#include "admin/server/handlers.h"
#include "admin/server/reply.h"

namespace ulnet::node::control {

/// Finds the handler, checks the caller's access and the query's keys, and calls the handler. 404:
/// unknown path. 405: the path does not have this method. 403 with the reason: the caller has no
/// access.
Reply answer(Context& context, const Request& request);
/// Returns the control API as a listener serves it. `context` must outlive the listener.
http::Service service_of(Context& context);
/// Answers the requests of a batch, each with the answer that it would get alone. All its changes
/// are made together. Refuses requests that only show state, and requests that must be made alone.
std::vector<Reply> answer_together(Context& context, std::span<const Request> requests);

}  // namespace ulnet::node::control
