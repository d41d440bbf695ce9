// A YAML text as a tree of nodes with their places, for the readers of src/admin/conf. Aliases and
// anchors are refused: no configuration needs them, and a small text with them can become a large
// tree. Tags have no meaning; they are ignored or refused. Size and nesting are bounded. Duplicate
// keys are kept.
#pragma once

#include <cstdint>
#include <optional>
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
  /// Parses a decimal number with an optional sign, quoted or plain.
  std::optional<std::int64_t> as_int() const;
  /// Parses true, yes, on and their opposites.
  std::optional<bool> as_bool() const;
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
