// fault: messages that the node drops, fails or delays on purpose. Errors are plain sentences on
// stderr. Source: spec/cli-lnetctl.md 3.15, 4.9, spec/observed.md 6.
#include <cstring>
#include <nlohmann/json.hpp>

#include "admin/conf/fault_trees.h"
#include "admin/ulnetctl/command.h"
#include "lnet/base/limits.h"

namespace ulnet::tools {

namespace {

using core::FaultNids;
using core::FaultRule;
using Kind = FaultRule::Kind;

std::string word_of(Kind kind) { return to_string(kind); }

/// A wrong command line, about which a sentence has been printed.
struct Wrong {
  int code = kTargetFailed;
};
template <class T>
using Read = tl::expected<T, Wrong>;

/// Prints the sentence; returns the exit code.
int complain(const std::string& sentence, int code = kTargetFailed) {
  err(sentence + "\n");
  return code;
}
tl::unexpected<Wrong> wrong(const std::string& sentence, int code = kTargetFailed) {
  return tl::unexpected<Wrong>(Wrong{complain(sentence, code)});
}

/// Returns the NIDs that an option names; any NID without the option.
Read<FaultNids> read_nids(const Arguments& args, const char* option) {
  const auto text = args.value(option);
  if (!text) return FaultNids{};
  const auto nids = FaultNids::parse(*text);
  if (!nids) return wrong(nids.error().reason, nids.error().code);
  return *nids;
}

/// Returns a number of at least 0; 0 for a word that is not a number, as with lnetctl.
std::uint32_t number_of(const Arguments& args, const char* option) {
  const auto number = args.number(option);
  return number && *number > 0 ? static_cast<std::uint32_t>(*number) : 0;
}

Read<void> read_criteria(Session& session, const Arguments& args, FaultRule& rule) {
  const auto source = read_nids(args, "source"), destination = read_nids(args, "dest");
  if (!source) return tl::unexpected<Wrong>(source.error());
  if (!destination) return tl::unexpected<Wrong>(destination.error());
  rule.source = *source;
  rule.destination = *destination;
  if (const auto text = args.value("local_nid")) {
    const auto local = Nid::parse(*text);
    if (!local || local->is_any()) return wrong("Invalid NID: " + *text, -EINVAL);
    rule.local = *local;
  }
  for (const std::string& text : args.values("portal")) {
    const auto portal = parse_number(text);
    if (!portal || *portal < 0 || *portal >= limits::kPortals)
      return wrong("invalid portal: " + text);
    rule.portals |= 1ULL << *portal;
  }
  for (const std::string& text : args.values("message")) {
    const std::uint32_t bit = core::fault_message_bit(text);
    if (bit == 0) return wrong("unknown message type " + text);
    rule.messages |= bit;
  }
  for (const std::string& text : args.values("health_error")) {
    const std::uint32_t bit = core::fault_error_bit(text);
    if (bit == 0) {  // lnetctl prints nothing
      session.hint("unknown health error " + text);
      return tl::unexpected<Wrong>(Wrong{});
    }
    rule.errors |= bit;
  }
  return {};
}

/// Reads the rule that the words describe. Makes only the checks that lnetctl itself makes.
Read<FaultRule> read_rule(Session& session, const Arguments& args, Kind kind) {
  FaultRule rule;
  rule.kind = kind;
  if (const auto read = read_criteria(session, args, rule); !read)
    return tl::unexpected<Wrong>(read.error());
  rule.rate = number_of(args, "rate");
  rule.interval = number_of(args, "interval");
  rule.latency = number_of(args, "latency");
  rule.random = args.has("random");
  rule.drop_all = args.has("drop_all");
  if ((rule.rate == 0) == (rule.interval == 0))
    return wrong("please provide either " + word_of(kind) +
                 " rate or interval but not both at the same time.");
  if (rule.random && rule.interval == 0) return wrong("please provide an interval to randomize");
  if (kind == Kind::kDelay && rule.latency == 0) return wrong("latency cannot be zero");
  if (!args.has("source") || !args.has("dest"))
    return wrong("Please provide both source and destination of " + word_of(kind) + " rule");
  return rule;
}

/// Prints the node's refusal in lnetctl's words, which are those of its netlink library.
int refused(Session& session, const char* operation, Kind kind, const Error& error) {
  const char* const text = error.code == -EINVAL   ? "Invalid input data or parameter"
                           : error.code == -ENOENT ? "Object not found"
                                                   : std::strerror(-error.code);
  err("failed to " + std::string(operation) + " " + word_of(kind) + " rule: " + text + "\n");
  session.hint(error.reason);
  return error.code;
}

int add(Session& session, Kind kind, const Arguments& args) {
  const auto rule = read_rule(session, args, kind);
  if (!rule) return rule.error().code;
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kChange);
  const auto added = lnet.change(conf::change::AddFault{*rule});
  return added ? 0 : refused(session, "add", kind, added.error());
}

int drop_add(Session& session, const Command& self, Words words) {
  return add(session, Kind::kDrop,
             arguments_of(session, self, words,
                          {{"source", 's', Option::kValue},
                           {"dest", 'd', Option::kValue},
                           {"rate", 'r', Option::kValue},
                           {"interval", 'i', Option::kValue},
                           {"portal", 'p', Option::kValue},
                           {"message", 'm', Option::kValue},
                           {"health_error", 'e', Option::kValue},
                           {"local_nid", 'o', Option::kValue},
                           {"random", 'n', Option::kFlag},
                           {"drop_all", 'x', Option::kFlag}}));
}

int delay_add(Session& session, const Command& self, Words words) {
  return add(session, Kind::kDelay,
             arguments_of(session, self, words,
                          {{"source", 's', Option::kValue},
                           {"dest", 'd', Option::kValue},
                           {"rate", 'r', Option::kValue},
                           {"interval", 'i', Option::kValue},
                           {"latency", 'l', Option::kValue},
                           {"portal", 'p', Option::kValue},
                           {"message", 'm', Option::kValue},
                           {"local_nid", 'o', Option::kValue}}));
}

int del(Session& session, const Command& self, const Words& words, Kind kind) {
  const Arguments args = arguments_of(session, self, words,
                                      {{"source", 's', Option::kValue},
                                       {"dest", 'd', Option::kValue},
                                       {"all", 'a', Option::kFlag}});
  const bool named = args.has("source") || args.has("dest");
  if (args.has("all") && named) return complain("'-s' or '-d' cannot be combined with '-a'");
  if (!args.has("all") && !named) return print_help(session, self), kRequestFailed;
  const auto source = read_nids(args, "source"), destination = read_nids(args, "dest");
  if (!source) return source.error().code;
  if (!destination) return destination.error().code;
  conf::change::DelFault which{kind};
  if (named && !(args.has("source") && args.has("dest")))
    return complain("Please provide both source and destination of " + word_of(kind) + " rule");
  if (named) {
    which.source = *source;
    which.destination = *destination;
  }
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kChange);
  const auto gone = lnet.change(which);
  return gone ? 0 : refused(session, "delete", kind, gone.error());
}

