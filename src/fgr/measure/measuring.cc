#include "fgr/measure/measuring.h"

#include <algorithm>
#include <map>

#include "selftest/ulst/run/benchmark.h"

namespace ulnet::tools::fgr {
namespace {

namespace run = lst::run;

/// One test of the OSSs of a run that have not failed, with its progress.
class MeasureTest final : public run::Progress {
 public:
  MeasureTest(const MeasureSetup& setup, const plan::MeasureRun& osss, MeasureProgress& progress)
      : setup_(setup), osss_(osss), progress_(progress) {}

  run::Plan plan_with(const std::map<std::string, std::string>& failed, std::uint32_t concurrency) {
    run::Plan plan = setup_.how;
    plan.to.clear();
    ids_.clear();
    samples.clear();
    for (const plan::Oss& oss : osss_.osss) {
      ids_.push_back(setup_.id_of(oss));
      if (!failed.contains(ids_.back())) plan.to.push_back(ids_.back());
    }
    plan.concurrency = concurrency;
    if (!plan.to.empty())
      plan.spread = {
          1, plan::osss_of_a_client(plan.from.size(), plan.to.size(), setup_.osss_per_client)};
    return plan;
  }

  void begin(std::size_t) override {}
  void show(const run::Live& live) override {
    double all = 0;
    RateSample sample{.seconds = std::chrono::duration<double>(live.elapsed).count(),
                      .bytes_per_s = {}};
    sample.bytes_per_s.resize(ids_.size());
    for (const run::Flow& flow : live.rows) {
      if (flow.role != run::Role::kServer) continue;
      all += flow.bytes_per_s;
      for (std::size_t i = 0; i < ids_.size(); ++i)
        if (run::short_id(ids_[i]) == flow.node && flow.note.empty() && flow.lost.empty())
          sample.bytes_per_s[i] = flow.bytes_per_s;
    }
    progress_.show(live.elapsed, live.total, all);
    // Clients that are being stopped have no rate any more.
    if (live.elapsed <= live.total + setup_.how.interval / 2) samples.push_back(std::move(sample));
  }

  /// Takes the figures of the OSSs from a test that was started.
  void take(const run::StepResult& result, Measured& into) const {
    into.seconds = result.seconds;
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      const auto flow = std::ranges::find(result.servers, run::short_id(ids_[i]), &run::Flow::node);
      if (flow == result.servers.end()) continue;
      plan::OssFigure& figure = into.figures[i];
      figure.bytes_per_s = flow->bytes_per_s;
      figure.errors = flow->errors;
      // With a single OSS all failed RPCs belong to it.
      if (result.servers.size() == 1) figure.errors = std::max(figure.errors, result.total.errors);
      figure.failed = flow->lost.empty() && !flow->rated ? "silent" : flow->lost;
    }
  }

  const std::vector<std::string>& ids() const { return ids_; }
  std::vector<RateSample> samples;

 private:
  const MeasureSetup& setup_;
  const plan::MeasureRun& osss_;
  MeasureProgress& progress_;
  std::vector<std::string> ids_;
};

class Measuring {
 public:
  Measuring(const lst::Tool& tool, const MeasureSetup& setup, MeasureProgress& progress)
      : tool_(tool), setup_(setup), progress_(progress) {}

  Measurement run_all() {
    result_.runs = setup_.runs;
    result_.step = setup_.how.steps.front();
    for (const std::string& id : setup_.how.from) result_.clients.push_back(run::short_id(id));
    const std::size_t of = setup_.runs.size() * setup_.concurrencies.size();
    std::size_t number = 0;
    for (std::size_t i = 0; i < setup_.runs.size(); ++i)
      for (const std::uint32_t concurrency : setup_.concurrencies) {
        progress_.begin(++number, of, setup_.title_of(setup_.runs[i]), concurrency);
        const bool goes_on = measure_run(i, concurrency);
        progress_.end(goes_on ? &result_.measured.back() : nullptr);
        if (!goes_on) return std::move(result_);
      }
    return std::move(result_);
  }

 private:
  /// Measures one run. Returns false when nothing more can be measured.
  bool measure_run(std::size_t number, std::uint32_t concurrency) {
    const plan::MeasureRun& osss = setup_.runs[number];
    Measured measured{.run = number, .concurrency = concurrency};
    for (const plan::Oss& oss : osss.osss) measured.figures.push_back({.oss = oss, .failed = {}});
    MeasureTest test(setup_, osss, progress_);
    for (;;) {
      const run::Plan plan = test.plan_with(failed_, concurrency);
      if (plan.to.empty()) break;
      const run::Outcome outcome = run::run_plan(tool_, plan, test);
      if (outcome.interrupted) return result_.interrupted = true, false;
      if (outcome.broken && !blame(plan, outcome)) return false;
      if (outcome.broken) continue;
      measured.osss_of_a_client = plan.spread.servers;
      if (!outcome.steps.empty()) test.take(outcome.steps.front(), measured);
      note(plan, outcome, measured);
      break;
    }
    measured.samples = std::move(test.samples);
    for (std::size_t i = 0; i < test.ids().size(); ++i)
      if (const auto at = failed_.find(test.ids()[i]); at != failed_.end())
        measured.figures[i].failed = at->second;
    result_.measured.push_back(std::move(measured));
    return true;
  }

  /// Records the OSSs that made a session fail. Returns false when something else made it fail.
  bool blame(const run::Plan& plan, const run::Outcome& outcome) {
    bool others = false, servers = false;
    for (const run::Problem& problem : outcome.problems) {
      const bool server = std::ranges::find(plan.to, problem.node) != plan.to.end();
      if (server && outcome.steps.empty()) {
        failed_.emplace(problem.node, problem.why);
        servers = true;
      } else {
        others = true;
        if (!result_.stopped.empty()) result_.stopped += "; ";
        result_.stopped += words_of(problem);
      }
    }
    if (!others && !servers) result_.stopped = "the console failed";
    return servers && !others;
  }

  static std::string words_of(const run::Problem& problem) {
    return (problem.node.empty() ? "" : run::short_id(problem.node) + ": ") + problem.why;
  }

  /// Records the troubles of a test. A lost OSS has its reason in its figure instead.
  void note(const run::Plan& plan, const run::Outcome& outcome, Measured& measured) {
    for (const run::Problem& problem : outcome.problems)
      if (std::ranges::find(plan.to, problem.node) == plan.to.end() ||
          std::ranges::find(plan.from, problem.node) != plan.from.end())
        measured.troubles.push_back(setup_.title_of(setup_.runs[measured.run]) + ": " +
                                    words_of(problem));
    for (const run::Problem& remark : outcome.remarks) measured.remarks.push_back(words_of(remark));
  }

  const lst::Tool& tool_;
  const MeasureSetup& setup_;
  MeasureProgress& progress_;
  Measurement result_;
  std::map<std::string, std::string> failed_;  ///< by process id: why it failed
};

}  // namespace

Measurement measure(const lst::Tool& tool, const MeasureSetup& setup, MeasureProgress& progress) {
  return Measuring(tool, setup, progress).run_all();
}

}  // namespace ulnet::tools::fgr
