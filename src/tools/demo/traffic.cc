#include "tools/demo/traffic.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

#include "tools/demo/pattern.h"
#include "tools/demo/round_trip.h"
#include "tools/demo/slots.h"

namespace ulnet::demo {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;
constexpr auto kPatience = std::chrono::seconds(30);
constexpr std::uint64_t kChecked = 64;  ///< messages of each kind that are checked one by one
constexpr std::byte kStale{0xa5};

class Traffic {
 public:
  Traffic(Lnet& lnet, const ProcessId& target, std::uint32_t size, Seconds seconds)
      : lnet_(lnet), target_(target), size_(size), seconds_(seconds), slots_(lnet, size) {
    figures_.size = size;
  }

  Result<Figures> run() {
    if (auto bound = slots_.bind(); !bound) return tl::unexpected(bound.error());
    for (auto part : {&Traffic::checked_puts, &Traffic::checked_gets, &Traffic::timed_puts,
                      &Traffic::timed_gets}) {
      if (auto done = (this->*part)(); !done) return tl::unexpected(done.error());
    }
    return figures_;
  }

 private:
  Result<bool> put(std::uint32_t slot, Portal portal, std::uint64_t hdr_data) {
    PutRequest request;
    request.md = slots_.md(slot);
    request.target = target_;
    request.portal = portal;
    request.match_bits = {slot};
    request.hdr_data = hdr_data;
    request.ack = AckRequest::kAck;
    if (auto begun = lnet_.put(request); !begun) return tl::unexpected(begun.error());
    return true;
  }
  Result<bool> get(std::uint32_t slot, Portal portal, MatchBits match, std::uint32_t offset) {
    GetRequest request;
    request.md = slots_.md(slot);
    request.target = target_;
    request.portal = portal;
    request.match_bits = match;
    request.offset = offset;
    if (auto begun = lnet_.get(request); !begun) return tl::unexpected(begun.error());
    return true;
  }
  void stale(std::uint32_t slot) { std::ranges::fill(slots_.memory(slot), kStale); }
  void check(std::uint32_t slot, std::uint64_t seed, std::uint64_t position) {
    wrong_ += count_wrong(slots_.memory(slot), seed, position);
  }
  /// Where in the source a GET reads: another place each time.
  std::uint32_t offset_of(std::uint64_t sequence) const {
    return static_cast<std::uint32_t>(sequence * 4097 % (kMaxSize - size_ + 1));
  }

  /// What the target says it has checked.
  Result<Report> report();
  Result<void> checked_puts();
  Result<void> checked_gets();
  Result<void> timed_puts();
  Result<void> timed_gets();
  /// Runs `begin` for the wanted time and says how many 10^6 bytes a second moved.
  Result<double> timed(const Slots::Begin& begin);

