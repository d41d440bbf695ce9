// Runs in a process of its own: an assertion that fails, or a step that does not end, is then a
// report like any other, with its seed, and the swarm lives on.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "sim/scenario/run.h"

namespace ulnet::tools {

/// So long may one world take in real time; a day of virtual time takes seconds.
inline constexpr std::chrono::seconds kMostRealTime{120};

/// A child process whose standard error, and what it writes with say(), come out of `output`.
struct Child {
  pid_t pid = -1;
  int output = -1;
};
/// `work` runs in the child, which ends with it. The child's descriptors are those of its parent.
Child start_apart(const std::function<void()>& work);
/// In a child: one line to the parent.
void say(std::string line);
/// In a child: dies of it when kMostRealTime has passed before it is called again.
void still_alive();
/// Waits for it. Empty: it ended well; else how it died.
std::string wait_for(const Child& child);

/// The report of `work`, or one that says how it died.
sim::Report run_apart(const std::function<sim::Report()>& work);
/// The report of a process that died: `said` is what it wrote before.
sim::Report died(const std::string& how, std::string_view said);

}  // namespace ulnet::tools
