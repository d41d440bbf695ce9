#include "lnet/config/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace ulnet::conf {

namespace {

using core::udsp::Criterion;
using core::udsp::Rule;
using core::udsp::RuleList;

constexpr auto kTypes = std::to_array<std::string_view>({"net", "nid", "peer"});

/// Reads a word of a selection. `belongs` is whether its type has the word, `nets` whether the word
/// names nets.
Result<void> read(std::string_view name, std::string_view words, bool belongs, bool nets,
                  std::optional<Criterion>& to) {
  if (words.empty()) return {};
  if (!belongs) return fail(-EINVAL, fmt::format("'{}' is of another type of selection", name));
  auto criterion = Criterion::parse(words);
  if (!criterion)
    return fail(criterion.error().code, fmt::format("{}: {}", name, criterion.error().reason));
  if (criterion->names_nets() != nets)
    return fail(-EINVAL, fmt::format("{}: '{}' names {}", name, criterion->to_string(),
                                     nets ? "NIDs, not nets" : "nets, not NIDs"));
  to = *std::move(criterion);
  return {};
}

/// Returns the rules of the list that make up a selection.
std::vector<Rule> rules_of(const Selection& selection) {
  switch (selection.type) {
    case SelectionType::kNet:
      return {{selection.what, {}, {}, selection.priority}};
    case SelectionType::kNid:
      return {{selection.what, {}, {}, selection.priority},
              {{}, selection.what, {}, selection.priority}};
    case SelectionType::kPeer:
      return {{selection.what, selection.remote, {}, selection.priority}};
  }
  return {};
}

/// Returns the selection that begins with this rule; nothing if the form cannot express it.
std::optional<Selection> selection_of(const RuleList& rules, const Rule& rule) {
  if (!rule.src || rule.rte) return {};
  if (rule.dst) {
    if (rule.src->names_nets() || rule.dst->names_nets()) return {};
    return Selection{SelectionType::kPeer, rule.src, rule.dst, rule.priority};
  }
  if (rule.src->names_nets()) return Selection{SelectionType::kNet, rule.src, {}, rule.priority};
  const Selection nid{SelectionType::kNid, rule.src, {}, rule.priority};
  const auto other = rules.index_of(rules_of(nid)[1]);
  if (!other || rules.entries()[*other].rule.priority != rule.priority) return {};
  return nid;
}

bool is_whole(const Selection& selection) {
  return selection.what && (selection.type != SelectionType::kPeer || selection.remote);
}

bool fits(const std::optional<Criterion>& has, const std::optional<Criterion>& wanted) {
  if (!wanted || has == wanted) return true;
  if (!has) return false;
  const std::string text = wanted->to_string();
  if (has->names_nets()) {
    const auto net = NetId::parse(text);
    return net && has->names(*net);
  }
  const auto nid = Nid::parse(text);
  return nid && !nid->is_any() && has->names(*nid);
}

Error missing_criterion(SelectionType type) {
  return {-EINVAL, type == SelectionType::kPeer
                       ? "'local' and 'remote' must be given"
                       : fmt::format("'{}' must be given", to_string(type))};
}

}  // namespace

std::string_view to_string(SelectionType type) { return kTypes[static_cast<std::size_t>(type)]; }

std::optional<SelectionType> selection_type(std::string_view name) {
  const auto at = std::find(kTypes.begin(), kTypes.end(), name);
  if (at == kTypes.end()) return {};
  return static_cast<SelectionType>(at - kTypes.begin());
}

Result<Selection> parse_selection(const SelectionText& words) {
  const auto type = selection_type(words.type);
  if (!type) return fail(-EINVAL, fmt::format("no type of selection: '{}'", words.type));
  const bool net = *type == SelectionType::kNet;
  const bool nid = *type == SelectionType::kNid;
  const bool peer = *type == SelectionType::kPeer;
  Selection selection{.type = *type, .what = {}, .remote = {}, .priority = {}};
  for (const Result<void>& done : {read("net", words.net, net, true, selection.what),
                                   read("nid", words.nid, nid, false, selection.what),
                                   read("local", words.local, peer, false, selection.what),
                                   read("remote", words.remote, peer, false, selection.remote)})
    if (!done) return tl::unexpected<Error>(done.error());
  // The priority is checked as that of any other rule.
  auto rule = core::udsp::parse_rule({.src = {}, .dst = {}, .rte = {}, .priority = words.priority});
  if (!rule) return tl::unexpected<Error>(std::move(rule.error()));
  selection.priority = rule->priority;
  return selection;
}

std::vector<ListedSelection> selections_of(const RuleList& rules) {
  std::vector<ListedSelection> all;
  for (const auto& [id, rule] : rules.entries())
    if (auto selection = selection_of(rules, rule)) all.push_back({id, *std::move(selection)});
  return all;
}

Result<void> add_selection(RuleList& rules, const Selection& selection) {
  if (!is_whole(selection)) return tl::unexpected<Error>(missing_criterion(selection.type));
  Result<void> all = fail(-EALREADY, "the selection is there already");
  for (const Rule& rule : rules_of(selection)) {
    const auto added = rules.add(rule);
    if (!added && added.error().code != -EALREADY) return added;
    if (added) all = added;
  }
  return all;
}

Result<void> del_selection(RuleList& rules, const Selection& match,
                           std::optional<std::uint64_t> id) {
  const bool by_match = is_whole(match);
  if (!by_match && (!id || match.what || match.remote))
    return tl::unexpected<Error>(missing_criterion(match.type));
  const auto all = selections_of(rules);
  const auto named = std::find_if(all.begin(), all.end(), [&](const ListedSelection& each) {
    return each.selection.type == match.type && id == each.id;
  });
  const auto matched = std::find_if(all.begin(), all.end(), [&](const ListedSelection& each) {
    return each.selection.same_match(match);
  });
  const auto found = id ? named : matched;
  if (id && by_match && named != matched)
    return fail(-EINVAL,
                fmt::format("the {} selection {} does not match that", to_string(match.type), *id));
  if (found == all.end())
    return fail(-ENOENT, fmt::format("there is no such {} selection", to_string(match.type)));
  for (const Rule& rule : rules_of(found->selection))
    if (const auto at = rules.index_of(rule)) (void)rules.del(*at);
  return {};
}

bool is_shown(const Selection& selection, const Selection& wanted) {
  return selection.type == wanted.type && fits(selection.what, wanted.what) &&
         fits(selection.remote, wanted.remote);
}

}  // namespace ulnet::conf
