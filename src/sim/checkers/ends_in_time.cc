// Everything ends: an awaited ACK or REPLY by its deadline, a ping by its own, a message soon
// after its deadline, and a message that its user gave up as soon as its driver can end it.
// Source: spec/multirail.md 6, spec/core-semantics.md 11, DESIGN.md 6.
#include <map>
#include <set>

#include "sim/checkers/checkers.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {
namespace {

bool cancels(const ShardStep& step, core::MsgTicket tx) {
  return std::ranges::any_of(actions_of<core::Cancel>(step),
                             [&](const core::Cancel& cancel) { return cancel.tx == tx; });
}

/// Whether a peer is being discovered for messages to this NID. The peer may have lost the NID
/// meanwhile.
bool is_under_discovery(const SimNode& node, const Nid& nid) {
  bool found = false;
  node.shard_state()->directory.for_each([&](const core::Peer& peer) {
    if (peer.phase == core::DiscoveryPhase::kIdle) return;
    for (const core::DiscoveryAsker& asker : peer.askers) found = found || asker.nid == nid;
  });
  return found;
}

class EndsInTime final : public Checker {
 public:
  EndsInTime() : Checker("ends in time", kAfterStep) {}

  void after_step(World& world, const ShardStep& step) override {
    namespace call = core::call;
    Record& record = records_.of(step.node);
    const core::Globals& globals = step.state.config->globals;
    const auto due = [&](const MdHandle& md, bool get) {
      return core::is_tracked(record.mds[md.cookie].options, get, globals.response_tracking)
                 ? step.now + std::chrono::seconds(globals.transaction_timeout)
                 : kNever;
    };
    if (const auto* bind = answered<call::MdBind>(step.input)) {
      if (bind->spec.sink != nullptr) record.mds[bind->md.cookie].options = bind->spec.options;
    } else if (const auto* put = answered<call::Put>(step.input)) {
      const MdHandle md = put->request.md;
      if (put->request.ack == AckRequest::kAck && record.mds.contains(md.cookie))
        await(record, md.cookie, due(md, false));
    } else if (const auto* get = answered<call::Get>(step.input)) {
      const MdHandle md = get->request.md;
      if (record.mds.contains(md.cookie)) await(record, md.cookie, due(md, true));
    } else if (const auto* ping = answered<call::Ping>(step.input)) {
      record.pings[ping->ticket] = step.now + ping->request.timeout;
    } else if (const auto* discover = answered<call::Discover>(step.input)) {
      // The pings and pushes of a discovery have deadlines of their own.
      record.pings[discover->ticket] = step.now + std::chrono::hours(1);
    } else if (const auto* unlink = answered<call::MdUnlink>(step.input)) {
      stop_waiting(record, unlink->md.cookie, true);
    }
    for (const core::CallDone& ended : actions_of<core::CallDone>(step))
      if (record.pings.erase(ended.done->ticket) == 0)
        violation(world, &step.node, "a ping ended that was not under way");
    for (const core::Post& post : actions_of<core::Post>(step)) {
      const EventType type = post.event.type;
      const bool no_answer = type == EventType::kSend && post.event.status != 0;
      if (type == EventType::kAck || type == EventType::kReply || no_answer || post.event.unlinked)
        stop_waiting(record, post.strand.cookie, post.event.unlinked);
      if (post.event.unlinked) record.mds.erase(post.strand.cookie);
    }
    given_up(world, step);
    overdue(world, step.node, record);
  }

  void on_node(World& world, SimNode& node, NodeChange change) override {
    if (change == NodeChange::kResumed) records_.of(node).resumed = world.now();
    // Answers that users still awaited at the shutdown do not come.
    if (change == NodeChange::kStopped) records_.of(node) = Record{};
  }

