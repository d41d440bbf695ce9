// A node of a few shards, whose inter-shard messages and driver are lists. The player decides what
// comes next: an inter-shard message arrives, a driver has sent or landed a message, or a deed of
// the script is done. explore.h can therefore try every order in which things may happen. Source:
// shard_msg.h, DESIGN.md 3.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lnet/core/contract/call_fanout.h"
#include "lnet/core/contract/shard_msg.h"
#include "lnet/core/flow/shard.h"

namespace ulnet::core::shard_msgs {

inline constexpr NiId kLo{1}, kTcp{2}, kOtherTcp{3};
inline constexpr Portal kPortal{4};

/// One thing that can come next.
struct Move {
  enum class Kind : std::uint8_t {
    kShardMsg,
    kScript,
    kSent,
    kFailed,
    kLanded
  } kind = Kind::kShardMsg;
  /// kShardMsg: from shard a to shard b. kScript: a is the number of the deed. Otherwise: a is the
  /// place in the driver's list.
  std::uint32_t a = 0, b = 0;
};

class ExploredNode : private EventSink {
 public:
  /// An act that is done once, at any time when `ready` returns true (without `ready`: at any
  /// time).
  struct Deed {
    std::string name;
    std::function<void(ExploredNode&)> act;
    std::function<bool(const ExploredNode&)> ready{};
  };

  ExploredNode(std::uint32_t shards, std::vector<Deed> script, PortalRotor rotor);

  // ---- for scripts

  /// A peer whose messages come in at `shard`.
  Nid peer(std::uint32_t shard) const;
  /// A PUT of `length` bytes, or a GET, comes in from that peer. `bits` are its match bits and
  /// identify it. Buffers have 64 bytes.
  void arrive(std::uint32_t shard, std::uint64_t bits, bool get = false, bool ack = false,
              std::uint32_t length = 8);
  /// The connection of that message dies; call it only while the message is waiting().
  void lose(std::uint64_t bits);
  /// Whether the driver waits for the core's decision about that message.
  bool waiting(std::uint64_t bits) const;
  void set_lazy();
  /// Adds a second NI of the same net, from the beginning.
  void add_other_ni();
  /// Adds the second NI to one shard, at any time.
  void add_other_ni_at(std::uint32_t shard);
  /// All shards know from the beginning that the peer of `shard` has multi-rail.
  void know_multi_rail(std::uint32_t shard);
  /// Messages were exchanged with the peers of all shards, and all shards use them.
  void know_peers();
  /// `sends` Sends may fail, each at any time, for a reason that allows to send the message again.
  void let_fail(std::uint32_t sends, Health how = Health::kLocalDropped) {
    may_fail_ = sends;
    failure_ = how;
  }
  /// Attaching a buffer takes three steps: the claim at the owner shard, the entry, the MD. The
  /// entry is for all messages, or, with `odd_before_others`, for messages with odd bits, in front
  /// of the shard's other entries.
  void claim(std::uint32_t shard);
  void attach_entry(std::uint32_t shard, bool odd_before_others = false);
  /// Claim and entry for an entry that names the peer of its shard: for the message `bits` only (so
  /// the portal becomes a unique one), or, without `bits`, for all its messages.
  void claim_named(std::uint32_t shard, std::optional<std::uint64_t> bits);
  void attach_named(std::uint32_t shard, std::optional<std::uint64_t> bits);
  void attach_md(std::uint32_t shard, std::int32_t threshold, std::uint32_t options);
  void unlink(std::uint32_t shard);
  /// This node sends a PUT or GET from an MD of `shard` to the peer of shard `to`, which the
  /// control shard has discovered, or, with `unknown`, has not.
  void request(std::uint32_t shard, std::uint32_t to, bool get, bool unknown = false);
  /// The ACK or REPLY to it comes in from the peer of shard `from`.
  void answer(std::uint32_t shard, std::uint32_t from, bool get);
  void remove_ni(std::uint32_t shard);
  /// The control shard, 0, has learned that the NIDs whose owner shards these are belong to one
  /// peer, which has no others. It notifies the other shards.
  void publish(const std::vector<std::uint32_t>& shards);
  /// All shards have agreed to delete the peer whose primary NID's owner shard is `shard`.
  void delete_peer(std::uint32_t shard);
  /// The same for the NID of `shard` alone, which is not the primary NID of that peer.
  void delete_nid(std::uint32_t primary, std::uint32_t shard);
  /// An administrator adds a peer that has the NIDs of these shards' neighbours; this replaces the
  /// peers that traffic has made of the NIDs before.
  void configure_peer(const std::vector<std::uint32_t>& shards);
  bool has_md(std::uint32_t shard) const { return mds_.contains(shard); }
  bool done(std::size_t deed) const { return done_.at(deed); }

  // ---- for players

  std::vector<Move> moves() const;
  void make(const Move& move);
  std::string name_of(const Move& move) const;
  /// The state as text. Two nodes with the same text behave in the same way from then on.
  std::string text() const;
  /// The error when no move is left; empty: there is no error.
  std::string verdict() const;

 private:
  struct Rx {
    std::uint64_t bits = 0;
    std::uint32_t shard = 0;
    wire::LnetHeader header;
    MsgTicket msg{};
    enum class State : std::uint8_t {
      kNone,
      kDeferred,
      kHeld,
      kLanding,
      kTaken,
      kDropped,
      kLost
    } state = State::kNone;
  };
  struct Buffer {
    MeHandle me{};
    MdHandle md{};
  };

  void on_event(const Event& event) override;
  void step(std::uint32_t shard, const Input& input);
  void carry_out(std::uint32_t shard, const Action& action);
  void call(std::uint32_t shard, ApiCall& call);
  void attach(std::uint32_t shard, call::MeAttach attach);
  ShardState& state(std::uint32_t shard) const;
  void wrong(std::string what) {
    if (wrong_.empty()) wrong_ = std::move(what);
  }
  Rx& rx(RxTicket ticket) { return rxs_.at(ticket.value - 1); }
  /// Whether some shard has a buffer that accepts the message, or that would accept it if it were
  /// not too short.
  bool finds_a_buffer(const Rx& rx) const;

  std::vector<Deed> script_;
  std::vector<bool> done_;
  std::shared_ptr<NodeConfig> config_;
  Placement placement_;
  std::vector<std::unique_ptr<Shard>> shards_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<ShardMsg>> queues_;
  std::deque<Rx> rxs_;
  struct Sending {
    MsgTicket tx;
    bool ping = false;  ///< discovery has sent it as a ping, which fails sooner or later
  };
  std::vector<Sending> sending_;
  std::vector<MsgTicket> landing_;
  std::map<std::uint32_t, Buffer> mds_;
  std::vector<std::byte> memory_ = std::vector<std::byte>(64);
  iovec fragment_{};
  std::vector<std::string> events_;
  std::map<std::uint64_t, int> last_events_;  ///< by MD: the number of events with `unlinked`
  std::uint32_t drained_ = 0, removed_ = 0, may_fail_ = 0;
  Health failure_ = Health::kLocalDropped;  // health of the Sends that may fail
  std::string wrong_;
};

}  // namespace ulnet::core::shard_msgs