  Lnet& lnet_;
  const ProcessId target_;
  const std::uint32_t size_;
  const Seconds seconds_;
  std::atomic<std::uint64_t> wrong_ = 0;
  Slots slots_;
  Figures figures_;
};

Result<Report> Traffic::report() {
  Slots one(lnet_, sizeof(Report));
  if (auto bound = one.bind(); !bound) return tl::unexpected(bound.error());
  const auto begin = [&](std::uint32_t slot, std::uint64_t sequence) -> Result<bool> {
    if (sequence != 0) return false;
    GetRequest request;
    request.md = one.md(slot);
    request.target = target_;
    request.portal = kReportPortal;
    if (auto begun = lnet_.get(request); !begun) return tl::unexpected(begun.error());
    return true;
  };
  if (auto done = one.run(begin); !done) return tl::unexpected(done.error());
  Report report;
  std::memcpy(&report, one.memory(0).data(), sizeof report);
  return report;
}

Result<void> Traffic::checked_puts() {
  auto before = report();
  if (!before) return tl::unexpected(before.error());
  const auto begin = [this](std::uint32_t slot, std::uint64_t sequence) -> Result<bool> {
    if (sequence >= kChecked) return false;
    const std::uint64_t seed = seed_of(size_, sequence);
    fill(slots_.memory(slot), seed);
    return put(slot, kCheckedPortal, seed);
  };
  if (auto done = slots_.run(begin); !done) return done;

  // An ACK says that the bytes arrived, not yet that the target has looked at them.
  for (const auto deadline = Clock::now() + kPatience; Clock::now() < deadline;) {
    auto now = report();
    if (!now) return tl::unexpected(now.error());
    if (now->failures != before->failures) return fail(-EIO, "the target reports failures");
    if (now->messages - before->messages == kChecked) {
      const std::uint64_t bytes = now->bytes - before->bytes;
      if (bytes != kChecked * size_) return fail(-EIO, "the target received other lengths");
      figures_.checked_messages += kChecked;
      figures_.checked_bytes += bytes;
      figures_.wrong_bytes += now->wrong_bytes - before->wrong_bytes;
      return {};
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return fail(-ETIMEDOUT, "the target did not see every PUT");
}

Result<void> Traffic::checked_gets() {
  wrong_ = 0;
  const auto begin = [this](std::uint32_t slot, std::uint64_t sequence) -> Result<bool> {
    if (sequence >= kChecked) return false;
    stale(slot);
    return get(slot, kSourcePortal, {0}, offset_of(sequence));
  };
  const auto end = [this](std::uint32_t slot, std::uint64_t sequence) {
    check(slot, kSourceSeed, offset_of(sequence));
  };
  if (auto done = slots_.run(begin, end); !done) return done;
  figures_.checked_messages += kChecked;
  figures_.checked_bytes += kChecked * size_;
  figures_.wrong_bytes += wrong_;
  return {};
}

Result<double> Traffic::timed(const Slots::Begin& begin) {
  const auto start = Clock::now();
  const auto until = start + std::chrono::duration_cast<Clock::duration>(seconds_);
  const auto in_time = [until, begin](std::uint32_t slot, std::uint64_t sequence) -> Result<bool> {
    if (Clock::now() >= until) return false;
    return begin(slot, sequence);
  };
  if (auto done = slots_.run(in_time); !done) return tl::unexpected(done.error());
  const Seconds taken = Clock::now() - start;
  return static_cast<double>(slots_.ended() * size_) / taken.count() / 1e6;
}

Result<void> Traffic::timed_puts() {
  for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
    fill(slots_.memory(slot),
         seed_of(size_, ~std::uint64_t{slot}));  // told apart from the checked ones
  }
  auto speed =
      timed([this](std::uint32_t slot, std::uint64_t) { return put(slot, kSinkPortal, 0); });
  if (!speed) return tl::unexpected(speed.error());
  figures_.put_mb_s = *speed;

  // What stands at the target in the end is read back and compared.
  wrong_ = 0;
  const auto begin = [this](std::uint32_t slot, std::uint64_t sequence) -> Result<bool> {
    if (sequence >= kSlots) return false;
    stale(slot);
    return get(slot, kSinkPortal, {sequence}, 0);
  };
  const auto end = [this](std::uint32_t slot, std::uint64_t sequence) {
    check(slot, seed_of(size_, ~sequence), 0);
  };
  if (auto done = slots_.run(begin, end); !done) return done;
  figures_.checked_bytes += std::uint64_t{kSlots} * size_;
  figures_.wrong_bytes += wrong_;
  return {};
}

Result<void> Traffic::timed_gets() {
  for (std::uint32_t slot = 0; slot < kSlots; ++slot) stale(slot);
  const auto offset = [this](std::uint32_t slot) { return offset_of(slot); };
  auto speed = timed([this, offset](std::uint32_t slot, std::uint64_t) {
    return get(slot, kSourcePortal, {0}, offset(slot));
  });
  if (!speed) return tl::unexpected(speed.error());
  figures_.get_mb_s = *speed;
  wrong_ = 0;
  for (std::uint32_t slot = 0; slot < kSlots; ++slot) check(slot, kSourceSeed, offset(slot));
  figures_.checked_bytes += std::uint64_t{kSlots} * size_;
  figures_.wrong_bytes += wrong_;
  return {};
}

}  // namespace

Result<Figures> move(Lnet& lnet, const ProcessId& target, std::uint32_t size, Seconds seconds) {
  auto figures = Traffic(lnet, target, size, seconds).run();
  if (!figures) return figures;
  auto round_trip = round_trips(lnet, target, size, seconds);
  if (!round_trip) return tl::unexpected(round_trip.error());
  figures->round_trip_us = round_trip->mean_us;
  figures->wrong_bytes += round_trip->wrong_bytes;
  return figures;
}

}  // namespace ulnet::demo
