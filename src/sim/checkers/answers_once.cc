// A target answers each accepted request exactly once: one ACK for a PUT that landed and requested
// one, one REPLY for a GET. The answer goes to the NID that asked, from the NID that was asked. If
// the NI that was asked has failed, another NI answers, and the answer may go to another NID of the
// initiator. Source: spec/core-semantics.md 6.3, 6.4, spec/multirail.md 3.1.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "lnet/core/path/select_route.h"
#include "sim/checkers/checkers.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {
namespace {

/// The handle of the request that an ACK or REPLY names; null: the message is not an answer.
const wire::WireHandle* answered_by(const wire::LnetHeader& header) {
  if (const auto* ack = std::get_if<wire::AckPart>(&header.part)) return &ack->dst_wmd;
  const auto* reply = std::get_if<wire::ReplyPart>(&header.part);
  return reply == nullptr ? nullptr : &reply->dst_wmd;
}

class AnswersOnce final : public Checker {
 public:
  AnswersOnce() : Checker("answers once", kAfterStep) {}

  void after_step(World& world, const ShardStep& step) override {
    Record& record = records_.of(step.node);
    const std::uint64_t counted = step.state.counters.global.recv_count;
    const bool took = std::exchange(received_.of(step.node, step.shard), counted) != counted;

    if (std::holds_alternative<core::Config>(step.input)) {
      note_lost_gateways(step, record);
      for (const core::LocalNi* ni : step.state.nis.configured()) owners_[ni->nid()] = &step.node;
    }
    if (const auto* state = std::get_if<core::NiState>(&step.input))
      if (const core::LocalNi* ni = step.state.nis.find(state->ni); ni != nullptr && ni->fatal)
        record.failed.insert(ni->nid());
    std::optional<Debt> due = due_at_once(step);
    if (const auto* landed = std::get_if<core::PayloadLanded>(&step.input)) {
      const Debt* landing = record.landing.find(landed->msg);
      if (landing != nullptr && landed->status == 0) due = *landing;
      record.landing.erase(landed->msg);
    } else if (const auto* arrived = std::get_if<core::HeaderArrived>(&step.input)) {
      const auto* get = std::get_if<wire::GetPart>(&arrived->header->part);
      const auto* put = std::get_if<wire::PutPart>(&arrived->header->part);
      const bool own = for_another_node(step) == nullptr;
      if (own && put != nullptr && !put->ack_wmd.is_none())
        came(step, record,
             debt(wire::MsgType::kAck, arrived->header->dest_nid, arrived->header->src_nid,
                  put->ack_wmd));
      const bool is_answered_later = step.node.shards() > 1 || delayed_in(step) != nullptr;
      if (get != nullptr && own && (took || is_answered_later)) {
        auto& debts = took ? record.owed : record.asked;
        ++debts[debt(wire::MsgType::kReply, arrived->header->dest_nid, arrived->header->src_nid,
                     get->return_wmd)];
        came(step, record,
             debt(wire::MsgType::kReply, arrived->header->dest_nid, arrived->header->src_nid,
                  get->return_wmd));
      }
    }
    if (due) ++record.owed[*due];
    if (const core::Msg* again = sent_again(step)) owe_resent(record, *again);
    for (const core::Send& send : actions_of<core::Send>(step)) sent(world, step, record, send);

    if (due && record.owed.contains(*due)) {
      const auto routers = record.came_by.find(*due);
      if (!may_be_late(step.state, *due,
                       routers == record.came_by.end() ? nullptr : &routers->second.hops))
        violation(world, &step.node, "an ACK to {} was forgotten", due->to);
    }
    for (const core::Land& land : actions_of<core::Land>(step)) {
      const core::Msg* msg = step.state.find(land.msg);
      if (msg == nullptr || (msg->md == nullptr && msg->remote_md == nullptr)) continue;
      if (msg->md != nullptr && msg->md->has(kAckDisable)) continue;
      const auto* put = std::get_if<wire::PutPart>(&msg->header.part);
      if (put != nullptr && !put->ack_wmd.is_none())
        record.landing.add(land.msg, debt(wire::MsgType::kAck, msg->header.dest_nid,
                                          msg->header.src_nid, put->ack_wmd));
    }
  }

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
    /// Answers as they were sent: by another NI, or to another NID, if the NI that was asked had
    /// failed. Maps each to the answer that was outstanding.
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
  bool are_for_one_request(Debt a, const Debt& b) {
    // 0@lo is a NID of every node, and an answer to it leaves by no other NI.
    if (a.to.is_loopback() || b.to.is_loopback() || owners_[a.to] != owners_[b.to]) return false;
    a.from = b.from;
    a.to = b.to;
    return a == b;
  }

