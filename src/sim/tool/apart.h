// Runs a world in a child process. A failed assertion, or a step that does not end, therefore
// becomes a report with its seed like any other failure, and the swarm goes on.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "sim/scenario/run.h"

namespace ulnet::tools {

/// The most real time for one world; a day of virtual time takes seconds.
inline constexpr std::chrono::seconds kMaxRealTime{120};

/// A child process. `output` reads its standard error and the lines of say().
struct Child {
  pid_t pid = -1;
  int output = -1;
};
/// `work` runs in the child, which exits when it returns. The child inherits all descriptors.
Child start_apart(const std::function<void()>& work);
/// In a child: sends one line to the parent.
void say(std::string line);
/// In a child: restarts the alarm that kills it after kMaxRealTime.
void still_alive();
/// Waits until the child ends. Empty when it succeeded, otherwise how it died.
std::string wait_for(const Child& child);

/// Runs `work` in a child. Returns its report, or one about how the child died.
sim::Report run_apart(const std::function<sim::Report()>& work);
/// The report of a child that died. `said` is its output before.
sim::Report died(const std::string& how, std::string_view said);

}  // namespace ulnet::tools
