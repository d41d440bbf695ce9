#include "tests/lnet/conformance/rig.h"

#include "lnet/base/rng.h"
#include "lnet/lnd/region.h"

namespace ulnet::conformance {

thread_local bool Recorder::in_submit = false;

std::vector<std::byte> pattern(std::size_t length, std::uint64_t seed) {
  std::vector<std::byte> bytes(length);
  Rng rng(seed);
  for (std::size_t i = 0; i < length; i += 8) {
    const std::uint64_t word = rng.next();
    std::memcpy(bytes.data() + i, &word, std::min<std::size_t>(8, length - i));
  }
  return bytes;
}

Fragments::Fragments(const std::vector<std::size_t>& sizes) {
  for (const std::size_t size : sizes) {
    pieces_.emplace_back(size);
    vectors_.push_back({pieces_.back().data(), size});
  }
}
core::Region Fragments::region() const {
  std::uint32_t total = 0;
  for (const auto& piece : pieces_) total += static_cast<std::uint32_t>(piece.size());
  return region(0, total);
}
core::Region Fragments::region(std::uint32_t offset, std::uint32_t length) const {
  return {vectors_.data(), static_cast<std::uint32_t>(vectors_.size()), offset, length};
}
std::vector<std::byte> Fragments::bytes() const {
  std::vector<std::byte> all;
  for (const auto& piece : pieces_) all.insert(all.end(), piece.begin(), piece.end());
  return all;
}
void Fragments::fill(std::uint64_t seed) {
  const auto from = pattern(region().length, seed);
  lnd::RegionCursor(region()).fill(from);
}

// ---- Recorder -----------------------------------------------------------------------------------

void Recorder::set_policy(Policy policy) {
  const std::lock_guard hold(lock_);
  policy_ = std::move(policy);
}

bool Recorder::deliver(const core::Input& input) {
  if (in_submit) ++in_submit_count_;
  if (const auto* header = std::get_if<core::HeaderArrived>(&input)) return header_arrived(*header);
  const std::lock_guard hold(lock_);
  if (const auto* landed = std::get_if<core::PayloadLanded>(&input)) {
    Arrived& message = messages_.at(landed->msg.slot);
    message.status = landed->status;
    if (++message.ends > 1) ++twice_;
  } else if (const auto* done = std::get_if<core::SendDone>(&input)) {
    if (!done_.emplace(done->tx.slot, *done).second) ++twice_;
  } else if (std::holds_alternative<core::PeerUp>(input)) {
    ++ups_;
  } else if (std::holds_alternative<core::PeerDown>(input)) {
    ++downs_;
  }
  return false;
}

bool Recorder::header_arrived(const core::HeaderArrived& input) {
  // The lock is held to the end. A thread that finds the message therefore knows that its verdict
  // was submitted before the thread's next action.
  const std::lock_guard hold(lock_);
  std::optional<lnd::Command> command;
  const auto slot = static_cast<std::uint32_t>(messages_.size());
  Arrived& message = messages_.emplace_back();
  message.header = *input.header;
  message.hop = input.hop;
  message.rx = input.rx;
  message.msg = {slot, 1};
  const std::uint32_t length = input.header->payload_length;
  message.whole = input.whole;
  ULNET_ASSERT(!input.whole || input.immediate.size() == length);
  const Verdict verdict = policy_(*input.header);
  switch (verdict) {
    case Verdict::kLand:
    case Verdict::kTake:
    case Verdict::kTruncate: {
      const bool all = verdict != Verdict::kTruncate;
      message.landed_length = all ? length : length / 2;
      message.sink =
          std::make_unique<Fragments>(std::vector<std::size_t>{length / 3, 0, length - length / 3});
      command = core::Land{input.ni, input.rx, message.msg,
                           message.sink->region(0, message.landed_length), length};
      if (verdict == Verdict::kTake && input.whole) {
        lnd::RegionCursor(message.sink->region()).fill(input.immediate);
        ++message.ends;
        return true;
      }
      break;
    }
    case Verdict::kDrop:
      command = core::DropPayload{input.ni, input.rx, length};
      break;
    case Verdict::kHold:
      command = core::HoldPayload{input.ni, input.rx, message.msg};
      break;
    case Verdict::kReject:
      command = core::Reject{input.ni, input.rx, "rejected by the test"};
      break;
  }
  driver_->submit(std::move(*command));
  return false;
}

std::size_t Recorder::arrived() const {
  const std::lock_guard hold(lock_);
  return messages_.size();
}
std::size_t Recorder::landed() const {
  const std::lock_guard hold(lock_);
  std::size_t count = 0;
  for (const Arrived& message : messages_) count += message.ends != 0 ? 1 : 0;
  return count;
}
std::optional<core::SendDone> Recorder::done(core::MsgTicket tx) const {
  const std::lock_guard hold(lock_);
  const auto found = done_.find(tx.slot);
  return found == done_.end() ? std::nullopt : std::optional(found->second);
}
std::size_t Recorder::done_count() const {
  const std::lock_guard hold(lock_);
  return done_.size();
}
void Recorder::each(const std::function<void(Arrived&)>& look) {
  const std::lock_guard hold(lock_);
  for (Arrived& message : messages_) look(message);
}

// ---- Rig ----------------------------------------------------------------------------------------

bool Rig::until(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    pump();
  }
  return true;
}

core::Send Rig::make_put(const End& from, const core::Hop& to, const core::Region& payload,
                         std::uint64_t match_bits) {
  core::Send send;
  send.ni = from.ni;
  send.hop = to;
  send.header.dest_nid = to.nid;
  send.header.dest_pid = to.pid;
  send.header.src_nid = from.hop.nid;
  send.header.src_pid = from.hop.pid;
  send.header.payload_length = payload.length;
  wire::PutPart part;
  part.match_bits = match_bits;
  part.portal = 7;
  send.header.part = part;
  send.payload = payload;
  send.tx = {next_ticket_++, 1};
  return send;
}

void Rig::submit(const End& end, lnd::Command&& command) {
  Recorder::in_submit = true;
  end.driver->submit(std::move(command));
  Recorder::in_submit = false;
}

core::MsgTicket Rig::put(const End& from, const core::Hop& to, const core::Region& payload,
                         std::uint64_t match_bits) {
  core::Send send = make_put(from, to, payload, match_bits);
  const core::MsgTicket tx = send.tx;
  submit(from, std::move(send));
  from.driver->flush();
  return tx;
}

}  // namespace ulnet::conformance
