#include "lab/live/processes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

namespace ulnet::tools::lab {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kPause{5};
/// A process that was killed ends at once, unless the kernel is in the middle of an operation.
constexpr std::chrono::seconds kAfterKill{10};

// The system's header for these two functions lacks extern "C" in glibc 2.36.
int open_pidfd(pid_t pid) { return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0U)); }
bool signal_pidfd(int descriptor, int number) {
  return ::syscall(SYS_pidfd_send_signal, descriptor, number, nullptr, 0U) == 0;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Stat {
  char state = '?';
  std::uint64_t start = 0;
};
/// Parses /proc/PID/stat. The program's name, which is in brackets, may contain anything.
std::optional<Stat> stat_of(pid_t pid) {
  const std::string text = text_of(fmt::format("/proc/{}/stat", pid));
  const std::size_t bracket = text.rfind(')');
  if (bracket == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(bracket + 1));
  Stat stat;
  fields >> stat.state;
  std::string skipped;
  constexpr int kStart = 22, kState = 3;
  for (int field = kState + 1; field < kStart; ++field) fields >> skipped;
  fields >> stat.start;
  if (!fields) return std::nullopt;
  return stat;
}

bool has_ended(const Stat& stat) { return stat.state == 'Z' || stat.state == 'X'; }

/// Returns the processes of the machine.
std::vector<pid_t> all_processes() {
  std::vector<pid_t> pids;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    pid_t pid = 0;
    const auto [rest, wrong] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (wrong == std::errc() && rest == name.data() + name.size()) pids.push_back(pid);
  }
  return pids;
}

/// Returns the value of the variable in the environment with which the process was started.
std::optional<std::string> daemon_folder(pid_t pid) {
  const std::string wanted = std::string(kDaemonVariable) + "=";
  std::istringstream all(text_of(fmt::format("/proc/{}/environ", pid)));
  for (std::string one; std::getline(all, one, '\0');)
    if (one.starts_with(wanted)) return one.substr(wanted.size());
  return std::nullopt;
}

