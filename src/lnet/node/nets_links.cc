// Reads the state of the links of the NIs' devices, and reports changes to the shards, the drivers,
// the log and watchers.
#include "lnet/node/link_trouble.h"
#include "lnet/node/nets.h"
#include "lnet/node/runtime/log_levels.h"
#include "lnet/os/interfaces.h"

namespace ulnet::node {

bool Nets::look_at_links(std::optional<core::NiId> only) {
  if (runtime_.trial()) return true;  // its NIs need no devices
  const std::lock_guard one_at_a_time(looking_);
  struct Change {
    core::NiId id;
    core::NiLink link = core::NiLink::kUp;
    Nid nid;
    std::string line;
  };
  std::vector<Change> changes;
  bool all_known = true;
  const auto interfaces = machine::local_interfaces();
  {
    const std::lock_guard lock(mutex_);
    for (Ni& ni : nis_) {
      if ((only && ni.id != *only) || !ni.published) continue;
      const auto trouble = link_trouble(interfaces, ni.device, ni.started.nid, ni.listed);
      all_known = all_known && trouble;
      if (!trouble) continue;
      const auto speed = trouble->empty() ? link_speed_(ni.device) : std::nullopt;
      if (!ni.first_speed) ni.first_speed = speed;
      const bool slow = speed && *speed < *ni.first_speed;
      const core::NiLink link = !trouble->empty() ? core::NiLink::kFailed
                                : slow            ? core::NiLink::kSlow
                                                  : core::NiLink::kUp;
      const core::NiLink before = std::exchange(ni.link, link);
      if (before == link) continue;
      std::string line = ni.started.nid.to_string();
      if (link == core::NiLink::kFailed)
        line += " is down: " + *trouble;
      else if (before == core::NiLink::kFailed)
        line += " is up again";
      else
        line += slow ? " is slower than at its start" : " is as fast as at its start";
      if (slow)
        line +=
            ": " + std::to_string(*speed) + " of " + std::to_string(*ni.first_speed) + " Mbit/s";
      changes.push_back({ni.id, link, ni.started.nid, line});
    }
  }
  for (const Change& change : changes) {
    // When a link fails, the driver closes connections after the shards have stopped sending by the
    // NI; when it recovers, the driver connects again before they send.
    const bool up = change.link != core::NiLink::kFailed;
    const auto notify_driver = [&] {
      runtime_.with_driver(change.nid.net().type,
                           [&](lnd::Lnd& lnd) { lnd.link_changed(change.id, up); });
    };
    if (up) notify_driver();
    runtime_.hosts().step_all(core::Input(core::NiState{change.id, change.link}));
    if (!up) notify_driver();
    report(kWarning, change.nid, change.line);
  }
  if (!changes.empty()) notify_change();
  return all_known;
}

void Nets::ask_for_speeds(LinkSpeed speed) {
  const std::lock_guard one_at_a_time(looking_);
  link_speed_ = std::move(speed);
}

}  // namespace ulnet::node
