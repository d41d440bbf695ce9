// Selection rules as LNet's Multi-Rail design document writes them: another form of the selection
// policies, kept in the same list (core/udsp). Source: spec/design-vs-today.md 2.5.
//
// | selection | in the list                                                                  |
// |-----------|------------------------------------------------------------------------------|
// | net       | a rule with src, the net: the priority of local nets                         |
// | nid       | two rules, src and dst, with one priority: of local NIs, and of peers' NIs   |
// | peer      | a rule with src and dst: local NIs that are preferred sources for peers' NIs |
//
// The priority of a pair is kept and shown, and changes no choice (lnet/core/udsp/rule.h). This
// form does not show other rules of the list, because it cannot express them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "lnet/core/udsp/rule_list.h"

namespace ulnet::conf {

enum class SelectionType : std::uint8_t { kNet, kNid, kPeer };

/// Returns "net", "nid" or "peer".
std::string_view to_string(SelectionType type);
std::optional<SelectionType> selection_type(std::string_view name);

struct Selection {
  SelectionType type = SelectionType::kNet;
  std::optional<core::udsp::Criterion> what;    ///< the net, the NIDs, or a pair's local NIDs
  std::optional<core::udsp::Criterion> remote;  ///< only of a pair
  std::optional<std::uint32_t> priority;

  bool same_match(const Selection& other) const {
    return type == other.type && what == other.what && remote == other.remote;
  }
  bool operator==(const Selection&) const = default;
};

/// A selection of the list, with the id of its rule in the list. The id of a pair of rules is that
/// of the rule with `src`.
struct ListedSelection {
  std::uint64_t id = 0;
  Selection selection;
};

/// A selection in words. Parts that are not given are empty.
struct SelectionText {
  std::string_view type, net, nid, local, remote;
  std::optional<std::int64_t> priority;
};

/// Reads the words, which may leave out the criterion. -EINVAL: words of another type, nets where
/// NIDs are expected or NIDs where nets are, or words that core::udsp::parse_rule() refuses. The
/// reason says which.
Result<Selection> parse_selection(const SelectionText& words);

/// Returns the selections of the list, in its order.
std::vector<ListedSelection> selections_of(const core::udsp::RuleList& rules);

// add_selection() and del_selection() change several rules of the list. When one of them fails,
// discard the list.
/// Adds the selection at the end. Without a priority, the types net and nid get 0. -EINVAL: a
/// criterion is missing. Other errors are those of RuleList::add(). -EALREADY: nothing is new.
Result<void> add_selection(core::udsp::RuleList& rules, const Selection& selection);
/// Deletes the selection with the same match, whatever its priority, or with this id. -ENOENT: no
/// such selection. -EINVAL: neither match nor id is given, the match is only half of a pair, or
/// match and id name different rules.
Result<void> del_selection(core::udsp::RuleList& rules, const Selection& match,
                           std::optional<std::uint64_t> id);

/// Whether this selection is shown for the request `wanted`. It must have the same type. Each
/// pattern of `wanted` must equal the selection's own pattern, or be one net or NID that this own
/// pattern contains.
bool is_shown(const Selection& selection, const Selection& wanted);

}  // namespace ulnet::conf
