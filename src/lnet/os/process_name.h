// The names of processes in the log.
#pragma once

#include <sys/types.h>

#include <string>

namespace ulnet::node {

/// The program that a process runs, from /proc ("ulnetctl"); empty when the process is gone or
/// hidden from this one. A process chooses its own name, so control characters in it become '?'
/// (text::printable).
std::string program_of(pid_t pid);

/// "ulnetctl (pid 12, uid 0)"; parts that are not known are left out: "uid 0".
std::string named_process(pid_t pid, uid_t uid);

}  // namespace ulnet::node
