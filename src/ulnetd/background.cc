#include "ulnetd/background.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "ulnetd/exit_code.h"
#include "ulnetd/notify.h"
#include "ulnetd/signals.h"

namespace ulnet::tools {

namespace {

/// The parent process while it waits.
class Waiting {
 public:
  explicit Waiting(std::string log_file) : log_file_(std::move(log_file)) {
    std::error_code none;
    const auto size = std::filesystem::file_size(log_file_, none);
    log_begin_ = none ? 0 : static_cast<std::streamoff>(size);
  }

  /// Waits until the child is ready or has ended, and returns the exit code. `states`: the pipe to
  /// which the child writes its messages to the supervisor.
  int run(pid_t child, int states) {
    child_ = child;
    while (!ready_ && read_state(states))
      if (const auto signal = signals_.wait(std::chrono::seconds(1), states))
        ::kill(child_, passed_on_ = signal->number);
    if (ready_) return kExitDone;
    int status = 0;
    while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
    }
    if (status == 0) return passed_on_ == 0 ? int{kExitFailed} : 128 + passed_on_;
    const std::string said = log_since_start();
    std::fputs(said.c_str(), stderr);
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    std::fprintf(stderr, "ulnetd: ended by signal %d\n", WTERMSIG(status));
    return 128 + WTERMSIG(status);
  }

 private:
  /// Reads the child's messages, and prints its new state. False when the child has ended.
  bool read_state(int states) {
    std::array<char, 4096> text{};
    const ssize_t got = ::read(states, text.data(), text.size());
    if (got <= 0) return got < 0 && (errno == EAGAIN || errno == EINTR);
    const std::string_view said(text.data(), static_cast<std::size_t>(got));
    ready_ = said.find("READY=1") != std::string_view::npos;
    constexpr std::string_view kStatus = "STATUS=";
    if (const auto at = said.rfind(kStatus); at != std::string_view::npos) {
      const std::string_view status = said.substr(at + kStatus.size());
      std::printf("ulnetd (pid %d): %.*s; log %s\n", child_, static_cast<int>(status.size()),
                  status.data(), log_file_.c_str());
      std::fflush(stdout);
    }
    return true;
  }

  std::string log_since_start() const {
    std::ifstream file(log_file_);
    file.seekg(log_begin_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const std::string log_file_;
  std::streamoff log_begin_ = 0;  ///< the part of the log before it is not from the child
  Signals signals_;               ///< blocked before the child starts
  pid_t child_ = 0;
  int passed_on_ = 0;  ///< the signal that the child was sent
  bool ready_ = false;
};

}  // namespace

std::optional<int> go_to_background(const std::string& log_file) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    std::fprintf(stderr, "ulnetd: --background: %s\n", std::strerror(errno));
    return int{kExitFailed};
  }
  std::fflush(nullptr);
  Waiting waiting(log_file);
  const pid_t child = ::fork();
  if (child < 0) {
    std::fprintf(stderr, "ulnetd: --background: %s\n", std::strerror(errno));
    return int{kExitFailed};
  }
  if (child == 0) {
    ::close(pipe[0]);
    ::setsid();
    notify_starter(pipe[1]);
    return std::nullopt;
  }
  ::close(pipe[1]);
  const int code = waiting.run(child, pipe[0]);
  ::close(pipe[0]);
  return code;
}

}  // namespace ulnet::tools
