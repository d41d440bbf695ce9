// The console of LNet selftest: a session over many nodes, driven by commands. The console sends
// requests, the nodes do the work, and each command returns its result as a value. One thread at a
// time; nothing here waits or prints. Commands that send requests to nodes run one after the other,
// in the order in which they were given. Source: spec/cli-lst.md 3, 4, spec/wire-selftest.md 3, 5.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "selftest/console/looks.h"
#include "selftest/console/members.h"
#include "selftest/console/surroundings.h"
#include "selftest/console/transaction.h"
#include "ulnet/result.hpp"

namespace ulnet::svc::selftest::console {

/// The callback of a command. Called once, perhaps before the command returns. Errors: -ESRCH (no
/// session), -ESHUTDOWN (it is ending), -EACCES (another key), -ENOENT, -EEXIST, -EBUSY (a frozen
/// group, a running batch; or too many commands wait), -EINVAL, -E2BIG; each with a sentence for
/// the user.
template <class Value>
using Done = std::function<void(Result<Value>)>;

struct SessionShown : SessionAsked {
  wire::LstSessionId id;
  std::size_t nodes = 0;
};
struct NodesAdded {
  NodeResults results;      ///< of the invited nodes
  bool compatible = false;  ///< features of some nodes differ from the session's
};
/// The nodes of a command: the group with the name `group`, else the listed nodes.
struct Target {
  std::string name;
  std::vector<ProcessId> nodes;
};
struct TestAsked {
  std::string batch, from, to;
  TestSpec spec;
  Patience patience = kReplyTimeout;
};
struct QueryAsked {
  std::string batch;
  std::size_t test = 0;  ///< from 1; 0: all tests
  bool server = false;
};
/// How long the RPCs of one client of a test took, if the node reports it.
struct ClientLatency {
  /// has no error and no status if the console did not ask the node
  NodeResult result;
  /// the console does not ask nodes of other implementations, which do not report latencies
  bool ulnet = false;
  std::optional<Latency> latency;  ///< of RPCs that ended since the test was added
};
/// Which members leave a group: those in one state, those that are not active, or those listed.
struct Leaving {
  std::optional<NodeState> state;
  bool not_active = false;
  std::vector<ProcessId> nodes;
};

class Console {
 public:
  /// `surroundings` must outlive this object.
  explicit Console(Surroundings& surroundings);
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  // Session
  void new_session(const SessionAsked& asked, Done<SessionShown> done);
  void end_session(std::uint32_t key, Done<NodeResults> done,
                   const Patience& patience = kReplyTimeout);
  /// Returns the session, whatever its key.
  Result<SessionShown> show_session() const;

  // Groups
  void add_nodes(std::uint32_t key, const std::string& group, const std::vector<ProcessId>& nodes,
                 Done<NodesAdded> done);
  void delete_group(std::uint32_t key, const std::string& group, Done<NodeResults> done);
  void refresh_group(std::uint32_t key, const std::string& group, Done<NodeResults> done);
  void remove_nodes(std::uint32_t key, const std::string& group, const Leaving& leaving,
                    Done<NodeResults> done);
  Result<std::vector<GroupPtr>> groups(std::uint32_t key);
  Result<GroupPtr> group(std::uint32_t key, const std::string& name);

  // Batches
  Result<void> add_batch(std::uint32_t key, const std::string& name);
  Result<std::vector<BatchPtr>> batches(std::uint32_t key);
  Result<BatchPtr> batch(std::uint32_t key, const std::string& name);
  void add_test(std::uint32_t key, const TestAsked& asked, Done<NodeResults> done);
  // Leaves out clients whose answer to a look() has not come. `wait` is as in Patience.
  void run(std::uint32_t key, const std::string& batch, std::uint32_t seconds,
           Done<NodeResults> done, Duration wait = {});
  void stop(std::uint32_t key, const std::string& batch, bool force, Done<NodeResults> done,
            Duration wait = {});
  void query(std::uint32_t key, const QueryAsked& asked, Duration patience, Done<NodeResults> done);

  /// Fetches the latencies of the clients of test number `test`, from 1, by ulnet's own request
  /// (docs/SELFTEST.md).
  void latencies(std::uint32_t key, const std::string& batch, std::size_t test,
                 const Patience& patience, Done<std::vector<ClientLatency>> done);

