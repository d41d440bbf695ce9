#include "lnet/lnd/sock/engine/dial_plan.h"

#include <algorithm>

#include "lnet/base/assert.h"

namespace ulnet::lnd::sock {

using wire::ConnType;

namespace {

constexpr std::uint8_t kRefusalsUntilGivingIn = 3;
constexpr std::uint8_t kRetriesAtOnce = 4;  // the number of versions: the peer may ask for each

}  // namespace

std::uint16_t& Census::of(ConnType type) {
  switch (type) {
    case ConnType::kControl:
      return control;
    case ConnType::kBulkIn:
      return bulk_in;
    case ConnType::kBulkOut:
      return bulk_out;
    default:
      return any;
  }
}
std::uint16_t Census::of(ConnType type) const {
  Census copy = *this;
  return copy.of(type);
}

std::optional<ConnType> next_missing(const Census& have, std::int32_t bulk, bool typed) {
  if (!typed) return have.any == 0 ? std::optional(ConnType::kAny) : std::nullopt;
  if (have.control == 0) return ConnType::kControl;
  if (have.bulk_in < bulk && have.bulk_in <= have.bulk_out) return ConnType::kBulkIn;
  if (have.bulk_out < bulk) return ConnType::kBulkOut;
  if (have.bulk_in < bulk) return ConnType::kBulkIn;
  return std::nullopt;
}

void DialPlan::step(DialEvent event) {
  const auto next = next_state(kDialLifeCycle, state_, event);
  ULNET_ASSERT(next.has_value());
  state_ = *next;
}

Duration DialPlan::next_pause(const Pace& pace) {
  const Duration now = pause_ == Duration{} ? pace.first : pause_;
  pause_ = std::min(now * 2, std::max(pace.first, pace.last));
  return now;
}

bool DialPlan::ready(Instant now, bool message) {
  if (state_ == DialState::kDialling) return false;
  if (state_ == DialState::kIdle) return true;
  if (now < until_ || settled_) return false;
  if (!message && state_ != DialState::kRefused) return false;
  step(DialEvent::kPauseOver);
  return true;
}

const Failure* DialPlan::back_off(Instant now) {
  const bool over = now >= until_;
  return state_ == DialState::kBackOff && !over ? &failure_ : nullptr;
}

void DialPlan::opened() {
  step(DialEvent::kOpened);
  refusals_ = retries_ = 0;
  pause_ = {};
}

void DialPlan::retry_now(Instant now, const Census& have, bool typed, const Pace& pace) {
  if (retries_ < kRetriesAtOnce) {
    ++retries_;
    step(DialEvent::kRetryNow);
  } else {
    refused(now, have, typed, pace);
  }
}

void DialPlan::refused(Instant now, const Census& have, bool typed, const Pace& pace) {
  if (refusals_ < kRefusalsUntilGivingIn) ++refusals_;
  const bool enough = have.total() != 0;
  if (refusals_ < kRefusalsUntilGivingIn || !enough) {
    step(DialEvent::kRefuse);
    until_ = now + pace.first;
    return;
  }
  step(DialEvent::kGiveIn);
  settled_ = have.each(typed);
  until_ = now + next_pause(pace);
}

void DialPlan::failed(Instant now, const Failure& failure, const Pace& pace) {
  step(DialEvent::kFail);
  failure_ = failure;
  refusals_ = retries_ = 0;
  until_ = now + next_pause(pace);
}

void DialPlan::link_up() {
  step(DialEvent::kLinkUp);
  refusals_ = retries_ = 0;
  settled_ = false;
  pause_ = {};
}

void DialPlan::forget() {
  if (state_ == DialState::kBackOff) return;
  step(DialEvent::kForget);
  refusals_ = 0;
  settled_ = false;
}

}  // namespace ulnet::lnd::sock
