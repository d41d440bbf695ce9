// One node of a few shards, its letters and its driver as lists: whoever plays decides what comes
// next. For exploring in which order things may happen. Source: src/core/letter.h, DESIGN.md 3.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/among.h"
#include "core/letter.h"
#include "core/shard.h"

namespace ulnet::core::letters {

inline constexpr NiId kLo{1}, kTcp{2};
inline constexpr Portal kPortal{4};

/// What can come next.
struct Move {
  enum class Kind : std::uint8_t { kMail, kScript, kSent, kLanded } kind = Kind::kMail;
  std::uint32_t a = 0, b = 0;  ///< kMail: from, to; kScript: which; else: the driver's n-th
};

class Street : private EventSink {
 public:
  /// Something that happens once. It can be next when `ready` says so (none: always).
  struct Deed {
    std::string name;
    std::function<void(Street&)> act;
    std::function<bool(const Street&)> ready{};
  };

  Street(std::uint32_t shards, std::vector<Deed> script, PortalRotor rotor);

  // ---- for scripts

  /// A peer whose messages come in at `shard`.
  Nid peer(std::uint32_t shard) const;
  /// A PUT of so many bytes, or a GET, of that peer comes in; `bits` is its name, too. Buffers have
  /// 64 bytes.
  void arrive(std::uint32_t shard, std::uint64_t bits, bool get = false, bool ack = false,
              std::uint32_t length = 8);
  /// The connection of that message dies; only while the driver waits for the word about it.
  void lose(std::uint64_t bits);
  bool waiting(std::uint64_t bits) const;
  void set_lazy();
  /// Claim, entry and MD are steps of their own. An entry is for everybody, or goes before the
  /// others of its shard and is for odd names.
  void claim(std::uint32_t shard);
  void attach_entry(std::uint32_t shard, bool odd_before_others = false);
  /// The same for an entry that names the peer of its shard: one that only its NID and the name
  /// `bits` fit (the portal becomes a unique one), or one for all its messages.
  void claim_named(std::uint32_t shard, std::optional<std::uint64_t> bits);
  void attach_named(std::uint32_t shard, std::optional<std::uint64_t> bits);
  void attach_md(std::uint32_t shard, std::int32_t threshold, std::uint32_t options);
  void unlink(std::uint32_t shard);
  /// An own PUT or GET to that peer from an MD of `shard`.
  void request(std::uint32_t shard, std::uint32_t to, bool get);
  void answer(std::uint32_t shard, std::uint32_t from, bool get);
  void remove_ni(std::uint32_t shard);
  /// The control shard, 0, has learnt that the peers of these shards are one, and tells the others.
  void publish(std::uint32_t primary, std::uint32_t other);
  bool has_md(std::uint32_t shard) const { return mds_.contains(shard); }
  bool done(std::size_t deed) const { return done_.at(deed); }

  // ---- for players

  std::vector<Move> moves() const;
  void make(const Move& move);
  std::string name_of(const Move& move) const;
  /// Two streets with the same text have the same future.
  std::string text() const;
  /// When no move is left: what is wrong, or nothing.
  std::string verdict() const;

 private:
  struct Rx {
    std::uint64_t bits = 0;
    std::uint32_t shard = 0;
    wire::LnetHeader header;
    MsgTicket msg{};
    enum class State : std::uint8_t {
      kNone,
      kSoon,
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
  void wrong(std::string what) {
    if (wrong_.empty()) wrong_ = std::move(what);
  }
  Rx& rx(RxTicket ticket) { return rxs_.at(ticket.value - 1); }
  /// One that takes it, or for which it is too long.
  bool finds_a_buffer(const Rx& rx) const;

  std::vector<Deed> script_;
  std::vector<bool> done_;
  std::shared_ptr<NodeConfig> config_;
  Placement placement_;
  std::vector<std::unique_ptr<Shard>> shards_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<std::shared_ptr<const Letter>>>
      mail_;
  std::deque<Rx> rxs_;
  std::vector<MsgTicket> sending_, landing_;
  std::map<std::uint32_t, Buffer> mds_;
  std::vector<std::byte> memory_ = std::vector<std::byte>(64);
  iovec fragment_{};
  std::vector<std::string> events_;
  std::map<std::uint64_t, int> last_events_;  ///< by MD: how often `unlinked` was told
  std::uint32_t drained_ = 0, removed_ = 0;
  std::string wrong_;
  Actions actions_;
};

}  // namespace ulnet::core::letters
