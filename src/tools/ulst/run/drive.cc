#include "tools/ulst/run/drive.h"

#include <algorithm>

namespace ulnet::tools::lst::run {

namespace {

constexpr Duration kLookSoon = std::chrono::milliseconds(10);
constexpr Duration kLookLate = std::chrono::milliseconds(500);

/// What was said stays where nothing new is.
void keep(std::vector<std::optional<Counts>>& old,
          const std::vector<std::optional<Counts>>& current) {
  old.resize(current.size());
  for (std::size_t i = 0; i < old.size(); ++i)
    if (current[i]) old[i] = current[i];
}

std::string count_of(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " RPC" : " RPCs");
}

}  // namespace

Drive::Drive(Crew& crew, const Plan& plan, std::size_t number, Progress& progress)
    : crew_(crew),
      watch_(crew.watch()),
      plan_(plan),
      number_(number),
      progress_(progress),
      step_(plan.steps[number]),
      pace_(pace_of(plan, step_)),
      batch_("run" + std::to_string(number + 1)) {}

bool Drive::run() {
  if (!crew_.add_test(batch_, step_, pace_) || !sample()) return false;
  idle_ = first_ = last_ = end_ = now_;
  began_ = watch_.now();
  const bool measured = start() && measure();
  const bool settled = measured && settle();
  StepResult reached = result();
  tell_problems(reached);
  crew_.outcome().steps.push_back(std::move(reached));
  return settled;
}

bool Drive::start() {
  if (!crew_.start(batch_)) return false;
  if (pace_.limited()) next_start_ = watch_.now() + pace_.window;
  return true;
}

bool Drive::sample() { return crew_.sample(batch_, now_); }

bool Drive::measure() {
  // A burst counts for the whole of its window, so that limited rates are measured from its
  // beginning.
  if (!pace_.limited()) {
    if (!sample()) return false;
    keep(first_, now_);
    keep(last_, now_);
  }
  const Instant end = began_ + plan_.time;
  Instant next_sample = began_ + plan_.interval;
  while (alive()) {
    watch_.pause(std::min({end, next_sample, next_start_}) - watch_.now());
    if (watch_.interrupted() || watch_.now() >= end) break;
    if (watch_.now() >= next_start_ && !start()) return false;
    if (watch_.now() < next_sample) continue;
    if (!look()) return false;
    next_sample = std::max(next_sample + plan_.interval, watch_.now());
  }
  seconds_ = std::chrono::duration<double>(watch_.now() - began_).count();
  return look();
}

bool Drive::look() {
  const Sample before = last_;
  if (!sample()) return false;
  keep(last_, now_);
  show(before);
  return true;
}

/// Limited tests rest, others do not.
bool Drive::alive() {
  if (!crew_.roster().any_there(&Node::client) || !crew_.roster().any_there(&Node::server))
    return false;
  return pace_.limited() || !idle();
}

bool Drive::idle() const {
  const auto& nodes = crew_.roster().nodes();
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].client && nodes[i].there() && now_[i] && now_[i]->batches != 0) return false;
  return true;
}

/// RPCs to a node that is lost would last until they time out: then they are ended, and also when
/// stopping takes longer than an answer may.
bool Drive::settle() {
  bool force = crew_.roster().any_lost();
  if (!crew_.stop(batch_, force)) return false;
  Instant deadline = watch_.now() + std::chrono::seconds(plan_.timeout);
  for (Duration look = kLookSoon;; look = std::min(2 * look, kLookLate)) {
    if (!sample()) return false;
    keep(end_, now_);
    if (idle()) return true;
    if (watch_.now() >= deadline) {
      for (std::size_t i = 0; i < now_.size(); ++i) {
        Node& node = crew_.roster().nodes()[i];
        if (!node.client || !now_[i] || now_[i]->batches == 0) continue;
        if (force)
          crew_.lose(node, "lost: its test does not stop");
        else
          crew_.outcome().problems.push_back(
              {node.id, title_of(step_) + ": some RPCs did not end, and were given up"});
      }
      if (force) return true;
      force = true;
      if (!crew_.stop(batch_, force)) return false;
      deadline = watch_.now() + std::chrono::seconds(plan_.timeout);
    }
    watch_.pause(look);
  }
}

