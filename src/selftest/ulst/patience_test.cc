#include "selftest/ulst/patience.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace ulnet::tools::lst {
namespace {

using namespace std::chrono_literals;

/// Answers once `ready()` is true.
class SlowConsole final : public ConsoleClient {
 public:
  explicit SlowConsole(std::function<bool()> ready) : ready_(std::move(ready)) {}
  Result<Tree> call(const std::string& command, const Tree&, std::chrono::seconds) override {
    const auto end = std::chrono::steady_clock::now() + 60s;
    while (!ready_() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    return Tree(command);
  }

 private:
  const std::function<bool()> ready_;
};

/// Returns the line that is printed during a call. The call ends only after something was printed.
std::string said_about(const Tree& arguments) {
  std::string line;
  std::atomic<bool> said = false;
  const auto console = notifying_console(std::make_unique<SlowConsole>([&] { return said.load(); }),
                                         "lst", 0ms, [&](std::string_view text) {
                                           EXPECT_FALSE(said) << "once";
                                           line = text;
                                           said = true;
                                         });
  EXPECT_EQ(console->call("ping", arguments, 90s).value(), "ping");
  return line;
}

TEST(NotifyingConsole, SaysThatItWaitsAndHowLong) {
  EXPECT_EQ(said_about(Tree::object()),
            "lst: waiting for nodes that have not answered, 30 s at most for each\n");
  EXPECT_EQ(said_about({{"timeout", 5}}),
            "lst: waiting for nodes that have not answered, 5 s at most for each\n");
  EXPECT_EQ(said_about({{"timeout", 1}}),
            "lst: waiting for nodes that have not answered, 3 s at most for each\n");
}

TEST(NotifyingConsole, SaysNothingWhenTheAnswerIsThere) {
  const auto console = notifying_console(std::make_unique<SlowConsole>([] { return true; }), "lst",
                                         1h, [](std::string_view line) { ADD_FAILURE() << line; });
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(console->call("stat", Tree::object(), 90s));
}

}  // namespace
}  // namespace ulnet::tools::lst
