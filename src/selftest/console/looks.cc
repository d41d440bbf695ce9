#include "selftest/console/looks.h"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace ulnet::svc::selftest::console {

namespace {

struct Round {
  Members members;
  std::size_t missing = 0;
  std::function<void(std::vector<Seen>)> done;  ///< null after it was called

  void finish() {
    if (!done) return;
    std::vector<Seen> all;
    for (const MemberPtr& member : members) {
      Seen seen{.result = {.member = member, .error = -EINPROGRESS}};
      Look& look = *member->look;
      if (look.answer) {
        seen.result = result_of(member, *look.answer);
        seen.own_rpcs = look.own_rpcs;
        look.answer.reset();
      }
      all.push_back(std::move(seen));
    }
    std::exchange(done, {})(std::move(all));
  }
};

}  // namespace

Members heard_of(const Members& members) {
  Members heard;
  std::copy_if(members.begin(), members.end(), std::back_inserter(heard),
               [](const MemberPtr& member) { return !member->look || !member->look->under_way; });
  return heard;
}

void look_at(Surroundings& surroundings, const SessionPtr& session, const Members& members,
             const LookAsked& asked,
             const std::function<std::optional<std::uint64_t>(const Member&)>& own_rpcs,
             std::function<void(std::vector<Seen>)> done) {
  const auto round = std::make_shared<Round>();
  round->members = members;
  round->done = std::move(done);
  const Members now = heard_of(members);
  round->missing = now.size();
  for (const MemberPtr& member : now) {
    if (!member->look) member->look = std::make_shared<Look>();
    member->look->under_way = true;
    surroundings.caller().call(
        member->id, {.features = session->features, .body = wire::LstStat{.session = session->id}},
        {}, std::max(asked.patience, kMinReplyTimeout),
        [&surroundings, session, round, member, own_rpcs](const RpcReply& reply) {
          note_answer(*member, *session, reply, surroundings.now());
          Look& look = *member->look;
          look = {.answer = reply, .own_rpcs = own_rpcs(*member)};
          if (--round->missing == 0) round->finish();
        });
  }
  if (now.empty()) return round->finish();
  if (asked.wait != Duration{}) surroundings.after(asked.wait, [round] { round->finish(); });
}

}  // namespace ulnet::svc::selftest::console
