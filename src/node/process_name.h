// Processes as the log names them.
#pragma once

#include <sys/types.h>

#include <string>

namespace ulnet::node {

/// The program that a process runs, as /proc says ("ulnetctl"); empty when it is gone, or hidden
/// from us. A process may call itself what it likes: what a terminal would obey is '?'
/// (text::printable).
std::string program_of(pid_t pid);

/// "ulnetctl (pid 12, uid 0)", without what is not known: "uid 0".
std::string named_process(pid_t pid, uid_t uid);

}  // namespace ulnet::node
