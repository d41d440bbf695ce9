// The control API as one table: which handler answers which method and path, and which access it
// needs (docs/CONTROL-API.md).
#pragma once

#include "admin/http/session.h"
#include "admin/server/handlers.h"
#include "admin/server/reply.h"

namespace ulnet::node::control {

/// Finds the handler, checks the caller's access and the query's keys, and calls the handler. 404:
/// unknown path. 405: the path does not have this method. 403 with the reason: the caller has no
/// access. 501: not built.
Reply answer(Context& context, const Request& request);
/// Returns the control API as a listener serves it. `context` must outlive the listener.
http::Service service_of(Context& context);
/// Whether a batch may have the request. False for requests that only show state, and for requests
/// that must be made alone.
bool may_be_in_batch(const Request& request);

}  // namespace ulnet::node::control
