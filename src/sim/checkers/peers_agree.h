// Two nodes that have discovered each other agree when nothing is under way: what one has
// acknowledged is what it keeps, and neither owes the other a push. An info's sequence number tells
// its NIDs: who keeps the number of a node's present info keeps that node's NIDs, no more and no
// less; but a NID which another peer claims too stays with that one until it has answered whose it
// is. Each NID is one peer's, and its peer's list has it; the card of a peer says whether it has
// multi-rail. What an earlier incarnation of a peer has acknowledged counts for nothing. A node
// that had discovery off for a while is left alone: it has acknowledged pushes that it did not
// take, and learns with its next ping only; others have dropped what they knew of it, the number
// too (4.8). One that only verified may keep what it had of a peer, whose push it has acknowledged
// (4.9). Only the NI that meets a peer's NID again learns of its restart, from the incarnation in
// the hello, because each NI of a node has an incarnation of its own. So a node cannot know two
// things: that the life which has acknowledged a push is over, as long as the new one uses other
// NIs; and that a push which comes late, on a connection that nobody has closed yet, is of an
// earlier life. That push counts unless its number is smaller: each life counts from 1, and may
// tell other NIDs with the same number. Nor can it know that a hello which comes late, of an NI
// that was deleted since, tells of no restart: it forgets the number, and late pushes count.
// Source: spec/multirail.md 4.1, 4.4 rule 5, 4.8, 4.9, spec/wire-socklnd.md 8, spec/observed.md
// 2.2.
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
    Handle peer;  ///< which entry it is of: a peer that was forgotten gets another one
    std::uint32_t sequence = 0;
    std::vector<Nid> nids;  ///< sorted
    Instant since;          ///< when it was taken
    /// An earlier life of the peer has told it, or this life before the node forgot its number.
    bool of_the_past = false;
  };
  struct Push {
    std::uint32_t life = 0;  ///< SimNode::starts() of the node that it goes to
    Instant at;              ///< when it was begun
  };
  struct Info {
    std::uint32_t life = 0;  ///< SimNode::starts() of the node that told it
    std::vector<Nid> nids;   ///< sorted
  };
  /// What a node tells of itself.
  struct Told {
    std::uint32_t life = 0;  ///< SimNode::starts()
    std::uint32_t sequence = 0;
    std::multimap<std::uint32_t, Info> infos;  ///< of all lives, by the number
  };
  struct Record {
    bool was_off = false;                  ///< the node had discovery off at some time
    bool verified = false;                 ///< ... or only verified what peers tell
    std::set<Nid> configured;              ///< note_configured()
    std::map<std::uint32_t, Push> pushes;  ///< the last to each node, by its number
    std::map<Nid, Kept> kept;              ///< by the peer's primary NID
    /// When it forgot the number of what the peer had told, by the peer's primary NID: the peer
    /// seemed to have restarted (also by a late hello: spec/wire-socklnd.md 8), or its entry went.
    std::map<Nid, Instant> number_forgotten;
  };
  /// Notes what the node tells of itself from now on.
  void note_told(const ShardStep& step);
  /// Notes the pushes that this step begins.
  void note_pushes(World& world, const ShardStep& step);
  /// Notes what the node keeps of the peers that have told something new in this step.
  void note_kept(World& world, const ShardStep& step);
  /// Whether the other node has told what is kept in an earlier life only, or, of `any_life`, in
  /// this one.
  bool is_of_the_past(const Kept& kept, const SimNode& other, const wire::PingInfo& present,
                      bool any_life);
  /// Whether the node has forgotten the peer's number since the other node's last push to it.
  bool has_forgotten_number(const SimNode& node, const core::Peer& peer, const SimNode& other);
  void look_at(World& world, const SimNode& node, const core::Peer& peer);
  void look_at_pair(World& world, const SimNode& node, const core::Peer& peer, const SimNode& other,
                    const core::Peer& us);

  /// Whether the node may keep another info of the other one than that one's present info, because
  /// of an earlier life of either.
  bool may_differ(const SimNode& node, const core::Peer& peer, const SimNode& other);

  PerNode<Record> records_;
  std::map<std::uint32_t, Told> told_;  ///< by the node's number: it outlives the node's lives
};

}  // namespace ulnet::sim
