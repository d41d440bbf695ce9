#include "selftest/console/transaction.h"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace ulnet::svc::selftest::console {

namespace {

struct Gathering {
  NodeResults results;
  std::size_t missing = 0;
  std::function<void(NodeResults)> done;  ///< null after it was called

  void finish() {
    if (done) std::exchange(done, {})(std::move(results));
  }
};

/// Returns the session time-out that a reply contains; 0: it contains no time-out.
std::uint32_t reported_timeout(const wire::LstMessage& reply) {
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
  if (const std::uint32_t timeout = reported_timeout(reply.message); timeout != 0)
    member.timeout = timeout;
  if (const auto* made = std::get_if<wire::LstMakeSessionReply>(&reply.message.body))
    member.abilities = made->session == session.id ? wire::lst_abilities(*made) : 0;
  const wire::LstSessionId* named = reply.message.session();
  if (named == nullptr || named->is_none())
    member.state = NodeState::kUnknown;
  else
    member.state = *named == session.id ? NodeState::kActive : NodeState::kBusy;
}

NodeResult result_of(const MemberPtr& member, const RpcReply& reply) {
  NodeResult result{.member = member, .error = reply.status, .reply = reply.message};
  if (reply.status == 0) result.status = reply.message.status();
  result.data = reply.data;
  return result;
}

void ask_all(Surroundings& surroundings, const SessionPtr& session, const Members& members,
             const Patience& patience, const std::function<NodeRequest(std::size_t)>& request,
             std::function<void(NodeResults)> done) {
  if (members.empty()) return done({});
  auto round = std::make_shared<Gathering>();
  round->missing = members.size();
  round->done = std::move(done);
  for (const MemberPtr& member : members)
    round->results.push_back({.member = member, .error = -EINPROGRESS});
  for (std::size_t i = 0; i < members.size(); ++i) {
    NodeRequest what = request(i);
    surroundings.caller().call(
        members[i]->id, {.features = session->features, .body = std::move(what.body)},
        std::move(what.offered), std::max(patience.rpc, kMinReplyTimeout),
        [&surroundings, session, round, i, member = members[i]](const RpcReply& reply) {
          note_answer(*member, *session, reply, surroundings.now());
          if (round->done) round->results[i] = result_of(member, reply);
          if (--round->missing == 0) round->finish();
        });
  }
  if (patience.wait != Duration{}) surroundings.after(patience.wait, [round] { round->finish(); });
}

}  // namespace ulnet::svc::selftest::console
