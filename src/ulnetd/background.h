// --background: the daemon goes on in a child process, and the original process ends when the child
// is ready.
#pragma once

#include <optional>
#include <string>

namespace ulnet::tools {

/// Forks, so call it before any thread starts. In the child it returns nothing: the child is the
/// daemon from here on, in a session of its own, and its notify_supervisor() notifies the parent of
/// its state. In the parent it waits for that state and returns the exit code. If the child is
/// ready, the code is 0, and the parent prints the child's pid. Otherwise it is the child's code,
/// and the parent prints what the child has written to `log_file`. The parent passes on to the
/// child a signal that would end the parent; the code is then 128 + the signal's number.
std::optional<int> go_to_background(const std::string& log_file);

}  // namespace ulnet::tools
