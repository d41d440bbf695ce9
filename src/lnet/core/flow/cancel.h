// Cancelling of messages: those of an MD that is unlinked, and those that a router forwards when
// routing is turned off. Source: spec/core-semantics.md 4, 6, 10.3.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// Outgoing messages of this shard that are cancelled together. First all of them leave their
/// queues, because one that ends could give its credit to another. Then they end with -ECANCELED.
class Cancelling {
 public:
  explicit Cancelling(Step& step) : step_(step) {}
  /// The driver is asked to cancel a message that it has. A message that another shard transmits is
  /// left alone, and so is one that has just got a credit: run_ready() ends that one.
  void add(Msg& msg);
  /// Ends the added messages that wait. They are gone afterwards.
  void end();

 private:
  Step& step_;
  MsgQueue waiting_, without_path_;
};

/// For an MD that is unlinked: ends its messages that wait, with -ECANCELED, asks drivers to cancel
/// the messages that they have, and sends Abort to the shards that transmit the others and to
/// `elsewhere`.
void cancel_messages(Step& step, MdMessages& messages, MdHandle md, ShardSet elsewhere = {});

}  // namespace ulnet::core
