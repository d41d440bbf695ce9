// simulate.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "tools/fgr/commands.h"
#include "tools/fgr/simulate/trial.h"
#include "tools/fgr/site/site_file.h"

namespace ulnet::tools::fgr {
namespace {
struct Wish {
  std::string site;
  std::uint64_t messages = 1000000;
  std::uint32_t clients = 32, window = 16;
  bool flat = false, read = false;
  double seconds = 60;
  std::vector<std::string> lose;
};
int simulate_site(const Wish& wish) {
  auto plan = plan_of_file(wish.site);
  if (!plan) {
    fmt::print(stderr, "{}", plan.error());
    return kExitInput;
  }
  TrialSetup setup;
  setup.write = !wish.read;
  setup.seconds = wish.seconds;
  setup.messages = wish.messages;
  setup.client_nodes = wish.clients;
  setup.window = wish.window;
  std::vector<Loss> losses;
  for (const auto& each : wish.lose) losses.push_back(*parse_loss(each));
  setup.lost = *find_lost(plan->site, losses);
  if (wish.flat) *plan = flat_plan(*plan);
  auto o = run_trial(*plan, setup, [](double share) { fmt::print(stderr, "\r{:.1f} %  ", 100 * share); });
  if (!o) { fmt::print("{}\n", o.error().reason); return 1; }
  double most = 0, least = 1e9;
  for (auto& each : o->osss) { most = std::max(most, each.seconds.value_or(0)); least = std::min(least, each.seconds.value_or(0)); }
  if (o->osss.size() < 40) for (auto& each : o->osss) fmt::print("{} {:.2f} s {:.2f} GB/s {:.3f} {:.3f} failed {}\n", plan->site.file_systems[each.place.first].servers[each.place.second].host, each.seconds.value_or(-1), each.gb_per_s, each.p50, each.p99, each.failed);
  fmt::print("least {:.2f} most {:.2f} s crossing {:.3f} p50 {:.3f} p99 {:.3f} message {:.1f} MiB messages {} steps {}\n", least, most, o->crossing, o->p50, o->p99, o->message_bytes / 1048576, o->messages, o->steps);
  for (auto& isl : o->isls) if (o->isls.size() < 8) fmt::print("{} {} up {:.2f} down {:.2f}\n", isl.at_switch, isl.gb_per_s, isl.to_core.busy, isl.from_core.busy);
  return 0;
}
}  // namespace

void add_simulate_command(CLI::App& app, int& code) {
  const auto wish = std::make_shared<Wish>();
  CLI::App& command = *app.add_subcommand("simulate", "the site in the simulator");
  command.add_option("SITE", wish->site, "the site file")->required();
  command.add_option("--messages", wish->messages, "");
  command.add_option("--clients", wish->clients, "");
  command.add_option("--window", wish->window, "");
  command.add_option("--time", wish->seconds, "");
  command.add_option("--lose", wish->lose, "");
  command.add_flag("--flat", wish->flat, "");
  command.add_flag("--read", wish->read, "");
  on_command(command, code, [wish] { return simulate_site(*wish); });
}

}  // namespace ulnet::tools::fgr
