#include "ulnetd/last_words.h"

#include <gtest/gtest.h>

#include <exception>
#include <fstream>
#include <new>
#include <stdexcept>

#include "lnet/base/temp_folder_fixture.h"

namespace ulnet::tools {
namespace {

/// Nothing catches the exception that this throws.
void end_by(const conf::DaemonSettings& settings, void (*fail)()) {
  set_last_words("n1", settings);
  [&]() noexcept { fail(); }();
}

TEST(LastWords, NameTheWantOfMemory) {
  EXPECT_DEATH(end_by({}, [] { throw std::bad_alloc(); }),
               "^20[0-9-]+T[0-9:.]+Z n1: error: out of memory, and the reserve is used up: ending");
}

TEST(LastWords, SayWhatAnExceptionSays) {
  EXPECT_DEATH(end_by({}, [] { throw std::runtime_error("no\n\"such\""); }),
               "n1: error: ending: unexpected: no  such ");
  EXPECT_DEATH(end_by({}, [] { throw 1; }), "ending: unexpected exception i");
  EXPECT_DEATH(end_by({}, [] { std::terminate(); }), "ending: std::terminate.. was called");
}

TEST(LastWords, GoIntoTheLogsFileAsTheLogIsWritten) {
  const TempFolder folder;
  conf::DaemonSettings settings;
  settings.log_file = folder / "log";
  settings.log_format = "json";
  std::ofstream(*settings.log_file) << "before\n";
  EXPECT_DEATH(end_by(settings, [] { throw std::bad_alloc(); }), "");
  std::ifstream file(*settings.log_file);
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "before");
  std::getline(file, line);
  EXPECT_TRUE(line.starts_with(R"({"time":"20)") &&
              line.ends_with(R"(Z","level":"error","node":"n1","message":"out of memory, and the )"
                             R"(reserve is used up: ending"})"))
      << line;
}

}  // namespace
}  // namespace ulnet::tools
