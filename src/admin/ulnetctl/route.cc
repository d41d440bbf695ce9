// route add, del, show; routing show: routes to other nets, and this node as a router. Source:
// spec/cli-lnetctl.md 3.6, 3.7, 4.3, 4.4.
#include "admin/client/nid_words.h"
#include "admin/ulnetctl/command.h"
#include "lnet/wire/nid_range.h"

namespace ulnet::tools {

namespace {

/// Returns the line that lnetctl prints when one of the two options is missing; empty: both are
/// given.
std::string missing(const Arguments& args) {
  std::string names = args.has("net") ? "" : "net";
  if (!args.has("gateway")) names += names.empty() ? "gateway" : " , gateway";
  return names.empty() ? names : "missing mandatory parameters:'" + names + "'\n";
}

/// Checks that the words are a net and a list of NIDs; errors have lnetctl's reasons.
Result<void> check_words(const std::string& net, const std::string& gateway) {
  const auto nets = wire::NetPattern::parse(net);
  if (!nets || nets->is_all()) return fail(-ENXIO, "setting LNET_NET_ANY not allowed");
  const auto words = wire::split_list(gateway);
  bool good = words.has_value() && !words->empty();
  for (std::size_t i = 0; good && i < words->size(); ++i)
    good = (*words)[i].find('@') != std::string_view::npos &&
           wire::NidPattern::parse((*words)[i]).has_value();
  if (!good) return fail(-EINVAL, "\"Unable to parse nidlist: no valid NIDs in string\"");
  return {};
}

/// Returns a number of the command line; the default if it is not given.
Result<std::int64_t> number_of(const Arguments& args, const char* name, std::int64_t fallback) {
  const auto word = args.value(name);
  if (!word) return fallback;
  const auto number = parse_number(*word);
  if (!number) return fail(-EINVAL, std::string("cannot parse ") + name + " '" + *word + "'");
  return *number;
}

Result<conf::RouteEntry> read_route(const Arguments& args) {
  conf::RouteEntry route{*args.value("net"), *args.value("gateway"), {}, {}};
  if (const auto good = check_words(route.net, route.gateway); !good)
    return tl::unexpected(good.error());
  const auto hop = number_of(args, args.has("hop-count") ? "hop-count" : "hop", -1);
  if (!hop) return tl::unexpected(hop.error());
  const auto priority = number_of(args, "priority", 0);
  if (!priority) return tl::unexpected(priority.error());
  if (*hop != -1) route.hop = *hop;
  if (*priority != -1) route.priority = *priority;  // -1 is the default, as in lnetctl
  return route;
}

int route_add(Session& session, const Command& self, Words words) {
  const Arguments args = arguments_of(session, self, words,
                                      {{"net", 'n', Option::kValue},
                                       {"gateway", 'g', Option::kValue},
                                       {"hop", 'c', Option::kValue},
                                       {"hop-count", 'c', Option::kValue},
                                       {"priority", 'p', Option::kValue}});
  if (const std::string line = missing(args); !line.empty()) return out(line), -EINVAL;
  const auto route = read_route(args);
  if (!route) {
    session.failed("add", "route", route.error());
    return session.hint(ctl::hint_of_nids({{*args.value("gateway")}})), kRequestFailed;
  }
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kChange);
  return session.finish("add", "route", lnet.make(api::request_to_add(*route)));
}

int route_del(Session& session, const Command& self, Words words) {
  const Arguments args = arguments_of(
      session, self, words, {{"net", 'n', Option::kValue}, {"gateway", 'g', Option::kValue}});
  if (const std::string line = missing(args); !line.empty()) return out(line), -EINVAL;
  const std::string net = *args.value("net"), gateway = *args.value("gateway");
  if (const auto good = check_words(net, gateway); !good) {
    session.failed("del", "route", good.error());
    return session.hint(ctl::hint_of_nids({{gateway}})), kRequestFailed;
  }
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kChange);
  return session.finish("del", "route", lnet.make(api::request_to_delete({net, gateway, {}, {}})));
}

int route_show(Session& session, const Command& self, Words words) {
  const Arguments args = arguments_of(session, self, words,
                                      {{"net", 'n', Option::kValue},
                                       {"gateway", 'g', Option::kValue},
                                       {"hop", 'c', Option::kValue},
                                       {"hop-count", 'c', Option::kValue},
                                       {"priority", 'p', Option::kValue},
                                       {"verbose", 'v', Option::kLevelLoose},
                                       kJson});
  const ctl::LnetConfig::RouteFilter filter{args.value("net").value_or(""),
                                            args.value("gateway").value_or(""),
                                            args.level("verbose") > 0};
  const auto show = [&](ctl::LnetConfig& lnet) { return lnet.show_route(filter); };
  return session.show_by(show, "route", args.has("json"));
}

int routing_show(Session& session, const Command& self, Words words) {
  const Arguments args = arguments_of(session, self, words, {kJson});
  const auto show = [](auto& lnet) { return lnet.show_routing(); };
  return session.show_by(show, "routing", args.has("json"));
}

constexpr Command kRoute[] = {
    {"add",
     "route add: add a route\n"
     "\t--net: net name (e.g. tcp0)\n"
     "\t--gateway: gateway NID (e.g. 10.1.1.2@tcp); a list or a pattern adds a route through "
     "each,\n"
     "\v\t           or no route if one of them cannot be added\n"
     "\t--hop|hop-count: number to final destination (1 <= hops <= 255)\n"
     "\t--priority: priority of route (0 - highest prio)\n",
     &route_add},
    {"del",
     "route del: delete a route\n"
     "\t--net: net name (e.g. tcp0)\n"
     "\t--gateway: gateway NID (e.g. 10.1.1.2@tcp); a list or a pattern too: deletes the routes\n"
     "\v\t           that exist, and fails afterwards if one does not exist\n",
     &route_del},
    {"show",
     "route show: show routes\n"
     "\t--net: net name (e.g. tcp0) to filter on\n"
     "\t--gateway: gateway NID (e.g. 10.1.1.2@tcp) to filter on; a list or a pattern too\n"
     "\t--hop|hop-count: accepted and ignored, as lnetctl does\n"
     "\t--priority: accepted and ignored, as lnetctl does\n"
     "\t--verbose: display detailed output per route\n"
     "\v\t           and in words why it is down\n",
     &route_show},
};
constexpr Command kRouting[] = {
    {"show", "routing show: show routing information\n", &routing_show}};

}  // namespace

const std::span<const Command> kRouteCommands = kRoute;
const std::span<const Command> kRoutingCommands = kRouting;

}  // namespace ulnet::tools
