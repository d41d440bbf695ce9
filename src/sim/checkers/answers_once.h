// A target answers each accepted request exactly once: one ACK for a PUT that landed and requested
// one, one REPLY for a GET. The answer goes to the NID that asked, from the NID that was asked. If
// the NI that was asked has failed, another NI answers, and the answer may go to another NID of the
// initiator. Source: spec/core-semantics.md 6.3, 6.4, spec/multirail.md 3.1.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class AnswersOnce final : public Checker {
 public:
  AnswersOnce() : Checker("answers once", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;

 private:
  /// An outstanding answer: its type, the NID that was asked, the initiator and its handle.
  struct Debt {
    wire::MsgType type = wire::MsgType::kAck;
    Nid from, to;
    std::uint64_t incarnation = 0, object = 0;
    auto operator<=>(const Debt&) const = default;
  };
  using Debts = std::map<Debt, std::uint32_t>;
  /// Requests that are alike, or one that came more than once, until their answers are sent.
  struct Came {
    std::set<Nid> hops;       ///< the neighbours by which they came
    std::uint32_t count = 0;  ///< the number of requests without an answer
    bool free = false;        ///< a neighbour of `hops` was not a gateway, then or since
  };
  struct Record {
    std::set<Nid> failed;      ///< NIs that have failed at some time
    PerMessage<Debt> landing;  ///< PUTs that request an ACK
    Debts owed;
    /// GETs for which another shard looks for a buffer, or that a delay rule holds
    Debts asked;
    std::map<Debt, Came> came_by;
    /// Answers that another NI has sent, or that went to another NID, because the NI that was asked
    /// had failed. Maps each to the outstanding answer.
    std::map<Debt, Debt> owed_by;
  };
  /// How many messages a shard has received, as the shard counts them.
  using Received = std::uint64_t;
  static Debt debt(wire::MsgType type, const Nid& from, const Nid& to,
                   const wire::WireHandle& handle) {
    return {type, from, to, handle.interface_cookie, handle.object_cookie};
  }
  /// Whether `a` and `b` are answers to one request. They may have different NIDs of the target or
  /// of the initiator.
  bool are_for_one_request(Debt a, const Debt& b);
  /// Removes the paid debt from `debts`. False: there is no such debt.
  bool pay(Record& record, Debts& debts, const Debt& paid);
  void owe_resent(Record& record, const core::Msg& again);
  /// `routers`: the routers through which the PUT came; null: the PUT came through no router.
  static bool may_be_late(const core::ShardState& state, const Debt& ack,
                          const std::set<Nid>* routers);
  static std::optional<Debt> due_at_once(const ShardStep& step);
  /// Notes that the request for this answer came in with this step.
  static void came(const ShardStep& step, Record& record, const Debt& debt);
  static void note_lost_gateways(const ShardStep& step, Record& record);
  void look_back(World& world, const ShardStep& step, Record& record, const core::Send& send,
                 const Debt& paid);
  void sent(World& world, const ShardStep& step, Record& record, const core::Send& send);

  PerNode<Record> records_;
  std::map<Nid, const SimNode*> owners_;  ///< the nodes that have or had these NIDs
  PerNode<Received> received_;
};

}  // namespace ulnet::sim
