// No message leaves by an NI whose device has failed while LNet may choose a path by one that
// works. Such a path is another NI of the net; for a request to a peer with multi-rail, a net on
// which the peer has a healthy NID, and a router where no NI on a net of the peer works; for a
// message through a router, another router.
//
// Messages that waited for a credit when the NI failed count as well; those that a delay rule held
// then do not: they go on (11.3). The checker ignores a source that the caller has named, the one
// NI that a peer without multi-rail sees, the NID to which an answer and a recovery ping go, and
// nodes with policies. Source: spec/multirail.md 3.1 to 3.4.
#pragma once

#include <vector>

#include "sim/checkers/chosen_path.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class FailedNiAvoided final : public Checker {
 public:
  FailedNiAvoided() : Checker("failed NI avoided", kBeforeStep | kAfterStep) {}
  void before_step(World& world, const ShardStep& step) override;
  void after_step(World& world, const ShardStep& step) override;

 private:
  /// Messages from other shards that came after the NI of their path had failed: the shard that
  /// chose the path had not yet got the new health of the NI.
  using Late = PerMessage<bool>;
  static void note_late(const ShardStep& step, Late& late);
  void look_at(World& world, const ShardStep& step, Late& late, const ShownPath& path) const;

  PerNode<Late> late_;
  std::vector<core::MsgTicket> held_;  ///< those that delay rules held before the step
  /// The sender of the message that lands in this step, if that peer had no multi-rail before;
  /// otherwise Nid::any(). The message may be a push that turns the peer into one with multi-rail:
  /// its ACK leaves before the push is read (core-semantics.md 6.3).
  Nid pushes_;
};

}  // namespace ulnet::sim
