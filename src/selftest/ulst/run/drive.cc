#include "selftest/ulst/run/drive.h"

#include <algorithm>

#include "selftest/ulst/run/figures.h"

namespace ulnet::tools::lst::run {

namespace {

constexpr Duration kLookSoon = std::chrono::milliseconds(10);
constexpr Duration kLookLate = std::chrono::milliseconds(500);

/// How long RPCs that are given up may take to end: a production node has to release their memory.
constexpr Duration kAbort = std::chrono::milliseconds(500);
/// A shorter silence, or a shorter time without data, is not reported: the node may be busy, or the
/// network slow.
constexpr Duration kSilence = std::chrono::seconds(3);
/// Time without data is counted in pieces of this length.
constexpr Duration kGap = std::chrono::seconds(1);

double seconds_of(Duration time) { return std::chrono::duration<double>(time).count(); }

std::string silent_for(Duration time) { return "silent for " + seconds_text(seconds_of(time)); }

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
  gaps_.emplace(session_.node_list().nodes(), step_, pace_.limited() ? 0 : units(), now_);
  gaps_noted_ = began_ = watch_.now();
  const bool measured = start() && measure();
  const bool settled = measured && settle() && session_.latencies(batch_, latencies_);
  StepResult reached = result();
  report_problems(reached);
  report_silences();
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
  // The RPCs of a burst count for its whole window. The rates of a limited test are therefore
  // measured from the beginning of the window.
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
    note_gaps(false);
    if (!pace_.limited() && any_unacknowledged(&Node::start_acknowledged) && !start()) return false;
    next_sample = std::max(next_sample + plan_.interval, watch_.now());
  }
  seconds_ = seconds_of(watch_.now() - began_);
  if (!look()) return false;
  note_gaps(true);
  for (std::size_t i = 0; i < now_.size(); ++i) tracks_[i].over = now_[i];
  return true;
}

bool Drive::look() {
  const std::vector<Track> before = tracks_;
  looked_ = watch_.now();
  if (!sample()) return false;
  for (std::size_t i = 0; i < now_.size(); ++i) tracks_[i].ran(now_[i]);
  show(before);
  return true;
}

// Samples come about every interval, so kGap counts less half an interval. A client with a limited
// rate may pause between two of its bursts, so a gap is never shorter than a window.
void Drive::note_gaps(bool at_end) {
  const Duration passed = looked_ - gaps_noted_;
  const bool soon = passed < std::max(kGap - plan_.interval / 2, pace_.window);
  if (soon && (!at_end || pace_.limited())) return;
  gaps_noted_ = looked_;
  gaps_->note(now_, passed);
}

/// Clients of a limited test pause between bursts. Clients of other tests are alive only while they
/// run.
bool Drive::alive() {
  if (!session_.node_list().any_there(&Node::client) ||
      !session_.node_list().any_there(&Node::server))
    return false;
  return pace_.limited() || !idle();
}

/// Whether all clients have stopped. A silent node can still be running, so it does not count as
/// idle.
bool Drive::idle() const {
  const auto& nodes = session_.node_list().nodes();
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].client && nodes[i].there() && !now_[i]) return false;
  return answering_nodes_are_idle();
}

bool Drive::answering_nodes_are_idle() const {
  const auto& nodes = session_.node_list().nodes();
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].client && nodes[i].there() && now_[i] && now_[i]->batches != 0) return false;
  return true;
}

bool Drive::any_unacknowledged(bool Node::*reported) const {
  const auto& nodes = session_.node_list().nodes();
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].client && nodes[i].there() && now_[i] && !(nodes[i].*reported)) return true;
  return false;
}

/// Stops the clients and waits until they have stopped, for as long as the run allows. After that
/// time it gives up the RPCs under way.
bool Drive::settle() {
  if (!session_.stop(batch_, false)) return false;
  const Instant begun = watch_.now(), end = begun + session_.grace();
  Instant next_show = begun + plan_.interval;
  for (Duration look = kLookSoon;; look = std::min(2 * look, kLookLate)) {
    const std::vector<Track> before = tracks_;
    if (!sample()) return false;
    for (std::size_t i = 0; i < now_.size(); ++i) tracks_[i].stopped(now_[i]);
    if (idle()) return true;
    if (any_unacknowledged(&Node::stop_acknowledged) && !session_.stop(batch_, false)) return false;
    if (watch_.now() >= end) return give_up_rpcs();
    if (watch_.now() >= next_show) {
      show(before);
      next_show = watch_.now() + plan_.interval;
    }
    watch_.pause(std::min(look, end - watch_.now()));
  }
}

/// Aborts the RPCs that have not ended.
bool Drive::give_up_rpcs() {
  waited_ = session_.grace() > Duration{};
  session_.end_grace();
  for (std::size_t i = 0; i < now_.size(); ++i) {
    const Node& node = session_.node_list().nodes()[i];
    tracks_[i].hung = node.client && now_[i] && now_[i]->batches != 0;
  }
  if (!session_.stop(batch_, true)) return false;
  for (const Instant end = watch_.now() + kAbort; !answering_nodes_are_idle();
       watch_.pause(kLookSoon)) {
    if (!sample()) return false;
    for (std::size_t i = 0; i < now_.size(); ++i) tracks_[i].stopped(now_[i]);
    if (watch_.now() < end) continue;
    lose_running_nodes();
    break;
  }
  return true;
}

void Drive::lose_running_nodes() {
  for (std::size_t i = 0; i < now_.size(); ++i) {
    Node& node = session_.node_list().nodes()[i];
    if (node.client && node.there() && now_[i] && now_[i]->batches != 0)
      session_.lose(node, "lost: its test does not stop" + why_it_runs(i));
  }
}