  void check_all(World& world) override {
    for (const SimNode& node : world.nodes()) {
      if (node.shard_state() == nullptr || node.state() == SimNode::State::kPaused) continue;
      const Record& record = records_.of(node);
      overdue(world, node, record);
      for_each_shard(node, [&](const core::ShardState& state, std::uint32_t) {
        if (node.shard_msgs() == 0 && !state.shut_down)
          for (const auto& [nid, queue] : state.path_waiters.for_discovery())
            if (!is_under_discovery(node, nid))
              violation(world, &node, "a message to {} waits for a discovery that is not under way",
                        nid);
        state.messages.for_each([&](Handle, const core::Msg& msg) {
          if (!msg.outgoing || msg.deadline == kNever) return;
          // A fault rule may hold the message past its deadline. A driver then ends it
          // (DriverContract).
          if (msg.state == core::MsgState::kDelayed) return;
          if (std::max(msg.deadline, record.resumed) + kGrace < world.now())
            violation(world, &node, "a message is still {}", to_string(msg.state));
        });
      });
    }
  }

  void at_end(World& world) override {
    for (const SimNode& node : world.nodes()) {
      if (node.shard_state() == nullptr || node.state() == SimNode::State::kPaused) continue;
      if (!records_.of(node).due.empty())
        violation(world, &node,
                  "an answer is awaited, but nothing is left that could end the wait");
    }
  }
  /// The longest time by which timers are late.
  static constexpr Duration kSlack = std::chrono::seconds(2);
  /// A message that waits for credits has to wait until other messages have ended.
  static constexpr Duration kGrace = std::chrono::minutes(10);

 private:
  struct MdRecord {
    std::uint32_t options = 0;
    std::uint64_t awaited = 0;
    Instant due = kNever;  ///< kNever: no answer is awaited
  };
  struct Record {
    std::map<std::uint64_t, MdRecord> mds;  ///< MDs bound with a handler
    std::set<std::pair<Instant, std::uint64_t>> due;
    std::map<std::uint64_t, Instant> pings;
    Instant resumed{};  ///< when the node was last resumed
  };

  /// Notes that one more operation of this MD awaits an answer. Unless `due` is kNever, it becomes
  /// the deadline of all operations of the MD.
  void await(Record& record, std::uint64_t cookie, Instant due) {
    MdRecord& md = record.mds[cookie];
    ++md.awaited;
    if (due == kNever) return;
    record.due.erase({md.due, cookie});
    md.due = due;
    record.due.insert({due, cookie});
  }

  void stop_waiting(Record& record, std::uint64_t cookie, bool all) {
    const auto found = record.mds.find(cookie);
    if (found == record.mds.end()) return;
    MdRecord& md = found->second;
    md.awaited = all || md.awaited == 0 ? 0 : md.awaited - 1;
    if (md.awaited != 0) return;
    record.due.erase({md.due, cookie});
    md.due = kNever;
  }

  /// Checks a step that unlinks an MD. The messages of the MD that drivers have must be cancelled:
  /// on the MD's shard, or, by the inter-shard message Abort, on the shard that sends them.
  void given_up(World& world, const ShardStep& step) const {
    const core::MdMessages* messages = nullptr;
    if (const auto* unlink = answered<core::call::MdUnlink>(step.input))
      if (const core::Md* md = step.state.memory.find(unlink->md)) messages = &md->messages;
    if (const auto* abort = shard_msg_in<core::shard_msg::Abort>(step.input))
      if (const core::RemoteMd* remote = step.state.remote_mds.find(abort->md))
        messages = &remote->messages;
    if (messages == nullptr) return;
    for (const core::Msg& msg : *messages)
      if (msg.state == core::MsgState::kSending && !cancels(step, msg.self))
        violation(world, &step.node, "a message that was given up stays with its driver");
  }

  void overdue(World& world, const SimNode& node, const Record& record) {
    const auto over = [&](Instant due) {
      return std::max(due, record.resumed) + kSlack < world.now();
    };
    for (const auto& [due, cookie] : record.due) {
      if (!over(due)) break;
      // A message that a driver has must end first.
      const core::ShardState* state = shard_with(node, {cookie});
      const core::Md* md = state == nullptr ? nullptr : state->memory.find(MdHandle{cookie});
      if (md == nullptr || md->refs == 0)
        violation(world, &node, "an answer to MD {} is awaited past its deadline", cookie);
    }
    for (const auto& [ticket, due] : record.pings)
      if (over(due)) violation(world, &node, "a ping goes on past its deadline");
  }
  PerNode<Record> records_;
};

}  // namespace

std::unique_ptr<Checker> ends_in_time_checker() { return std::make_unique<EndsInTime>(); }

}  // namespace ulnet::sim
