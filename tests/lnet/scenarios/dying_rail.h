// The vocabulary of scenarios in which one of two rails dies under load: interfaces that send at
// one rate, users who begin an operation when their last one has ended, and the result of each
// operation.
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <set>
#include <utility>
#include <vector>

#include "cluster.h"

namespace ulnet::sim {

enum class Op : std::uint8_t { kGet, kPutAck, kPut };
inline const char* to_string(Op op) {
  return op == Op::kGet ? "GET" : op == Op::kPutAck ? "PUT with ACK" : "PUT";
}

inline constexpr Portal kLoadPortal{5};
inline constexpr MatchBits kLoadBits{7};
inline constexpr std::uint32_t kOpBytes = 64 << 10;

/// A buffer of a node that accepts all PUTs and answers all GETs of the load. The hdr_data
/// identifies each PUT.
class Target final : public EventSink {
 public:
  explicit Target(SimNode& node) : memory_(kOpBytes, 'g') {
    const auto me = node.me_attach(kLoadPortal, {Nid::any(), Pid::any()}, kLoadBits, {},
                                   UnlinkMode::kRetain, InsertPosition::kAfter);
    const iovec fragment{memory_.data(), memory_.size()};
    MdSpec md;
    md.fragments = {&fragment, 1};
    md.options = kOpPut | kOpGet | kManageRemote;
    md.sink = this;
    EXPECT_TRUE(node.md_attach(me.value(), md, UnlinkMode::kRetain));
  }
  void on_event(const Event& event) override {
    if (event.type != EventType::kPut) return;
    EXPECT_EQ(event.mlength, kOpBytes);
    EXPECT_TRUE(arrived.insert(event.hdr_data).second) << "a PUT has come twice";
  }
  std::set<std::uint64_t> arrived;

 private:
  std::vector<char> memory_;
};

/// The results of the operations of a load.
struct Account {
  std::uint64_t begun = 0;
  std::uint64_t completed = 0;            ///< REPLY or ACK; without ACK: the SEND had no error
  std::uint64_t reported_by_send = 0;     ///< the SEND had an error
  std::uint64_t reported_by_timeout = 0;  ///< the response did not arrive in time
  std::uint64_t unreported = 0;           ///< ended without a failure event for the initiator
  std::uint64_t reported() const { return reported_by_send + reported_by_timeout; }
};

/// Users at one node, with `count` operations under way at once.
class Users {
 public:
  Users(SimNode& from, const ProcessId& to, Op op, int count) : from_(from), to_(to), op_(op) {
    for (int i = 0; i < count; ++i) users_.emplace_back(*this);
    for (User& user : users_) user.begin();
  }
  void begin_no_more() { over_ = true; }
  std::uint64_t under_way() const {
    return account.begun - account.completed - account.reported() - account.unreported;
  }

  Account account;
  std::set<std::uint64_t> failed;  ///< the numbers of those whose initiator got an error

 private:
  struct User final : EventSink {
    explicit User(Users& owner) : all(owner), memory(kOpBytes, 'p') {}
    void begin() {
      if (all.over_) return;
      sent = answered = false;
      status = 0;
      number = ++all.account.begun;
      if (all.op_ == Op::kGet) std::memset(memory.data(), '.', memory.size());
      const iovec fragment{memory.data(), memory.size()};
      MdSpec md;
      md.fragments = {&fragment, 1};
      md.threshold = all.op_ == Op::kPut ? 1 : 2;
      md.sink = this;
      const MdHandle handle = all.from_.md_bind(md, UnlinkMode::kUnlink).value();
      all.op_ == Op::kGet ? get(handle) : put(handle);
    }
    template <class Request>
    Request to_target(MdHandle handle) const {
      Request request;
      request.md = handle;
      request.target = all.to_;
      request.portal = kLoadPortal;
      request.match_bits = kLoadBits;
      return request;
    }
    void get(MdHandle handle) { EXPECT_TRUE(all.from_.get(to_target<GetRequest>(handle))); }
    void put(MdHandle handle) {
      auto request = to_target<PutRequest>(handle);
      request.hdr_data = number;
      request.ack = all.op_ == Op::kPutAck ? AckRequest::kAck : AckRequest::kNoAck;
      EXPECT_TRUE(all.from_.put(request));
    }
    void on_event(const Event& event) override {
      if (event.status != 0) status = event.status;
      if (event.status != 0 && event.type == EventType::kSend) send_failed = true;
      if (event.status == 0 && event.type == EventType::kSend) sent = true;
      if (event.status == 0 && event.type == EventType::kAck) answered = true;
      if (event.status == 0 && event.type == EventType::kReply)
        answered = event.mlength == kOpBytes && memory.front() == 'g' && memory.back() == 'g';
      // The MD of an operation that has failed waits for an answer that does not come.
      if (event.unlinked)
        end();
      else if (event.status != 0)
        (void)all.from_.md_unlink(event.md);
    }
    void end() {
      Account& sums = all.account;
      const bool failed_send = std::exchange(send_failed, false);
      if (all.op_ == Op::kPut ? sent : answered)
        ++sums.completed;
      else if (failed_send)
        ++sums.reported_by_send;
      else if (status != 0)
        ++sums.reported_by_timeout;
      else
        ++sums.unreported;
      if (status != 0) all.failed.insert(number);
      begin();
    }
    Users& all;
    std::vector<char> memory;
    std::uint64_t number = 0;
    bool sent = false, answered = false, send_failed = false;
    int status = 0;
  };

  SimNode& from_;
  const ProcessId to_;
  const Op op_;
  bool over_ = false;
  std::deque<User> users_;
};

/// Counts requests of the node itself that drivers returned, by whether any byte was written to the
/// socket.
class GivenBack final : public Checker {
 public:
  explicit GivenBack(const SimNode& of) : Checker("given back", kBeforeStep), of_(of) {}
  void before_step(World&, const ShardStep& step) override {
    const auto* done = std::get_if<core::SendDone>(&step.input);
    if (done == nullptr || done->status == 0 || &step.node != &of_) return;
    const core::Msg* msg = step.state.find(done->tx);
    if (msg == nullptr || msg->internal || msg->md == nullptr) return;
    if (done->begun)
      ++begun;
    else
      ++(done->health == core::Health::kNetworkTimeout ? unconnected : not_begun);
  }
  std::uint64_t begun = 0;
  std::uint64_t unconnected = 0;  ///< they waited too long for a connection
  std::uint64_t not_begun = 0;    ///< they may be sent again

 private:
  const SimNode& of_;
};

}  // namespace ulnet::sim
