#include "tools/sim/shrink.h"

#include <fmt/format.h>

namespace ulnet::tools {
namespace {

using namespace ulnet::sim;

class Shrinking {
 public:
  Shrinking(Shrunk& best, const Attempt& attempt, std::size_t most)
      : best_(best), attempt_(attempt), most_(most) {}

  void run() {
    loads();
    acts_from_the_end();
    acts_one_by_one();
    operations();
    acts_one_by_one();
    nodes_from_the_end();
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
    return true;
  }

  void loads() {
    for (std::size_t i = best_.scenario.loads.size(); i-- > 0;) {
      Scenario less = best_.scenario;
      less.loads.erase(less.loads.begin() + static_cast<std::ptrdiff_t>(i));
      fails(less);
    }
  }

  void acts_from_the_end() {
    const Scenario all = best_.scenario;
    std::size_t good = 0;               // so many acts may be too few for the failure
    std::size_t bad = all.acts.size();  // so many suffice
    const auto first = [&](std::size_t count) {
      Scenario less = all;
      less.acts.resize(count);
      return fails(less);
    };
    if (bad == 0 || first(0)) return;
    while (bad - good > 1) {
      const std::size_t middle = good + (bad - good) / 2;
      (first(middle) ? bad : good) = middle;
    }
  }

  void acts_one_by_one() {
    for (std::size_t i = best_.scenario.acts.size(); i-- > 0;) {
      Scenario less = best_.scenario;
      less.acts.erase(less.acts.begin() + static_cast<std::ptrdiff_t>(i));
      fails(less);
    }
  }

  void operations() {
    for (std::size_t i = 0; i < best_.scenario.loads.size(); ++i)
      while (best_.scenario.loads[i].count > 1) {
        Scenario less = best_.scenario;
        less.loads[i].count /= 2;
        if (!fails(less)) break;
      }
  }

  void nodes_from_the_end() {
    while (best_.scenario.nodes.size() > 2) {
      Scenario less = best_.scenario;
      const auto gone = static_cast<NodeNumber>(less.nodes.size() - 1);
      less.nodes.pop_back();
      std::erase_if(less.acts,
                    [&](const Act& act) { return act.node == gone || act.other == gone; });
      std::erase_if(less.links,
                    [&](const LinkBetween& link) { return link.from == gone || link.to == gone; });
      for (LoadSpec& load : less.loads) {
        std::erase(load.from, gone);
        std::erase(load.to, gone);
      }
      if (!fails(less)) return;
    }
  }

  Shrunk& best_;
  const Attempt& attempt_;
  const std::size_t most_;
};

std::uint64_t operations_of(const Scenario& scenario) {
  std::uint64_t sum = 0;
  for (const LoadSpec& load : scenario.loads)
    sum += load.count * (load.by_chance() ? 1 : load.from.size());
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
