// Problems and notes about the keys and values of lnetctl's YAML, in lnetctl's words and with
// their place. Source: spec/cli-lnetctl.md 5.2, 5.3.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lnet/config/problem.h"
#include "text/yaml_node.h"

namespace ulnet::conf {

/// The keys that a mapping may have.
using Keys = std::span<const std::string_view>;
bool is_one_of(std::string_view key, Keys keys);

/// Makes the problem "invalid key 'x'", with ": did you mean 'y'?" if one of `known` is like the
/// key.
Problem invalid_key(const YamlEntry& entry, Keys known);
/// Makes the problem "no value specified for key 'x'". `place` is where the key should be.
Problem no_value(std::string_view key, Place place);
/// Makes the problem of no_value() for a null value, else "invalid value 'v' for key 'x'".
Problem bad_value(std::string_view key, const YamlNode& value);
/// Finds the first key of the text that a mapping has twice, at any depth below `node`.
std::optional<Problem> key_twice(const YamlNode& node);
/// Returns the problem of a list's item that is not a mapping or has a key twice; nothing when the
/// item is right.
std::optional<Problem> not_a_mapping(std::string_view list, const YamlNode& item);
/// Makes the note "Ignoring unrecognized key 'x' for 'where'", with "did you mean" as in
/// invalid_key().
Problem ignoring(const YamlEntry& entry, std::string_view where, Keys known);

// Each function returns the value if it is of the function's type, else the problem of bad_value().
Parsed<std::int64_t> number_of(const YamlEntry& entry);
Parsed<std::string> text_of(const YamlEntry& entry);
Parsed<bool> bool_of(const YamlEntry& entry);
/// Returns the text of a key that `map` must have.
Parsed<std::string> text_of(const YamlNode& map, std::string_view key);

}  // namespace ulnet::conf
