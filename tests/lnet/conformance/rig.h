// A rig: two ends of the driver under test, which can reach each other, and the messages that each
// end received. The suite in lnd_test.cc is the same for all drivers; a new driver needs a rig.
// Source: lnet/lnd/lnd.h, DESIGN.md 2.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "lnet/lnd/lnd.h"

namespace ulnet::conformance {

/// Memory in fragments of given sizes, as an MD describes it.
class Fragments {
 public:
  explicit Fragments(const std::vector<std::size_t>& sizes);
  Fragments(Fragments&&) noexcept = default;  // the memory does not move
  core::Region region() const;
  core::Region region(std::uint32_t offset, std::uint32_t length) const;
  std::vector<std::byte> bytes() const;
  void fill(std::uint64_t seed);

 private:
  std::vector<std::vector<std::byte>> pieces_;
  std::vector<iovec> vectors_;
};

/// `length` bytes that depend on `seed`.
std::vector<std::byte> pattern(std::size_t length, std::uint64_t seed);

/// A message that arrived at an end, and how it ended.
struct Arrived {
  wire::LnetHeader header;
  core::Hop hop;
  core::RxTicket rx;
  core::MsgTicket msg{};
  bool whole = false;               ///< HeaderArrived::whole
  std::unique_ptr<Fragments> sink;  ///< where it was landed
  std::uint32_t landed_length = 0;
  int ends = 0;  ///< number of PayloadLanded for it
  int status = 0;
};

/// kTake: as kLand, but a payload that arrives whole is copied at once (core::CopyPayload).
enum class Verdict : std::uint8_t { kLand, kTake, kTruncate, kDrop, kHold, kReject };

/// The Inlet of an end, in place of the core. `policy` chooses the verdict on each message, on
/// the thread that delivers it.
class Recorder final : public lnd::Inlet {
 public:
  using Policy = std::function<Verdict(const wire::LnetHeader&)>;

  void attach(lnd::Lnd& driver) { driver_ = &driver; }
  void set_policy(Policy policy);
  bool deliver(const core::Input& input) override;
  void after_batch() override { driver_->flush(); }

  // For any thread; they return a copy or a number, read under the lock.
  std::size_t arrived() const;
  std::size_t landed() const;
  std::size_t ups() const { return ups_; }
  std::size_t downs() const { return downs_; }
  std::optional<core::SendDone> done(core::MsgTicket tx) const;
  std::size_t done_count() const;
  /// Calls `look` for every message so far, in the order of arrival.
  void each(const std::function<void(Arrived&)>& look);
  /// The number of tickets that ended more than once.
  std::size_t ended_twice() const { return twice_; }
  /// Counts deliveries made while this thread was inside submit().
  static thread_local bool in_submit;
  std::size_t delivered_in_submit() const { return in_submit_count_; }

 private:
  bool header_arrived(const core::HeaderArrived& input);

  lnd::Lnd* driver_ = nullptr;
  mutable std::mutex lock_;
  Policy policy_ = [](const wire::LnetHeader&) { return Verdict::kLand; };
  std::deque<Arrived> messages_;
  std::map<std::uint32_t, core::SendDone> done_;
  std::atomic<std::size_t> ups_{0}, downs_{0}, twice_{0}, in_submit_count_{0};
};

struct End {
  lnd::Lnd* driver = nullptr;
  Recorder* inlet = nullptr;
  core::NiId ni;
  core::Hop hop;  ///< the address by which the other end reaches it
  lnd::MessageLimits limits;
};

class Rig {
 public:
  virtual ~Rig() = default;
  /// The sender and the receiver; the same end for loopback.
  End a, b;
  /// An address that no node has.
  core::Hop nowhere;
  /// Breaks the connection between the two ends, as a failure would.
  virtual void cut() = 0;
  /// Lets both drivers make progress.
  virtual void pump() = 0;
  /// The driver has connections, so it reports PeerUp and PeerDown.
  virtual bool connects() const { return true; }

  /// Calls pump() until `condition` is true; false after half a minute.
  bool until(const std::function<bool()>& condition);

  core::MsgTicket put(const End& from, const core::Hop& to, const core::Region& payload,
                      std::uint64_t match_bits = 0);
  core::Send make_put(const End& from, const core::Hop& to, const core::Region& payload,
                      std::uint64_t match_bits);
  static void submit(const End& end, lnd::Command&& command);
  bool ended(const End& end, core::MsgTicket tx) { return end.inlet->done(tx).has_value(); }

 private:
  std::uint32_t next_ticket_ = 1;
};

struct RigKind {
  const char* name;
  std::unique_ptr<Rig> (*make)();
};
std::vector<RigKind> rigs();

}  // namespace ulnet::conformance
