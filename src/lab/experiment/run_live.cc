#include "lab/experiment/run_live.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <thread>

#include "lab/experiment/judge.h"
#include "lab/experiment/live_loads.h"
#include "lab/experiment/live_samples.h"
#include "lab/experiment/report.h"
#include "lab/live/laboratory.h"
#include "lab/live/soft_faults.h"
#include "lab/live/stop_signal.h"

namespace ulnet::tools::lab {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using FaultWhat = ExperimentFault::What;

/// How long operations may take to end after the experiment; operations that have not ended then
/// are lost.
constexpr std::chrono::seconds kDrain{3};
constexpr std::chrono::milliseconds kLook{100};
/// The interval at which nodes that do not answer are asked again, and how long this goes on.
constexpr std::chrono::milliseconds kAgain{500};
constexpr std::chrono::seconds kSilence{30};

tl::unexpected<Error> interrupted() { return fail(-EINTR, "interrupted"); }

/// A topology that is part of the experiment, as a file while it is read.
class TopologyFile {
 public:
  static Result<TopologyFile> write(const Experiment& experiment) {
    std::string folder = (fs::temp_directory_path() / "ulnet-lab-XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr)
      return fail(-errno, "cannot make a folder in " + fs::temp_directory_path().string());
    TopologyFile file(folder);
    const auto wrote = write_whole(file.path(), experiment.topology_text);
    if (!wrote) return tl::unexpected(wrote.error());
    return file;
  }
  TopologyFile(TopologyFile&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}
  TopologyFile& operator=(TopologyFile&&) = delete;
  ~TopologyFile() {
    std::error_code none;
    if (!folder_.empty()) fs::remove_all(folder_, none);
  }
  std::string path() const { return folder_ + "/topology.yaml"; }

 private:
  explicit TopologyFile(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;
};

Result<Laboratory> up(const Experiment& experiment, const LiveOptions& options,
                      Progress& progress) {
  std::optional<TopologyFile> written;
  std::string file = experiment.topology_file;
  if (file.empty()) {
    auto wrote = TopologyFile::write(experiment);
    if (!wrote) return tl::unexpected(wrote.error());
    file = written.emplace(std::move(*wrote)).path();
  }
  auto lab = bring_up({.file = file, .name = options.name, .spaces = options.spaces}, progress);
  if (lab) return std::move(*lab);
  return fail(StopSignal::came() != 0 ? -EINTR : -EIO, lab.error().reason);
}

/// An event with its time. It happens later when nodes that it has to ask do not answer.
struct Event {
  Duration at{};
  std::function<Result<void>()> happens;
  Duration planned{};
};

class LiveRun {
 public:
  LiveRun(const Experiment& experiment, Laboratory& lab, ctl::ControlApi& console,
          Progress& progress)
      : experiment_(experiment),
        lab_(lab),
        progress_(progress),
        loads_(experiment, lab, console),
        samples_(experiment, lab) {
    measured_.where = lab.record.spaces ? Measured::Where::kNamespaces : Measured::Where::kLoopback;
    measured_.loads.resize(experiment.loads.size());
    measured_.faults.resize(experiment.faults.size());
    broken_.resize(experiment.faults.size());
    for (LoadNumber i = 0; i < experiment.loads.size(); ++i) {
      plan(experiment.loads[i].start, [this, i] { return loads_.start(i); });
      if (experiment.loads[i].end < experiment.lasts)
        plan(experiment.loads[i].end, [this, i] { return stop(i); });
    }
    for (std::size_t i = 0; i < experiment.faults.size(); ++i) {
      const ExperimentFault& fault = experiment.faults[i];
      measured_.faults[i] = {fault.at, fault.end};
      plan(fault.at, [this, i] { return strike(i); });
      if (fault.mended) plan(fault.end, [this, i] { return end_fault(i); });
    }
  }

  Result<Measured> go() {
    if (const auto begun = loads_.begin(); !begun) return tl::unexpected(begun.error());
    began_ = Clock::now();
    const auto ran = timeline();
    // Repairs all faults, so that the loads end in a complete network, and a laboratory that is
    // kept is complete, however the run ended.
    Result<void> whole;
    for (std::size_t i = 0; i < experiment_.faults.size(); ++i)
      if (broken_[i])
        if (auto mended = mend_fault(i); !mended) whole = std::move(mended);
    if (!ran) return tl::unexpected(ran.error());
    if (!whole) return tl::unexpected(whole.error());
    progress_.step("waiting for the last operations");
    for (LoadNumber i = 0; i < experiment_.loads.size(); ++i)
      if (experiment_.loads[i].end == experiment_.lasts)
        if (const auto stopped = ask_with_retries([&] { return stop(i); }); !stopped)
          return tl::unexpected(stopped.error());
    if (const auto drained = drain(); !drained) return tl::unexpected(drained.error());
    if (const auto alive = all_alive(); !alive) return tl::unexpected(alive.error());
    return std::move(measured_);
  }

 private:
  /// Inserts an event after the events that are planned for the same time.
  void plan(Duration at, std::function<Result<void>()> happens) {
    plan({at, std::move(happens), at});
  }
  void plan(Event event) {
    events_.insert(std::ranges::upper_bound(events_, event.at, {}, &Event::at), std::move(event));
  }

  Duration now() const { return std::chrono::duration_cast<Duration>(Clock::now() - began_); }

  Result<void> timeline() {
    samples_.take(Duration{});
    std::size_t next = 0;
    Duration sample = experiment_.sample, free{};
    for (;;) {
      const Duration event = next < events_.size() ? events_[next].at : experiment_.lasts;
      const Duration when = std::min(event, sample);
      if (const auto waited = wait_until(std::min(when, experiment_.lasts)); !waited) return waited;
      // Time that the program itself spent does not count as lateness; a slow machine does.
      if (when < experiment_.lasts)
        measured_.late = std::max(measured_.late, now() - std::max(when, free));
      // A sample ends before an event at the same time.
      if (sample <= std::min(event, experiment_.lasts)) {
        samples_.take(now());
        show();
        // Leaves out samples that were missed because an event took long.
        while (sample <= now()) sample += experiment_.sample;
      } else if (event < experiment_.lasts) {
        Event due = std::move(events_[next++]);
        if (const auto done = due.happens(); is_silent(done) && now() < due.planned + kSilence) {
          due.at = now() + kAgain;
          plan(std::move(due));
        } else if (!done) {
          return done;
        }
      } else {
        break;
      }
      free = now();
    }
    for (LoadNumber i = 0; i < experiment_.loads.size(); ++i)
      measured_.loads[i].intervals = samples_.intervals(i);
    return {};
  }

  static bool is_silent(const Result<void>& done) {
    return !done && done.error().code == LiveLoads::kSilent;
  }
  /// Repeats `ask` until all nodes answer.
  template <class Ask>
  Result<void> ask_with_retries(Ask&& ask) {
    const auto end = Clock::now() + kSilence;
    for (;; std::this_thread::sleep_for(kLook)) {
      const Result<void> done = ask();
      if (!is_silent(done) || Clock::now() >= end) return done;
      if (StopSignal::came() != 0) return interrupted();
    }
  }

  Result<void> wait_until(Duration when) const {
    for (;;) {
      if (StopSignal::came() != 0) return interrupted();
      const Duration left = when - now();
      if (left <= Duration{}) return {};
      std::this_thread::sleep_for(std::min<Duration>(left, kLook));
    }
  }

  void show() {
    std::string text =
        fmt::format("{:.1f} of {:.0f} s", seconds_of(now()), seconds_of(experiment_.lasts));
    for (LoadNumber i = 0; i < experiment_.loads.size(); ++i) {
      const ExperimentLoad& load = experiment_.loads[i];
      if (samples_.intervals(i).empty()) continue;
      text +=
          ", " + load.name + " " + rate_words(load, rate_of(load, samples_.intervals(i).back()));
    }
    progress_.detail(text);
  }

  void say(const std::string& what) {
    progress_.say(fmt::format("{:6.1f} s: {}", seconds_of(now()), what));
  }

  // ---- loads

  Result<void> stop(LoadNumber load) { return loads_.stop(load, false); }

  Result<void> drain() {
    const auto end = Clock::now() + kDrain;
    for (LoadNumber i = 0; i < experiment_.loads.size(); ++i)
      if (const auto drained = drain(i, end); !drained) return drained;
    return {};
  }

  Result<void> drain(LoadNumber load, Clock::time_point end) {
    LoadRecord& record = measured_.loads[load];
    std::uint64_t hang = 0;
    const auto look = [&]() -> Result<void> {
      const auto running = loads_.running(load);
      if (!running) return tl::unexpected(running.error());
      hang = *running;
      return {};
    };
    for (;; std::this_thread::sleep_for(kLook)) {
      if (const auto looked = ask_with_retries(look); !looked) return looked;
      if (hang == 0 || Clock::now() >= end) break;
      if (StopSignal::came() != 0) return interrupted();
    }
    if (hang != 0) {
      measured_.remarks.push_back(
          fmt::format("{}: {} operations had not ended {} s after the end, and count as lost",
                      experiment_.loads[load].name, hang, kDrain.count()));
      const auto given_up = ask_with_retries([&] { return loads_.stop(load, true); });
      if (!given_up) return given_up;
      for (const auto last = Clock::now() + kDrain; hang != 0 && Clock::now() < last;
           std::this_thread::sleep_for(kLook))
        if (const auto looked = ask_with_retries(look); !looked) return looked;
    }
    return ask_with_retries([&]() -> Result<void> {
      const auto ended = loads_.ended(load);
      if (!ended) return tl::unexpected(ended.error());
      record.operations = ended->well;
      record.lost = ended->failed;
      return {};
    });
  }

  // ---- faults

  Result<void> strike(std::size_t number) {
    const ExperimentFault& fault = experiment_.faults[number];
    say(description(fault));
    measured_.faults[number].from = now();
    broken_[number] = true;
    switch (fault.what) {
      case FaultWhat::kKill:
        return kill_node(lab_, fault.node);
      case FaultWhat::kPause:
        return pause_node(lab_, fault.node);
      case FaultWhat::kLinkDown:
        return cut(lab_, fault.wire);
      case FaultWhat::kLinkRate:
        break;
    }
    return set_rate(lab_, fault.wire, fault.bits_per_second);
  }

  Result<void> end_fault(std::size_t number) {
    const ExperimentFault& fault = experiment_.faults[number];
    measured_.faults[number].to = now();
    const auto mended = mend_fault(number);
    if (mended) say(fault.target + (fault.at_link() ? " is as before" : " runs again"));
    return mended;
  }

  Result<void> mend_fault(std::size_t number) {
    const ExperimentFault& fault = experiment_.faults[number];
    broken_[number] = false;
    switch (fault.what) {
      case FaultWhat::kKill:
        return restart_nodes(lab_, {fault.node});
      case FaultWhat::kPause:
        return resume_node(lab_, fault.node);
      case FaultWhat::kLinkDown:
        return mend(lab_, fault.wire);
      case FaultWhat::kLinkRate:
        break;
    }
    return set_rate(lab_, fault.wire, wire_of(experiment_.topology, fault.wire).bits_per_second);
  }

  /// Checks that every node is alive: somebody may have killed one without starting it again.
  Result<void> all_alive() const {
    constexpr std::size_t kLines = 12;
    for (NodeNumber node = 0; node < lab_.topology.nodes.size(); ++node) {
      if (look_at(lab_, node).run_state != RunState::kDead) continue;
      const std::string& name = lab_.topology.nodes[node].name;
      return fail(-ECHILD, "node " + name + " died during the experiment; the end of its log:\n" +
                               last_lines(lab_.home, name, kLines));
    }
    return {};
  }

  const Experiment& experiment_;
  Laboratory& lab_;
  Progress& progress_;
  LiveLoads loads_;
  LiveSamples samples_;
  std::vector<Event> events_;
  Clock::time_point began_;
  Measured measured_;
  std::vector<bool> broken_;  ///< by fault: whether it exists now
};

/// Gives the wires the rates that the experiment sets in place of the topology's.
Result<void> set_rates(const Experiment& experiment, Laboratory& lab) {
  if (!lab.record.spaces || !experiment.wires_at_most) return {};
  const auto settle = [&](const WireEnd& wire) -> Result<void> {
    const std::uint64_t rate = wire_of(experiment.topology, wire).bits_per_second;
    if (rate == wire_of(lab.topology, wire).bits_per_second) return {};
    return set_rate(lab, wire, rate);
  };
  for (std::size_t i = 0; i < lab.topology.switch_links.size(); ++i)
    if (const auto set = settle({.node = 0, .rail = 0, .link = i}); !set) return set;
  for (NodeNumber node = 0; node < lab.topology.nodes.size(); ++node)
    for (std::uint32_t rail = 0; rail < lab.topology.nodes[node].rails.size(); ++rail)
      if (const auto set = settle({.node = node, .rail = rail, .link = std::nullopt}); !set)
        return set;
  return {};
}

Result<Measured> run_in(const Experiment& experiment, Laboratory& lab, Progress& progress) {
  progress.step("preparing the loads");
  if (const auto set = set_rates(experiment, lab); !set) return tl::unexpected(set.error());
  const auto console = control_client(lab, experiment.console);
  if (!console) return tl::unexpected(console.error());
  auto measured = LiveRun(experiment, lab, **console, progress).go();
  if (measured)
    for (const std::string& remark : shortcomings(experiment.topology, lab.record))
      measured->remarks.push_back(remark);
  return measured;
}

}  // namespace

Result<Measured> run_live(const Experiment& experiment, const LiveOptions& options,
                          Progress& progress) {
  auto lab = up(experiment, options, progress);
  if (!lab) return tl::unexpected(lab.error());
  // The lock keeps other commands from changing the laboratory while the experiment runs, and while
  // the laboratory is taken down.
  const auto lock = Lock::take(lab->home, progress);
  if (!lock)
    return fail(lock.error().code, lock.error().reason + "; 'ulnet-lab down " + lab->home.name() +
                                       "' ends the laboratory");
  auto measured = run_in(experiment, *lab, progress);
  if (options.keep) {
    progress.say("the laboratory is kept: 'ulnet-lab status " + lab->home.name() +
                 "' shows it, 'ulnet-lab down " + lab->home.name() + "' ends it");
    return measured;
  }
  progress.step("taking down");
  const auto removed = take_away(lab->home);
  progress.clear();
  if (!removed && measured)
    return fail(removed.error().code, "not all was taken down (" + removed.error().reason +
                                          "): 'ulnet-lab clean " + lab->home.name() +
                                          "' tries again");
  return measured;
}

}  // namespace ulnet::tools::lab
