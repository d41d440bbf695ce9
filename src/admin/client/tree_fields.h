// Reads fields of a tree that another program made: a field that is absent or of another type has
// its default value, and nothing is thrown.
#pragma once

#include <cerrno>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "admin/client/control_client.h"

namespace ulnet::ctl {

/// Bits of `peer state` (spec/multirail.md 1.1).
inline constexpr int kConfigured = 8, kLockPrimary = 1048576;

/// Returns the value of a key; null when the key is absent.
inline const Tree& field_in(const Tree& object, const std::string& key) {
  static const Tree kNull;
  if (!object.is_object()) return kNull;
  const auto at = object.find(key);
  return at != object.end() ? *at : kNull;
}
inline std::string text_in(const Tree& object, const char* key) {
  const Tree& field = field_in(object, key);
  return field.is_string() ? field.get<std::string>() : std::string();
}
inline int number_in(const Tree& object, const char* key, int otherwise) {
  const Tree& field = field_in(object, key);
  return field.is_number_integer() ? field.get<int>() : otherwise;
}
/// Returns a number that is not negative; 0 when the key is absent.
inline std::uint64_t count_in(const Tree& object, const char* key) {
  const Tree& field = field_in(object, key);
  return field.is_number_integer() ? field.get<std::uint64_t>() : 0;
}
inline bool bool_in(const Tree& object, const char* key) {
  const Tree& field = field_in(object, key);
  return field.is_boolean() && field.get<bool>();
}
/// Returns the list under a key; empty when the key is absent.
inline const Tree& list_in(const Tree& object, const char* key) {
  static const Tree kNone = Tree::array();
  const Tree& field = field_in(object, key);
  return field.is_array() ? field : kNone;
}

/// Returns the error in an answer of a node, with its HTTP status.
inline Error error_in(const Tree& answer, int status) {
  const std::string descr = text_in(answer, "descr");
  return {number_in(answer, "errno", -EPROTO),
          descr.empty() ? "the node answered with HTTP status " + std::to_string(status) : descr};
}

}  // namespace ulnet::ctl
