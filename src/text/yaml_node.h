// A YAML text as a tree of nodes with their places, for the readers of src/admin/conf. Aliases and
// anchors are refused: no configuration needs them, and a small text with them can become a large
// tree. Tags have no meaning; they are ignored or refused. Size and nesting are bounded. Duplicate
// keys are kept.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lnet/config/problem.h"

namespace ulnet::conf {

struct YamlEntry;

struct YamlNode {
  enum class Kind { kNull, kScalar, kSequence, kMap };
  Kind kind = Kind::kNull;
  Place place;
  Place key_place;                 ///< for a map's value: the place of its key
  std::string text;                ///< the text of a scalar
  std::vector<YamlNode> items;     ///< the items of a sequence
  std::vector<YamlEntry> entries;  ///< the entries of a map, in the text's order

  bool is_map() const { return kind == Kind::kMap; }
  bool is_scalar() const { return kind == Kind::kScalar; }
  bool is_sequence() const { return kind == Kind::kSequence; }
  bool is_null() const { return kind == Kind::kNull; }
  /// Finds the first entry with that key; null when no entry has it.
  const YamlNode* find(std::string_view key) const;
  /// The number or the truth value of a scalar, quoted or plain, by text::parse_number() and
  /// text::parse_truth().
  std::optional<std::int64_t> as_int() const;
  std::optional<bool> as_bool() const;
  /// The items of a sequence; any other node is a list of itself.
  std::span<const YamlNode> as_list() const;
  /// Returns a text for messages: the scalar's text, else the kind of the node.
  std::string shown() const;
};

struct YamlEntry {
  std::string key;
  YamlNode value;
};

/// What to do about tags, "!foo" or "!!str" before a value. Files for lnetctl may have tags. Files
/// that only ulnet reads must not have them.
enum class YamlTags : bool { kPassedOver, kRefused };

/// Parses all documents of the text, in their order. Errors: as for read_yaml().
Parsed<std::vector<YamlNode>> load_yaml(std::string_view text,
                                        YamlTags tags = YamlTags::kPassedOver);

}  // namespace ulnet::conf
