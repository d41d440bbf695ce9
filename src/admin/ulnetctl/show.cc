// stats and global: the commands that show (and reset) counters and settings. Source:
// spec/cli-lnetctl.md 3.12.
#include <nlohmann/json.hpp>

#include "admin/ulnetctl/command.h"

namespace ulnet::tools {

namespace {

int stats_show(Session& session, const Command& self, Words words) {
  const Arguments args = arguments_of(session, self, words, {kJson});
  return session.show_by([](auto& lnet) { return lnet.show_stats(); }, "stats", args.has("json"));
}

int stats_reset(Session& session, const Command& self, Words words) {
  arguments_of(session, self, words, {});
  return session.change("set", "stats", conf::change::ResetStats{});
}

int global_show(Session& session, const Command& self, Words words) {
  const Arguments args = arguments_of(session, self, words, {kJson});
  return session.show_by([](auto& lnet) { return lnet.show_globals(); }, "global",
                         args.has("json"));
}

constexpr Command kStats[] = {
    {"show", "stats show: show LNET statistics\n", &stats_show},
    {"reset", "stats reset: reset LNET statistics\n", &stats_reset},
};
constexpr Command kGlobal[] = {{"show", "global show: show global variables\n", &global_show}};
}  // namespace

const std::span<const Command> kStatsCommands = kStats;
const std::span<const Command> kGlobalCommands = kGlobal;

}  // namespace ulnet::tools
