// One request to many nodes, and how it ended at each. Source: spec/wire-selftest.md 1.3, 3.3,
// spec/cli-lst.md 4.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "selftest/console/members.h"
#include "selftest/console/surroundings.h"

namespace ulnet::svc::selftest::console {

/// How long a command waits for each node: kReplyTimeout by default, at least kMinReplyTimeout.
inline constexpr Duration kReplyTimeout = std::chrono::seconds(30);
inline constexpr Duration kMinReplyTimeout = std::chrono::seconds(3);

struct NodeResult {
  MemberPtr member;
  int error = 0;                     ///< 0 or the negative errno of the RPC
  std::uint32_t status = 0;          ///< 0 or the positive errno that the node answered with
  wire::LstMessage reply;            ///< the reply, if `error` is 0
  std::vector<std::byte> data = {};  ///< data before the reply, if the request asks for some

  bool good() const { return error == 0 && status == 0; }
  template <class Reply>
  const Reply* as() const {
    return error == 0 ? std::get_if<Reply>(&reply.body) : nullptr;
  }
};
using NodeResults = std::vector<NodeResult>;

NodeResult result_of(const MemberPtr& member, const RpcReply& reply);

/// The time limits of a command.
struct Patience {
  Patience(Duration each) : rpc(each) {}  // NOLINT(google-explicit-constructor): the usual one
  Patience(Duration each, Duration all) : rpc(each), wait(all) {}
  Duration rpc;     ///< for each node; at least kMinReplyTimeout
  Duration wait{};  ///< after this time the command ends, without the missing results; 0: no limit
};

struct NodeRequest {
  wire::LstBody body;
  std::vector<std::byte> offered = {};  ///< data that the node may read
};

/// Asks all `members` at once, each with `request(i)`. Updates the states of members by their
/// answers. `session` is shared because it must outlive the answers. `done` gets one result per
/// member, in their order. The result is -EINPROGRESS for a member whose answer has not come within
/// `wait`. Without members `done` is called at once.
void ask_all(Surroundings& surroundings, const SessionPtr& session, const Members& members,
             const Patience& patience, const std::function<NodeRequest(std::size_t)>& request,
             std::function<void(NodeResults)> done);

/// Updates a member's state by its answer, or by the lack of one.
void note_answer(Member& member, const Session& session, const RpcReply& reply, Instant now);

}  // namespace ulnet::svc::selftest::console
