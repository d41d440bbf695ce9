// Cancelling of messages: those of an MD that is unlinked, and those that a router forwards when
// routing is turned off. Source: spec/core-semantics.md 4, 6, 10.3.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// Outgoing messages of this shard that are cancelled together. First all of them leave their
/// queues, because a message that ends could give its credit to another one of them. Then they end
/// with -ECANCELED.
class Cancelling {
 public:
  explicit Cancelling(Step& step) : step_(step) {}
  /// Adds a message. If a driver has the message, asks the driver to cancel it. Leaves alone a
  /// message that another shard transmits. Also leaves alone a message that has just got a credit:
  /// run_ready() ends it.
  void add(Msg& msg);
  /// Ends the added messages that wait. They are gone afterwards.
  void end();

 private:
  Step& step_;
  MsgQueue waiting_, without_path_;
};

/// Cancels the messages of an MD that is unlinked. Ends the messages that wait, with -ECANCELED.
/// Asks drivers to cancel the messages that they have. Sends Abort to the shards that transmit the
/// other messages, and to the shards `elsewhere`.
void cancel_messages(Step& step, MdMessages& messages, MdHandle md, ShardSet elsewhere = {});

}  // namespace ulnet::core
