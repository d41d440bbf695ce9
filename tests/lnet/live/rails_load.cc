// A node of its own with a load of which every operation is accounted for, for rails_test.py and
// router_failover_test.py:
//
//   rails_load NETWORKS serve [NAME=VALUE...]
//   rails_load NETWORKS get|put-ack|put PEER_NID COUNT [NAME=VALUE...]
//
// NETWORKS and the pairs of NAME and VALUE are those of module parameters.
// The server takes PUTs and answers GETs; a line "N" on its standard input asks how many PUTs have
// come of those with a number above N. The other side has COUNT operations under way; a line "look"
// asks what became of all so far, "end" has it begin no more. Both answer with a line of JSON, and
// end with their standard input.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <iostream>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ulnet/node.hpp"

namespace {

constexpr std::uint32_t kBytes = 256 << 10;
constexpr ulnet::Portal kPortal{20};
constexpr ulnet::MatchBits kBits{1};

[[noreturn]] void die(const char* what, const ulnet::Error& error) {
  std::fprintf(stderr, "%s: %d %s\n", what, error.code, error.reason.c_str());
  std::exit(1);
}

std::unique_ptr<ulnet::Node> start(char** words, char** params) {
  ulnet::NodeOptions options;
  // The driver gives up after 3 s: unless that is set it takes 50 s, whatever the other says.
  options.params = {{"accept", "trust"}, {"lnet_transaction_timeout", "10"}, {"sock_timeout", "3"}};
  for (; *params != nullptr; ++params) {
    const std::string word = *params;
    const std::size_t at = std::min(word.find('='), word.size() - 1);
    options.params[word.substr(0, at)] = word.substr(at + 1);
  }
  options.networks = words[1];
  options.log = [](void*, int level, const char* line) {
    if (level >= 2) std::fprintf(stderr, "%s\n", line);
  };
  auto node = ulnet::Node::start(options);
  if (!node) die("start", node.error());
  return std::move(*node);
}

/// Takes PUTs and answers GETs.
class Target final : public ulnet::EventSink {
 public:
  explicit Target(ulnet::Node& node) : memory_(kBytes, 'g') {
    const auto me = node.me_attach(kPortal, {ulnet::Nid::any(), ulnet::Pid::any()}, kBits, {},
                                   ulnet::UnlinkMode::kRetain, ulnet::InsertPosition::kAfter);
    if (!me) die("me_attach", me.error());
    const iovec fragment{memory_.data(), memory_.size()};
    ulnet::MdSpec md;
    md.fragments = {&fragment, 1};
    md.options = ulnet::kOpPut | ulnet::kOpGet | ulnet::kManageRemote;
    md.sink = this;
    const auto attached = node.md_attach(*me, md, ulnet::UnlinkMode::kRetain);
    if (!attached) die("md_attach", attached.error());
  }
  void on_event(const ulnet::Event& event) override {
    if (event.type != ulnet::EventType::kPut) return;
    const std::lock_guard lock(mutex_);
    if (!arrived_.insert(event.hdr_data).second) ++twice_;
    if (event.mlength != kBytes) ++wrong_;
  }
  void say(std::uint64_t above) {
    const std::lock_guard lock(mutex_);
    const auto count = std::distance(arrived_.upper_bound(above), arrived_.end());
    std::printf("{\"arrived\": %td, \"twice\": %d, \"wrong\": %d}\n", count, twice_, wrong_);
  }

 private:
  std::vector<char> memory_;
  std::mutex mutex_;
  std::set<std::uint64_t> arrived_;
  int twice_ = 0, wrong_ = 0;
};

struct Load {
  ulnet::Node& node;
  ulnet::ProcessId to;
  bool get, ack;
  std::atomic<bool> over = false;
  std::atomic<std::uint64_t> begun = 0, completed = 0, reported = 0, unreported = 0,
                             last_reported = 0;

