// Two nodes that have discovered each other agree when nothing is under way: what one has
// acknowledged is what it keeps, and neither owes the other a push.
//
// The sequence number of an info identifies its NIDs: a node that keeps the number of another
// node's present info keeps exactly that node's NIDs. But a NID that another peer claims too stays
// with that peer until it has answered whether it has the NID. Each NID belongs to one peer, and
// that peer's list has it; the peer entry shows whether the peer has multi-rail. An acknowledgement
// of a peer's earlier incarnation does not count.
//
// The checker ignores a node that had discovery off for a while: it has acknowledged pushes without
// applying them, and learns only with its next ping; other nodes have dropped what they knew of it,
// also the number (4.8). A node that only verified may keep its old entry of a peer whose push it
// has acknowledged (4.9).
//
// Only the NI that meets a peer's NID again learns of the peer's restart, from the incarnation in
// the hello, because each NI of a node has an incarnation of its own. Therefore a node cannot know
// two things. First, that the incarnation which acknowledged a push has ended, as long as the new
// one uses other NIs. Second, that a push which arrives late, on a connection that is not closed
// yet, is from an earlier incarnation. Such a push counts unless its number is smaller: each
// incarnation counts from 1, and may report other NIDs with the same number. Nor can a node know
// that a late hello, of an NI that was deleted since, reports no restart: it forgets the number,
// and late pushes count. Source: spec/multirail.md 4.1, 4.4 rule 5, 4.8, 4.9, spec/wire-socklnd.md
// 8, spec/observed.md 2.2.
#pragma once

#include <map>
#include <set>

#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class PeersAgree final : public Checker {
 public:
  PeersAgree() : Checker("peers agree", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;
  void at_rest(World& world) override;

 private:
  /// The info that a node keeps of a peer.
  struct Kept {
    Handle peer;  ///< the peer's entry: a peer that was forgotten gets another one
    std::uint32_t sequence = 0;
    std::vector<Nid> nids;  ///< sorted
    Instant since;          ///< when the node accepted it
    /// An earlier incarnation of the peer has reported it, or the present one did so before the
    /// node forgot its number.
    bool of_earlier_incarnation = false;
  };
  struct Push {
    std::uint32_t incarnation = 0;  ///< SimNode::starts() of the receiver
    Instant at;                     ///< when the push began
  };
  struct Info {
    std::uint32_t incarnation = 0;  ///< SimNode::starts() of the node that reported it
    std::vector<Nid> nids;          ///< sorted
  };
  /// The infos that a node reports about itself.
  struct ReportedInfos {
    std::uint32_t incarnation = 0;  ///< SimNode::starts()
    std::uint32_t sequence = 0;
    std::multimap<std::uint32_t, Info> infos;  ///< of all incarnations, by sequence number
  };
  struct Record {
    bool was_off = false;      ///< the node had discovery off at some time
    bool verified = false;     ///< discovery only verified reports of peers at some time
    std::set<Nid> configured;  ///< note_configured()
    std::map<std::uint32_t, Push> pushes;  ///< the last push to each node, by the node's number
    std::map<Nid, Kept> kept;              ///< by the peer's primary NID
    /// When the node forgot the number of the peer's last info, by the peer's primary NID: the peer
    /// seemed to have restarted (also by a late hello: spec/wire-socklnd.md 8), or its entry was
    /// deleted.
    std::map<Nid, Instant> number_forgotten;
  };
  /// Notes the info that the node reports from now on.
  void note_reported(const ShardStep& step);
  /// Notes the pushes that this step begins.
  void note_pushes(World& world, const ShardStep& step);
  /// Notes what the node keeps of the peers that have reported something new in this step.
  void note_kept(World& world, const ShardStep& step);
  /// Whether the kept info was reported by an earlier incarnation of the other node only, or, with
  /// `any_incarnation`, by the present one.
  bool is_of_earlier_incarnation(const Kept& kept, const SimNode& other,
                                 const wire::PingInfo& present, bool any_incarnation);
  /// Whether the node has forgotten the peer's number since the other node's last push to it.
  bool has_forgotten_number(const SimNode& node, const core::Peer& peer, const SimNode& other);
  void look_at(World& world, const SimNode& node, const core::Peer& peer);
  void look_at_pair(World& world, const SimNode& node, const core::Peer& peer, const SimNode& other,
                    const core::Peer& us);

  /// Whether the node may keep another info than the other node's present one, because of an
  /// earlier incarnation of either node.
  bool may_differ(const SimNode& node, const core::Peer& peer, const SimNode& other);

  PerNode<Record> records_;
  /// The key is the node's number: the map outlives the node's incarnations.
  std::map<std::uint32_t, ReportedInfos> reported_;
};

}  // namespace ulnet::sim
