// Matches messages with fault rules, and selects those that a rule drops, fails or delays. Source:
// spec/multirail.md 11.
#include "lnet/core/path/fault_rules.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <utility>

#include "lnet/core/contract/counters.h"

namespace ulnet::core {

namespace {

using What = FaultVerdict::What;

/// A random moment of the window that begins at `begin`.
Instant moment_in(Instant begin, const FaultRule& rule, Rng& rng) {
  const Duration length = std::chrono::seconds(rule.interval);
  return begin + Duration(static_cast<std::int64_t>(
                     rng.below(static_cast<std::uint64_t>(Duration(length).count()))));
}

/// The portal of a PUT or GET; none for other messages.
std::optional<std::uint32_t> portal_of(const wire::LnetHeader& header) {
  if (const auto* put = std::get_if<wire::PutPart>(&header.part)) return put->portal;
  if (const auto* get = std::get_if<wire::GetPart>(&header.part)) return get->portal;
  return std::nullopt;
}

/// Whether a rule applies to messages of this direction. A drop rule without error mask applies to
/// received messages, one with an error mask to sent ones (spec/multirail.md 11.2).
bool fits_direction(const FaultRule& rule, bool outgoing) {
  return rule.kind == FaultRule::Kind::kDelay || rule.drop_all || (rule.errors != 0) == outgoing;
}

bool matches(const FaultRule& rule, const FaultQuestion& message) {
  const wire::LnetHeader& header = message.header;
  if (!fits_direction(rule, message.outgoing)) return false;
  if ((rule.messages >> static_cast<std::uint32_t>(header.type()) & 1) == 0) return false;
  if (!rule.local.is_any() && rule.local != message.local) return false;
  if (!rule.source.match(header.src_nid) || !rule.destination.match(header.dest_nid)) return false;
  if (rule.portals == 0) return true;
  const auto portal = portal_of(header);
  return portal && *portal < 64 && (rule.portals >> *portal & 1) != 0;
}

/// One of the errors in the mask; any error if the mask has kFaultRandomError alone.
Health error_of(std::uint32_t mask, Rng& rng) {
  std::uint32_t errors = mask & ~kFaultRandomError;
  if (errors == 0) errors = ((1U << kFaultErrors) - 1) & ~kFaultRandomError;
  const auto count = static_cast<std::uint32_t>(std::popcount(errors));
  for (std::uint64_t skip = count == 1 ? 0 : rng.below(count); skip > 0; --skip)
    errors &= errors - 1;
  return static_cast<Health>(std::countr_zero(errors));
}

}  // namespace

FaultWindows::FaultWindows(const FaultRule& rule, Rng& rng, Instant now)
    : begin_(now), moment_(now) {
  // With rate 2 the rule selects the very first message, as was observed.
  if (rule.rate > 2) taken_ = static_cast<std::uint32_t>(rng.below(rule.rate));
  if (rule.interval != 0) moment_ = moment_in(begin_, rule, rng);
}

bool FaultWindows::take(const FaultRule& rule, Rng& rng, Instant now) {
  if (rule.drop_all) return true;
  if (rule.random) return rng.below(2) == 0;
  return rule.rate != 0 ? take_by_count(rule, rng) : take_by_time(rule, rng, now);
}

bool FaultWindows::take_by_count(const FaultRule& rule, Rng& rng) {
  const bool taken = seen_ == taken_;
  if (++seen_ == rule.rate) {
    seen_ = 0;
    taken_ = rule.rate == 1 ? 0 : static_cast<std::uint32_t>(rng.below(rule.rate));
  }
  return taken;
}

bool FaultWindows::take_by_time(const FaultRule& rule, Rng& rng, Instant now) {
  if (now < moment_) return false;
  const Duration length = std::chrono::seconds(rule.interval);
  // The window after that of this message, so no window selects two messages.
  begin_ += ((now - begin_) / length + 1) * length;
  moment_ = moment_in(begin_, rule, rng);
  return true;
}

void FaultRules::add(const FaultRule& rule, std::uint32_t shard, Instant now) {
  Rng rng(rule.seed);
  for (std::uint32_t i = 0; i < shard; ++i) rng = Rng(rng.next());
  FaultWindows windows(rule, rng, now);
  of(rule.kind).push_back({FaultRow{rule}, ++last_number_, rng, windows});
}

std::vector<std::uint64_t> FaultRules::del(FaultRule::Kind kind, const FaultNids* source,
                                           const FaultNids* destination) {
  std::vector<std::uint64_t> gone;
  std::erase_if(of(kind), [&](const Entry& entry) {
    const FaultRule& rule = entry.row.rule;
    if (source != nullptr && rule.source != *source) return false;
    if (destination != nullptr && rule.destination != *destination) return false;
    gone.push_back(entry.number);
    return true;
  });
  return gone;
}

void FaultRules::reset(FaultRule::Kind kind) {
  for (Entry& entry : of(kind)) entry.row = FaultRow{entry.row.rule};
}

FaultRules::Entry* FaultRules::taker(std::vector<Entry>& entries, const FaultQuestion& message,
                                     Instant now) {
  const auto taker = std::find_if(entries.rbegin(), entries.rend(), [&](Entry& entry) {
    FaultRow& row = entry.row;
    if (!matches(row.rule, message)) return false;
    ++count_of(row.matched, message.header.type());
    if (!entry.windows.take(row.rule, entry.rng, now)) return false;
    ++row.hits;
    return true;
  });
  return taker == entries.rend() ? nullptr : &*taker;
}

FaultVerdict FaultRules::drop(const FaultQuestion& message, Instant now) {
  Entry* const entry = taker(drops_, message, now);
  if (entry == nullptr) return {};
  const FaultRule& rule = entry->row.rule;
  if (!message.outgoing || rule.errors == 0) return {What::kLose, Health::kOk, {}, entry->number};
  return {What::kFail, error_of(rule.errors, entry->rng), {}, entry->number};
}

FaultVerdict FaultRules::delay(const FaultQuestion& message, Instant now) {
  const Entry* const entry = taker(delays_, message, now);
  if (entry == nullptr) return {};
  return {What::kDelay, Health::kOk, std::chrono::seconds(entry->row.rule.latency), entry->number};
}

std::vector<FaultRow> FaultRules::rows() const {
  std::vector<FaultRow> rows;
  for (const auto* entries : {&drops_, &delays_})
    for (auto entry = entries->rbegin(); entry != entries->rend(); ++entry)
      rows.push_back(entry->row);
  return rows;
}

}  // namespace ulnet::core
