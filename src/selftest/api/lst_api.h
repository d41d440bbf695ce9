// The commands of the selftest's console as the control API offers them: by name, with arguments
// and answers in JSON (docs/CONTROL-API.md, /v1/lst). Source: spec/cli-lst.md 3.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "admin/server/reply.h"
#include "selftest/console/console.h"

namespace ulnet::node::control {

/// Carries out one command; call it inside SelftestConsole::run(). Calls `done` once, perhaps
/// before this function returns. -ENOSYS: no such command; -EINVAL with the reason: wrong
/// arguments; else the console's own errors.
void console_command(svc::selftest::console::Console& console, const std::string& command,
                     const Json& arguments, std::function<void(Result<Json>)> done);

}  // namespace ulnet::node::control
