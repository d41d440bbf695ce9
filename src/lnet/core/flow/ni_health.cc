// Keeps the health of this node's NIs. The shards report outcomes to the control shard, which sends
// the resulting health to the others. Source: spec/multirail.md 5.1, 5.2.
#include "lnet/core/flow/ni_health.h"

#include <algorithm>
#include <utility>

#include "lnet/core/flow/in_recovery.h"
#include "lnet/core/path/health.h"

namespace ulnet::core {

namespace {

bool is_control(const Step& step) { return step.s.index == kControlShard; }

/// Notes a health that has changed from `before`, and lets the NI enter or leave recovery.
[[gnu::noinline]] void has_changed(Step& step, LocalNi& ni, std::int32_t before) {
  if (const char* news = health_news(before, ni.health))
    step.note(Note::Level::kUnlogged, Note::About::kNi, news, ni.nid(),
              static_cast<std::uint64_t>(ni.health));
  ni_health_changed(step, ni);
}

/// Returns whether the health has changed.
bool set(Step& step, LocalNi& ni, std::int32_t health) {
  const std::int32_t before = ni.health;
  if (set_health(ni, health)) step.s.portal0.stale = true;
  if (before != health && is_control(step)) has_changed(step, ni, before);
  return before != health;
}

/// At the end of this step the control shard sends NiHealth to these shards, or another shard sends
/// NiOutcomes to the control shard.
void report_soon(Step& step, LocalNi& ni, const ShardSet& shards) {
  ni.health_news_to |= shards;
  step.s.ni_health_news = true;
}

/// Returns whether the health has changed.
bool change(Step& step, LocalNi& ni, std::int32_t balance) {
  return set(step, ni, health_after(ni.health, balance, step.config().globals.health_sensitivity));
}

}  // namespace

void see_failure(Step& step, LocalNi& ni) {
  if (!is_control(step) && change(step, ni, -1)) report_soon(step, ni, {kControlShard});
}

void count_outcome(Step& step, LocalNi& ni, std::int32_t balance, bool received) {
  if (step.config().globals.health_sensitivity == 0) return;  // nothing changes health
  if (received && ni.recovery != nullptr) ni.recovery->recovery.ping_count = 0;
  const bool changed = change(step, ni, balance);
  if (step.s.placement.shards() == 1) return;
  if (is_control(step)) {
    if (changed) report_soon(step, ni, step.s.others());
  } else {
    ni.unreported += balance;
    ni.unreported_receipt |= received;
    report_soon(step, ni, {kControlShard});
  }
}

void set_ni_health(Step& step, LocalNi& ni, std::int32_t health) {
  ULNET_ASSERT(is_control(step));
  set(step, ni, health);
  report_soon(step, ni, step.s.others());
}

void agree_on_new_nis(Step& step, const std::vector<LocalNi*>& nis) {
  const ShardSet whom = is_control(step) ? step.s.others() : ShardSet{kControlShard};
  for (LocalNi* ni : nis) report_soon(step, *ni, whom);
}

void report_ni_health(Step& step) {
  if (!std::exchange(step.s.ni_health_news, false)) return;
  for (LocalNi* ni : step.s.nis.configured()) {
    const std::int32_t balance = std::exchange(ni->unreported, 0);
    const bool received = std::exchange(ni->unreported_receipt, false);
    std::exchange(ni->health_news_to, {}).for_each([&](std::uint32_t shard) {
      if (!is_control(step))
        step.send_to_shard(shard, shard_msg::NiOutcomes{ni->config.id, balance, received});
      else
        step.send_to_shard(shard, shard_msg::NiHealth{ni->config.id, ni->health, ni->health_down});
    });
  }
}

void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::NiOutcomes& in) {
  LocalNi* ni = step.s.nis.find(in.ni);
  if (ni == nullptr) return;  // agree_on_new_nis() follows when this shard gets the NI
  if (in.received && ni->recovery != nullptr) ni->recovery->recovery.ping_count = 0;
  const bool changed = change(step, *ni, in.balance);
  report_soon(step, *ni, changed ? step.s.others() : ShardSet{from});
}

void on_shard_msg(Step& step, std::uint32_t, const shard_msg::NiHealth& in) {
  LocalNi* ni = step.s.nis.find(in.ni);
  if (ni == nullptr) return;
  ni->health = in.health;
  ni->health_down = in.down;
}

}  // namespace ulnet::core
