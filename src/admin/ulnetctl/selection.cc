// selection: the selection policies of the node in the form of the Multi-Rail design document.
// lnetctl does not have it; `udsp` shows the same rules. Source: spec/design-vs-today.md 2.2, 2.5.
#include "lnet/config/selection.h"

#include <nlohmann/json.hpp>

#include "admin/ulnetctl/command.h"

namespace ulnet::tools {

namespace {

using conf::Selection;
using conf::SelectionType;

/// A command line: its match, and the number of `--priority` or `--id`.
struct Asked {
  Selection selection;
  std::optional<std::int64_t> id;
  bool json = false;
};

/// Parses the options of a type of selection, with `number`.
Arguments parse(const Session& session, const Command& self, const Words& words, SelectionType type,
                Option number) {
  switch (type) {
    case SelectionType::kNet:
      return arguments_of(session, self, words, {{"net", 'n', Option::kValue}, number, kJson});
    case SelectionType::kNid:
      return arguments_of(session, self, words, {{"nid", 'n', Option::kValue}, number, kJson});
    case SelectionType::kPeer:
      break;
  }
  return arguments_of(
      session, self, words,
      {{"local", 'l', Option::kValue}, {"remote", 'r', Option::kValue}, number, kJson});
}

Result<Asked> asked(SelectionType type, const Arguments& args) {
  const auto text = [&](const char* option) { return args.value(option).value_or(""); };
  const std::string net = text("net"), nid = text("nid"), local = text("local"),
                    remote = text("remote");
  conf::SelectionText words{conf::to_string(type), net, nid, local, remote, {}};
  Asked asked;
  for (const char* option : {"priority", "id"}) {
    const auto given = args.value(option);
    if (!given) continue;
    const auto number = parse_number(*given);
    if (!number || *number < 0)
      return fail(-EINVAL, "Invalid " + std::string(option) + " \"" + *given + "\"");
    (option == std::string_view("id") ? asked.id : words.priority) = number;
  }
  auto selection = conf::parse_selection(words);
  if (!selection) return tl::unexpected<Error>(std::move(selection.error()));
  asked.selection = *std::move(selection);
  asked.json = args.has("json");
  return asked;
}

/// Reads the words and carries out the command with `act`, which returns the exit code.
template <class Act>
int with(Session& session, const Command& self, const Words& words, SelectionType type,
         Option number, Act act) {
  const auto wanted = asked(type, parse(session, self, words, type, number));
  return wanted ? act(*wanted) : session.failed(self.name, "selection", wanted.error());
}

constexpr Option kPriority{"priority", 'p', Option::kValue};
constexpr Option kId{"id", 'i', Option::kValue};

template <SelectionType kType>
int add(Session& session, const Command& self, Words words) {
  return with(session, self, words, kType, kPriority, [&](const Asked& wanted) {
    return session.change("add", "selection", conf::change::AddSelection{wanted.selection});
  });
}

template <SelectionType kType>
int del(Session& session, const Command& self, Words words) {
  return with(session, self, words, kType, kId, [&](const Asked& wanted) {
    return session.change("del", "selection",
                          conf::change::DelSelection{wanted.selection, wanted.id});
  });
}

template <SelectionType kType>
int show(Session& session, const Command& self, Words words) {
  return with(session, self, words, kType, kId, [&](const Asked& wanted) {
    const auto rules = [&](auto& lnet) { return lnet.show_selection(wanted.selection, wanted.id); };
    return session.show_by(rules, "selection", wanted.json);
  });
}

constexpr Command kNet[] = {
    {"add",
     "net add: give nets of this node a priority\n"
     "\t--net: the nets (tcp1, o2ib[1,2], o2ib*)\n"
     "\t--priority: 0, which they get without it, is preferred to all others\n",
     &add<SelectionType::kNet>, kUlnetOnly},
    {"del",
     "net del: delete a rule for nets, by what it matches, by its id, or by both if they agree\n"
     "\t--net: the nets, as the rule has them\n"
     "\t--id: the rule's id\n",
     &del<SelectionType::kNet>, kUlnetOnly},
    {"show",
     "net show: show rules for nets\n"
     "\t--net: only rules that have these nets, or name this one\n"
     "\t--id: only this rule\n",
     &show<SelectionType::kNet>, kUlnetOnly},
};
constexpr Command kNid[] = {
    {"add",
     "nid add: give NIDs, this node's and its peers', a priority\n"
     "\t--nid: the NIDs (10.1.1.[1-5]@tcp, *@o2ib)\n"
     "\t--priority: 0, which they get without it, is preferred to all others\n",
     &add<SelectionType::kNid>, kUlnetOnly},
    {"del",
     "nid del: delete a rule for NIDs, by what it matches, by its id, or by both if they agree\n"
     "\t--nid: the NIDs, as the rule has them\n"
     "\t--id: the rule's id\n",
     &del<SelectionType::kNid>, kUlnetOnly},
    {"show",
     "nid show: show rules for NIDs\n"
     "\t--nid: only rules that have these NIDs, or name this one\n"
     "\t--id: only this rule\n",
     &show<SelectionType::kNid>, kUlnetOnly},
};
constexpr Command kPeerRules[] = {
    {"add",
     "peer add: prefer NIDs of this node as sources for NIDs of peers\n"
     "\t--local: NIDs of this node\n"
     "\t--remote: NIDs of peers\n"
     "\t--priority: is kept and shown, and changes no choice\n",
     &add<SelectionType::kPeer>, kUlnetOnly},
    {"del",
     "peer del: delete a rule for pairs, by what it matches, by its id, or by both if they agree\n"
     "\t--local: NIDs of this node, as the rule has them\n"
     "\t--remote: NIDs of peers, as the rule has them\n"
     "\t--id: the rule's id\n",
     &del<SelectionType::kPeer>, kUlnetOnly},
    {"show",
     "peer show: show rules for pairs\n"
     "\t--local: only rules that have these NIDs of this node, or name this one\n"
     "\t--remote: only rules that have these NIDs of peers, or name this one\n"
     "\t--id: only this rule\n",
     &show<SelectionType::kPeer>, kUlnetOnly},
};
constexpr Command kSelection[] = {
    {"net", "selection net: {add, del, show}\n", kNet},
    {"nid", "selection nid: {add, del, show}\n", kNid},
    {"peer", "selection peer: {add, del, show}\n", kPeerRules},
};

}  // namespace

const std::span<const Command> kSelectionCommands = kSelection;

}  // namespace ulnet::tools
