#include "sim/tool/apart.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "lnet/base/assert.h"
#include "sim/tool/table.h"

namespace ulnet::tools {

Child start_apart(const std::function<void()>& work) {
  int ends[2];
  const int piped = ::pipe2(ends, O_CLOEXEC);
  ULNET_ASSERT(piped == 0);
  std::fflush(nullptr);
  const pid_t pid = ::fork();
  ULNET_ASSERT(pid >= 0);
  if (pid == 0) {
    ::close(ends[0]);
    ::dup2(ends[1], STDERR_FILENO);
    ::close(ends[1]);
    ::signal(SIGPIPE, SIG_DFL);  // the child dies when its parent is gone
    work();
    std::_Exit(0);
  }
  ::close(ends[1]);
  return {pid, ends[0]};
}

void say(std::string line) {
  line += '\n';
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t wrote = ::write(STDERR_FILENO, line.data() + done, line.size() - done);
    if (wrote <= 0) std::_Exit(1);
    done += static_cast<std::size_t>(wrote);
  }
}

void still_alive() { ::alarm(static_cast<unsigned>(kMaxRealTime.count())); }

std::string wait_for(const Child& child) {
  int status = 0;
  while (::waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  if (!WIFSIGNALED(status)) return "it ended with code " + std::to_string(WEXITSTATUS(status));
  if (WTERMSIG(status) == SIGALRM)
    return "a step does not end: " + std::to_string(kMaxRealTime.count()) + " s of real time";
  return std::string("signal ") + std::to_string(WTERMSIG(status)) + " (" +
         ::strsignal(WTERMSIG(status)) + ")";
}

sim::Report died(const std::string& how, std::string_view said) {
  sim::Report report;
  report.ending = sim::Ending::kDied;
  report.checker = "the program died";
  const std::size_t first = said.find_first_not_of("\n ");
  report.what = how;
  if (first != std::string_view::npos) {
    std::string text(said.substr(first, 600));
    while (text.ends_with('\n')) text.pop_back();
    report.what += ": " + text;
  }
  return report;
}

sim::Report run_apart(const std::function<sim::Report()>& work) {
  const Child child = start_apart([&] {
    still_alive();
    say(to_json(work()));
  });
  std::string text;
  char buffer[16 << 10];
  for (;;) {
    const ssize_t got = ::read(child.output, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(buffer, static_cast<std::size_t>(got));
  }
  ::close(child.output);
  const std::string how = wait_for(child);
  const std::size_t report = text.find("{\"");
  if (!how.empty() || report == std::string::npos) return died(how, text);
  return from_json(text.substr(report, text.find('\n', report) - report));
}

}  // namespace ulnet::tools
