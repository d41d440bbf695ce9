#include "lnet/os/process_name.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace ulnet::node {
namespace {

/// Gives the main thread, and with it the process, another name as long as this object exists.
class Renamed {
 public:
  explicit Renamed(const char* name) {
    ::prctl(PR_GET_NAME, before_);
    ::prctl(PR_SET_NAME, name);
  }
  ~Renamed() { ::prctl(PR_SET_NAME, before_); }
  Renamed(const Renamed&) = delete;
  Renamed& operator=(const Renamed&) = delete;

 private:
  char before_[16] = {};
};

TEST(ProcessName, IsWhatProcSaysWithItsNumbers) {
  const Renamed renamed("grüße");
  EXPECT_EQ(program_of(::getpid()), "grüße");
  const std::string pid = std::to_string(::getpid());
  EXPECT_EQ(named_process(::getpid(), 7), "grüße (pid " + pid + ", uid 7)");
  EXPECT_EQ(named_process(0, 7), "uid 7") << "of another PID namespace";
}

TEST(ProcessName, ControlCharactersAreLeftOut) {
  const Renamed renamed(
      "\x1b[2Jroot\r\x9b"
      "a");
  EXPECT_EQ(program_of(::getpid()), "?[2Jroot??a");
  EXPECT_EQ(named_process(::getpid(), 0),
            "?[2Jroot??a (pid " + std::to_string(::getpid()) + ", uid 0)");
}

}  // namespace
}  // namespace ulnet::node
