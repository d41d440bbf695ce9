// Receiving: frames, ACKs, headers, and payload on its way into the core's memory. Source:
// spec/wire-socklnd.md 6, 7, 12.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "lnet/lnd/lnd.h"
#include "lnet/lnd/sock/engine/counters.h"
#include "lnet/lnd/sock/engine/incoming_message.h"
#include "lnet/lnd/sock/engine/view.h"

namespace ulnet::lnd::sock {

struct EngineParts;

class IncomingMessages {
 public:
  /// `id`: of the engine, below 256; part of its RxTickets.
  IncomingMessages(EngineParts& parts, std::uint8_t id) : parts_(parts), id_(id) {}

  /// As Engine::read_plan().
  std::size_t read_plan(Handle conn, iovec* out, std::size_t max, std::size_t& direct,
                        std::size_t& ahead);
  /// `direct` bytes were read to the places that read_plan() gave, then `tail`. The connection is
  /// open, and may be closed afterwards.
  void received(Conn& conn, std::size_t direct, ByteView tail);
  /// Handles bytes of an open connection, which may be closed afterwards.
  void parse(Conn& conn, ByteView in);
  /// The verdict on the message being read has come, which happens once: work() goes on with the
  /// connection, because this runs inside a command.
  void resume(Conn& conn);
  bool has_work() const { return !resume_.empty(); }
  /// Resumes paused connections whose message has got its verdict: first parses the bytes that were
  /// read before the pause.
  void work();

  // The core's verdicts on messages
  void land(const core::Land& land);
  void hold(const core::HoldPayload& hold);
  void drop(const core::DropPayload& drop);
  void reject(const core::Reject& reject);
  /// As Engine::drained().
  void drained();

  /// The connection is closed: ends the message being read on it and its held messages.
  void lose(Conn& conn, const Failure& failure);
  /// Null: the message is gone.
  IncomingMessage* find(Handle message) { return messages_.find(message); }
  /// As Engine::see().
  std::optional<ConnView> see(core::RxTicket rx) const;
  /// The connection in parse(); null: none.
  const Conn* parsing() const { return parsing_; }

 private:
  void on_header(Conn& conn, ByteView& in);
  void on_payload(Conn& conn);
  void on_acks(Conn& conn);
  void broken(Conn& conn, Count why, const Failure& failure);
  void pause(Conn& conn, ByteView rest);
  std::unique_ptr<Unparsed> put_aside(ByteView rest);
  void landed(core::MsgTicket msg, const Failure& failure);
  core::RxTicket ticket(Handle rx) const;
  IncomingMessage* find_rx(core::RxTicket ticket, Handle& handle);

  EngineParts& parts_;
  const std::uint8_t id_;
  Slab<IncomingMessage> messages_;
  /// Held messages that were reported lost: since the last drained(), and before it. The engine
  /// keeps them until it has got every Land or DropPayload that was under way when they were lost.
  std::vector<Handle> lost_, lost_before_;
  wire::LnetHeader header_;  ///< of the message in parse()
  Conn* parsing_ = nullptr;
  std::vector<Handle> resume_, resuming_;
  /// Memory for Conn::unparsed, so that a message about which another shard decides allocates
  /// nothing.
  static constexpr std::size_t kSpareUnparsed = 4;
  std::vector<std::unique_ptr<Unparsed>> spare_unparsed_;
  std::unique_ptr<Unparsed> resumed_;  ///< what work() is parsing; null: nothing
};

}  // namespace ulnet::lnd::sock
