#include "core/flow/ni_health.h"

#include <algorithm>
#include <utility>

#include "base/canary.h"
#include "core/path/health.h"

namespace ulnet::core {

namespace {

void set(Step& step, LocalNi& ni, std::int32_t health) {
  if (set_health(ni, health)) step.s.portal0.stale = true;
}

/// The control shard tells the others, another shard the control shard, at the end of this step.
void tell_soon(Step& step, LocalNi& ni) {
  (step.s.index == kControlShard ? ni.health_unpublished : ni.report_due) = true;
  step.s.ni_health_news = true;
}

}  // namespace

void see_outcome(Step& step, LocalNi& ni, std::int32_t balance) {
  const std::int64_t change =
      static_cast<std::int64_t>(balance) * step.config().globals.health_sensitivity;
  set(step, ni,
      static_cast<std::int32_t>(std::clamp<std::int64_t>(ni.health + change, 0, kHealthMax)));
}

void count_outcome(Step& step, LocalNi& ni, std::int32_t balance) {
  if (step.config().globals.health_sensitivity == 0) return;  // nothing changes health
  see_outcome(step, ni, balance);
  if (step.s.placement.shards() == 1) return;
  ni.unreported += balance;
  tell_soon(step, ni);
}

void set_ni_health(Step& step, LocalNi& ni, std::int32_t health) {
  ULNET_ASSERT(step.s.index == kControlShard);
  set(step, ni, health);
  tell_soon(step, ni);
}

void agree_on_new_nis(Step& step, const std::vector<LocalNi*>& nis) {
  if (step.s.placement.shards() == 1) return;
  for (LocalNi* ni : nis) tell_soon(step, *ni);
}

void tell_ni_health(Step& step) {
  if (!std::exchange(step.s.ni_health_news, false)) return;
  for (LocalNi* ni : step.s.nis.configured()) {
    const std::int32_t balance = std::exchange(ni->unreported, 0);
    if (std::exchange(ni->report_due, false))
      step.send_letter(kControlShard, letter::NiOutcomes{ni->config.id, balance});
    if (!std::exchange(ni->health_unpublished, false) || ULNET_CANARY(kHealthUntold)) continue;
    step.s.others().for_each([&](std::uint32_t shard) {
      step.send_letter(shard, letter::NiHealth{ni->config.id, ni->health, ni->health_down});
    });
  }
}

void on_letter(Step& step, std::uint32_t, const letter::NiOutcomes& in) {
  LocalNi* ni = step.s.nis.find(in.ni);
  if (ni == nullptr) return;  // it will be told of when it comes
  see_outcome(step, *ni, in.balance);
  tell_soon(step, *ni);
}

void on_letter(Step& step, std::uint32_t, const letter::NiHealth& in) {
  LocalNi* ni = step.s.nis.find(in.ni);
  if (ni == nullptr) return;
  ni->health = in.health;
  ni->health_down = in.down;
}

}  // namespace ulnet::core