/// Describes RPCs that hang, from the client's count of the RPCs that it began.
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
  const double usual = seconds_of(plan_.interval + kSilence);
  return flow.seconds > usual ? "average over " + seconds_text(flow.seconds) : "";
}

Flow Drive::row(std::size_t place, Role role) const {
  const Node& node = session_.node_list().nodes()[place];
  const Track& track = tracks_[place];
  const bool checked = plan_.check != "none" && step_.size != 0;
  Flow flow{.role = role};
  flow.rated = track.first && track.over;
  if (track.idle) {
    const Flow all = flow_between(step_, checked, role, *track.idle, track.latest());
    if (flow.rated) flow = flow_between(step_, checked, role, *track.first, *track.over);
    flow.rpcs = all.rpcs;
    flow.errors = all.errors;
    flow.wrong = all.wrong;
  }
  flow.node = short_id(node.id);
  flow.lost = node.lost;
  flow.no_data = seconds_of(gaps_->at(place, role));
  if (role == Role::kClient) add_latency(flow, node, track);
  return flow;
}

void Drive::add_latency(Flow& flow, const Node& node, const Track& track) const {
  flow.no_percentiles = "not asked";
  const auto reported = latencies_.clients.find(node.id);
  if (reported == latencies_.clients.end()) return;
  const Latencies::Client& client = reported->second;
  flow.percentiles = client.percentiles;
  flow.no_percentiles = client.why_none;
  if (!client.rpcs || !track.idle) return;
  flow.rpcs = *client.rpcs;
  // An RPC that failed after the test's time failed because of something during the test, unless
  // the run did not wait for the RPC.
  if (!track.hung || waited_) flow.errors = std::max(flow.errors, client.failed);
  if (!flow.rated || track.over->rpcs) return;
  // Some RPCs failed after they were sent. Others failed and were never sent.
  const std::uint32_t all = track.latest().sent - track.idle->sent;
  const std::uint64_t in_vain = all - std::min<std::uint64_t>(all, *client.rpcs);
  const std::uint32_t in_time = track.over->sent - track.first->sent;
  set_rates(flow, step_, in_time - std::min<std::uint64_t>(in_time, in_vain));
}

/// Returns how many RPCs a client has under way at a time.
std::uint32_t Drive::units() const { return pace_.concurrency * plan_.spread.servers; }

/// Whether neither this client nor any of its servers has been silent.
bool Drive::always_answered(std::size_t client) const {
  const auto& nodes = session_.node_list().nodes();
  const auto answered = [](const Node& node) {
    return node.there() && !node.silent && node.silence < kSilence;
  };
  for (const std::size_t server : destinations_of(client, plan_.to.size(), plan_.spread)) {
    const auto node = std::ranges::find(nodes, plan_.to[server], &Node::id);
    if (!answered(*node)) return false;
  }
  return answered(nodes[client]) && !tracks_[client].hung;
}

// Clients come first in the node list, in the order of the plan.
StepResult Drive::result() const {
  StepResult result{.step = step_, .pace = pace_, .seconds = seconds_};
  const auto& nodes = session_.node_list().nodes();
  // Little's law: the mean time is the number of RPCs under way all the time, divided by the number
  // of RPCs that end in a second. The law does not hold when units have failed or hang.
  const auto mean_of = [&](const Flow& flow, double under_way) -> std::optional<double> {
    if (pace_.limited() || flow.errors != 0 || flow.rpcs_per_s == 0) return std::nullopt;
    return under_way / flow.rpcs_per_s * 1e6;
  };
  bool all_known = true;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].client) {
      Flow& flow = result.clients.emplace_back(row(i, Role::kClient));
      if (always_answered(i)) flow.mean_us = mean_of(flow, units());
      all_known = all_known && flow.mean_us;
    }
    if (nodes[i].server) result.servers.push_back(row(i, Role::kServer));
  }
  result.total = sum_of(result.clients);
  result.total.no_data = seconds_of(gaps_->everywhere());
  if (all_known)
    result.total.mean_us =
        mean_of(result.total, units() * static_cast<double>(result.clients.size()));
  result.total.percentiles = latencies_.all;
  return result;
}

void Drive::report_silences() {
  for (const Node& node : session_.node_list().nodes()) {
    if (!node.there()) continue;
    const std::string step = title_of(step_) + ": ";
    const Duration silent = node.silent ? watch_.now() - *node.silent : Duration{};
    if (silent >= kGap)
      session_.outcome().problems.push_back(
          {node.id,
           step + silent_for(silent) + " at the end: the RPCs of that time are not known"});
    else if (node.silence >= kSilence)
      session_.outcome().remarks.push_back(
          {node.id, step + silent_for(node.silence) + " meanwhile"});
  }
}

void Drive::report_problems(const StepResult& result) {
  std::size_t place = 0;
  for (const Node& node : session_.node_list().nodes()) {
    if (!node.client) continue;
    const Flow& flow = result.clients[place++];
    const auto add_problem = [&](const std::string& what) {
      session_.outcome().problems.push_back({node.id, title_of(step_) + ": " + what});
    };
    if (flow.wrong != 0) add_problem("the data of " + count_of(flow.wrong) + " were wrong");
    if (flow.errors > flow.wrong) add_problem(count_of(flow.errors - flow.wrong) + " failed");
    if (flow.rpcs != 0 && flow.rated && flow.no_data >= seconds_of(kSilence))
      add_problem("no data in " + seconds_text(flow.no_data) + " of " + seconds_text(seconds_));
    const bool silent = flow.rpcs == 0 && flow.errors == 0 && node.there();
    if (silent && !watch_.interrupted() && !session_.outcome().broken) add_problem("no RPC ended");
  }
}

}  // namespace ulnet::tools::lst::run
