#include "admin/api/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "lnet/base/text.h"

namespace ulnet::api {

namespace {

constexpr unsigned kNestingMax = 16;  // objects in objects

/// Checks a body without building a tree. Finds the place where the body is not JSON, or is nested
/// too deeply.
class BodyCheck : public Json::json_sax_t {
 public:
  std::string reason;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return enter(); }
  bool key(string_t&) override { return true; }
  bool end_object() override { return leave(); }
  bool start_array(std::size_t) override { return enter(); }
  bool end_array() override { return leave(); }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    reason = "the body is not JSON (at byte " + std::to_string(position) + ")";
    return false;
  }

 private:
  bool enter() {
    if (++depth_ <= kNestingMax) return true;
    reason = "the body is nested more than " + std::to_string(kNestingMax) + " deep";
    return false;
  }
  bool leave() {
    --depth_;
    return true;
  }
  unsigned depth_ = 0;
};

const Json& empty_object() {
  static const Json empty = Json::object();
  return empty;
}

/// Whether a value is a list of at most `most` items that are all as `is_item` says.
template <class IsItem>
auto is_list(std::size_t most, IsItem is_item) {
  return [most, is_item](const Json& list) {
    const auto fits = [&](const Json& item) { return std::invoke(is_item, item); };
    return list.is_array() && list.size() <= most && std::all_of(list.begin(), list.end(), fits);
  };
}

std::string invalid_nid(std::string_view text) { return "invalid NID '" + std::string(text) + "'"; }

}  // namespace

Result<Json> parse_body(std::string_view body) {
  if (body.empty()) return Json::object();
  if (!text::is_utf8(body)) return fail(-EINVAL, "the body is not UTF-8");
  BodyCheck check;
  if (!Json::sax_parse(body, &check)) return fail(-EINVAL, check.reason);
  Json tree = Json::parse(body, nullptr, false);
  if (!tree.is_object()) return fail(-EINVAL, "the body is not a JSON object");
  return tree;
}

Result<Nid> read_nid(std::string_view text) {
  if (const auto nid = Nid::parse(text)) return *nid;
  return fail(-EINVAL, invalid_nid(text));
}

Result<Nid> read_one_nid(std::string_view text) {
  auto nid = read_nid(text);
  if (nid && nid->is_any()) return fail(-EINVAL, invalid_nid(text));
  return nid;
}

Fields::Fields(const Json& object, std::string where) : object_(object), where_(std::move(where)) {}

bool Fields::has(std::string_view key) const { return object_.contains(key); }

const Json* Fields::take(std::string_view key) {
  known_.push_back(key);
  const auto found = object_.find(key);
  if (found == object_.end()) return nullptr;
  return &*found;
}

void Fields::refuse(int code, std::string reason) {
  if (!error_) error_ = Error{code, std::move(reason)};
}

template <class Value, class Is>
std::optional<Value> Fields::value(std::string_view key, const Is& is, std::string_view kind) {
  const Json* given = take(key);
  if (given == nullptr) return {};
  if (std::invoke(is, *given)) return given->get<Value>();
  refuse(-EINVAL, fmt::format("'{}{}' must be {}", where_, key, kind));
  return {};
}

std::optional<std::string> Fields::text(std::string_view key) {
  return value<std::string>(key, &Json::is_string, "a text");
}

std::optional<bool> Fields::boolean(std::string_view key) {
  return value<bool>(key, &Json::is_boolean, "true or false");
}

std::optional<std::int64_t> Fields::integer(std::string_view key, std::int64_t least,
                                            std::int64_t most, int range_code) {
  const Json* value = take(key);
  if (value == nullptr) return {};
  if (!value->is_number_integer()) {
    refuse(-EINVAL, "'" + where_ + std::string(key) + "' must be an integer");
    return {};
  }
  const bool huge = value->is_number_unsigned() && value->get<std::uint64_t>() > INT64_MAX;
  const std::int64_t number = huge ? INT64_MAX : value->get<std::int64_t>();
  if (number >= least && number <= most) return number;
  refuse(range_code, fmt::format("'{}{}' must be from {} to {}", where_, key, least, most));
  return {};
}

std::optional<std::uint64_t> Fields::natural(std::string_view key) {
  return value<std::uint64_t>(key, &Json::is_number_unsigned, "an integer that is not negative");
}

std::optional<Nid> Fields::nid(std::string_view key) {
  const auto name = text(key);
  if (!name) return {};
  const auto nid = read_nid(*name);
  if (nid) return *nid;
  refuse(nid.error().code, nid.error().reason);
  return {};
}

std::optional<Nid> Fields::one_nid(std::string_view key) {
  const auto given = nid(key);
  if (!given || !given->is_any()) return given;
  refuse(-EINVAL, invalid_nid(given->to_string()));
  return {};
}

std::optional<std::vector<Nid>> Fields::nids(std::string_view key, std::size_t most) {
  const auto names = texts(key, most);
  if (!names) return {};
  std::vector<Nid> list;
  for (const std::string& name : *names) {
    const auto nid = read_one_nid(name);
    if (!nid) {
      refuse(nid.error().code, nid.error().reason);
      return {};
    }
    list.push_back(*nid);
  }
  return list;
}

std::optional<std::vector<std::string>> Fields::texts(std::string_view key, std::size_t most) {
  return value<std::vector<std::string>>(key, is_list(most, &Json::is_string),
                                         fmt::format("a list of at most {} texts", most));
}

std::optional<std::vector<std::uint32_t>> Fields::numbers(std::string_view key, std::size_t most) {
  const auto is_number = [](const Json& item) {
    return item.is_number_unsigned() && item.get<std::uint64_t>() <= UINT32_MAX;
  };
  return value<std::vector<std::uint32_t>>(key, is_list(most, is_number),
                                           fmt::format("a list of at most {} numbers", most));
}

Fields Fields::object(std::string_view key) {
  const Json* value = take(key);
  if (value != nullptr && !value->is_object()) {
    refuse(-EINVAL, "'" + where_ + std::string(key) + "' must be an object");
    value = nullptr;
  }
  return Fields(value != nullptr ? *value : empty_object(), where_ + std::string(key) + ".");
}

Result<void> Fields::finish() {
  // Unknown keys come first: a key that seems to be missing may only be misspelled.
  for (const auto& [key, value] : object_.items())
    if (std::ranges::find(known_, key) == known_.end())
      return fail(-EINVAL, "unknown key '" + where_ + key + "'");
  if (error_) return tl::unexpected(*error_);
  return {};
}

}  // namespace ulnet::api
