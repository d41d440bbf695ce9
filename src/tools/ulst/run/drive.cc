#include "tools/ulst/run/drive.h"

#include <algorithm>

#include "svc/selftest/console/distribution.h"
#include "tools/ulst/run/figures.h"

namespace ulnet::tools::lst::run {

namespace {

constexpr Duration kLookSoon = std::chrono::milliseconds(10);
constexpr Duration kLookLate = std::chrono::milliseconds(500);

/// How long a user who interrupted waits, and how long aborted RPCs may take to end.
constexpr Duration kShortly = std::chrono::seconds(5);
/// A shorter silence is not reported: the node may be busy, or the network slow.
constexpr Duration kSilence = std::chrono::seconds(3);

std::string silent_for(Duration time) {
  return "silent for " + seconds_text(std::chrono::duration<double>(time).count());
}

std::string count_of(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " RPC" : " RPCs");
}

}  // namespace

Drive::Drive(SessionDriver& session, const Plan& plan, std::size_t number, Progress& progress)
    : session_(session),
      watch_(session.watch()),
      plan_(plan),
      number_(number),
      progress_(progress),
      step_(plan.steps[number]),
      pace_(pace_of(plan, step_)),
      batch_("run" + std::to_string(number + 1)) {}

bool Drive::run() {
  if (!session_.add_test(batch_, step_, pace_) || !sample()) return false;
  tracks_.resize(now_.size());
  for (std::size_t i = 0; i < now_.size(); ++i) tracks_[i].begin(now_[i]);
  began_ = watch_.now();
  const bool measured = start() && measure();
  const bool settled = measured && settle() && session_.latencies(batch_, latencies_);
  StepResult reached = result();
  tell_problems(reached);
  tell_silences();
  session_.outcome().steps.push_back(std::move(reached));
  return settled;
}

bool Drive::start() {
  if (!session_.start(batch_)) return false;
  if (pace_.limited()) next_start_ = watch_.now() + pace_.window;
  return true;
}

bool Drive::sample() { return session_.sample(batch_, now_); }

bool Drive::measure() {
  // The RPCs of a burst count for its whole window, so limited rates are measured from the
  // beginning.
  if (!pace_.limited()) {
    if (!sample()) return false;
    for (std::size_t i = 0; i < now_.size(); ++i) tracks_[i].started(now_[i]);
  }
  const Instant end = began_ + plan_.time;
  Instant next_sample = began_ + plan_.interval;
  while (alive()) {
    watch_.pause(std::min({end, next_sample, next_start_}) - watch_.now());
    if (watch_.interrupted() || watch_.now() >= end) break;
    if (watch_.now() >= next_start_ && !start()) return false;
    if (watch_.now() < next_sample) continue;
    if (!look()) return false;
    if (!pace_.limited() && anybody_untold(&Node::told_to_start) && !start()) return false;
    next_sample = std::max(next_sample + plan_.interval, watch_.now());
  }
  seconds_ = std::chrono::duration<double>(watch_.now() - began_).count();
  return look();
}

bool Drive::look() {
  const std::vector<Track> before = tracks_;
  if (!sample()) return false;
  for (std::size_t i = 0; i < now_.size(); ++i) tracks_[i].ran(now_[i]);
  show(before);
  return true;
}

/// Clients of a limited test pause between bursts; the others are alive only while they run.
bool Drive::alive() {
  if (!session_.node_list().any_there(&Node::client) ||
      !session_.node_list().any_there(&Node::server))
    return false;
  return pace_.limited() || !idle();
}

/// A silent node may still run, so it does not count as idle.
bool Drive::idle() const {
  const auto& nodes = session_.node_list().nodes();
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].client && nodes[i].there() && (!now_[i] || now_[i]->batches != 0)) return false;
  return true;
}

bool Drive::anybody_untold(bool Node::*told) const {
  const auto& nodes = session_.node_list().nodes();
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].client && nodes[i].there() && now_[i] && !(nodes[i].*told)) return true;
  return false;
}

/// A client stops when its RPCs fail. If a node is silent as well, that may be why: then the user
/// is told of the node that was lost, and not only of RPCs.
bool Drive::anybody_in_doubt() const {
  if (watch_.interrupted() || !session_.node_list().any_silent()) return false;
  return std::any_of(tracks_.begin(), tracks_.end(), [](const Track& track) {
    return track.idle && track.latest().bad != track.idle->bad;
  });
}

