#include "text/fields.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "lnet/base/nearest_word.h"

namespace ulnet::text {
namespace {

/// After this many mistakes, messages no longer suggest the key that was probably meant, because
/// finding suggestions takes time.
constexpr std::size_t kGuesses = 100;

template <class Number>
auto not_whole(const std::string& text, Number least, Number most) {
  std::string reason = "'" + text + "' is not a whole number from " + std::to_string(least);
  if (most != std::numeric_limits<Number>::max()) reason += " to " + std::to_string(most);
  return fail(-EINVAL, std::move(reason));
}

template <class Number>
auto outside(const std::string& text, Number least, Number most) {
  return fail(-ERANGE,
              text + " is not from " + std::to_string(least) + " to " + std::to_string(most));
}

}  // namespace

conf::Place place_of(const conf::YamlNode& value) {
  return value.key_place.line != 0 ? value.key_place : value.place;
}

void read_document(std::string_view text, std::string_view what, conf::Problems& mistakes,
                   const std::function<void(const conf::YamlNode& root)>& read) {
  const auto documents = conf::load_yaml(text, conf::YamlTags::kRefused);
  if (!documents) {
    mistakes.push_back(documents.error());
  } else if (documents->empty() || documents->front().is_null()) {
    mistakes.push_back({{1, 1}, "the file is empty"});
  } else {
    read(documents->front());
    if (documents->size() > 1)
      mistakes.push_back({place_of((*documents)[1]),
                          "a second YAML document: a file has only one: " + std::string(what)});
  }
  std::ranges::sort(mistakes, {}, [](const conf::Problem& mistake) {
    return std::tie(mistake.place, mistake.reason);
  });
}

Fields::Fields(const conf::YamlNode& map, std::string_view what, conf::Problems& mistakes)
    : map_(map), what_(what), mistakes_(mistakes), taken_(map.entries.size()) {
  if (!map.is_map()) wrong(map, what_ + ": expected 'key: value' lines");
}

Fields::~Fields() {
  for (std::size_t i = 0; i < taken_.size(); ++i)
    if (!taken_[i])
      wrong(map_.entries[i].value, "unknown key '" + map_.entries[i].key + "' of " + what_ +
                                       nearest_to(map_.entries[i].key));
}

std::string Fields::nearest_to(std::string_view key) const {
  if (mistakes_.size() >= kGuesses) return {};
  const std::vector<std::string_view> words(known_.begin(), known_.end());
  const std::string_view word = nearest_word(key, words);
  return word.empty() ? std::string() : ": did you mean '" + std::string(word) + "'?";
}

void Fields::wrong(const conf::YamlNode& value, std::string reason) const {
  mistakes_.push_back({place_of(value), std::move(reason)});
}

const conf::YamlNode* Fields::take(std::string_view key) {
  const conf::YamlNode* found = nullptr;
  known_.emplace_back(key);
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    if (map_.entries[i].key != key) continue;
    if (found != nullptr) wrong(map_.entries[i].value, "key '" + std::string(key) + "' twice");
    if (found == nullptr) found = &map_.entries[i].value;
    taken_[i] = true;
  }
  return found;
}

const conf::YamlNode* Fields::need(std::string_view key) {
  const conf::YamlNode* found = take(key);
  if (found == nullptr && map_.is_map())
    mistakes_.push_back({map_.place, what_ + " without '" + std::string(key) + "'"});
  return found;
}

template <class Out, class Parse>
bool Fields::parsed(std::string_view key, Out& out, Parse&& parse) {
  const conf::YamlNode* value = take(key);
  if (value == nullptr) return false;
  if (!value->is_scalar()) {
    wrong(*value,
          "'" + std::string(key) + "' is " +
              (value->is_null() ? "empty" : value->shown() + ", and one value is expected"));
    return false;
  }
  auto result = parse(value->text);
  if (!result) {
    wrong(*value, std::string(key) + ": " + result.error().reason);
    return false;
  }
  out = static_cast<Out>(*result);
  return true;
}

bool Fields::text(std::string_view key, std::string& out) {
  return parsed(key, out, [](const std::string& text) { return Result<std::string>(text); });
}
bool Fields::duration(std::string_view key, Duration& out) {
  return parsed(key, out, parse_duration);
}
bool Fields::chance(std::string_view key, std::uint32_t& out) {
  return parsed(key, out, parse_chance);
}
bool Fields::rate(std::string_view key, std::uint64_t& out) { return parsed(key, out, parse_rate); }

bool Fields::truth(std::string_view key, bool& out) {
  return parsed(key, out, [](const std::string& text) -> Result<bool> {
    if (const auto truth = parse_truth(text)) return *truth;
    return fail(-EINVAL, "'" + text + "' is neither yes nor no");
  });
}

bool Fields::number(std::string_view key, std::uint64_t& out, std::uint64_t least,
                    std::uint64_t most) {
  return parsed(key, out, [&](const std::string& text) -> Result<std::uint64_t> {
    const auto range = parse_range(text);
    if (!range || range->least != range->most) return not_whole(text, least, most);
    if (range->least < least || range->least > most) return outside(text, least, most);
    return range->least;
  });
}

bool Fields::number(std::string_view key, std::uint32_t& out, std::uint32_t least,
                    std::uint32_t most) {
  std::uint64_t value = 0;
  if (!number(key, value, std::uint64_t{least}, std::uint64_t{most})) return false;
  out = static_cast<std::uint32_t>(value);
  return true;
}

bool Fields::number(std::string_view key, std::int32_t& out, std::int64_t least,
                    std::int64_t most) {
  return parsed(key, out, [&](const std::string& text) -> Result<std::int64_t> {
    const auto value = parse_number(text);
    if (!value) return not_whole(text, least, most);
    if (*value < least || *value > most) return outside(text, least, most);
    return *value;
  });
}

}  // namespace ulnet::text
