#include "lnet/node/runtime/node_events.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <new>
#include <utility>

#include "lnet/node/runtime/clock.h"

namespace ulnet::node {

namespace {

constexpr std::array<const char*, EventTypes::kCount> kTypeNames = {
    "log",    "discovery", "peer",       "ni",     "peer-ni", "route", "resend",
    "router", "drop",      "connection", "memory", "config",  "node"};

std::uint64_t wall_ns() {
  const auto wall = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(wall).count());
}

std::uint32_t burst_of(NodeEvent::Type type) {
  return type == NodeEvent::Type::kResend ? NodeEvents::kResendBurst : NodeEvents::kBurst;
}

}  // namespace

const char* to_string(NodeEvent::Type type) { return kTypeNames[static_cast<std::size_t>(type)]; }

std::optional<EventTypes> EventTypes::parse(std::string_view names, std::string& wrong) {
  EventTypes types;
  while (true) {
    const std::string_view name = names.substr(0, names.find(','));
    const auto* found = std::find(kTypeNames.begin(), kTypeNames.end(), name);
    if (found == kTypeNames.end()) {
      wrong = name;
      return {};
    }
    types.add(static_cast<NodeEvent::Type>(found - kTypeNames.begin()));
    if (name.size() == names.size()) return types;
    names.remove_prefix(name.size() + 1);
  }
}

NodeEvents::NodeEvents(Clock clock)
    : clock_(std::move(clock)), incarnation_(look().unix_ns / 1'000'000) {}

NodeEvents::Times NodeEvents::look() const {
  return clock_ ? clock_() : Times{node::now(), wall_ns()};
}

void NodeEvents::add(NodeEvent event) noexcept {
  const std::lock_guard brief(lock_);
  if (ended_) return;
  try {
    const Times times = look();
    event.unix_ns = times.unix_ns;
    event.count = 1;
    if (event.text.size() > kTextBytes) event.text.resize(kTextBytes);
    unfold(times.now);
    if (!fold(event, times.now)) append(std::move(event));
  } catch (const std::bad_alloc&) {
    lose();
  }
  for (const Watch* watch : watches_) watch->wake_();
}

void NodeEvents::end() noexcept {
  const std::lock_guard brief(lock_);
  if (ended_) return;
  try {
    unfold(kNever);
  } catch (const std::bad_alloc&) {
    lose();
  }
  ended_ = true;
  for (const Watch* watch : watches_) watch->wake_();
}

NodeEvents::Subject& NodeEvents::subject_of(const NodeEvent& event, Instant now) {
  const auto find = [&](const Nid& nid) {
    return std::find_if(subjects_.begin(), subjects_.end(), [&](const Subject& subject) {
      return subject.type == event.type && subject.nid == nid;
    });
  };
  auto found = find(event.nid);
  if (found != subjects_.end()) return *found;
  const bool has_space = subjects_.size() < kSubjects;
  if (!has_space) found = find(Nid::any());
  if (found != subjects_.end()) return *found;
  Subject& made = subjects_.emplace_back();
  made.type = event.type;
  made.nid = has_space ? event.nid : Nid::any();
  made.until = now + kWindow;
  made.last.count = 0;
  next_unfold_ = std::min(next_unfold_, made.until);
  return made;
}

bool NodeEvents::fold(NodeEvent& event, Instant now) {
  if (event.of_discovery) return false;
  Subject& subject = subject_of(event, now);
  if (subject.passed < burst_of(event.type)) {
    ++subject.passed;
    return false;
  }
  const std::uint32_t folded = subject.last.count;
  subject.last = std::move(event);
  subject.last.count = folded + 1;
  return true;
}

void NodeEvents::unfold(Instant now) {
  if (now < next_unfold_) return;
  std::vector<NodeEvent> due;
  due.reserve(subjects_.size());  // so that nothing is half done when memory runs out
  Instant next = kNever;
  std::erase_if(subjects_, [&](Subject& subject) {
    const bool over = subject.until <= now;
    const bool quiet = over && subject.last.count == 0;
    if (over && !quiet) {
      // Events of this kind go on: the next ones wait for the end of another window.
      due.push_back(std::exchange(subject.last, NodeEvent{}));
      subject.last.count = 0;
      subject.passed = burst_of(subject.type);
      subject.until = now == kNever ? kNever : now + kWindow;
    }
    if (!quiet) next = std::min(next, subject.until);
    return quiet;
  });
  next_unfold_ = next;
  std::sort(due.begin(), due.end(),
            [](const NodeEvent& a, const NodeEvent& b) { return a.unix_ns < b.unix_ns; });
  for (NodeEvent& event : due) append(std::move(event));
}

void NodeEvents::append(NodeEvent&& event) {
  event.number = newest_ + 1;
  remembered_.push_back(std::move(event));
  ++newest_;
  if (remembered_.size() > kRemembered) remembered_.pop_front();
}

void NodeEvents::lose() {
  ++newest_;
  remembered_.clear();
}

NodeEvents::Reading NodeEvents::read(std::uint64_t after, const EventsWanted& wanted,
                                     std::size_t most) {
  Reading reading;
  const std::lock_guard brief(lock_);
  if (!ended_) unfold(look().now);
  const std::uint64_t before_oldest = newest_ - remembered_.size();
  if (after < before_oldest) reading.lost = before_oldest - after;
  reading.upto = std::max(after, before_oldest);
  while (reading.upto < newest_ && reading.events.size() < most) {
    const NodeEvent& event = remembered_[reading.upto++ - before_oldest];
    if (wanted.has(event)) reading.events.push_back(event);
  }
  reading.more = reading.upto < newest_;
  reading.ended = ended_ && !reading.more;
  reading.folded = next_unfold_;
  return reading;
}

std::vector<NodeEvent> NodeEvents::discovery_steps(std::uint64_t after) {
  EventTypes types;
  types.add(NodeEvent::Type::kDiscovery);
  types.add(NodeEvent::Type::kPeer);
  std::vector<NodeEvent> steps = read(after, types).events;
  std::erase_if(steps, [](const NodeEvent& event) { return !event.of_discovery; });
  return steps;
}

std::uint64_t NodeEvents::newest() const {
  const std::lock_guard brief(lock_);
  return newest_;
}

NodeEvents::Watch::Watch(NodeEvents& events, std::function<void()> wake)
    : events_(events), wake_(std::move(wake)) {
  const std::lock_guard brief(events_.lock_);
  events_.watches_.push_back(this);
}

NodeEvents::Watch::~Watch() {
  const std::lock_guard brief(events_.lock_);
  std::erase(events_.watches_, this);
}

}  // namespace ulnet::node
