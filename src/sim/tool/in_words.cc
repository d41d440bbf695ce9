#include "sim/tool/in_words.h"

#include <fmt/format.h>

#include "lnet/base/format.h"
#include "lnet/config/params.h"

namespace ulnet::tools {
namespace {

using namespace ulnet::sim;
using core::FaultRule;

/// Joins the texts, with `between` between them.
std::string joined(const std::vector<std::string>& texts, std::string_view between = ", ") {
  return fmt::format("{}", fmt::join(texts, between));
}

std::string nids_text(const std::vector<Nid>& nids) {
  return fmt::format("{}", fmt::join(nids, " and "));
}

std::string chance(std::uint32_t ppm) { return fmt::format("{:g} %", ppm / 10'000.0); }

/// "1 thing", "2 things".
std::string several(std::uint64_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

// ---- nodes

void add_settings(std::vector<std::string>& parts, const NodeSetup& node) {
  const core::Globals usual;
  for (const conf::GlobalSetting& each : conf::all_globals())
    if (const std::int32_t value = node.globals.*each.field; value != usual.*each.field)
      parts.push_back(fmt::format("{} {}", each.name, value));
  if (node.globals.max_answers != usual.max_answers)
    parts.push_back(fmt::format("max_answers {}", node.globals.max_answers));
  if (node.driver != DriverKind::kSock) return;
  const lnd::sock::SockTunables standard;
  for (const lnd::sock::NumberTunable& each : lnd::sock::number_tunables())
    if (const std::int32_t value = node.sock.*each.field; value != standard.*each.field)
      parts.push_back(fmt::format("{} {}", each.name, value));
  if (node.sock.accept != standard.accept) parts.emplace_back("accept is not 'secure'");
  if (node.sock.peer_address_check != standard.peer_address_check)
    parts.emplace_back("peers must connect from the address of their NID");
}

void add_ni_settings(std::vector<std::string>& parts, const NodeSetup& node) {
  if (node.nis.empty()) return;
  const NiSetup& ni = node.nis[0];
  using Tunables = core::NetTunables;
  const Tunables usual;
  for (const auto& [name, field] : {std::pair("credits", &Tunables::credits),
                                    {"peer_credits", &Tunables::peer_credits},
                                    {"peer_buffer_credits", &Tunables::peer_buffer_credits},
                                    {"peer_timeout", &Tunables::peer_timeout}})
    if (ni.tunables.*field != usual.*field)
      parts.push_back(fmt::format("{} {}", name, ni.tunables.*field));
  if (ni.conns_per_peer != 1) parts.push_back(fmt::format("conns_per_peer {}", ni.conns_per_peer));
}

std::string route_in_words(const core::Route& route) {
  std::string text = "a route to " + route.net.to_string() + " by " + route.gateway.to_string();
  if (route.hops != core::kHopsUndefined) text += fmt::format(" with hops {}", route.hops);
  if (route.priority != 0) text += fmt::format(" with priority {}", route.priority);
  return text;
}

void add_routes(std::vector<std::string>& parts, const NodeSetup& node) {
  for (const auto& [net, routes] : node.routes->nets())
    for (const core::Route& route : routes) parts.push_back(route_in_words(route));
}

std::string node_in_words(const NodeSetup& node) {
  std::vector<std::string> parts;
  std::vector<Nid> nids;
  for (const NiSetup& ni : node.nis) nids.push_back(ni.nid);
  if (node.partitions != 1) parts.push_back(several(node.partitions, "CPU partition"));
  if (node.partitions != 1 && node.shard_msg_delay != NodeSetup{}.shard_msg_delay)
    parts.push_back("inter-shard messages take up to " + text::duration_text(node.shard_msg_delay));
  if (node.handler_delay != Duration{})
    parts.push_back("handlers run up to " + text::duration_text(node.handler_delay) + " late");
  if (node.hold_memory != NodeSetup{}.hold_memory)
    parts.push_back(several(node.hold_memory, "byte") + " for payload that waits");
  if (node.no_memory_ppm != 0)
    parts.push_back("memory for it fails with " + chance(node.no_memory_ppm));
  if (node.no_descriptor_ppm != 0)
    parts.push_back("descriptors for connections fail with " + chance(node.no_descriptor_ppm));
  if (node.announces_memory) parts.emplace_back("a driver wants to know the memory of MDs");
  if (node.routing.on) parts.emplace_back("it forwards messages of others");
  if (node.routing.buffers != core::Routing{}.buffers)
    parts.push_back(fmt::format("router buffers {}, {} and {}", node.routing.buffers[0],
                                node.routing.buffers[1], node.routing.buffers[2]));
  add_routes(parts, node);
  if (!node.policies->entries().empty())
    parts.push_back(several(node.policies->entries().size(), "selection policy rule"));
  add_ni_settings(parts, node);
  add_settings(parts, node);
  const char* const driver = node.driver == DriverKind::kSock ? "over TCP" : "by single messages";
  return fmt::format("{} has {}, {}{}{}.", node.name, nids_text(nids), driver,
                     parts.empty() ? "" : "; ", joined(parts));
}

// ---- links

std::string model_in_words(const LinkModel& model) {
  std::string text = "take " + text::duration_text(model.delay);
  if (model.jitter != Duration{}) text += " to " + text::duration_text(model.delay + model.jitter);
  if (model.bytes_per_second != 0)
    text += fmt::format(", carry {} MB/s", model.bytes_per_second / 1'000'000);
  if (model.loss_ppm != 0) text += ", lose " + chance(model.loss_ppm);
  if (model.duplicate_ppm != 0) text += ", deliver " + chance(model.duplicate_ppm) + " twice";
  if (model.reorder_ppm != 0)
    text += ", deliver " + chance(model.reorder_ppm) + " up to " +
            text::duration_text(model.reorder) + " late";
  return text;
}

// ---- loads

std::string names(const Scenario& scenario, const std::vector<NodeNumber>& numbers) {
  std::vector<std::string> texts;
  for (const NodeNumber number : numbers) texts.push_back(scenario.nodes[number].name);
  return joined(texts, " and ");
}

std::string size_text(const LoadSpec& load) {
  if (load.min_bytes == load.max_bytes) return several(load.max_bytes, "byte");
  return fmt::format("{} to {}", load.min_bytes, several(load.max_bytes, "byte"));
}

std::string load_in_words(const Scenario& scenario, const LoadSpec& load) {
  const std::string pause = load.every == Duration{}
                                ? ""
                                : ", " + text::duration_text(load.every) + " between two of them";
  if (load.what == LoadSpec::What::kMix)
    return fmt::format("Any node begins {} of {} with any other, up to {} at a time{}.",
                       several(load.count, "operation"), size_text(load), load.window, pause);
  if (load.what == LoadSpec::What::kRandom)
    return fmt::format("Any node makes {} of any kind, one after the other, of at most {}{}{}.",
                       several(load.count, "call"), several(load.max_bytes, "byte"), pause,
                       load.unpolled ? "; nobody polls their event queues" : "");
  const char* const what = load.what == LoadSpec::What::kPut   ? "PUT"
                           : load.what == LoadSpec::What::kGet ? "GET"
                                                               : "ping";
  const bool ping = load.what == LoadSpec::What::kPing;
  return fmt::format("{} begins {}{}{} to {}, up to {} at a time{}, from {} on.",
                     names(scenario, load.from), several(load.count, what),
                     ping ? "" : " of " + size_text(load),
                     load.what == LoadSpec::What::kPut && load.ack ? " with ACK" : "",
                     names(scenario, load.to), load.window, pause, text::duration_text(load.start));
}

std::string selftest_in_words(const Scenario& scenario, const SelftestSetup& test) {
  const std::string bytes = several(test.bytes, "byte");
  const std::string what = test.what == SelftestSetup::What::kPing   ? "ping"
                           : test.what == SelftestSetup::What::kRead ? "read " + bytes + " from"
                                                                     : "write " + bytes + " to";
  std::string text = fmt::format(
      "From {} on a console of selftest at {} has {} {} {}, {} at a time{}; ",
      text::duration_text(test.start), scenario.nodes[test.console].name,
      names(scenario, test.from), what, names(scenario, test.to), several(test.concurrency, "RPC"),
      test.keep_going ? ", also after one that failed" : "");
  if (test.lasts == Duration{})
    text += "it ends the session when all faults end";
  else if (test.forgotten)
    text += fmt::format("{} later nobody uses it any more, and it ends the session {} later",
                        text::duration_text(test.lasts), text::duration_text(test.console_timeout));
  else
    text += text::duration_text(test.lasts) + " later its program dies without ending the session";
  return text + ". Nodes end a session without a request for " +
         text::duration_text(test.session_timeout) + ".";
}

const char* release_in_words(Release release) {
  constexpr std::array kWords = {"without multi-rail", "with multi-rail, without discovery",
                                 "with multi-rail and discovery"};
  return kWords[static_cast<std::size_t>(release)];
}

std::string old_node_in_words(const OldNodeSetup& old) {
  std::string text = fmt::format(
      "Other software, {}, has {}; nodes and it begin {} of at most {} with each other{}",
      release_in_words(old.release), nids_text(old.nids), several(old.count, "operation"),
      several(old.max_bytes, "byte"),
      old.every == Duration{}
          ? ""
          : ", up to " + text::duration_text(old.every) + " between two of them");
  if (old.change_at == Duration{}) return text + ".";
  text +=
      "; at " + text::duration_text(old.change_at) + " it restarts " + release_in_words(old.later);
  if (!old.more_nids.empty()) text += " and with " + nids_text(old.more_nids) + " too";
  if (old.back_at != Duration{}) text += ", at " + text::duration_text(old.back_at) + " as before";
  return text + ".";
}

// ---- faults

std::string rule_in_words(const FaultRule& rule) {
  const bool drops = rule.kind == FaultRule::Kind::kDrop;
  const std::string often =
      rule.rate != 0 ? fmt::format("one of {}", several(rule.rate, "message"))
                     : fmt::format("one message in {}", several(rule.interval, "second"));
  std::string text =
      fmt::format("{} {} from {} to {}", drops ? (rule.errors != 0 ? "fails" : "drops") : "delays",
                  often, rule.source.to_string(), rule.destination.to_string());
  if (rule.drop_all)
    text = fmt::format("drops all messages from {} to {}", rule.source, rule.destination);
  if (rule.messages != 0 && rule.messages != core::kFaultAllMessages) {
    std::vector<std::string> types;
    constexpr std::array kTypes = {"ACK", "PUT", "GET", "REPLY"};
    for (std::size_t i = 0; i < kTypes.size(); ++i)
      if ((rule.messages >> i & 1) != 0) types.emplace_back(kTypes[i]);
    text += " (" + joined(types) + ")";
  }
  if (!rule.local.is_any()) text += " of its NI " + rule.local.to_string();
  if (!drops) text += fmt::format(" by {} s", rule.latency);
  return text;
}

/// What breaks, and what restores it. The second text is empty when nothing does.
struct Words {
  std::string breaks, mends;
};

std::string nid_text(const NodeSetup& node, std::uint32_t ni) {
  return ni < node.nis.size() ? node.nis[ni].nid.to_string() : "another NI";
}

Words fault_in_words(const Scenario& scenario, const Act& act) {
  const NodeSetup& node = scenario.nodes[act.node];
  const std::string& name = node.name;
  const std::string& other = scenario.nodes[act.other].name;
  const std::string link = "the link from " + name + " to " + other;
  const std::string stream = "a connection between " + name + " and " + other;
  switch (act.fault) {
    case FaultKind::kLoss:
      return {link + " loses " + chance(act.ppm), "it loses as much as before"};
    case FaultKind::kDuplication:
      return {link + " delivers " + chance(act.ppm) + " twice", "it does not any more"};
    case FaultKind::kReordering:
      return {link + " delivers " + chance(act.ppm) + " late", "it does not any more"};
    case FaultKind::kClog:
      return {link + " delivers nothing and loses nothing", "it delivers what has waited"};
    case FaultKind::kPartition:
      return {link + " is cut", "it is mended"};
    case FaultKind::kNoRoute:
      return {"the system of " + name + " has no route to " + other, "it has one again"};
    case FaultKind::kInterface:
      return {"the link of " + name + "'s NI " + nid_text(node, act.ni) + " goes down",
              "it comes up"};
    case FaultKind::kCrash:
      return {name + " crashes, " +
                  (act.silent ? "and its peers are not notified" : "its connections are closed"),
              "it starts again"};
    case FaultKind::kPause:
      return {name + " is paused", "it goes on"};
    case FaultKind::kReset:
      return {stream + " is reset", ""};
    case FaultKind::kHalfOpen:
      return {stream + " fails for " + name + " alone", ""};
    case FaultKind::kStall:
      return {stream + " delivers nothing to " + other, "it delivers again"};
    case FaultKind::kNonsense:
      return {"a stranger sends malformed bytes to " + name, "it hangs up"};
    case FaultKind::kTakeOver:
      return {"a stranger sends " + name + " hellos with the NID of " + other, "it hangs up"};
    case FaultKind::kPeerDel:
      return {"an administrator of " + name + " deletes the peer " + other, ""};
    case FaultKind::kNiDel:
      return {"an administrator of " + name + " deletes its last NI", "adds it again"};
    case FaultKind::kNiAdd:
      return {"an administrator of " + name + " adds an NI", "deletes it"};
    case FaultKind::kNetDel:
      return {"an administrator of " + name + " deletes one of its nets", "adds it again"};
    case FaultKind::kDiscovery:
      return {"an administrator of " + name + " toggles discovery", "turns it back"};
    case FaultKind::kLies:
      return {"a stranger pushes false NIDs to " + name, "it hangs up"};
  }
  return {};
}

/// What an administrator changes.
struct AdminWords {
  const std::string& name;

  Words operator()(const SetGlobal& change) const {
    return {fmt::format("an administrator of {} sets {} to {}", name, change.setting->name,
                        change.value),
            "sets it back"};
  }
  Words operator()(const SetHealth& change) const {
    const std::string_view whose = change.of_peer ? "a peer's NI" : "its NI";
    const std::string which = change.nid.is_any()
                                  ? fmt::format("all {}", change.of_peer ? "peers' NIs" : "its NIs")
                                  : fmt::format("{} {}", whose, change.nid.to_string());
    return {fmt::format("an administrator of {} gives {} health {}", name, which, change.value),
            ""};
  }
  Words operator()(const AddPolicy& change) const {
    const core::udsp::Rule& rule = change.rule;
    std::string text = "an administrator of " + name + " adds the selection policy";
    if (rule.src) text += " src " + rule.src->to_string();
    if (rule.dst) text += " dst " + rule.dst->to_string();
    if (rule.rte) text += " rte " + rule.rte->to_string();
    if (rule.priority) text += fmt::format(" priority {}", *rule.priority);
    if (change.idx) text += fmt::format(" idx {}", *change.idx);
    return {text, "deletes it"};
  }
  Words operator()(const AddRoute& change) const {
    return {"an administrator of " + name + " adds " + route_in_words(change.route), "deletes it"};
  }
  Words operator()(const DelRoute& change) const {
    return {fmt::format("an administrator of {} deletes the route to {} by {}", name,
                        change.net.to_string(), change.gateway.to_string()),
            "adds it again"};
  }
  Words operator()(const SetRouting& change) const {
    return {fmt::format("an administrator of {} turns routing {}", name, change.on ? "on" : "off"),
            "turns it back"};
  }
  Words operator()(const AddPeer& change) const {
    const std::vector<Nid>& nids = change.peer.nids;
    std::string text =
        "an administrator of " + name + " adds the peer " + change.peer.primary.to_string();
    if (!nids.empty()) text += " with " + nids_text(nids);
    if (!change.peer.multi_rail) text += ", not multi-rail";
    if (change.peer.lock_primary) text += ", locked";
    return {text, "deletes it"};
  }
};

Words act_in_words(const Scenario& scenario, const Act& act) {
  const std::string& name = scenario.nodes[act.node].name;
  const auto at_switches = [&] {
    const auto& link = scenario.switches.links[act.switch_link.value];
    return "the link between " + scenario.switches.names[link.a.value] + " and " +
           scenario.switches.names[link.b.value];
  };
  switch (act.what) {
    case Act::What::kFault:
      return fault_in_words(scenario, act);
    case Act::What::kShutdown:
      return {name + " shuts down", "it starts again"};
    case Act::What::kRule:
      return {"a fault rule of " + name + " " + rule_in_words(act.rule), "it is deleted"};
    case Act::What::kAdmin:
      return std::visit(AdminWords{name}, act.change);
    case Act::What::kLinkCut:
      return {at_switches() + " is cut", "it is mended"};
    case Act::What::kLinkSlow:
      return {at_switches() + fmt::format(" carries {} MB/s", act.bandwidth / 1'000'000),
              "it is as before"};
    case Act::What::kHeal:
      break;
  }
  return {"everything that is broken is mended", ""};
}

std::string line_of(const Scenario& scenario, const Act& act) {
  const Words words = act_in_words(scenario, act);
  std::string text = "At " + text::duration_text(act.at) + " " + words.breaks;
  if (words.mends.empty()) return text + ".";
  if (act.lasts == Duration{}) return text + ", until all faults end.";
  return text + "; " + text::duration_text(act.lasts) + " later " + words.mends + ".";
}

}  // namespace

std::string in_words(const Scenario& scenario) {
  std::string text;
  const auto add = [&](const std::string& line) { text += "  " + line + "\n"; };
  for (const NodeSetup& node : scenario.nodes) add(node_in_words(node));
  add("Links " + model_in_words(scenario.link) + ".");
  for (const LinkBetween& between : scenario.links)
    add(fmt::format("Those from {} to {} {}.", scenario.nodes[between.from].name,
                    scenario.nodes[between.to].name, model_in_words(between.model)));
  if (scenario.interface_rate != 0)
    add(fmt::format("Each NI sends {} MB/s.", scenario.interface_rate / 1'000'000));
  for (const LoadSpec& load : scenario.loads) add(load_in_words(scenario, load));
  for (const SelftestSetup& test : scenario.selftests) add(selftest_in_words(scenario, test));
  for (const OldNodeSetup& old : scenario.old_nodes) add(old_node_in_words(old));
  for (const Act& act : scenario.acts) add(line_of(scenario, act));
  add("At " + text::duration_text(scenario.lasts) +
      " at the latest all faults end and no operation begins any more.");
  return text;
}

}  // namespace ulnet::tools
