// What a console knows about its session: nodes, groups of them, batches of tests. Source:
// spec/cli-lst.md 4.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lnet/base/time.h"
#include "lnet/wire/lst_message.h"
#include "selftest/console/distribution.h"
#include "ulnet/nid.hpp"
#include "ulnet/result.hpp"

namespace ulnet::svc::selftest::console {

enum class NodeState : std::uint8_t {
  kActive,   ///< in this session, and answering
  kBusy,     ///< in another session
  kDown,     ///< no answer
  kUnknown,  ///< in no session, or not asked yet
};
/// "Active".
const char* to_string(NodeState state);

struct Look;

struct Member {
  ProcessId id;
  NodeState state = NodeState::kUnknown;
  Instant heard = Instant::min();  ///< when its last answer came
  /// the node leaves the session after this many seconds without a request from the console
  std::uint32_t timeout = 0;
  std::uint32_t abilities = 0;  ///< abilities of a ulnet node (wire::lst_abilities()); else 0
  std::uint32_t groups = 0;     ///< the number of groups that have it
  bool being_asked = false;     ///< ask_quiet() awaits its answer
  /// the number of tests that it was given, by batch
  std::map<std::uint64_t, std::uint32_t> tests;
  std::shared_ptr<Look> look;  ///< null before its first look (looks.h)
};
/// Shared, because an RPC under way keeps its member alive.
using MemberPtr = std::shared_ptr<Member>;
using Members = std::vector<MemberPtr>;

struct StateCounts {
  std::size_t active = 0, busy = 0, down = 0, unknown = 0, total = 0;
  bool operator==(const StateCounts&) const = default;
};
StateCounts count_states(const Members& members);
Members active_of(const Members& members);
/// Null when there is no such member.
MemberPtr find_member(const Members& members, const ProcessId& id);

struct Group {
  std::string name;
  Members members;
  /// number of tests that name the group; while it is not 0 the group cannot change
  std::uint32_t tests = 0;
};
using GroupPtr = std::shared_ptr<Group>;

/// The work of a test.
struct TestSpec {
  wire::LstService service = wire::LstService::kPing;
  std::uint32_t loop = wire::kLstLoopForever;  ///< RPCs of each unit
  std::uint32_t concurrency = 1;
  Distribution spread;
  bool keep_going = false;  ///< after a failed RPC a unit sends its next one
  // For kBrw:
  bool write = false;
  wire::LstCheck check = wire::LstCheck::kNone;
  std::uint32_t size = 4096;  ///< bytes
  std::uint32_t offset = 0;
  /// The user asserts that this test does not stop any of the nodes (test_rules.h).
  bool nodes_are_safe = false;
};

struct Test {
  /// A node, and the number of this test among the tests of that node, from 1.
  struct Part {
    MemberPtr member;
    std::uint32_t index = 0;
  };
  TestSpec spec;
  GroupPtr from, to;
  std::vector<Part> clients, servers;
};
Members members_of(const std::vector<Test::Part>& parts);

struct Batch {
  std::string name;
  std::uint64_t id = 0;
  std::uint32_t run = 0;  ///< the number of the current run; 0: idle
  std::vector<Test> tests;

  /// Each function returns the nodes of all tests in one role, each node once.
  Members clients() const;
  Members servers() const;
};
using BatchPtr = std::shared_ptr<Batch>;

struct SessionAsked {
  std::uint32_t key = 0;
  std::string name;
  std::uint32_t timeout = 300;  ///< the session ends after this many seconds without a command
  /// end a session that exists at this console, and take nodes from other sessions
  bool force = false;
  std::uint32_t features = wire::kLstFeatures;
};
struct Session : SessionAsked {
  wire::LstSessionId id;
  bool ending = false;
  Instant used;     ///< when the last command came
  Members members;  ///< in the order in which they came
  std::vector<GroupPtr> groups;
  std::vector<BatchPtr> batches;
  std::uint32_t runs = 0;  ///< how often a batch was started

  GroupPtr group(std::string_view wanted) const;
  BatchPtr batch(std::string_view wanted) const;
};
using SessionPtr = std::shared_ptr<Session>;

/// Finds the group. Fails with -ENOENT and a sentence for the user.
Result<GroupPtr> find_group(const Session& session, const std::string& name);
Result<BatchPtr> find_batch(const Session& session, const std::string& name);
/// Checks a name of a session, a group or a batch. -EINVAL: it cannot have this name.
Result<void> check_name(const std::string& name);

}  // namespace ulnet::svc::selftest::console
