#include "tools/fgr/verify/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

extern char** environ;

namespace ulnet::tools::fgr {
namespace {

using Clock = std::chrono::steady_clock;

/// A pipe whose ends are closed with it.
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

Result<pid_t> start(const std::vector<std::string>& words, const Pipe& out, const Pipe& err) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, out.ends[1], 1);
  posix_spawn_file_actions_adddup2(&files, err.ends[1], 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // A group of its own, so that what it starts ends with it.
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t pid = -1;
  const int error =
      ::posix_spawnp(&pid, arguments.front(), &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) return fail(-error, words.front() + " cannot be run: " + std::strerror(error));
  return pid;
}

/// Reads both until both have ended. -ETIMEDOUT, -E2BIG.
Result<void> read_both(Pipe& out, Pipe& err, ChildSaid& said, Clock::time_point end) {
  std::string* const texts[2] = {&said.out, &said.err};
  Pipe* const pipes[2] = {&out, &err};
  while (out.ends[0] >= 0 || err.ends[0] >= 0) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) return fail(-ETIMEDOUT, "it did not end in time");
    pollfd polled[2] = {{out.ends[0], POLLIN, 0}, {err.ends[0], POLLIN, 0}};
    if (::poll(polled, 2, static_cast<int>(std::min<long long>(left, 60'000))) < 0 &&
        errno != EINTR)
      return fail(-errno, std::strerror(errno));
    for (int i = 0; i < 2; ++i) {
      if ((polled[i].revents & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
      std::array<char, 65536> bytes;
      const auto count = ::read(pipes[i]->ends[0], bytes.data(), bytes.size());
      if (count > 0) texts[i]->append(bytes.data(), static_cast<std::size_t>(count));
      if (count == 0 || (count < 0 && errno != EINTR)) pipes[i]->shut(0);
      if (texts[i]->size() > kChildTextMax) return fail(-E2BIG, "it says more than 64 MiB");
    }
  }
  return {};
}

}  // namespace

Result<ChildSaid> run_child(const std::vector<std::string>& words, std::chrono::milliseconds time) {
  Pipe out, err;
  if (!out.make() || !err.make()) return fail(-errno, std::strerror(errno));
  const auto pid = start(words, out, err);
  if (!pid) return tl::unexpected(pid.error());
  out.shut(1);
  err.shut(1);
  ChildSaid said;
  const auto read = read_both(out, err, said, Clock::now() + time);
  // Also what it left behind; it itself, when it closed its texts and goes on.
  ::kill(-*pid, SIGKILL);
  int status = 0;
  while (::waitpid(*pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!read) return fail(read.error().code, words.front() + ": " + read.error().reason);
  said.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return said;
}

}  // namespace ulnet::tools::fgr