int reset(Session& session, const Command& self, const Words& words, Kind kind) {
  arguments_of(session, self, words, {});
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kChange);
  const auto done = lnet.change(conf::change::ResetFaults{kind});
  return done ? 0 : refused(session, "reset", kind, done.error());
}

int show(Session& session, const Command& self, const Words& words, Kind kind) {
  const Arguments args = arguments_of(session, self, words, {kJson});
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kShow);
  const auto tree = lnet.show_fault();
  if (!tree) return session.failed("show", "fault", tree.error());
  ctl::Tree shown = {{"fault", ctl::Tree::array()}};
  for (ctl::Tree rule : tree->at("fault")) {
    if (rule.at("rule_type") != word_of(kind)) continue;
    if (session.is_lnetctl()) rule.erase("seed");
    shown["fault"].push_back(std::move(rule));
  }
  return session.show_unless_empty(shown, args.has("json"));
}

template <auto function, Kind kind>
int about(Session& session, const Command& self, Words words) {
  return function(session, self, words, kind);
}

constexpr Command kDrop[] = {
    {"add",
     "drop add: add LNet drop rule\n"
     "\t--source nid:  Drop messages originating from <nid>.\n"
     "\t--dest nid:    Drop messages destined for <nid>.\n"
     "\t--rate r:      Drop messages at specified rate (1/<r>).\n"
     "\t--interval i:  Drop messages at specified time interval (seconds).\n"
     "\t--portal p:    Drop messages on specified portal.\n"
     "\t--message m:   Drop messages of specified type <PUT|ACK|GET|REPLY>.\n"
     "\t--health_error: Dropped messages simulate the specified health status\n"
     "\t                <local_timeout|remote_dropped|network_timeout|...>.\n"
     "\v\t--local_nid nid: Drop messages that use this local NI.\n"
     "\t--random:      With an interval: drop each message with a chance of 50 %.\n"
     "\t--drop_all:    Drop every message that matches, incoming or outgoing.\n",
     &drop_add},
    {"del",
     "drop del: delete LNet drop rules\n"
     "\t--all:         Delete all drop rules\n"
     "\t--source nid:  Delete drop rule with specified source NID\n"
     "\t--dest nid:    Delete drop rule with specified destination NID\n",
     &about<del, Kind::kDrop>},
    {"reset", "drop reset: reset counters for all drop rules\n", &about<reset, Kind::kDrop>},
    {"show", "drop show: show drop rules\n", &about<show, Kind::kDrop>},
};
constexpr Command kDelay[] = {
    {"add",
     "delay add: add LNet delay rule\n"
     "\t--source nid:  Delay messages originating from <nid>.\n"
     "\t--dest nid:    Delay messages destined for <nid>.\n"
     "\t--rate r:      Delay messages at specified rate (1/<r>).\n"
     "\t--interval i:  Delay messages at specified time interval (seconds).\n"
     "\t--latency l:   Delay by this many seconds.\n"
     "\t--portal p:    Delay messages on specified portal.\n"
     "\t--message m:   Delay messages of specified type <PUT|ACK|GET|REPLY>.\n"
     "\t--local_nid nid: Delay messages that use this local NI.\n",
     &delay_add},
    {"del",
     "delay del: delete LNet delay rules\n"
     "\t--all:         Delete all delay rules\n"
     "\t--source nid:  Delete delay rule with specified source NID\n"
     "\t--dest nid:    Delete delay rule with specified destination NID\n",
     &about<del, Kind::kDelay>},
    {"reset", "delay reset: reset counters for all delay rules\n", &about<reset, Kind::kDelay>},
    {"show", "delay show: show delay rules\n", &about<show, Kind::kDelay>},
};
constexpr Command kFault[] = {
    {"drop", "fault drop: {add, del, reset, show}\n", kDrop},
    {"delay", "fault delay: {add, del, reset, show}\n", kDelay},
};

}  // namespace

const std::span<const Command> kFaultCommands = kFault;

}  // namespace ulnet::tools