  /// If the NI that was asked has failed, another NI answers, perhaps to another NID of the peer.
  /// Removes the paid debt from `debts`. False: there is no such debt.
  bool pay(Record& record, Debts& debts, const Debt& paid) {
    auto owed = debts.find(paid);
    if (owed == debts.end())
      owed = std::ranges::find_if(debts, [&](const auto& each) {
        return record.failed.contains(each.first.from) && are_for_one_request(each.first, paid);
      });
    if (owed == debts.end()) return false;
    record.owed_by.insert_or_assign(paid, owed->first);
    if (--owed->second == 0) debts.erase(owed);
    return true;
  }

  /// When an answer left by another NI, because the NI that was asked had failed, the re-sent
  /// answer is again due from the NI that was asked: that NI may work again (spec/multirail.md
  /// 3.1). In the step that begins the re-send, the shard may have chosen a new NID of the peer, or
  /// another NI, or both. The NIDs then do not identify the debt; the initiator and its handle do.
  void owe_resent(Record& record, const core::Msg& again) {
    const wire::WireHandle* request = again.routed ? nullptr : answered_by(again.header);
    if (request == nullptr) return;
    Debt owed = debt(again.header.type(), again.header.src_nid, again.header.dest_nid, *request);
    auto first = record.owed_by.find(owed);
    if (first == record.owed_by.end())
      first = std::ranges::find_if(
          record.owed_by, [&](const auto& each) { return are_for_one_request(each.first, owed); });
    if (first != record.owed_by.end()) owed = first->second;
    ++record.owed[owed];
    if (again.hop.nid == owed.to) return;
    // The answer may go through the router of its own request, even if the request also came
    // through another router.
    Came& requests = record.came_by[owed];
    requests.hops.insert(again.hop.nid);
    ++requests.count;
    requests.free = true;
  }

  /// Whether the ACK may be sent late, or never. The ACK may wait for a credit, another shard may
  /// send it, or it cannot be sent at all. The ACK leaves by the NI that was asked
  /// (spec/core-semantics.md 6.3). If its initiator is on another net than that NI, the ACK goes
  /// through the router of its PUT. If that router is not a gateway, the ACK goes by any route from
  /// that NI's net; without such a route it is lost (spec/multirail.md 3.1, 9.7).
  /// `routers`: the routers through which the PUT came; null: the PUT came through no router.
  static bool may_be_late(const core::ShardState& state, const Debt& ack,
                          const std::set<Nid>* routers) {
    // A fault rule may have lost, failed or delayed the ACK.
    if (!state.fault_rules.empty()) return true;
    if (state.nis.find(ack.from) == nullptr) return true;
    for (const core::LocalNi* ni : state.nis.configured())
      if (ni->nid().net() == ack.from.net() && !ni->up()) return true;
    const auto may_wait_for = [&](const Nid& hop) {
      if (state.placement.of(hop) != state.index) return true;
      const core::PeerNi* peer = state.peers.find_ni(hop);
      return peer == nullptr || peer->answers != 0;
    };
    if (ack.to.net() == ack.from.net()) return may_wait_for(ack.to);
    const auto is_gateway = [&](const Nid& hop) {
      return hop.net() == ack.from.net() &&
             std::ranges::any_of(state.routes.gateways(), [&](const auto& gateway) {
               return core::is_of_gateway(state.peers, gateway.first, hop);
             });
    };
    if (routers != nullptr && std::ranges::all_of(*routers, is_gateway))
      return std::ranges::any_of(*routers, may_wait_for);
    return state.placement.shards() != 1 || state.answers != 0 ||
           !leads_to(state, ack.from.net(), ack.to.net());
  }

