#include "admin/conf/yaml_words.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "lnet/base/nearest_word.h"
#include "lnet/base/text.h"

namespace ulnet::conf {

namespace {

/// Returns ": did you mean 'CPT'?" for the known key that is most like this one, ignoring case.
/// Returns an empty text when no known key is like it.
std::string did_you_mean(std::string_view key, Keys known) {
  std::vector<std::string> small;
  for (const std::string_view name : known) small.push_back(text::lower(name));
  const std::vector<std::string_view> words(small.begin(), small.end());
  const std::string_view nearest = text::nearest_word(text::lower(key), words);
  if (nearest.empty()) return {};
  const auto at = std::ranges::find(words, nearest) - words.begin();
  return ": did you mean '" + std::string(known[static_cast<std::size_t>(at)]) + "'?";
}

/// The first entry of the text whose key its mapping already has, and the earlier entry with that
/// key.
struct Again {
  const YamlEntry* first = nullptr;
  const YamlEntry* again = nullptr;
};

Again repeated(const std::vector<YamlEntry>& entries) {
  std::vector<const YamlEntry*> sorted;
  sorted.reserve(entries.size());
  for (const YamlEntry& entry : entries) sorted.push_back(&entry);
  // Equal keys keep the order of the text.
  std::ranges::sort(sorted, [](const YamlEntry* a, const YamlEntry* b) {
    return std::tie(a->key, a) < std::tie(b->key, b);
  });
  Again found;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const bool same = sorted[i - 1]->key == sorted[i]->key;
    if (same && (found.again == nullptr || sorted[i] < found.again))
      found = {sorted[i - 1], sorted[i]};
  }
  return found;
}

}  // namespace

bool is_one_of(std::string_view key, Keys keys) {
  return std::ranges::find(keys, key) != keys.end();
}

Problem invalid_key(const YamlEntry& entry, Keys known) {
  return {entry.value.key_place,
          "invalid key " + text::quoted(entry.key) + did_you_mean(entry.key, known)};
}

Problem no_value(std::string_view key, Place place) {
  return {place, "no value specified for key " + text::quoted(key)};
}

Problem bad_value(std::string_view key, const YamlNode& value) {
  if (value.is_null())
    return no_value(key, value.key_place.line != 0 ? value.key_place : value.place);
  return {value.place,
          "invalid value " + text::quoted(value.shown()) + " for key " + text::quoted(key)};
}

std::optional<Problem> key_twice(const YamlNode& node) {
  if (const Again found = repeated(node.entries); found.again != nullptr) {
    return Problem{found.again->value.key_place,
                   "key " + text::quoted(found.again->key) + " is given twice, first in line " +
                       std::to_string(found.first->value.key_place.line)};
  }
  for (const YamlEntry& entry : node.entries)
    if (auto below = key_twice(entry.value)) return below;
  for (const YamlNode& item : node.items)
    if (auto below = key_twice(item)) return below;
  return std::nullopt;
}

std::optional<Problem> not_a_mapping(std::string_view list, const YamlNode& item) {
  if (!item.is_map()) return bad_value(list, item);
  return key_twice(item);
}

Problem ignoring(const YamlEntry& entry, std::string_view where, Keys known) {
  return note(entry.value.key_place, "Ignoring unrecognized key " + text::quoted(entry.key) +
                                         " for " + text::quoted(where) +
                                         did_you_mean(entry.key, known));
}

Parsed<std::int64_t> number_of(const YamlEntry& entry) {
  if (const auto number = entry.value.as_int()) return *number;
  return tl::unexpected(bad_value(entry.key, entry.value));
}

Parsed<std::string> text_of(const YamlEntry& entry) {
  if (entry.value.is_scalar()) return entry.value.text;
  return tl::unexpected(bad_value(entry.key, entry.value));
}

Parsed<bool> bool_of(const YamlEntry& entry) {
  if (const auto truth = entry.value.as_bool()) return *truth;
  return tl::unexpected(bad_value(entry.key, entry.value));
}

Parsed<std::string> text_of(const YamlNode& map, std::string_view key) {
  for (const YamlEntry& entry : map.entries)
    if (entry.key == key) return text_of(entry);
  return tl::unexpected(no_value(key, map.place));
}

}  // namespace ulnet::conf