/// Stops the clients and waits until they have. RPCs are aborted when a node is lost, since RPCs
/// to it would last until they time out, and when stopping takes longer than a node may be
/// silent. A client that was silent at the end of the test, and is heard now, has run until now:
/// its rates are averages over its silence.
bool Drive::settle() {
  const auto& nodes = session_.node_list().nodes();
  std::vector<bool> late;
  for (const Node& node : nodes) late.push_back(node.silent.has_value());
  bool force = session_.node_list().any_lost();
  if (!session_.stop(batch_, force)) return false;
  const auto patience = [&]() -> Duration {
    const bool wait = !force || session_.node_list().any_silent();
    return wait && !watch_.interrupted() ? std::chrono::seconds(plan_.timeout) : kShortly;
  };
  Instant begun = watch_.now(), next_show = begun + plan_.interval;
  for (Duration look = kLookSoon;; look = std::min(2 * look, kLookLate)) {
    const std::vector<Track> before = tracks_;
    if (!sample()) return false;
    for (std::size_t i = 0; i < now_.size(); ++i) {
      if (late[i]) tracks_[i].ran(now_[i]);
      late[i] = late[i] && !now_[i];
      tracks_[i].stopped(now_[i]);
    }
    if (idle() && !anybody_in_doubt()) return true;
    if (anybody_untold(&Node::told_to_stop) && !session_.stop(batch_, force)) return false;
    if (watch_.now() - begun >= patience() || (!force && session_.node_list().any_lost())) {
      if (force) return lose_those_that_run(), true;
      if (!session_.node_list().any_lost()) give_up_rpcs();
      force = true;
      if (!session_.stop(batch_, force)) return false;
      begun = watch_.now();
    }
    if (watch_.now() >= next_show) {
      show(before);
      next_show = watch_.now() + plan_.interval;
    }
    watch_.pause(look);
  }
}

/// Reports RPCs that have not ended, before they are aborted.
void Drive::give_up_rpcs() {
  for (std::size_t i = 0; i < now_.size(); ++i) {
    const Node& node = session_.node_list().nodes()[i];
    if (!node.client || !now_[i] || now_[i]->batches == 0) continue;
    tracks_[i].hung = true;
    session_.outcome().problems.push_back(
        {node.id, title_of(step_) + ": some RPCs did not end, and were given up"});
  }
}

void Drive::lose_those_that_run() {
  for (std::size_t i = 0; i < now_.size(); ++i) {
    Node& node = session_.node_list().nodes()[i];
    if (!node.client || !node.there()) continue;
    if (node.silent)
      session_.lose(node, "lost: " + silent_for(watch_.now() - *node.silent));
    else if (now_[i] && now_[i]->batches != 0)
      session_.lose(node, "lost: its test does not stop" + why_it_runs(i));
  }
}

/// What is known of RPCs that hang. The client counts the RPCs that it began.
std::string Drive::why_it_runs(std::size_t place) const {
  const Counts& from = *tracks_[place].idle;
  const Counts& to = *now_[place];
  const std::uint32_t sent = to.sent - from.sent;
  if (to.rpcs.value_or(1) == 0 || sent == 0)
    return ", and it made no RPC at all: can it reach its servers?";
  if (!pace_.limited() && sent <= units())
    return ", and none of its RPCs has ended: can its servers reach it?";
  return "";
}

void Drive::show(const std::vector<Track>& before) {
  Live live{.place = plan_.place,
            .step = step_,
            .number = number_ + 1,
            .of = plan_.steps.size(),
            .elapsed = watch_.now() - began_,
            .total = plan_.time};
  const auto& nodes = session_.node_list().nodes();
  const bool checked = plan_.check != "none";
  for (const Role role : {Role::kClient, Role::kServer}) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const Track& track = tracks_[i];
      if (!(role == Role::kClient ? nodes[i].client : nodes[i].server) || !track.last) continue;
      const Counts& from = before[i].last ? *before[i].last : *track.idle;
      Flow flow = flow_between(step_, checked, role, from, *track.last);
      const Flow all = flow_between(step_, checked, role, *track.idle, *track.last);
      flow.node = shown(plan_, nodes[i].id);
      flow.errors = all.errors;
      flow.wrong = all.wrong;
      flow.lost = nodes[i].lost;
      flow.note = note_of(nodes[i], flow);
      live.rows.push_back(std::move(flow));
    }
  }
  progress_.show(live);
}

std::string Drive::note_of(const Node& node, const Flow& flow) const {
  if (!node.there()) return "";
  if (node.silent) return silent_for(watch_.now() - *node.silent);
  const double usual = std::chrono::duration<double>(plan_.interval + kSilence).count();
  return flow.seconds > usual ? "average over " + seconds_text(flow.seconds) : "";
}

