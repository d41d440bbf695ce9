#include "lab/view/observer.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "admin/client/control_client.h"
#include "admin/client/event_stream.h"

namespace ulnet::tools::lab {
namespace {

ObservedNode in_trouble(const std::string& name, const Error& error) {
  ObservedNode node;
  node.name = name;
  node.trouble = error.reason;
  node.at = steady_now();
  switch (error.code) {
    case -ENETDOWN:
      node.state = NodeState::kUnconfigured;
      break;
    case -EAGAIN:
    case -ECONNRESET:
      node.state = NodeState::kSilent;
      break;
    default:
      node.state = NodeState::kGone;
  }
  return node;
}

/// One look at a node.
Result<NodeAnswers> ask_all(ctl::ControlApi& api) {
  NodeAnswers answers;
  for (const auto& [path, into] :
       {std::pair("/v1/net", &answers.net), std::pair("/v1/counters", &answers.counters),
        std::pair("/v1/route", &answers.route), std::pair("/v1/routing", &answers.routing),
        std::pair("/v1/stats", &answers.stats)}) {
    auto answer = api.get(path);
    if (!answer) return tl::unexpected(answer.error());
    *into = std::move(*answer);
  }
  return answers;
}

/// Returns the happening for a change of a node's state between two looks, if there is one.
std::optional<ctl::Tree> noticed(const ObservedNode& before, const ObservedNode& node) {
  if (before.state == node.state || before.state == NodeState::kUnknown) return std::nullopt;
  std::string text = std::string("the node is ") + to_string(node.state);
  if (!node.trouble.empty()) text += ": " + node.trouble;
  return ctl::Tree{{"type", "node"}, {"state", to_string(node.state)}, {"text", text}};
}

}  // namespace

Instant steady_now() { return Instant(std::chrono::steady_clock::now().time_since_epoch()); }

struct Observer::Watch {
  std::mutex lock;
  std::unique_ptr<ctl::EventStream> stream;  // set while a thread follows the events
  std::thread asking, following;
};

Observer::Observer(std::vector<WatchedNode> watched) : watched_(std::move(watched)) {
  for (const WatchedNode& node : watched_) {
    nodes_.emplace_back().name = node.name;
    asked_.push_back(0);
    watches_.push_back(std::make_unique<Watch>());
  }
  try {
    for (std::size_t i = 0; i < watched_.size(); ++i) {
      watches_[i]->asking = std::thread([this, i] { ask(i); });
      watches_[i]->following = std::thread([this, i] { follow(i); });
    }
  } catch (...) {
    end();
    throw;
  }
}

Observer::~Observer() { end(); }

void Observer::end() {
  {
    const std::lock_guard held(lock_);
    over_ = true;
  }
  changed_.notify_all();
  ending_.notify_all();
  for (const auto& watch : watches_) {
    const std::lock_guard held(watch->lock);
    if (watch->stream != nullptr) watch->stream->stop();
  }
  for (const auto& watch : watches_) {
    if (watch->asking.joinable()) watch->asking.join();
    if (watch->following.joinable()) watch->following.join();
  }
}

bool Observer::pause(Duration time) {
  std::unique_lock held(lock_);
  return !ending_.wait_for(held, time, [&] { return over_; });
}

void Observer::ask(std::size_t index) {
  const WatchedNode& watched = watched_[index];
  std::unique_ptr<ctl::ControlClient> api;
  ObservedNode before;
  do {
    if (api == nullptr) {
      auto opened = ctl::ControlClient::open(watched.socket, kTimeout);
      if (!opened) {
        put(index, in_trouble(watched.name, opened.error()));
        continue;
      }
      api = std::move(*opened);
    }
    const auto answers = ask_all(*api);
    if (!answers) {
      if (answers.error().code != -ENETDOWN) api.reset();
      put(index, in_trouble(watched.name, answers.error()));
      continue;
    }
    before = observed(watched.name, *answers, steady_now(), before.nis.empty() ? nullptr : &before);
    put(index, before);
  } while (pause(kEvery));
}

void Observer::put(std::size_t index, ObservedNode node) {
  std::optional<ctl::Tree> news;
  {
    const std::lock_guard held(lock_);
    news = noticed(nodes_[index], node);
    nodes_[index] = std::move(node);
    ++asked_[index];
    ++version_;
  }
  if (news) add_event(watched_[index].name, std::move(*news));
  changed_.notify_all();
}

/// Follows events from now on. After a stream broke off, continues from where it ended.
void Observer::follow(std::size_t index) {
  const WatchedNode& watched = watched_[index];
  Watch& watch = *watches_[index];
  std::string after, reported;
  do {
    {
      const std::lock_guard held(watch.lock);
      watch.stream = std::make_unique<ctl::EventStream>(
          ctl::EventStreamOptions{.api = watched.socket, .level = "info", .after = after});
    }
    // Checked after the stream has been made, because the destructor stops the streams that exist.
    {
      const std::lock_guard held(lock_);
      if (over_) return;
    }
    const auto followed = watch.stream->follow([&](const ctl::StreamEvent& event) {
      if (event.kind == ctl::StreamEvent::Kind::kEvent) add_event(watched.name, event.tree);
      if (event.kind == ctl::StreamEvent::Kind::kGap)
        add_event(watched.name, {{"type", "gap"}, {"text", "events are missing"}});
      after = event.kind == ctl::StreamEvent::Kind::kEnd ? std::string() : event.id;
      const std::lock_guard held(lock_);
      return !over_;
    });
    // The thread that asks the node reports one that is gone or silent.
    const bool refused = !followed && followed.error().code != -ECONNREFUSED &&
                         followed.error().code != -ECONNRESET && followed.error().code != -ENOENT;
    const std::string why = refused ? followed.error().reason : "";
    if (!why.empty() && why != reported)
      add_event(watched.name,
                {{"type", "events"}, {"text", "the node's events cannot be followed: " + why}});
    reported = why;
    const std::lock_guard held(watch.lock);
    watch.stream.reset();
  } while (pause(kEvery));
}

void Observer::add_event(const std::string& node, ctl::Tree event) {
  {
    const std::lock_guard held(lock_);
    happenings_.push_back({++last_, node, std::move(event)});
    if (happenings_.size() > kKeptEvents) happenings_.pop_front();
    ++version_;
  }
  changed_.notify_all();
}

Observer::Look Observer::look(std::uint64_t after) const {
  const std::lock_guard held(lock_);
  Look seen{version_, nodes_, {}, last_};
  std::copy_if(happenings_.begin(), happenings_.end(), std::back_inserter(seen.happenings),
               [&](const Happening& happening) { return happening.number > after; });
  return seen;
}

bool Observer::wait(std::uint64_t version, Duration time) const {
  std::unique_lock held(lock_);
  return changed_.wait_for(held, time, [&] { return version_ > version || over_; }) && !over_;
}

bool Observer::wait_for_all(Duration time, unsigned times) const {
  std::unique_lock held(lock_);
  return changed_.wait_for(held, time, [&] {
    return over_ || std::all_of(asked_.begin(), asked_.end(),
                                [&](unsigned asked) { return asked >= times; });
  });
}

}  // namespace ulnet::tools::lab
