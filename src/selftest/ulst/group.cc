// add_group, del_group, update_group, list_group. Source: spec/cli-lst.md 3.5.
#include <algorithm>
#include <array>

#include "admin/client/tree_fields.h"
#include "selftest/ulst/command.h"
#include "selftest/ulst/ids.h"
#include "selftest/ulst/texts.h"

namespace ulnet::tools::lst {

/// This command has no options: its first word is the name even if it looks like an option (as
/// recorded).
int add_group(Tool& tool, const Command& self, Words words) {
  if (words.size() < 3) return usage(tool, self);
  if (too_long(tool, words[1])) return kFailed;
  int code = kFailed;
  for (std::size_t i = 2; i < words.size(); ++i) {
    const auto ids = expand_ids(words[i]);
    if (!ids) {
      tool.fail(ids.error().reason);
      tool.fail("Ignore invalid id list " + words[i]);
      continue;
    }
    const auto answer = tool.ask_nodes("add_group", {{"name", words[1]}, {"nodes", *ids}},
                                       {-EBUSY, "group already exists"});
    if (!answer) return kFailed;
    out(words[i] + " are added to session\n");
    if (ctl::bool_in(*answer, "compatible"))
      out("Features of the nodes differ: the session runs in compatible mode\n");
    code = 0;
  }
  return code;
}

int del_group(Tool& tool, const Command& self, Words words) {
  const auto args = Arguments::parse(words, {});
  if (!args || args->rest().size() != 1) return usage(tool, self);
  const auto answer = tool.ask_nodes("del_group", {{"name", args->rest()[0]}},
                                     {-EBUSY, "Failed to delete group: Device or resource busy"});
  if (!answer) return kFailed;
  if (node_problems(*answer).empty()) return out("Group is deleted\n"), 0;
  return tool.fail("Group is deleted with some errors");
}

int update_group(Tool& tool, const Command& self, Words words) {
  const auto args = Arguments::parse(words, {{"refresh", 'f', Option::kFlag},
                                             {"clean", 'c', Option::kValue},
                                             {"remove", 'r', Option::kValue}});
  if (!args || args->rest().size() != 1) return usage(tool, self);
  if (args->has("refresh") + args->has("clean") + args->has("remove") != 1)
    return usage(tool, self);
  Tree arguments = {{"name", args->rest()[0]}};
  if (args->has("refresh")) arguments["refresh"] = true;
  if (const auto state = args->value("clean")) {
    constexpr std::array<std::string_view, 5> kStates = {"active", "busy", "down", "unknown",
                                                         "invalid"};
    if (std::ranges::find(kStates, *state) == kStates.end()) return usage(tool, self);
    arguments["clean"] = *state;
  }
  if (const auto word = args->value("remove")) {
    const auto ids = expand_ids(*word);
    if (!ids) return tool.fail(ids.error().reason);
    arguments["remove"] = *ids;
  }
  const auto answer = tool.ask_nodes("update_group", std::move(arguments),
                                     {-EBUSY, "Failed to update group: Device or resource busy"});
  return answer ? 0 : kFailed;
}

int list_group(Tool& tool, const Command& self, Words words) {
  const auto args = Arguments::parse(words, {{"active", 'a', Option::kFlag},
                                             {"busy", 'b', Option::kFlag},
                                             {"down", 'd', Option::kFlag},
                                             {"unknown", 'u', Option::kFlag},
                                             {"all", 'l', Option::kFlag}});
  if (!args) return usage(tool, self);
  if (args->rest().empty()) {
    const auto answer = tool.ask("list_group", Tree::object());
    if (!answer) return kFailed;
    return out(numbered(ctl::list_in(*answer, "groups"), "groups")), 0;
  }
  Words states;
  for (const char* state : {"active", "busy", "down", "unknown"})
    if (args->has(state)) states.emplace_back(state);
  if (args->has("all")) states = {"all"};
  int code = 0;
  if (states.empty()) out(counts_title());
  for (const std::string& name : args->rest()) {
    const auto answer = tool.ask("list_group", {{"name", name}});
    if (!answer) {
      code = kFailed;
      continue;
    }
    const Tree& group = ctl::field_in(*answer, "group");
    for (const std::string& state : states)
      out(group_nodes(name, ctl::list_in(group, "nodes"), state));
    if (states.empty()) out(counts_row("", ctl::field_in(group, "counts"), name));
  }
  return code;
}

}  // namespace ulnet::tools::lst
