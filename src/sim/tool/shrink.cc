#include "sim/tool/shrink.h"

#include <fmt/format.h>

#include <chrono>
#include <span>

#include "sim/tool/simplify.h"

namespace ulnet::tools {
namespace {

using namespace ulnet::sim;

class Shrinking {
 public:
  Shrinking(Shrunk& best, const Attempt& attempt, std::size_t most)
      : best_(best), attempt_(attempt), most_(most) {}

  void run() {
    using namespace std::chrono_literals;
    do {
      better_ = false;
      make_most(without_each(best_.scenario, &Scenario::loads));
      make_most(without_each(best_.scenario, &Scenario::selftests));
      make_most(without_each(best_.scenario, &Scenario::old_nodes));
      make_most(without_each(best_.scenario, &Scenario::acts));
      operations();
      make_most(without_each_node(best_.scenario));
      make_most(without_each_net(best_.scenario));
      make_most(without_each_ni(best_.scenario));
      make_most(without_each_route(best_.scenario));
      make_most(defaults(best_.scenario));
      make_most(plainer_loads(best_.scenario));
      make_most(plainer_selftests(best_.scenario));
      make_most(plainer_old_nodes(best_.scenario));
      for (const Duration unit : {Duration(1s), Duration(100ms), Duration(10ms), Duration(1ms),
                                  Duration(100us), Duration(10us), Duration(1us)})
        make_most(rounder_times(best_.scenario, unit));
    } while (better_ && best_.runs < most_);
  }

 private:
  /// True when the scenario fails in the same way; it is then the best so far.
  bool fails(const Scenario& scenario) {
    if (best_.runs >= most_) return false;
    ++best_.runs;
    Report report = attempt_(scenario);
    if (report.ending != best_.report.ending || report.checker != best_.report.checker)
      return false;
    best_.scenario = scenario;
    best_.report = std::move(report);
    return better_ = true;
  }

  /// Makes as many of the changes as it can while the scenario still fails: all, or those that
  /// succeed in each half of them. The last changes come first, as simplify.h requires.
  void make_most(std::span<const Change> changes) {
    Scenario changed = best_.scenario;
    std::size_t made = 0;
    for (std::size_t i = changes.size(); i-- > 0;) made += changes[i](changed) ? 1 : 0;
    if (made == 0 || fails(changed) || changes.size() == 1) return;
    const std::size_t half = changes.size() / 2;
    make_most(changes.subspan(half));
    make_most(changes.first(half));
  }

  void operations() {
    fewer(&Scenario::loads);
    fewer(&Scenario::old_nodes);
  }
  template <class Each>
  void fewer(std::vector<Each> Scenario::*list) {
    for (std::size_t i = 0; i < (best_.scenario.*list).size(); ++i)
      while ((best_.scenario.*list)[i].count > 1) {
        Scenario less = best_.scenario;
        (less.*list)[i].count /= 2;
        if (!fails(less)) break;
      }
  }

  Shrunk& best_;
  const Attempt& attempt_;
  const std::size_t most_;
  bool better_ = false;  ///< a change has succeeded in this round
};

std::uint64_t operations_of(const Scenario& scenario) {
  std::uint64_t sum = 0;
  for (const LoadSpec& load : scenario.loads)
    sum += load.count * (load.by_chance() ? 1 : load.from.size());
  for (const OldNodeSetup& old : scenario.old_nodes) sum += old.count;
  return sum;
}

}  // namespace

Shrunk shrink(Scenario scenario, Report report, const Attempt& attempt, std::size_t most) {
  Shrunk best{std::move(scenario), std::move(report), 0};
  Shrinking(best, attempt, most).run();
  return best;
}

std::string difference(const Scenario& from, const Report& before, const Shrunk& shrunk) {
  const Scenario& to = shrunk.scenario;
  return fmt::format(
      "{} of {} nodes, {} of {} faults, {} of {} loads, {} of {} operations, {} of {} steps",
      to.nodes.size(), from.nodes.size(), to.acts.size(), from.acts.size(), to.loads.size(),
      from.loads.size(), operations_of(to), operations_of(from), shrunk.report.steps, before.steps);
}

}  // namespace ulnet::tools