void Drive::show(const Sample& before) {
  Live live{.place = plan_.place,
            .step = step_,
            .number = number_ + 1,
            .of = plan_.steps.size(),
            .elapsed = watch_.now() - began_,
            .total = plan_.time};
  const auto& nodes = crew_.roster().nodes();
  const bool checked = plan_.check != "none";
  for (const Role role : {Role::kClient, Role::kServer}) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!(role == Role::kClient ? nodes[i].client : nodes[i].server) || !last_[i]) continue;
      Flow flow = flow_between(step_, checked, role, *before[i], *last_[i]);
      const Flow all = flow_between(step_, checked, role, *idle_[i], *last_[i]);
      flow.node = short_id(nodes[i].id);
      flow.errors = all.errors;
      flow.wrong = all.wrong;
      flow.lost = nodes[i].lost;
      live.rows.push_back(std::move(flow));
    }
  }
  progress_.show(live);
}

Flow Drive::row(std::size_t place, Role role) const {
  const Node& node = crew_.roster().nodes()[place];
  const bool checked = plan_.check != "none" && step_.size != 0;
  Flow flow{.role = role};
  if (idle_[place]) {
    const Counts& last = end_[place]->asked > last_[place]->asked ? *end_[place] : *last_[place];
    const Flow all = flow_between(step_, checked, role, *idle_[place], last);
    flow = flow_between(step_, checked, role, *first_[place], *last_[place]);
    flow.rpcs = all.rpcs;
    flow.errors = all.errors;
    flow.wrong = all.wrong;
    if (role == Role::kClient && last.rpcs.value_or(0) != 0) flow.percentiles = last.percentiles;
  }
  flow.node = short_id(node.id);
  flow.lost = node.lost;
  return flow;
}

StepResult Drive::result() const {
  StepResult result{.step = step_, .pace = pace_, .seconds = seconds_};
  const auto& nodes = crew_.roster().nodes();
  const double units = static_cast<double>(pace_.concurrency) * plan_.spread.servers;
  // Little's law: as many as are under way all the time, by how many end in a second. Units that
  // failed are under way no more.
  const auto mean_of = [&](const Flow& flow, double under_way) -> std::optional<double> {
    if (pace_.limited() || flow.errors != 0 || !flow.lost.empty() || flow.rpcs_per_s == 0)
      return std::nullopt;
    return under_way / flow.rpcs_per_s * 1e6;
  };
  bool all_there = true;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].client) {
      Flow& flow = result.clients.emplace_back(row(i, Role::kClient));
      flow.mean_us = mean_of(flow, units);
      all_there = all_there && flow.lost.empty();
    }
    if (nodes[i].server) result.servers.push_back(row(i, Role::kServer));
  }
  result.total = sum_of(result.clients);
  if (all_there)
    result.total.mean_us =
        mean_of(result.total, units * static_cast<double>(result.clients.size()));
  if (result.clients.size() == 1) result.total.percentiles = result.clients[0].percentiles;
  return result;
}

void Drive::tell_problems(const StepResult& result) {
  std::size_t place = 0;
  for (const Node& node : crew_.roster().nodes()) {
    if (!node.client) continue;
    const Flow& flow = result.clients[place++];
    const auto tell = [&](const std::string& what) {
      crew_.outcome().problems.push_back({node.id, title_of(step_) + ": " + what});
    };
    if (flow.wrong != 0) tell("the data of " + count_of(flow.wrong) + " were wrong");
    if (flow.errors > flow.wrong) tell(count_of(flow.errors - flow.wrong) + " failed");
    const bool silent = flow.rpcs == 0 && flow.errors == 0 && node.there();
    if (silent && !watch_.interrupted() && !crew_.outcome().broken) tell("no RPC ended");
  }
}

}  // namespace ulnet::tools::lst::run
