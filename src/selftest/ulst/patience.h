// Notifies a user who waits at a terminal that nodes have not answered yet, and how long the
// console will wait for them.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string_view>

#include "selftest/ulst/console_client.h"

namespace ulnet::tools::lst {

/// Wraps `console`. In each call that takes longer than `grace`, the wrapper calls `say` once with
/// a line for the user, on another thread. `program` is the name in that line.
std::unique_ptr<ConsoleClient> notifying_console(std::unique_ptr<ConsoleClient> console,
                                                 std::string program,
                                                 std::chrono::milliseconds grace,
                                                 std::function<void(std::string_view line)> say);

}  // namespace ulnet::tools::lst
