#include "selftest/console/members.h"

#include <algorithm>

namespace ulnet::svc::selftest::console {

namespace {

template <class Named>
std::shared_ptr<Named> by_name(const std::vector<std::shared_ptr<Named>>& all,
                               std::string_view name) {
  const auto at = std::ranges::find_if(all, [&](const auto& one) { return one->name == name; });
  return at == all.end() ? nullptr : *at;
}

Members each_once(const std::vector<Test>& tests, std::vector<Test::Part> Test::*parts) {
  Members all;
  for (const Test& test : tests)
    for (const Test::Part& part : test.*parts)
      if (std::ranges::find(all, part.member) == all.end()) all.push_back(part.member);
  return all;
}

tl::unexpected<Error> not_found(const std::string& name) {
  return fail(-ENOENT, "Can't find " + name + " in current session");
}

}  // namespace

const char* to_string(NodeState state) {
  constexpr const char* kNames[] = {"Active", "Busy", "Down", "Unknown"};
  return kNames[static_cast<std::size_t>(state)];
}

StateCounts count_states(const Members& members) {
  StateCounts counts;
  counts.total = members.size();
  for (const MemberPtr& member : members) {
    counts.active += member->state == NodeState::kActive;
    counts.busy += member->state == NodeState::kBusy;
    counts.down += member->state == NodeState::kDown;
    counts.unknown += member->state == NodeState::kUnknown;
  }
  return counts;
}

Members active_of(const Members& members) {
  Members active;
  std::ranges::copy_if(members, std::back_inserter(active),
                       [](const MemberPtr& m) { return m->state == NodeState::kActive; });
  return active;
}

MemberPtr find_member(const Members& members, const ProcessId& id) {
  const auto at =
      std::ranges::find_if(members, [&](const MemberPtr& member) { return member->id == id; });
  return at == members.end() ? nullptr : *at;
}

Members members_of(const std::vector<Test::Part>& parts) {
  Members members;
  for (const Test::Part& part : parts) members.push_back(part.member);
  return members;
}

Members Batch::clients() const { return each_once(tests, &Test::clients); }
Members Batch::servers() const { return each_once(tests, &Test::servers); }

GroupPtr Session::group(std::string_view wanted) const { return by_name(groups, wanted); }
BatchPtr Session::batch(std::string_view wanted) const { return by_name(batches, wanted); }

Result<GroupPtr> find_group(const Session& session, const std::string& name) {
  if (GroupPtr group = session.group(name)) return group;
  return not_found(name);
}
Result<BatchPtr> find_batch(const Session& session, const std::string& name) {
  if (BatchPtr batch = session.batch(name)) return batch;
  return not_found(name);
}

Result<void> check_name(const std::string& name) {
  constexpr std::size_t kMax = wire::LstName::kBytes - 1;
  if (!name.empty() && name.size() <= kMax) return {};
  return fail(-EINVAL, "Name size is limited to " + std::to_string(kMax));
}

}  // namespace ulnet::svc::selftest::console
