// A target answers each request that it took exactly once: one ACK for a PUT that landed and
// wanted one, one REPLY for a GET, to the NID that asked, from the NID that was asked. If the NI of
// that has failed, another one answers, and perhaps another NID of the initiator gets the answer.
// Source: spec/core-semantics.md 6.3, 6.4, spec/multirail.md 3.1.
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
  /// An answer that is owed: its type, the NID that was asked, the initiator and its handle.
  struct Debt {
    wire::MsgType type = wire::MsgType::kAck;
    Nid from, to;
    std::uint64_t incarnation = 0, object = 0;
    auto operator<=>(const Debt&) const = default;
  };
  using Debts = std::map<Debt, std::uint32_t>;
  /// Requests that are alike, or one that came more than once, as long as answers are not sent.
  struct Came {
    std::set<Nid> hops;       ///< the neighbours by which they came
    std::uint32_t count = 0;  ///< how many are without an answer
    bool free = false;        ///< one of the neighbours was no gateway, then or since
  };
  struct Record {
    std::set<Nid> failed;      ///< NIs that have failed at some time
    PerMessage<Debt> landing;  ///< PUTs that want an ACK
    Debts owed;
    /// GETs that another shard was asked to find a buffer for, or that a delay rule holds
    Debts asked;
    std::map<Debt, Came> came_by;
    /// Of an answer that another NI has sent, or that went to another NID, because the NI that was
    /// asked had failed: what is owed.
    std::map<Debt, Debt> owed_by;
  };
  /// Of a shard: how many messages it has received, as it counts them.
  using Received = std::uint64_t;
  static Debt debt(wire::MsgType type, const Nid& from, const Nid& to,
                   const wire::WireHandle& handle) {
    return {type, from, to, handle.interface_cookie, handle.object_cookie};
  }
  /// Pays a debt, if there is such a one.
  bool pay(Record& record, Debts& debts, const Debt& paid);
  void owe_again(Record& record, const core::Msg& again);
  /// `routers`: those by which its PUT came; null: it came by none.
  static bool may_be_late(const core::ShardState& state, const Debt& ack,
                          const std::set<Nid>* routers);
  static std::optional<Debt> due_at_once(const ShardStep& step);
  /// Notes that the request for which this answer is owed came in with this step.
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
