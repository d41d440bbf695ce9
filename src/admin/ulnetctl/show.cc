// stats and global: the commands that show (and reset) counters and settings. Source:
// spec/cli-lnetctl.md 3.12.
#include <nlohmann/json.hpp>

#include "admin/ulnetctl/command.h"
#include "ulnet/lnetconfig.h"

namespace ulnet::tools {

namespace {

int stats_show(Session& session, const Command& self, Words words) {
  const Arguments args = arguments_of(session, self, words, {{"json", 0, Option::kFlag}});
  const auto show_stats = [](cYAML** show_rc, cYAML** err_rc) {
    return lustre_lnet_show_stats(-1, show_rc, err_rc);
  };
  return session.show_by(show_stats, "statistics", "stats", args.has("json"));
}

int stats_reset(Session& session, const Command& self, Words words) {
  arguments_of(session, self, words, {});
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kChange);
  return session.finish("set", "stats", lnet.reset_stats());
}

int global_show(Session& session, const Command& self, Words words) {
  const Arguments args = arguments_of(session, self, words, {{"json", 0, Option::kFlag}});
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kShow);
  const auto tree = lnet.show_globals();
  if (!tree) return session.failed("show", "global", tree.error());
  session.show(*tree, args.has("json"));
  return 0;
}

constexpr Command kStats[] = {
    {"show", "stats show: show LNET statistics\n", &stats_show, {}},
    {"reset", "stats reset: reset LNET statistics\n", &stats_reset, {}},
};
constexpr Command kGlobal[] = {{"show", "global show: show global variables\n", &global_show, {}}};
}  // namespace

const std::span<const Command> kStatsCommands = kStats;
const std::span<const Command> kGlobalCommands = kGlobal;

}  // namespace ulnet::tools
