// The door as one table: which handler answers which method and path, and which access it needs
// (docs/DOOR.md).
#pragma once

#include "control/handlers.h"
#include "control/message.h"

namespace ulnet::node::control {

/// Finds the handler, checks the caller's access and the query's keys, and calls it. 404: unknown
/// path; 405: the path does not have this method; 403 with the reason: the caller may not; 501:
/// not built.
Reply answer(Context& context, const Request& request);

}  // namespace ulnet::node::control
