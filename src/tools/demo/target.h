// What every traffic node of the demo offers to the others: sinks that check what was PUT into
// them, a source to GET from, an echo that sends a PUT back, and a report of what was checked.
// Public interface only (ulnet/lnet.hpp).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "ulnet/lnet.hpp"

namespace ulnet::demo {

inline constexpr std::uint32_t kMaxSize = 1 << 20;
inline constexpr std::uint32_t kSlots = 8;  ///< messages in flight

inline constexpr Portal kCheckedPortal{10};  ///< lazy; match bits = slot; hdr_data = seed
inline constexpr Portal kSinkPortal{11};     ///< match bits = slot; may be read back
inline constexpr Portal kSourcePortal{12};   ///< the pattern of kSourceSeed
inline constexpr Portal kEchoPortal{13};     ///< what is PUT here comes back to kReturnPortal
inline constexpr Portal kReturnPortal{14};   ///< at the driver
inline constexpr Portal kReportPortal{15};   ///< a Report
inline constexpr std::uint64_t kSourceSeed = 0x756c6e6574ULL;

using Buffer = std::vector<std::byte>;

/// What a target has checked so far. Both ends run on one machine, so it travels as it is.
struct Report {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t wrong_bytes = 0;
  std::uint64_t failures = 0;  ///< events with a status, and calls that were refused
};

/// An ME on `portal` for everybody, with an MD over `memory`.
Result<MdHandle> offer(Lnet& lnet, Portal portal, MatchBits match, std::span<std::byte> memory,
                       const MdSpec& md, UnlinkMode unlink);

class Target {
 public:
  /// Posts everything; `spoil` lets one byte of the source be wrong. The node that is `lnet` must
  /// have stopped before this object is destroyed.
  static Result<std::unique_ptr<Target>> post(Lnet& lnet, bool spoil);

 private:
  /// A one-shot sink: checks a PUT, then posts itself again; meanwhile the next one waits, as the
  /// portal is lazy.
  struct CheckedSink final : EventSink {
    void on_event(const Event& event) override;
    Result<void> post();
    Target* target = nullptr;
    MatchBits slot;
    Buffer memory;
  };
  /// Sends each PUT's bytes back to its sender.
  struct Echo final : EventSink {
    void on_event(const Event& event) override;
    /// The MD that sends the first `size` bytes; bound when first needed.
    Result<MdHandle> md_of(std::uint32_t size);
    Target* target = nullptr;
    Buffer memory;
    std::map<std::uint32_t, MdHandle> md_by_size;
  };
  /// A Report that handlers may write while the node reads it.
  struct LiveReport {
    std::atomic<std::uint64_t> messages = 0, bytes = 0, wrong_bytes = 0, failures = 0;
  };
  static_assert(sizeof(LiveReport) == sizeof(Report));

  explicit Target(Lnet& lnet) : lnet_(lnet) {}
  Result<void> post_all();

  Lnet& lnet_;
  std::array<CheckedSink, kSlots> checked_;
  std::array<Buffer, kSlots> sinks_;
  Buffer source_;
  Echo echo_;
  LiveReport report_;
};

}  // namespace ulnet::demo