/// A descriptor of a process, so that no other process can take its place.
class Held {
 public:
  explicit Held(ProcessId id) : descriptor_(open_pidfd(id.pid)) {
    const auto stat = descriptor_ < 0 ? std::nullopt : stat_of(id.pid);
    if (stat && stat->start == id.start && !has_ended(*stat)) return;
    let_go();
  }
  Held(Held&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Held& operator=(Held&&) = delete;
  ~Held() { let_go(); }

  bool is_there() const { return descriptor_ >= 0; }
  bool signal(int number) const { return signal_pidfd(descriptor_, number); }
  /// Waits until the process has ended. Returns false when the process has not ended by `end`.
  bool ends_before(Clock::time_point end) const {
    for (;;) {
      pollfd one{.fd = descriptor_, .events = POLLIN, .revents = 0};
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
      const int got = ::poll(&one, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
      if (got >= 0 || errno != EINTR) return got > 0;
    }
  }

 private:
  void let_go() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
  }
  int descriptor_;
};

/// The data that a child needs, prepared before the fork, because the child may not allocate.
struct Prepared {
  explicit Prepared(const DaemonStart& start)
      : variable(std::string(kDaemonVariable) + "=" + start.folder), log(start.log) {
    for (const std::string& word : start.words) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    const std::string name = std::string(kDaemonVariable) + "=";
    for (char** one = environ; *one != nullptr; ++one)
      if (!std::string_view(*one).starts_with(name)) environment.push_back(*one);
    environment.push_back(variable.data());
    environment.push_back(nullptr);
  }
  std::string variable;
  const std::string& log;
  std::vector<char*> words, environment;
};

[[noreturn]] void become_daemon(const Prepared& prepared, int go_ahead) {
  ::setsid();
  for (int number = 1; number < SIGRTMIN; ++number)
    if (number != SIGKILL && number != SIGSTOP) ::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const int log =
      ::open(prepared.log.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (log < 0 || nothing < 0) ::_exit(127);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  // The daemon must not inherit the descriptors of this program's libraries, for example
  // connections of the web page.
  ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  char answer = 0;
  while (::read(go_ahead, &answer, 1) < 0 && errno == EINTR) {
  }
  if (answer != 'g') ::_exit(127);  // the parent has died, or does not want the child
  ::execvpe(prepared.words[0], prepared.words.data(), prepared.environment.data());
  const char* const why = std::strerror(errno);
  for (const char* part : {const_cast<const char*>(prepared.words[0]), ": ", why, "\n"})
    [[maybe_unused]] const auto wrote = ::write(STDERR_FILENO, part, std::strlen(part));
  ::_exit(127);
}

}  // namespace

Result<ProcessId> start_daemon(const DaemonStart& start,
                               const std::function<Result<void>(ProcessId)>& note) {
  const Prepared prepared(start);
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return fail(-errno, std::strerror(errno));
  const pid_t pid = ::fork();
  const int code = errno;
  if (pid == 0) {
    ::close(pipe[1]);
    become_daemon(prepared, pipe[0]);
  }
  if (pid < 0) {
    ::close(pipe[0]);
    ::close(pipe[1]);
    return fail(-code, "cannot start a process: " + std::string(std::strerror(code)));
  }
  const auto stat = stat_of(pid);
  const ProcessId id{pid, stat ? stat->start : 0};
  const auto noted = note(id);
  if (noted) [[maybe_unused]]
    const auto wrote = ::write(pipe[1], "g", 1);
  ::close(pipe[1]);
  // closed only now, because a child that has ended already must not cause a SIGPIPE
  ::close(pipe[0]);
  if (noted) return id;
  ::waitpid(pid, nullptr, 0);
  return tl::unexpected(noted.error());
}

std::optional<ProcessId> identify(pid_t pid) {
  const auto stat = stat_of(pid);
  if (!stat || has_ended(*stat)) return std::nullopt;
  return ProcessId{pid, stat->start};
}

std::optional<ProcessState> state_of(ProcessId id) {
  const auto stat = stat_of(id.pid);
  if (!stat || stat->start != id.start || has_ended(*stat)) return std::nullopt;
  ProcessState state{.paused = stat->state == 'T' || stat->state == 't'};
  const std::string status = text_of(fmt::format("/proc/{}/status", id.pid));
  if (const std::size_t at = status.find("RssAnon:"); at != std::string::npos)
    state.anonymous = std::strtoull(status.c_str() + at + 8, nullptr, 10) * 1024;
  return state;
}

Result<void> signal_process(ProcessId id, int number) {
  const Held held(id);
  if (held.is_there() && held.signal(number)) return {};
  return fail(held.is_there() ? -errno : -ESRCH,
              held.is_there() ? std::strerror(errno) : "it has ended");
}

void wait_until_paused(ProcessId id) {
  for (const auto end = Clock::now() + kAfterKill; Clock::now() < end;) {
    const auto state = state_of(id);
    if (!state || state->paused) return;
    std::this_thread::sleep_for(kPause);
  }
}

std::size_t end_processes(std::span<const ProcessId> ids, std::chrono::milliseconds patience) {
  std::vector<Held> held;
  for (const ProcessId id : ids) {
    held.emplace_back(id);
    if (!held.back().is_there()) held.pop_back();
  }
  for (const Held& one : held) one.signal(SIGTERM), one.signal(SIGCONT);
  const auto end = Clock::now() + patience;
  std::size_t killed = 0;
  for (const Held& one : held)
    if (!one.ends_before(end) && one.signal(SIGKILL)) ++killed;
  const auto last = Clock::now() + kAfterKill;
  for (const Held& one : held) one.ends_before(last);
  // reaps those that this process started
  for (const ProcessId id : ids) ::waitpid(id.pid, nullptr, WNOHANG);
  return killed;
}

std::vector<ProcessId> daemons_of(const std::string& folder) {
  std::vector<ProcessId> found;
  for (const pid_t pid : all_processes())
    if (daemon_folder(pid) == folder)
      if (const auto id = identify(pid)) found.push_back(*id);
  return found;
}

std::vector<std::string> folders_with_daemons() {
  std::vector<std::string> folders;
  for (const pid_t pid : all_processes())
    if (const auto folder = daemon_folder(pid); folder && identify(pid)) folders.push_back(*folder);
  std::sort(folders.begin(), folders.end());
  folders.erase(std::unique(folders.begin(), folders.end()), folders.end());
  return folders;
}

std::vector<ProcessId> processes_in(std::span<const SpaceId> spaces) {
  std::vector<ProcessId> found;
  if (spaces.empty()) return found;
  for (const pid_t pid : all_processes()) {
    struct stat space {};
    if (::stat(fmt::format("/proc/{}/ns/net", pid).c_str(), &space) != 0) continue;
    const SpaceId its{space.st_dev, space.st_ino};
    if (std::find(spaces.begin(), spaces.end(), its) == spaces.end()) continue;
    if (const auto id = identify(pid)) found.push_back(*id);
  }
  return found;
}

std::optional<std::string> ending_of(ProcessId id) {
  int status = 0;
  if (::waitpid(id.pid, &status, WNOHANG) != id.pid) return std::nullopt;
  if (WIFSIGNALED(status)) return fmt::format("signal {}", WTERMSIG(status));
  return fmt::format("exit code {}", WEXITSTATUS(status));
}

}  // namespace ulnet::tools::lab
