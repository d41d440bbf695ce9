// udsp: the selection policies of the node. Errors have the older form, which lnetctl kept for
// these commands, and the exit code is the errno. Source: spec/cli-lnetctl.md 3.14, 4.8,
// spec/observed.md 5.1.
#include <cstring>
#include <nlohmann/json.hpp>

#include "admin/client/tree_fields.h"
#include "admin/ulnetctl/command.h"

namespace ulnet::tools {

namespace {

std::string quoted(const std::string& text) { return "\"" + text + "\""; }

/// A word of the command line that should be a number.
struct Number {
  std::optional<std::int64_t> value;  ///< null: the option was not given
  bool good = true;
};

/// Reads the option as a number of at least `least`. If it is not such a number, prints lnetctl's
/// error.
Number number_of(const Arguments& args, const char* option, const char* what, std::int64_t least) {
  const auto text = args.value(option);
  if (!text) return {};
  const auto number = parse_number(*text);
  if (number && *number >= least && *number <= core::udsp::kPriorityMax) return {number};
  out("Invalid " + std::string(what) + " " + quoted(*text) + "\n");
  return {{}, false};
}

/// Prints a refusal of the node: the errno's text as lnetctl prints it, and beside it the node's
/// own reason. For a rule that exists already lnetctl's errno is positive.
int refused(Session& session, const char* operation, const Error& error) {
  const int code = error.code == -EALREADY ? EALREADY : error.code;
  session.nested(
      "add", "udsp", code,
      quoted("cannot " + std::string(operation) + " udsp: " + std::strerror(-error.code)), code);
  session.hint(error.reason);
  return code;
}

int udsp_add(Session& session, const Command& self, Words words) {
  const Arguments args = arguments_of(session, self, words,
                                      {{"src", 's', Option::kValue},
                                       {"dst", 'd', Option::kValue},
                                       {"rte", 'r', Option::kValue},
                                       {"priority", 'p', Option::kValue},
                                       {"idx", 'i', Option::kValue}});
  if (!args.has("src") && !args.has("dst") && !args.has("rte"))
    return print_help(session, self), -EINVAL;
  const Number priority = number_of(args, "priority", "priority", 0);
  const Number idx = number_of(args, "idx", "index", 0);
  if (!priority.good || !idx.good) return -EINVAL;
  const std::string src = args.value("src").value_or("");
  const std::string dst = args.value("dst").value_or("");
  const std::string rte = args.value("rte").value_or("");
  const auto rule =
      core::udsp::parse_rule({src, dst, rte, priority.value}).and_then([](core::udsp::Rule read) {
        return settled(std::move(read));
      });
  if (!rule) {
    const Error& wrong = rule.error();
    return session.nested("add", "udsp", wrong.code, quoted(wrong.reason), wrong.code);
  }
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kChange);
  const auto added = lnet.change(conf::change::AddPolicy{*rule, idx.value});
  return added ? 0 : refused(session, "add", added.error());
}

int udsp_del(Session& session, const Command& self, Words words) {
  const Arguments args = arguments_of(session, self, words,
                                      {{"idx", 'i', Option::kValue}, {"all", 'a', Option::kFlag}});
  if (args.has("idx") == args.has("all")) return out("Must specify --idx or --all\n"), -EINVAL;
  const Number idx = number_of(args, "idx", "index", -1);
  if (!idx.good) return -EINVAL;
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kChange);
  const auto deleted =
      lnet.change(conf::change::DelPolicy{idx.value == -1 ? std::nullopt : idx.value});
  return deleted ? 0 : refused(session, "del", deleted.error());
}

int udsp_show(Session& session, const Command& self, Words words) {
  const Arguments args = arguments_of(session, self, words, {{"idx", 'i', Option::kValue}, kJson});
  const Number idx = number_of(args, "idx", "index", -1);
  if (!idx.good) return -EINVAL;
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kShow);
  const auto tree = lnet.show_udsp(idx.value == -1 ? std::nullopt : idx.value);
  if (!tree) return session.failed("show", "udsp", tree.error());
  return session.show_unless_empty(*tree, args.has("json"));
}

constexpr Command kUdsp[] = {
    {"add",
     "udsp add: add a udsp\n"
     "\t--src nid|net: ip2nets syntax specifying the local NID or network to match.\n"
     "\t--dst nid:     ip2nets syntax specifying the remote NID to match.\n"
     "\t--rte nid:     ip2nets syntax specifying the router NID to match.\n"
     "\t--priority p:  Assign priority value p where p >= 0.\n"
     "\t               Note: 0 is the highest priority.\n"
     "\t--idx n:       Insert the rule in the n'th position on the list of rules.\n"
     "\t               By default, rules are appended to the end of the rule list.\n",
     &udsp_add},
    {"del",
     "udsp del: delete a udsp\n"
     "\t--idx n: delete the rule in the n'th position\n"
     "\t--all:   delete every rule\n",
     &udsp_del},
    {"show",
     "udsp show: show udsps\n"
     "\t--idx n: show the rule in the n'th position\n",
     &udsp_show},
};

}  // namespace

const std::span<const Command> kUdspCommands = kUdsp;

}  // namespace ulnet::tools
