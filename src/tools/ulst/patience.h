// What keeps somebody before a terminal from wondering: a console that says, when nodes have not
// answered for a while, that it waits for them and how long it will.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string_view>

#include "tools/ulst/console_door.h"

namespace ulnet::tools::lst {

/// `console`, with `say` called, on a thread of its own, once in each call that takes longer than
/// `grace`: a line for the user. `program` is who speaks.
std::unique_ptr<ConsoleDoor> telling_console(std::unique_ptr<ConsoleDoor> console,
                                             std::string program, std::chrono::milliseconds grace,
                                             std::function<void(std::string_view line)> say);

}  // namespace ulnet::tools::lst
