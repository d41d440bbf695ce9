#include "lab/live/processes.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>

#include "lab/live/home.h"
#include "lnet/base/temp_folder_fixture.h"

namespace ulnet::tools::lab {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class LabProcesses : public testing::Test {
 protected:
  ~LabProcesses() override { end_processes(daemons_of(folder_), milliseconds(0)); }
  Result<ProcessId> start(std::vector<std::string> words) {
    return start_daemon({.words = std::move(words), .folder = folder_, .log = folder_ + "/log"},
                        [](ProcessId) { return Result<void>(); });
  }
  std::string ending(ProcessId id) {
    for (;;)
      if (const auto how = ending_of(id)) return *how;
  }

  const TempFolder temp_;
  const std::string folder_ = temp_.path();
};

TEST_F(LabProcesses, ADaemonIsFoundByItsFolderAndEnded) {
  const auto id = start({"sleep", "1000"});
  ASSERT_TRUE(id);
  while (daemons_of(folder_).empty()) {
  }
  EXPECT_EQ(daemons_of(folder_), std::vector<ProcessId>{*id});
  EXPECT_TRUE(daemons_of(folder_ + "x").empty());
  EXPECT_NE(::getsid(id->pid), ::getsid(0)) << "a session of its own";
  EXPECT_TRUE(state_of(*id));
  EXPECT_FALSE(state_of({id->pid, id->start + 1})) << "another process with its number";
  EXPECT_EQ(signal_process({id->pid, id->start + 1}, SIGTERM).error().code, -ESRCH);
  EXPECT_EQ(end_processes(std::array{*id}, seconds(30)), 0U);
  EXPECT_FALSE(state_of(*id));
  EXPECT_TRUE(daemons_of(folder_).empty());
}

TEST_F(LabProcesses, OutputIsLoggedAndTheExitCodeIsKept) {
  const auto id = start({"sh", "-c", "echo to stdout; echo to stderr >&2; exit 3"});
  ASSERT_TRUE(id);
  EXPECT_EQ(ending(*id), "exit code 3");
  EXPECT_EQ(*read_whole(folder_ + "/log"), "to stdout\nto stderr\n");
}

TEST_F(LabProcesses, AProgramThatIsNotThereIsSaidInTheLog) {
  const auto id = start({folder_ + "/none"});
  ASSERT_TRUE(id);
  EXPECT_EQ(ending(*id), "exit code 127");
  EXPECT_EQ(*read_whole(folder_ + "/log"), folder_ + "/none: No such file or directory\n");
}

TEST_F(LabProcesses, OnlyRecordedProcessesRun) {
  ProcessId noted;
  const auto id = start_daemon(
      {.words = {"touch", folder_ + "/made"}, .folder = folder_, .log = folder_ + "/log"},
      [&](ProcessId started) -> Result<void> {
        noted = started;
        return fail(-ENOSPC, "full");
      });
  ASSERT_FALSE(id);
  EXPECT_EQ(id.error().code, -ENOSPC);
  EXPECT_FALSE(state_of(noted));
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/made"));
}

TEST_F(LabProcesses, APausedOneIsEndedToo) {
  const auto id = start({"sleep", "1000"});
  ASSERT_TRUE(id);
  ASSERT_TRUE(signal_process(*id, SIGSTOP));
  wait_until_paused(*id);
  EXPECT_TRUE(state_of(*id)->paused);
  EXPECT_EQ(end_processes(std::array{*id}, seconds(30)), 0U);
}

TEST_F(LabProcesses, AHangingProcessIsKilled) {
  const auto id = start({"sh", "-c", "trap '' TERM; echo ready; while :; do sleep 1000; done"});
  ASSERT_TRUE(id);
  while (read_whole(folder_ + "/log").value_or("") != "ready\n") {
  }
  EXPECT_EQ(end_processes(std::array{*id}, milliseconds(1)), 1U);
  EXPECT_FALSE(state_of(*id));
}

}  // namespace
}  // namespace ulnet::tools::lab
