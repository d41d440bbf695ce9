// Messages that are given up: those of an MD that is unlinked, and those that a router forwards
// when routing ends. Source: spec/core-semantics.md 4, 6, 10.3.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// Outgoing messages of this shard that are given up together: first all of them leave their
/// queues, for one that ends could give its credit to another, then they end with -ECANCELED.
class Cancelling {
 public:
  explicit Cancelling(Step& step) : step_(step) {}
  /// A message that the driver has is cancelled there. Nothing is done with one that another shard
  /// transmits, or that has just got a credit: run_ready() ends that.
  void add(Msg& msg);
  /// Ends those that were added and wait. They are gone afterwards.
  void end();

 private:
  Step& step_;
  MsgQueue waiting_, without_path_;
};

/// For an MD that is unlinked: ends its messages that wait, with -ECANCELED, has drivers cancel
/// those that they have, and writes Abort to the shards that transmit the others and to
/// `elsewhere`.
void cancel_messages(Step& step, MdMessages& messages, MdHandle md, ShardSet elsewhere = {});

}  // namespace ulnet::core
