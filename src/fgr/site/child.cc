#include "fgr/site/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "lab/live/programs.h"

namespace ulnet::tools::fgr {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// A pipe whose ends are closed with the object.
struct Pipe {
  int ends[2] = {-1, -1};
  ~Pipe() {
    shut(0);
    shut(1);
  }
  bool make() { return ::pipe2(ends, O_CLOEXEC) == 0; }
  void shut(int end) {
    if (ends[end] >= 0) ::close(ends[end]);
    ends[end] = -1;
  }
};

/// Reads the available text. Returns false at the end of the pipe.
bool take(Pipe& pipe, std::string& text) {
  std::array<char, 65536> bytes;
  const auto count = ::read(pipe.ends[0], bytes.data(), bytes.size());
  if (count > 0) text.append(bytes.data(), static_cast<std::size_t>(count));
  if (count > 0 || (count < 0 && errno == EINTR)) return true;
  pipe.shut(0);
  return false;
}

/// One child, whose texts are read until it has ended.
class Reading {
 public:
  Reading(pid_t pid, Pipe& out, Pipe& err, ChildSaid& said)
      : pid_(pid), pipes_{&out, &err}, texts_{&said.out, &said.err} {}

  /// Reads until the child has ended. -ETIMEDOUT, -E2BIG, -EINTR.
  Result<void> run(Clock::time_point end, const std::function<bool()>& given_up) {
    for (;;) {
      const auto left = std::chrono::ceil<milliseconds>(end - Clock::now());
      if (left <= milliseconds{}) return fail(-ETIMEDOUT, "it did not end in time");
      if (given_up && given_up()) return fail(-EINTR, "interrupted");
      // The child's last output is in the pipes before it has ended.
      const bool ended = has_ended();
      const auto got = read_some(ended ? milliseconds{} : std::min(left, kLook));
      if (!got) return tl::unexpected(got.error());
      if (ended && !*got) return {};
    }
  }

 private:
  static constexpr milliseconds kLook{20};  ///< how often it checks whether the child has ended

  bool has_ended() const {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == pid_;
  }
  /// Waits for text for `time`, and reads it. Returns whether there was text.
  Result<bool> read_some(milliseconds time) {
    pollfd polled[2] = {{pipes_[0]->ends[0], POLLIN, 0}, {pipes_[1]->ends[0], POLLIN, 0}};
    const int count = ::poll(polled, 2, static_cast<int>(time.count()));
    if (count < 0 && errno != EINTR) return fail(-errno, std::strerror(errno));
    if (count <= 0) return false;
    bool any = false;
    for (int i = 0; i < 2; ++i) {
      if ((polled[i].revents & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
      any = take(*pipes_[i], *texts_[i]) || any;
      if (texts_[i]->size() > kChildTextMax)
        return fail(-E2BIG, fmt::format("it prints more than {} MiB", kChildTextMax >> 20));
    }
    return any;
  }

  const pid_t pid_;
  Pipe* const pipes_[2];
  std::string* const texts_[2];
};

}  // namespace

bool can_run(const std::string& program) {
  const auto is_there = [](const std::string& file) {
    std::error_code error;
    return std::filesystem::is_regular_file(file, error) && ::access(file.c_str(), X_OK) == 0;
  };
  if (program.find('/') != std::string::npos) return is_there(program);
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/bin:/usr/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (is_there((folder.empty() ? "." : folder) + "/" + program)) return true;
  return false;
}

Result<ChildSaid> run_child(const std::vector<std::string>& words, milliseconds time,
                            const std::function<bool()>& given_up) {
  Pipe out, err;
  if (!out.make() || !err.make()) return fail(-errno, std::strerror(errno));
  // Its process group is its own, so that its own children can be killed with it.
  const auto pid = lab::start_program(words, {lab::kDevNull, out.ends[1], err.ends[1]},
                                      lab::CtrlC::kDoesNotReach);
  if (!pid) return fail(pid.error().code, words.front() + " cannot be run: " + pid.error().reason);
  out.shut(1);
  err.shut(1);
  ChildSaid said;
  const auto read = Reading(*pid, out, err, said).run(Clock::now() + time, given_up);
  // also kills processes that the child left behind in its group
  ::kill(-*pid, SIGKILL);
  int status = 0;
  while (::waitpid(*pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!read) return fail(read.error().code, words.front() + ": " + read.error().reason);
  said.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return said;
}

}  // namespace ulnet::tools::fgr
