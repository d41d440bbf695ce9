// The fault rules of a shard: decides which messages are dropped, failed or delayed, and counts.
// Deterministic: random choices come from each rule's seed. Source: spec/multirail.md 11.
#pragma once

#include <cstdint>
#include <vector>

#include "lnet/base/rng.h"
#include "lnet/base/time.h"
#include "lnet/core/contract/fault.h"
#include "lnet/wire/lnet_header.h"

namespace ulnet::core {

/// A message that a driver has received, or is about to send.
struct FaultQuestion {
  const wire::LnetHeader& header;
  const Nid& local;  ///< the NID of this node's NI
  bool outgoing;
};

struct FaultVerdict {
  enum class What : std::uint8_t {
    kPass,
    kLose,   ///< the message is lost silently
    kFail,   ///< outgoing: it fails with `health`
    kDelay,  ///< it is released after `latency`
  } what = What::kPass;
  Health health = Health::kOk;
  Duration latency{};
  std::uint64_t rule = 0;  ///< kDelay: the number of the rule
};

/// Selects among the messages that match a rule: one in each window of `rate` messages, or of
/// `interval` seconds. Windows of time follow each other from the moment when the rule was added. A
/// window without a match is not made up for later.
class FaultWindows {
 public:
  FaultWindows(const FaultRule& rule, Rng& rng, Instant now);
  /// Whether the rule applies to this message. The caller asks for each message that matches the
  /// rule.
  bool take(const FaultRule& rule, Rng& rng, Instant now);

 private:
  bool take_by_count(const FaultRule& rule, Rng& rng);
  bool take_by_time(const FaultRule& rule, Rng& rng, Instant now);

  std::uint32_t seen_ = 0;   // messages in the current window (`rate`)
  std::uint32_t taken_ = 0;  // index of the selected message in that window
  Instant begin_;            // of the window (`interval`)
  Instant moment_;           // the first message after it is selected
};

class FaultRules {
 public:
  /// Adds a rule, which must be settled(), before all others of its kind. `shard`: each shard draws
  /// different numbers from the seed.
  void add(const FaultRule& rule, std::uint32_t shard, Instant now);
  /// Deletes the rules of a kind with exactly this source and destination; null: any. Returns the
  /// numbers of those deleted.
  std::vector<std::uint64_t> del(FaultRule::Kind kind, const FaultNids* source,
                                 const FaultNids* destination);
  /// Resets the counters of the rules of a kind; the next decisions do not change.
  void reset(FaultRule::Kind kind);
  void clear() { drops_.clear(), delays_.clear(); }

  bool empty() const { return drops_.empty() && delays_.empty(); }
  std::size_t size() const { return drops_.size() + delays_.size(); }
  /// Applies the drop rules, the newest first, until one selects the message. Each matching rule up
  /// to that one counts the message.
  FaultVerdict drop(const FaultQuestion& message, Instant now);
  /// Applies the delay rules in the same way.
  FaultVerdict delay(const FaultQuestion& message, Instant now);
  /// The rules in the order in which they are applied: drop rules first.
  std::vector<FaultRow> rows() const;

 private:
  struct Entry {
    FaultRow row;
    std::uint64_t number;
    Rng rng;
    FaultWindows windows;
  };

  Entry* taker(std::vector<Entry>& entries, const FaultQuestion& message, Instant now);
  std::vector<Entry>& of(FaultRule::Kind kind) {
    return kind == FaultRule::Kind::kDrop ? drops_ : delays_;
  }

  std::vector<Entry> drops_, delays_;  // the newest is the last
  std::uint64_t last_number_ = 0;
};

}  // namespace ulnet::core
