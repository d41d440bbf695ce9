// stats and global: the commands that show (and reset) counters and settings. Source:
// spec/cli-lnetctl.md 3.12.
#include <nlohmann/json.hpp>

#include "admin/ulnetctl/command.h"

namespace ulnet::tools {

namespace {

int stats_show(Session& session, const Command& self, Words words) {
  const Arguments args = arguments_of(session, self, words, {{"json", 0, Option::kFlag}});
  return session.show_by([](auto& lnet) { return lnet.show_stats(); }, "stats", args.has("json"));
}

int stats_reset(Session& session, const Command& self, Words words) {
  arguments_of(session, self, words, {});
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kChange);
  return session.finish("set", "stats", lnet.change(conf::change::ResetStats{}));
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