  // Nodes. The error is -ENOENT for a target that names neither a group nor nodes.
  void sample(std::uint32_t key, const Target& target, Duration patience, Done<NodeResults> done);
  /// Samples as sample() does, for repeated calls while `batch` runs. Silent nodes do not delay the
  /// others (looks.h).
  void look(std::uint32_t key, const Target& target, const std::string& batch,
            const LookAsked& asked, Done<std::vector<Seen>> done);
  void ping_session(std::uint32_t key, Duration patience, Done<NodeResults> done);
  void ping(std::uint32_t key, const Target& target, Duration patience, Done<NodeResults> done);
  void ping_batch(std::uint32_t key, const std::string& batch, bool server, Duration patience,
                  Done<NodeResults> done);

  /// Serves JOIN (spec/wire-selftest.md 3.7): a node asks to become a member.
  wire::LstJoinReply joined(const ProcessId& from, std::uint32_t features,
                            const wire::LstJoin& request);

 private:
  template <class Value>
  using Asks = std::function<void(const SessionPtr&, Done<Value>)>;

  /// Runs `command` after the commands that were enqueued before it. `command` must call its
  /// argument once, when it has ended. If too many commands wait, this function calls `refuse`
  /// instead.
  void enqueue(std::function<void(std::function<void()> over)> command,
               const std::function<void(Error)>& refuse);
  void next();
  /// Does the same for a command that ends when it calls its argument with its result.
  template <class Value>
  void enqueue_with(Done<Value> done, std::function<void(Done<Value>)> command);
  /// Runs `asks` in its turn, with the session that has this key.
  template <class Value>
  void in_turn(std::uint32_t key, Done<Value> done, Asks<Value> asks);
  /// Does the same for a command whose result is one NodeResult per node.
  void command(std::uint32_t key, Done<NodeResults> done, Asks<NodeResults> asks) {
    in_turn<NodeResults>(key, std::move(done), std::move(asks));
  }
  Result<SessionPtr> session_of(std::uint32_t key);

  void ask(const SessionPtr& session, const Members& members, const Patience& patience,
           const std::function<NodeRequest(std::size_t)>& request,
           std::function<void(NodeResults)> done);
  void begin(const SessionAsked& asked, const Done<SessionShown>& done);
  void end(const SessionPtr& session, const Patience& patience, Done<NodeResults> done);
  /// Notifies members that the session is over, in up to `rounds` rounds, until they have left it.
  /// Does not ask a member again that did not answer.
  void release(const SessionPtr& session, const Members& members, const Patience& patience,
               int rounds, NodeResults before, std::function<void(NodeResults)> done);
  void invite(const SessionPtr& session, const Members& members,
              std::function<void(NodeResults)> done);
  void leave(const SessionPtr& session, const GroupPtr& group, const Members& leaving,
             const Done<NodeResults>& done);
  void add_servers(const SessionPtr& session, const BatchPtr& batch,
                   const std::shared_ptr<Test>& test, const Patience& patience,
                   const Done<NodeResults>& done);
  void add_clients(const SessionPtr& session, const BatchPtr& batch,
                   const std::shared_ptr<Test>& test, const Patience& patience, NodeResults servers,
                   const Done<NodeResults>& done);
  void debug(const SessionPtr& session, const Members& members, Duration patience,
             std::function<void(NodeResults)> done);
  Result<Members> members_of_target(const SessionPtr& session, const Target& target) const;

  void tick();
  void ask_quiet();

  Surroundings& surroundings_;
  SessionPtr session_;
  std::uint64_t next_batch_ = 1;  ///< no number is used twice (spec/wire-selftest.md 2.4)
  std::deque<std::function<void(std::function<void()>)>> waiting_;
  bool busy_ = false;      ///< a command is under way
  bool starting_ = false;  ///< next() is on the stack
  /// False after the destructor. Answers and timers that come later check it.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

template <class Value>
void Console::enqueue_with(Done<Value> done, std::function<void(Done<Value>)> command) {
  const auto shared = std::make_shared<Done<Value>>(std::move(done));
  enqueue(
      [shared, command = std::move(command)](const std::function<void()>& over) {
        command([shared, over](Result<Value> result) {
          (*shared)(std::move(result));
          over();
        });
      },
      [shared](Error error) { (*shared)(tl::unexpected(std::move(error))); });
}

template <class Value>
void Console::in_turn(std::uint32_t key, Done<Value> done, Asks<Value> asks) {
  enqueue_with<Value>(std::move(done), [this, key, asks = std::move(asks)](Done<Value> finish) {
    const auto session = session_of(key);
    if (!session) return finish(tl::unexpected(session.error()));
    asks(*session, std::move(finish));
  });
}

}  // namespace ulnet::svc::selftest::console