Flow Drive::row(std::size_t place, Role role) const {
  const Node& node = session_.node_list().nodes()[place];
  const Track& track = tracks_[place];
  const bool checked = plan_.check != "none" && step_.size != 0;
  Flow flow{.role = role};
  if (track.idle) {
    const Flow all = flow_between(step_, checked, role, *track.idle, track.latest());
    flow = flow_between(step_, checked, role, *track.first, *track.last);
    flow.rpcs = all.rpcs;
    flow.errors = all.errors;
    flow.wrong = all.wrong;
  }
  flow.node = short_id(node.id);
  flow.lost = node.lost;
  if (role == Role::kServer) return flow;
  const auto told = latencies_.clients.find(node.id);
  if (told != latencies_.clients.end()) {
    flow.percentiles = told->second.percentiles;
    flow.no_percentiles = told->second.why_none;
    flow.rpcs = told->second.rpcs.value_or(flow.rpcs);
  } else {
    flow.no_percentiles = "not asked";
  }
  return flow;
}

/// RPCs that a client has under way at a time.
std::uint32_t Drive::units() const {
  return pace_.concurrency * static_cast<std::uint32_t>(plan_.spread.servers);
}

/// Neither this client nor any of its servers has been silent.
bool Drive::answered_all_the_time(std::size_t client) const {
  const auto& nodes = session_.node_list().nodes();
  const auto answered = [](const Node& node) {
    return node.there() && !node.silent && node.silence < kSilence;
  };
  const svc::selftest::console::Distribution spread{
      static_cast<std::uint32_t>(plan_.spread.clients),
      static_cast<std::uint32_t>(plan_.spread.servers)};
  for (const std::size_t server : destinations_of(client, plan_.to.size(), spread)) {
    const auto node = std::find_if(nodes.begin(), nodes.end(),
                                   [&](const Node& one) { return one.id == plan_.to[server]; });
    if (!answered(*node)) return false;
  }
  return answered(nodes[client]) && !tracks_[client].hung;
}

// Clients come first in the node list, in the order of the plan.
StepResult Drive::result() const {
  StepResult result{.step = step_, .pace = pace_, .seconds = seconds_};
  const auto& nodes = session_.node_list().nodes();
  // By Little's law: the RPCs under way all the time, divided by those that end in a second. It
  // does not hold when units have failed or hang.
  const auto mean_of = [&](const Flow& flow, double under_way) -> std::optional<double> {
    if (pace_.limited() || flow.errors != 0 || flow.rpcs_per_s == 0) return std::nullopt;
    return under_way / flow.rpcs_per_s * 1e6;
  };
  bool all_known = true;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].client) {
      Flow& flow = result.clients.emplace_back(row(i, Role::kClient));
      if (answered_all_the_time(i)) flow.mean_us = mean_of(flow, units());
      all_known = all_known && flow.mean_us;
    }
    if (nodes[i].server) result.servers.push_back(row(i, Role::kServer));
  }
  result.total = sum_of(result.clients);
  if (all_known)
    result.total.mean_us =
        mean_of(result.total, units() * static_cast<double>(result.clients.size()));
  result.total.percentiles = latencies_.all;
  return result;
}

void Drive::tell_silences() {
  for (const Node& node : session_.node_list().nodes()) {
    if (!node.there()) continue;
    const std::string step = title_of(step_) + ": ";
    if (node.silent && watch_.now() - *node.silent >= kSilence)
      session_.outcome().remarks.push_back(
          {node.id, step + silent_for(watch_.now() - *node.silent) + " at the end"});
    else if (node.silence >= kSilence)
      session_.outcome().remarks.push_back(
          {node.id, step + silent_for(node.silence) +
                        " meanwhile; its rates are averages over that time too"});
  }
}

void Drive::tell_problems(const StepResult& result) {
  std::size_t place = 0;
  for (const Node& node : session_.node_list().nodes()) {
    if (!node.client) continue;
    const Flow& flow = result.clients[place++];
    const auto tell = [&](const std::string& what) {
      session_.outcome().problems.push_back({node.id, title_of(step_) + ": " + what});
    };
    if (flow.wrong != 0) tell("the data of " + count_of(flow.wrong) + " were wrong");
    if (flow.errors > flow.wrong) tell(count_of(flow.errors - flow.wrong) + " failed");
    const bool silent = flow.rpcs == 0 && flow.errors == 0 && node.there();
    if (silent && !watch_.interrupted() && !session_.outcome().broken) tell("no RPC ended");
  }
}

}  // namespace ulnet::tools::lst::run
