// The console of LNet selftest behind the door: its commands by name, arguments and answers as JSON
// (docs/DOOR.md, /v1/lst). Source: spec/cli-lst.md 3.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "node/control/reply.h"
#include "svc/selftest/console/console.h"

namespace ulnet::node::control {

/// Carries out one command. `done` is called once, perhaps in here. -ENOSYS: no such command; what
/// is wrong with the arguments is -EINVAL with the reason; else the console's own errors. On the
/// console's thread.
void console_command(svc::selftest::console::Console& console, const std::string& command,
                     const Json& arguments, std::function<void(Result<Json>)> done);

}  // namespace ulnet::node::control
