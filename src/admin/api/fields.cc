#include "admin/api/fields.h"

#include <algorithm>
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

std::optional<std::string> Fields::text(std::string_view key) {
  const Json* value = take(key);
  if (value == nullptr) return {};
  if (value->is_string()) return value->get<std::string>();
  refuse(-EINVAL, "'" + where_ + std::string(key) + "' must be a text");
  return {};
}

std::optional<bool> Fields::boolean(std::string_view key) {
  const Json* value = take(key);
  if (value == nullptr) return {};
  if (value->is_boolean()) return value->get<bool>();
  refuse(-EINVAL, "'" + where_ + std::string(key) + "' must be true or false");
  return {};
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
  refuse(range_code, "'" + where_ + std::string(key) + "' must be from " + std::to_string(least) +
                         " to " + std::to_string(most));
  return {};
}

std::optional<std::uint64_t> Fields::natural(std::string_view key) {
  const Json* value = take(key);
  if (value == nullptr) return {};
  if (value->is_number_unsigned()) return value->get<std::uint64_t>();
  refuse(-EINVAL, "'" + where_ + std::string(key) + "' must be an integer that is not negative");
  return {};
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
  const Json* value = take(key);
  if (value == nullptr) return {};
  std::vector<std::string> list;
  if (value->is_array() && value->size() <= most) {
    for (const Json& item : *value) {
      if (!item.is_string()) break;
      list.push_back(item.get<std::string>());
    }
    if (list.size() == value->size()) return list;
  }
  refuse(-EINVAL, "'" + where_ + std::string(key) + "' must be a list of at most " +
                      std::to_string(most) + " texts");
  return {};
}

std::optional<std::vector<std::uint32_t>> Fields::numbers(std::string_view key, std::size_t most) {
  const Json* value = take(key);
  if (value == nullptr) return {};
  std::vector<std::uint32_t> list;
  if (value->is_array() && value->size() <= most) {
    for (const Json& item : *value) {
      if (!item.is_number_unsigned() || item.get<std::uint64_t>() > UINT32_MAX) break;
      list.push_back(item.get<std::uint32_t>());
    }
    if (list.size() == value->size()) return list;
  }
  refuse(-EINVAL, "'" + where_ + std::string(key) + "' must be a list of at most " +
                      std::to_string(most) + " numbers");
  return {};
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
    if (std::find(known_.begin(), known_.end(), key) == known_.end())
      return fail(-EINVAL, "unknown key '" + where_ + key + "'");
  if (error_) return tl::unexpected(*error_);
  return {};
}

}  // namespace ulnet::api
