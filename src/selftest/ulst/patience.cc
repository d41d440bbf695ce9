#include "selftest/ulst/patience.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "admin/client/tree_fields.h"

namespace ulnet::tools::lst {

namespace {

/// How long the console waits for each node by default (docs/CONTROL-API.md), and the least time
/// that a user may request.
constexpr int kNodeSeconds = 30, kMinNodeSeconds = 3;

/// Calls `act` after `delay`, on a thread of its own, unless the object is destroyed before that.
class Unless {
 public:
  Unless(std::chrono::milliseconds delay, std::function<void()> act)
      : thread_([this, delay, act = std::move(act)] {
          std::unique_lock lock(mutex_);
          if (!gone_.wait_for(lock, delay, [this] { return over_; })) act();
        }) {}
  ~Unless() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    gone_.notify_all();
    thread_.join();
  }
  Unless(const Unless&) = delete;
  Unless& operator=(const Unless&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable gone_;
  bool over_ = false;
  std::thread thread_;  // last member: the thread uses the members above it
};

class NotifyingConsole final : public ConsoleClient {
 public:
  NotifyingConsole(std::unique_ptr<ConsoleClient> console, std::string program,
                   std::chrono::milliseconds grace, std::function<void(std::string_view)> say)
      : console_(std::move(console)),
        program_(std::move(program)),
        grace_(grace),
        say_(std::move(say)) {}

  Result<Tree> call(const std::string& command, const Tree& arguments,
                    std::chrono::seconds patience) override {
    const int seconds =
        std::max(ctl::number_in(arguments, "timeout", kNodeSeconds), kMinNodeSeconds);
    const Unless answered(grace_, [this, seconds] {
      say_(fmt::format("{}: waiting for nodes that have not answered, {} s at most for each\n",
                       program_, seconds));
    });
    return console_->call(command, arguments, patience);
  }

 private:
  const std::unique_ptr<ConsoleClient> console_;
  const std::string program_;
  const std::chrono::milliseconds grace_;
  const std::function<void(std::string_view)> say_;
};

}  // namespace

std::unique_ptr<ConsoleClient> notifying_console(std::unique_ptr<ConsoleClient> console,
                                                 std::string program,
                                                 std::chrono::milliseconds grace,
                                                 std::function<void(std::string_view line)> say) {
  return std::make_unique<NotifyingConsole>(std::move(console), std::move(program), grace,
                                            std::move(say));
}

}  // namespace ulnet::tools::lst
