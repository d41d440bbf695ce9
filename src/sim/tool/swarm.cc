#include "sim/tool/swarm.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>

#include "sim/tool/apart.h"
#include "text/shell/progress.h"

namespace ulnet::tools {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kBegins = "seed ";

/// A child process that runs every n-th seed, as its parent sees it.
struct Worker {
  Child child;
  std::uint64_t next = 0;  ///< the first seed that it has not begun, counted from the swarm's first
  std::uint64_t seed = 0;
  std::string text;  ///< read but not parsed; if the child dies, its last output
  bool over = false;
};

class Swarm {
 public:
  Swarm(const SwarmCommand& command, const SeedRun& world, const SeedEnded& ended)
      : command_(command), world_(world), ended_(ended) {}

  SwarmResult run() {
    for (std::uint64_t i = 0; i < jobs_; ++i) workers_.push_back({start(i), i, 0, {}, false});
    while (!finished()) wait();
    for (Worker& worker : workers_) end(worker);
    result_.seconds = seconds();
    std::ranges::sort(result_.failures, {}, &Failure::seed);
    return std::move(result_);
  }

 private:
  Child start(std::uint64_t place) {
    return start_apart([&] {
      for (std::uint64_t i = place; i < command_.seeds; i += jobs_) {
        const std::uint64_t seed = *command_.first + i;
        still_alive();
        say(std::string(kBegins) + std::to_string(seed));
        say(to_json(world_(seed)));
      }
    });
  }

  bool enough() const { return result_.failures.size() >= command_.stop_after || time_up(); }
  bool finished() const {
    if (enough()) return true;
    for (const Worker& worker : workers_)
      if (!worker.over) return false;
    return true;
  }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  bool time_up() const { return command_.minutes > 0 && seconds() >= command_.minutes * 60; }

  void wait() {
    std::vector<pollfd> polled;
    for (const Worker& worker : workers_)
      polled.push_back({worker.over ? -1 : worker.child.output, POLLIN, 0});
    ::poll(polled.data(), polled.size(), 200);
    for (std::size_t i = 0; i < workers_.size(); ++i)
      if (polled[i].revents != 0) hear(workers_[i]);
    progress_.show([&] { return progress(); });
  }

  void hear(Worker& worker) {
    char buffer[16 << 10];
    const ssize_t got = ::read(worker.child.output, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) return;
    if (got <= 0) return gone(worker);
    worker.text.append(buffer, static_cast<std::size_t>(got));
    std::size_t begin = 0;
    for (std::size_t end; (end = worker.text.find('\n', begin)) != std::string::npos;) {
      const std::string_view line(worker.text.data() + begin, end - begin);
      if (line.starts_with("{\""))
        ended(worker, from_json(std::string(line)));
      else if (line.starts_with(kBegins))
        begins(worker, line.substr(kBegins.size()));
      else
        break;  // not a line of the swarm: the last output of a child that dies
      begin = end + 1;
    }
    worker.text.erase(0, begin);
  }

  void begins(Worker& worker, std::string_view seed) {
    std::from_chars(seed.data(), seed.data() + seed.size(), worker.seed);
    worker.next = worker.seed - *command_.first + jobs_;
  }

  void ended(const Worker& worker, const sim::Report& report) {
    result_.totals.add(report);
    if (ended_) ended_(worker.seed, report);
    if (!report.good()) failed({worker.seed, report});
  }

  /// Prints the seed at once: a long swarm explains it only at its end.
  void failed(Failure failure) {
    progress_.clear();
    std::fprintf(stderr, "seed %llu fails: %s\n", static_cast<unsigned long long>(failure.seed),
                 reason_of(failure).c_str());
    result_.failures.push_back(std::move(failure));
  }

  /// Called when the child has ended. If it died, another child continues after the seed at which
  /// it died.
  void gone(Worker& worker) {
    worker.over = true;
    ::close(worker.child.output);
    const std::string how = wait_for(worker.child);
    if (how.empty()) return;
    failed({worker.seed, died(how, worker.text)});
    if (!enough() && worker.next < command_.seeds)
      worker = {start(worker.next), worker.next, 0, {}, false};
  }

  void end(Worker& worker) {
    if (worker.over) return;
    ::kill(worker.child.pid, SIGKILL);
    ::close(worker.child.output);
    (void)wait_for(worker.child);
    worker.over = true;
  }

  std::string progress() const {
    const double passed = std::max(seconds(), 0.001);
    const Totals& totals = result_.totals;
    const std::string of =
        command_.seeds == SwarmCommand::kNoLimit ? "" : fmt::format(" of {}", command_.seeds);
    return fmt::format("{}{} worlds, {:.1f}/s, {} messages, {:.0f} steps/s, {:.0f} s, {} failed",
                       totals.runs(), of, static_cast<double>(totals.runs()) / passed,
                       totals.messages(), static_cast<double>(totals.steps()) / passed, passed,
                       result_.failures.size());
  }

  const SwarmCommand& command_;
  const SeedRun& world_;
  const SeedEnded& ended_;
  const std::uint64_t jobs_ =
      std::max<std::uint64_t>(1, std::min<std::uint64_t>(command_.jobs, command_.seeds));
  const Clock::time_point begin_ = Clock::now();
  std::vector<Worker> workers_;
  SwarmResult result_;
  Progress progress_;
};

}  // namespace

std::string reason_of(const Failure& failure) {
  const std::string& what = failure.report.what;
  return failure.report.checker + ": " + what.substr(0, what.find('\n'));
}

SwarmResult run_swarm(const SwarmCommand& command, const SeedRun& world, const SeedEnded& ended) {
  return Swarm(command, world, ended).run();
}

}  // namespace ulnet::tools
