// Reads fields of a tree that another program made: a field that is absent or of another type has
// its default value, and nothing is thrown.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "admin/client/control_client.h"

namespace ulnet::ctl {

/// Bits of `peer state` (spec/multirail.md 1.1).
inline constexpr int kConfigured = 8, kLockPrimary = 1048576;

inline std::string text_in(const Tree& object, const char* key) {
  if (!object.is_object()) return {};
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}
inline int number_in(const Tree& object, const char* key, int otherwise) {
  if (!object.is_object()) return otherwise;
  const auto at = object.find(key);
  return at != object.end() && at->is_number_integer() ? at->get<int>() : otherwise;
}
inline bool bool_in(const Tree& object, const char* key) {
  if (!object.is_object()) return false;
  const auto at = object.find(key);
  return at != object.end() && at->is_boolean() && at->get<bool>();
}
/// Returns the value of a key; null when the key is absent.
inline const Tree& field_in(const Tree& object, const std::string& key) {
  static const Tree kNull;
  if (!object.is_object()) return kNull;
  const auto at = object.find(key);
  return at != object.end() ? *at : kNull;
}
/// Returns the list under a key; empty when the key is absent.
inline const Tree& list_in(const Tree& object, const char* key) {
  static const Tree kNone = Tree::array();
  if (!object.is_object()) return kNone;
  const auto at = object.find(key);
  return at != object.end() && at->is_array() ? *at : kNone;
}

}  // namespace ulnet::ctl
