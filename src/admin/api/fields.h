// Reads the JSON object of a request strictly. The handler asks for each key by its name and type.
// The object keeps the first mistake as the error, and a key for which the handler has not asked is
// an error too.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ulnet/nid.hpp"
#include "ulnet/result.hpp"

namespace ulnet::api {

/// JSON that keeps the order of its keys, because the control API's objects are ordered.
using Json = nlohmann::ordered_json;

/// Parses a request's body: UTF-8, JSON, an object, not nested too deeply; an empty body is an
/// empty object. -EINVAL with the place of the mistake.
Result<Json> parse_body(std::string_view body);

/// Parses a NID of a request. -EINVAL with the text that was written.
Result<Nid> read_nid(std::string_view text);
/// Parses a NID as read_nid() does, but refuses "*", which means all NIDs.
Result<Nid> read_one_nid(std::string_view text);

class Fields {
 public:
  /// Reads `object`, which must outlive this object. `where` precedes key names in reasons
  /// ("tunables.").
  explicit Fields(const Json& object, std::string where = {});

  bool has(std::string_view key) const;
  std::optional<std::string> text(std::string_view key);
  std::optional<bool> boolean(std::string_view key);
  /// Returns an integer in [least, most]. `range_code` is the errno for an integer outside that
  /// range.
  std::optional<std::int64_t> integer(std::string_view key, std::int64_t least, std::int64_t most,
                                      int range_code = -EINVAL);
  /// Returns a number of 64 bits without a sign.
  std::optional<std::uint64_t> natural(std::string_view key);
  std::optional<Nid> nid(std::string_view key);
  /// Returns a NID that read_one_nid() accepts.
  std::optional<Nid> one_nid(std::string_view key);
  /// Returns a list of at most `most` NIDs, each one that read_one_nid() accepts.
  std::optional<std::vector<Nid>> nids(std::string_view key, std::size_t most);
  std::optional<std::vector<std::string>> texts(std::string_view key, std::size_t most);
  std::optional<std::vector<std::uint32_t>> numbers(std::string_view key, std::size_t most);
  /// Returns the object under `key` as Fields of its own, empty if the key is absent. Call finish()
  /// of these Fields too.
  Fields object(std::string_view key);

  /// Records an error of the caller, unless an earlier error is recorded.
  void refuse(int code, std::string reason);
  /// Call this when all keys have been asked for. Returns -EINVAL for a key that was not asked for,
  /// else the first error.
  Result<void> finish();

 private:
  const Json* take(std::string_view key);
  /// Returns the value under `key`, which must be as `is` says: `kind` in words.
  template <class Value, class Is>
  std::optional<Value> value(std::string_view key, const Is& is, std::string_view kind);

  const Json& object_;
  std::string where_;
  std::vector<std::string_view> known_;
  std::optional<Error> error_;
};

}  // namespace ulnet::api
