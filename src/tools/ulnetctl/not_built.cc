// Commands of lnetctl that ulnet has not implemented, with their help. A command that would
// change something prints an error; one that shows something prints an empty list, which is true.
// Source: spec/cli-lnetctl.md 2, 3.6, 3.7.
#include "tools/ulnetctl/command.h"

namespace ulnet::tools {

namespace {

/// The operation under which lnetctl reports errors of the command.
std::string_view operation_of(std::string_view word) {
  for (const std::string_view known : {"add", "del", "show", "set"}) {
    if (word == known) return known;
  }
  return "manage";
}

/// Prints the result of `ask`, a request to the node.
int show(Session& session, std::string_view entity, const Arguments& arguments,
         Result<ctl::Tree> (ctl::LnetConfig::*ask)()) {
  if (const int code = refuse_words(session, arguments); code != 0) return code;
  ctl::LnetConfig* lnet = session.connect(ctl::Intent::kShow);
  if (lnet == nullptr) return kRequestFailed;
  const auto tree = (lnet->*ask)();
  if (!tree) return session.failed("show", entity, tree.error());
  return session.show_unless_empty(*tree, arguments.has("json"));
}

int route_show(Session& session, const Command& self, Words words) {
  const auto args = Arguments::parse(words, {{"net", 'n', Option::kValue},
                                             {"gateway", 'g', Option::kValue},
                                             {"hop", 'c', Option::kValue},
                                             {"hop-count", 'c', Option::kValue},
                                             {"priority", 'p', Option::kValue},
                                             {"verbose", 'v', Option::kLevelLoose},
                                             {"json", 0, Option::kFlag}});
  if (!args) return wrong_option(session, self);
  return show(session, "route", *args, &ctl::LnetConfig::show_route);
}

int routing_show(Session& session, const Command& self, Words words) {
  const auto args = Arguments::parse(words, {{"json", 0, Option::kFlag}});
  if (!args) return wrong_option(session, self);
  return show(session, "routing", *args, &ctl::LnetConfig::show_routing);
}

constexpr Command kRoute[] = {
    {"add",
     "route add: add a route\n"
     "\t--net: net name (e.g. tcp0)\n"
     "\t--gateway: gateway NID (e.g. 10.1.1.2@tcp)\n"
     "\t--hop|hop-count: number to final destination (1 <= hops <= 255)\n"
     "\t--priority: priority of route (0 - highest prio)\n",
     &run_not_built,
     {}},
    {"del",
     "route del: delete a route\n"
     "\t--net: net name (e.g. tcp0)\n"
     "\t--gateway: gateway NID (e.g. 10.1.1.2@tcp)\n",
     &run_not_built,
     {}},
    {"show",
     "route show: show routes\n"
     "\t--net: net name (e.g. tcp0) to filter on\n"
     "\t--gateway: gateway NID (e.g. 10.1.1.2@tcp) to filter on\n"
     "\t--hop|hop-count: number to final destination (1 <= hops <= 255) to filter on\n"
     "\t--priority: priority of route (0 - highest prio) to filter on\n"
     "\t--verbose: display detailed output per route\n",
     &route_show,
     {}},
};
constexpr Command kRouting[] = {
    {"show", "routing show: show routing information\n", &routing_show, {}}};

}  // namespace

const std::span<const Command> kRouteCommands = kRoute;
const std::span<const Command> kRoutingCommands = kRouting;

int run_not_built(Session& session, const Command& self, Words) {
  const std::string path = path_of(self);
  return session.not_built(operation_of(self.name), path.substr(0, path.find(' ')), path);
}

}  // namespace ulnet::tools
