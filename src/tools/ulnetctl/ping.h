// How the outcome of a ping is printed: for the command, and for `import --exec`.
#pragma once

#include "tools/ulnetctl/session.h"

namespace ulnet::tools {

/// Good targets first, then the failed ones in the same document; what probably is the matter goes
/// to stderr.
void show_ping(Session& session, const ctl::LnetConfig::PingResult& result, bool as_json);

}  // namespace ulnet::tools
