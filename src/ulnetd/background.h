// --background: the daemon goes on in a child process, and the process that was started ends when
// the child is ready.
#pragma once

#include <optional>
#include <string>

namespace ulnet::tools {

/// Forks, so call it before any thread is started. In the child, nothing: it is the daemon from
/// here on, in a session of its own, and its notify_supervisor() tells the parent its state. In the
/// parent, when that is known, its exit code: 0 when the child is ready, which is then printed with
/// its pid; else the child's code, after what the child has written to `log_file`. A signal that
/// would end the parent is passed on to the child, and the code is then 128 + its number.
std::optional<int> go_to_background(const std::string& log_file);

}  // namespace ulnet::tools