  void say() const {
    // In this order, so that none is counted as ended that does not count as begun.
    const std::uint64_t ends[] = {completed, reported, unreported};
    std::printf(
        "{\"completed\": %ju, \"reported\": %ju, \"unreported\": %ju, \"last_reported\": %ju, "
        "\"begun\": %ju}\n",
        ends[0], ends[1], ends[2], last_reported.load(), begun.load());
  }
};

/// Begins an operation when the last one has ended. Its MD's events come one after another.
class User final : public ulnet::EventSink {
 public:
  explicit User(Load& load) : load_(load), memory_(kBytes, 'p') {}
  void begin() {
    if (load_.over) return;
    number_ = ++load_.begun;
    status_ = 0;
    sent_ = answered_ = false;
    const iovec fragment{memory_.data(), memory_.size()};
    ulnet::MdSpec md;
    md.fragments = {&fragment, 1};
    md.threshold = load_.get || load_.ack ? 2 : 1;
    md.sink = this;
    const auto bound = load_.node.md_bind(md, ulnet::UnlinkMode::kUnlink);
    if (!bound) die("md_bind", bound.error());
    load_.get ? get(*bound) : put(*bound);
  }
  void on_event(const ulnet::Event& event) override {
    using enum ulnet::EventType;
    if (event.status != 0) status_ = event.status;
    if (event.status == 0 && event.type == kSend) sent_ = true;
    if (event.status == 0 && event.type == kAck) answered_ = event.mlength == kBytes;
    if (event.status == 0 && event.type == kReply)
      answered_ = event.mlength == kBytes && memory_.front() == 'g' && memory_.back() == 'g';
    if (event.unlinked)
      end();
    else if (event.status != 0)
      (void)load_.node.md_unlink(event.md);
  }

 private:
  template <class Request>
  Request to_target(ulnet::MdHandle md) const {
    Request request;
    request.md = md;
    request.target = load_.to;
    request.portal = kPortal;
    request.match_bits = kBits;
    return request;
  }
  void get(ulnet::MdHandle md) {
    memory_.front() = memory_.back() = '.';
    const auto request = to_target<ulnet::GetRequest>(md);
    if (const auto begun = load_.node.get(request); !begun) die("get", begun.error());
  }
  void put(ulnet::MdHandle md) {
    auto request = to_target<ulnet::PutRequest>(md);
    request.hdr_data = number_;
    request.ack = load_.ack ? ulnet::AckRequest::kAck : ulnet::AckRequest::kNoAck;
    if (const auto begun = load_.node.put(request); !begun) die("put", begun.error());
  }
  void end() {
    if (load_.get || load_.ack ? answered_ : sent_) {
      ++load_.completed;
    } else if (status_ != 0) {
      std::uint64_t last = load_.last_reported;
      while (last < number_ && !load_.last_reported.compare_exchange_weak(last, number_)) {
      }
      ++load_.reported;
    } else {
      ++load_.unreported;
    }
    begin();
  }

  Load& load_;
  std::vector<char> memory_;
  std::uint64_t number_ = 0;
  int status_ = 0;
  bool sent_ = false, answered_ = false;
};

/// Calls `answer` with each line of the standard input.
template <class Answer>
void converse(Answer answer) {
  std::printf("ready\n");
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line); std::fflush(stdout)) answer(line);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc >= 3 ? argv[2] : "";
  if (what == "serve") {
    const auto node = start(argv, argv + 3);
    Target target(*node);
    converse(
        [&](const std::string& line) { target.say(std::strtoull(line.c_str(), nullptr, 10)); });
    (void)node->stop(std::chrono::seconds(1));
    return 0;
  }
  if (argc < 5 || (what != "get" && what != "put-ack" && what != "put")) {
    std::fprintf(
        stderr,
        "usage: rails_load NETWORKS serve | get|put-ack|put PEER_NID COUNT [NAME=VALUE...]\n");
    return 2;
  }
  const auto peer = ulnet::Nid::parse(argv[3]);
  if (!peer) die("nid", peer.error());
  const auto node = start(argv, argv + 5);
  Load load{*node, {*peer, ulnet::Pid::lustre()}, what == "get", what == "put-ack"};
  std::deque<User> users;
  for (int i = 0; i < std::atoi(argv[4]); ++i) users.emplace_back(load);
  for (User& user : users) user.begin();
  converse([&](const std::string& line) {
    if (line == "end") load.over = true;
    load.say();
  });
  load.over = true;
  (void)node->stop(std::chrono::seconds(1));
  return 0;
}