  /// The ACK to a PUT that was accepted in this step with its whole payload.
  static std::optional<Debt> due_at_once(const ShardStep& step) {
    const wire::LnetHeader* header = taken_at_once(step);
    if (for_another_node(step) != nullptr) return std::nullopt;
    const auto* put = header == nullptr ? nullptr : std::get_if<wire::PutPart>(&header->part);
    if (put == nullptr || put->ack_wmd.is_none()) return std::nullopt;
    for (const core::Post& post : actions_of<core::Post>(step)) {
      if (post.event.type != EventType::kPut) continue;
      if (post.event.md_options & kAckDisable) return std::nullopt;
    }
    return debt(wire::MsgType::kAck, header->dest_nid, header->src_nid, put->ack_wmd);
  }

  /// Notes that the request for this answer came in with this step.
  static void came(const ShardStep& step, Record& record, const Debt& debt) {
    const Nid& hop = std::get<core::HeaderArrived>(step.input).hop.nid;
    if (hop == debt.to) return;
    Came& requests = record.came_by[debt];
    requests.hops.insert(hop);
    ++requests.count;
    if (step.state.routes.gateway(hop) == nullptr) requests.free = true;
  }

  /// Notes requests that came by a hop that is no gateway any more. A route may be deleted and
  /// added again while an answer for which another route was chosen is under way.
  static void note_lost_gateways(const ShardStep& step, Record& record) {
    const auto is_lost = [&](const Nid& hop) { return step.state.routes.gateway(hop) == nullptr; };
    for (auto& [debt, requests] : record.came_by)
      if (std::ranges::any_of(requests.hops, is_lost)) requests.free = true;
  }

  /// Checks that the answer to a request that came through a router goes back through that router,
  /// as long as a route names it (spec/multirail.md 3.1). The request may have come more than once.
  /// An initiator that asked a NID of another net, and turns out to be a neighbour, is answered
  /// directly.
  void look_back(World& world, const ShardStep& step, Record& record, const core::Send& send,
                 const Debt& paid) {
    const auto found = record.came_by.find(paid);
    if (found == record.came_by.end()) return;
    const Came requests = found->second;
    if (--found->second.count == 0) record.came_by.erase(found);
    if (requests.free) return;
    const core::LocalNi* ni = step.state.nis.find(send.ni);
    if (ni != nullptr && send.hop.nid == paid.to && paid.to.net() == ni->nid().net()) return;
    for (const Nid& hop : requests.hops) {
      if (hop == send.hop.nid || ni == nullptr || hop.net() != ni->nid().net()) return;
      // The hop is no gateway by this NID at least.
      if (step.state.routes.gateway(hop) == nullptr) return;
    }
    violation(world, &step.node, "{} to {} goes by {}, and its request came by {}",
              paid.type == wire::MsgType::kAck ? "an ACK" : "a REPLY", paid.to, send.hop.nid,
              *requests.hops.begin());
  }

  void sent(World& world, const ShardStep& step, Record& record, const core::Send& send) {
    const wire::WireHandle* request = answered_by(send.header);
    const core::Msg* msg = step.state.find(send.tx);
    // A router owes no answers for requests that it forwards; 'forwarded once' checks those.
    if (request == nullptr || (msg != nullptr && msg->routed)) return;
    const Debt paid = debt(send.header.type(), send.header.src_nid, send.header.dest_nid, *request);
    look_back(world, step, record, send, paid);
    if (pay(record, record.owed, paid)) return;
    // The REPLY to a GET for which another shard had the buffer, or that a delay rule held.
    if (pay(record, record.asked, paid)) return;
    violation(world, &step.node, "{} to {} that is not owed",
              paid.type == wire::MsgType::kAck ? "an ACK" : "a REPLY", send.header.dest_nid);
  }
  PerNode<Record> records_;
  std::map<Nid, const SimNode*> owners_;  ///< the nodes that have or had these NIDs
  PerNode<Received> received_;
};

}  // namespace

std::unique_ptr<Checker> answers_once_checker() { return std::make_unique<AnswersOnce>(); }

}  // namespace ulnet::sim
