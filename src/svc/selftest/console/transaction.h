// One request to many nodes, and what became of each. Source: spec/wire-selftest.md 1.3, 3.3,
// spec/cli-lst.md 4.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "svc/selftest/console/members.h"
#include "svc/selftest/console/surroundings.h"

namespace ulnet::svc::selftest::console {

/// How long a command waits for its nodes, unless it is told, and at least.
inline constexpr Duration kPatience = std::chrono::seconds(30);
inline constexpr Duration kPatienceLeast = std::chrono::seconds(3);

struct NodeResult {
  MemberPtr member;
  int error = 0;             ///< 0 or the negative errno of the RPC
  std::uint32_t status = 0;  ///< 0 or the positive errno that the node answered with
  wire::LstMessage reply;    ///< when `error` is 0

  bool good() const { return error == 0 && status == 0; }
  template <class Reply>
  const Reply* as() const {
    return error == 0 ? std::get_if<Reply>(&reply.body) : nullptr;
  }
};
using NodeResults = std::vector<NodeResult>;

struct NodeRequest {
  wire::LstBody body;
  std::vector<std::byte> offered = {};  ///< what the node may read
};

/// Asks every one of `members` for what `request(i)` says, all at once, and waits `patience`, or
/// kPatienceLeast when that is more. Their states follow the answers; `session` must outlive the
/// answers, which is why it is shared. `done` gets a result per member in their order; with nobody
/// to ask, at once.
void ask_all(Surroundings& surroundings, const SessionPtr& session, const Members& members,
             Duration patience, const std::function<NodeRequest(std::size_t)>& request,
             std::function<void(NodeResults)> done);

/// What an answer, or none, says about its sender.
void note_answer(Member& member, const Session& session, const RpcReply& reply, Instant now);

}  // namespace ulnet::svc::selftest::console
