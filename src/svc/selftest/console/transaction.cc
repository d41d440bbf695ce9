#include "svc/selftest/console/transaction.h"

#include <algorithm>
#include <utility>

namespace ulnet::svc::selftest::console {

namespace {

struct Round {
  NodeResults results;
  std::size_t missing = 0;
  std::function<void(NodeResults)> done;
};

/// The time-out that a node tells, where its reply has one.
std::uint32_t told_timeout(const wire::LstMessage& reply) {
  if (const auto* made = std::get_if<wire::LstMakeSessionReply>(&reply.body)) return made->timeout;
  if (const auto* debug = std::get_if<wire::LstDebugReply>(&reply.body)) return debug->timeout;
  return 0;
}

}  // namespace

void note_answer(Member& member, const Session& session, const RpcReply& reply, Instant now) {
  if (reply.status != 0) {
    member.state = NodeState::kDown;
    return;
  }
  member.heard = now;
  if (const std::uint32_t timeout = told_timeout(reply.message); timeout != 0)
    member.timeout = timeout;
  const wire::LstSessionId* named = reply.message.session();
  if (named == nullptr || named->is_none())
    member.state = NodeState::kUnknown;
  else
    member.state = *named == session.id ? NodeState::kActive : NodeState::kBusy;
}

void ask_all(Surroundings& surroundings, const SessionPtr& session, const Members& members,
             Duration patience, const std::function<NodeRequest(std::size_t)>& request,
             std::function<void(NodeResults)> done) {
  if (members.empty()) return done({});
  auto round = std::make_shared<Round>();
  round->missing = members.size();
  round->done = std::move(done);
  for (const MemberPtr& member : members) round->results.push_back({.member = member});
  for (std::size_t i = 0; i < members.size(); ++i) {
    NodeRequest what = request(i);
    surroundings.caller().call(members[i]->id,
                               {.features = session->features, .body = std::move(what.body)},
                               std::move(what.offered), std::max(patience, kPatienceLeast),
                               [&surroundings, session, round, i](const RpcReply& reply) {
                                 NodeResult& result = round->results[i];
                                 note_answer(*result.member, *session, reply, surroundings.now());
                                 result.error = reply.status;
                                 result.reply = reply.message;
                                 if (reply.status == 0) result.status = reply.message.status();
                                 if (--round->missing == 0)
                                   std::exchange(round->done, {})(std::move(round->results));
                               });
  }
}

}  // namespace ulnet::svc::selftest::console
