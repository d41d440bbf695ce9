#include "lab/live/status.h"

#include <gtest/gtest.h>

#include "lnet/base/text_table.h"

namespace ulnet::tools::lab {
namespace {

TEST(LabStatus, CellsAreAligned) {
  EXPECT_EQ(text::text_table({{"A", "LONG", "C"}, {"xxx", "y"}, {"", "z", "w"}}),
            "A    LONG  C\nxxx  y\n     z     w\n");
  EXPECT_EQ(text::text_table({}), "");
}

TEST(LabStatus, ALineForEachNi) {
  NodeStatus running{
      .name = "router",
      .seen = {.run_state = RunState::kRunning, .id = {12, 1}, .anonymous = 3 << 19}};
  running.nis = {{"10.0.0.1@tcp", "up", 1000}, {"10.0.1.1@tcp1", "down", 0}};
  running.routes_up = 1;
  running.routes_down = 2;
  NodeStatus paused{.name = "a", .seen = {.run_state = RunState::kPaused, .id = {13, 1}}};
  NodeStatus hung = running;
  hung.nis.clear();
  hung.trouble = "no answer";
  EXPECT_EQ(status_table({running, paused, {.name = "gone"}, hung}),
            "NODE    PID  STATE    MEMORY   NI             STATUS  HEALTH  ROUTES\n"
            "router  12   running  1.5 MiB  10.0.0.1@tcp   up      1000    1 up, 2 down\n"
            "                               10.0.1.1@tcp1  down    0\n"
            "a       13   paused   0.0 MiB\n"
            "gone    -    dead     -\n"
            "router  12   running  1.5 MiB  no answer\n");
}

}  // namespace
}  // namespace ulnet::tools::lab
