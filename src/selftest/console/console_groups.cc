// Groups of nodes: which nodes join the session, and which leave it. Source: spec/cli-lst.md 3.5,
// 4.
#include <algorithm>

#include "selftest/console/console.h"

namespace ulnet::svc::selftest::console {

namespace {

constexpr std::size_t kNodesMax = 16384;

/// Finds a group that may change, because no test names it.
Result<GroupPtr> find_free_group(const SessionPtr& session, const std::string& name) {
  auto group = find_group(*session, name);
  if (group && (*group)->tests != 0)
    return fail(-EBUSY, name + " is used by a test: it does not change until the session ends");
  return group;
}

GroupPtr use_group(const SessionPtr& session, const std::string& name) {
  if (GroupPtr group = session->group(name)) return group;
  auto group = std::make_shared<Group>();
  group->name = name;
  session->groups.push_back(group);
  return group;
}

MemberPtr use_member(const SessionPtr& session, const ProcessId& id) {
  if (MemberPtr member = find_member(session->members, id)) return member;
  auto member = std::make_shared<Member>();
  member->id = id;
  session->members.push_back(member);
  return member;
}

std::optional<std::uint64_t> own_rpcs_of(const Surroundings& surroundings, const Session& session,
                                         const Batch& batch, const Member& member) {
  if (!surroundings.is_own(member.id.nid)) return std::nullopt;
  std::optional<std::uint64_t> rpcs;
  for (const Test& test : batch.tests) {
    for (const Test::Part& part : test.clients) {
      if (part.member.get() != &member) continue;
      const auto latency = surroundings.own_latency(session.id, batch.id, part.index);
      if (latency) rpcs = rpcs.value_or(0) + latency->count();
    }
  }
  return rpcs;
}

void join_group(const GroupPtr& group, const MemberPtr& member) {
  ++member->groups;
  group->members.push_back(member);
}

}  // namespace

void Console::add_nodes(std::uint32_t key, const std::string& name,
                        const std::vector<ProcessId>& nodes, Done<NodesAdded> done) {
  const auto differ = std::make_shared<bool>(false);
  command(
      key,
      [differ, done = std::move(done)](Result<NodeResults> results) {
        if (!results) return done(tl::unexpected(results.error()));
        done(NodesAdded{.results = std::move(*results), .compatible = *differ});
      },
      [this, differ, name, nodes](const SessionPtr& session, const Done<NodeResults>& finish) {
        if (const auto fits = check_name(name); !fits) return finish(tl::unexpected(fits.error()));
        if (session->members.size() + nodes.size() > kNodesMax)
          return finish(
              fail(-E2BIG, "a session has " + std::to_string(kNodesMax) + " nodes at most"));
        if (session->group(name) != nullptr)
          if (const auto free = find_free_group(session, name); !free)
            return finish(tl::unexpected(free.error()));
        const GroupPtr group = use_group(session, name);
        Members asked;
        for (const ProcessId& id : nodes) {
          if (find_member(group->members, id) != nullptr) continue;
          const MemberPtr member = use_member(session, id);
          join_group(group, member);
          if (member->state != NodeState::kActive) asked.push_back(member);
        }
        invite(session, asked, [session, differ, finish](NodeResults results) {
          for (const NodeResult& result : results)
            *differ |= result.error == 0 && result.reply.features != session->features;
          finish(std::move(results));
        });
      });
}

void Console::invite(const SessionPtr& session, const Members& members,
                     std::function<void(NodeResults)> done) {
  ask(
      session, members, kReplyTimeout,
      [session](std::size_t) {
        return NodeRequest{wire::LstMakeSession{.session = session->id,
                                                .force = session->force ? 1U : 0U,
                                                .name = wire::LstName(session->name)}};
      },
      [session, done = std::move(done)](NodeResults results) {
        for (const NodeResult& result : results) {
          // The console does not use a node with other features (spec/wire-selftest.md 5.1).
          const bool other = result.error == 0 && result.reply.features != session->features;
          if (result.member->state == NodeState::kActive && (other || result.status != 0))
            result.member->state = NodeState::kUnknown;
        }
        done(std::move(results));
      });
}

void Console::leave(const SessionPtr& session, const GroupPtr& group, const Members& leaving,
                    const Done<NodeResults>& done) {
  Members active;
  for (const MemberPtr& member : leaving) {
    std::erase(group->members, member);
    if (--member->groups != 0) continue;
    std::erase(session->members, member);
    if (member->state == NodeState::kActive) active.push_back(member);
  }
  release(session, active, kReplyTimeout, 1, {}, done);
}

void Console::delete_group(std::uint32_t key, const std::string& name, Done<NodeResults> done) {
  command(key, std::move(done),
          [this, name](const SessionPtr& session, const Done<NodeResults>& finish) {
            const auto group = find_free_group(session, name);
            if (!group) return finish(tl::unexpected(group.error()));
            std::erase(session->groups, *group);
            leave(session, *group, Members((*group)->members), finish);
          });
}

void Console::remove_nodes(std::uint32_t key, const std::string& name, const Leaving& leaving,
                           Done<NodeResults> done) {
  command(key, std::move(done),
          [this, name, leaving](const SessionPtr& session, const Done<NodeResults>& finish) {
            const auto group = find_free_group(session, name);
            if (!group) return finish(tl::unexpected(group.error()));
            Members chosen;
            for (const MemberPtr& member : (*group)->members) {
              const bool named = std::find(leaving.nodes.begin(), leaving.nodes.end(),
                                           member->id) != leaving.nodes.end();
              const bool lame = leaving.not_active && member->state != NodeState::kActive;
              if (named || lame || leaving.state == member->state) chosen.push_back(member);
            }
            leave(session, *group, chosen, finish);
          });
}

/// Invites again the members of the group that are in no session.
void Console::refresh_group(std::uint32_t key, const std::string& name, Done<NodeResults> done) {
  command(key, std::move(done),
          [this, name](const SessionPtr& session, const Done<NodeResults>& finish) {
            const auto group = find_free_group(session, name);
            if (!group) return finish(tl::unexpected(group.error()));
            debug(session, (*group)->members, kReplyTimeout,
                  [this, session, finish](NodeResults first) {
                    Members to_invite;
                    NodeResults settled;
                    for (NodeResult& result : first) {
                      const NodeState state = result.member->state;
                      const bool taken = state == NodeState::kBusy && session->force;
                      if (state == NodeState::kUnknown || taken)
                        to_invite.push_back(result.member);
                      else
                        settled.push_back(std::move(result));
                    }
                    invite(session, to_invite,
                           [settled = std::move(settled), finish](NodeResults second) mutable {
                             for (NodeResult& result : second) settled.push_back(std::move(result));
                             finish(std::move(settled));
                           });
                  });
          });
}

Result<std::vector<GroupPtr>> Console::groups(std::uint32_t key) {
  return session_of(key).map([](const SessionPtr& session) { return session->groups; });
}

Result<GroupPtr> Console::group(std::uint32_t key, const std::string& name) {
  return session_of(key).and_then(
      [&](const SessionPtr& session) { return find_group(*session, name); });
}

Result<Members> Console::members_of_target(const SessionPtr& session, const Target& target) const {
  const auto group = find_group(*session, target.name);
  if (group) return (*group)->members;
  if (target.nodes.empty()) return tl::unexpected(group.error());
  Members members;
  for (const ProcessId& id : target.nodes) {
    MemberPtr member = find_member(session->members, id);
    if (member == nullptr) {
      member = std::make_shared<Member>();
      member->id = id;
    }
    members.push_back(std::move(member));
  }
  return members;
}

void Console::sample(std::uint32_t key, const Target& target, Duration patience,
                     Done<NodeResults> done) {
  command(
      key, std::move(done),
      [this, target, patience](const SessionPtr& session, const Done<NodeResults>& finish) {
        const auto members = members_of_target(session, target);
        if (!members) return finish(tl::unexpected(members.error()));
        ask(
            session, *members, patience,
            [session](std::size_t) { return NodeRequest{wire::LstStat{.session = session->id}}; },
            finish);
      });
}

void Console::look(std::uint32_t key, const Target& target, const std::string& name,
                   const LookAsked& asked, Done<std::vector<Seen>> done) {
  in_turn<std::vector<Seen>>(key, std::move(done),
                             [this, target, name, asked](const SessionPtr& session,
                                                         const Done<std::vector<Seen>>& finish) {
                               const auto members = members_of_target(session, target);
                               if (!members) return finish(tl::unexpected(members.error()));
                               const auto batch = find_batch(*session, name);
                               if (!batch) return finish(tl::unexpected(batch.error()));
                               const auto own_rpcs = [&surroundings = surroundings_, session,
                                                      batch = *batch](const Member& member) {
                                 return own_rpcs_of(surroundings, *session, *batch, member);
                               };
                               look_at(surroundings_, session, *members, asked, own_rpcs,
                                       [alive = alive_, finish](std::vector<Seen> seen) {
                                         if (*alive) finish(std::move(seen));
                                       });
                             });
}

void Console::ping(std::uint32_t key, const Target& target, Duration patience,
                   Done<NodeResults> done) {
  command(key, std::move(done),
          [this, target, patience](const SessionPtr& session, const Done<NodeResults>& finish) {
            const auto members = members_of_target(session, target);
            if (!members) return finish(tl::unexpected(members.error()));
            debug(session, *members, patience, finish);
          });
}

void Console::ping_session(std::uint32_t key, Duration patience, Done<NodeResults> done) {
  command(key, std::move(done),
          [this, patience](const SessionPtr& session, const Done<NodeResults>& finish) {
            debug(session, Members(session->members), patience, finish);
          });
}

wire::LstJoinReply Console::joined(const ProcessId& from, std::uint32_t features,
                                   const wire::LstJoin& request) {
  wire::LstJoinReply reply;
  const auto status = [&]() -> std::uint32_t {
    if (session_ == nullptr || session_->ending) return ESRCH;
    reply.session = session_->id;
    reply.timeout = session_->timeout;
    reply.name = wire::LstName(session_->name);
    if (features != session_->features) return EPROTO;
    if (!request.session.is_none() && request.session != session_->id) return EBUSY;
    const std::string name(request.group.text());
    if (name.empty()) return EINVAL;
    const GroupPtr group = session_->group(name);
    if (group != nullptr && group->tests != 0) return EBUSY;
    if (group != nullptr && find_member(group->members, from) != nullptr) return EEXIST;
    if (session_->members.size() >= kNodesMax) return ENOMEM;
    const MemberPtr member = use_member(session_, from);
    member->state = NodeState::kActive;
    member->heard = surroundings_.now();
    member->timeout = session_->timeout;
    join_group(use_group(session_, name), member);
    return 0;
  };
  reply.status = status();
  return reply;
}

}  // namespace ulnet::svc::selftest::console
