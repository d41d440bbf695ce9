// The processes of a laboratory's nodes. They outlive the program that starts them; later programs
// find them again, and pause, resume or end them.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lab/live/journal.h"
#include "ulnet/result.hpp"

namespace ulnet::tools::lab {

/// The variable that daemons of a laboratory have in their environment; its value is the
/// laboratory's folder.
inline constexpr const char* kDaemonVariable = "ULNET_LAB_DAEMON";

struct DaemonStart {
  std::vector<std::string>
      words;           ///< the program, by its path or to be found in PATH, and its arguments
  std::string folder;  ///< the laboratory's folder
  std::string log;     ///< the process's output is appended to this file
};

/// Starts a process in a session of its own. The child waits until `note` has succeeded, and only
/// then becomes the program. If this process dies before, the child ends too. If the program cannot
/// be run, the log contains the reason and the child ends with 127.
Result<ProcessId> start_daemon(const DaemonStart& start,
                               const std::function<Result<void>(ProcessId)>& note);

struct ProcessState {
  bool paused = false;
  std::uint64_t anonymous = 0;  ///< bytes of memory that no file backs (RssAnon)
};
/// Returns the state of a process. Nothing: the process has ended, or another process has its
/// number.
std::optional<ProcessState> state_of(ProcessId id);
/// Returns the id of a process that runs now.
std::optional<ProcessId> identify(pid_t pid);

/// Sends the signal. -ESRCH: the process has ended.
Result<void> signal_process(ProcessId id, int number);
/// Waits until the kernel reports that the process is paused or has ended.
void wait_until_paused(ProcessId id);

/// Ends the processes: sends SIGTERM, also to paused ones, and SIGKILL to those that have not ended
/// after `patience`. Returns how many had to be killed.
std::size_t end_processes(std::span<const ProcessId> ids, std::chrono::milliseconds patience);

/// Finds the daemons of a laboratory by their environment, and reads no file of the laboratory.
/// Looks at all processes of the machine that this user may inspect.
std::vector<ProcessId> daemons_of(const std::string& folder);
/// Returns the folders of all laboratories that have a daemon.
std::vector<std::string> folders_with_daemons();
/// Processes that are in one of these network namespaces. The device and inode identify each
/// namespace.
struct SpaceId {
  std::uint64_t device = 0, inode = 0;
  bool operator==(const SpaceId&) const = default;
};
std::vector<ProcessId> processes_in(std::span<const SpaceId> spaces);

/// Returns how the process `id` ended: "exit code 3", "signal 9". Nothing: this process has not
/// started it, or it has not ended.
std::optional<std::string> ending_of(ProcessId id);

}  // namespace ulnet::tools::lab
