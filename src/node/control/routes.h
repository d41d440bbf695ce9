// Which handler answers which method and path, and who may ask: the whole door as one table
// (docs/DOOR.md).
#pragma once

#include "node/control/handlers.h"
#include "node/control/message.h"

namespace ulnet::node::control {

/// Finds the handler, checks the caller's access and the query's keys, and runs it. 404 for an
/// unknown path, 405 for a method the path does not have, 403 with the reason when the caller may
/// not, 501 for what is not built.
Reply answer(Context& context, const Request& request);

}  // namespace ulnet::node::control
