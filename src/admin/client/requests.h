// Helpers that build a request's body, and that reduce an answer to success or error.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "admin/client/control_api.h"

namespace ulnet::ctl {

inline Result<void> done(const Result<Tree>& answer) {
  if (!answer) return tl::unexpected(answer.error());
  return {};
}

template <class Value>
void put(Tree& to, const char* key, const std::optional<Value>& value) {
  if (value) to[key] = *value;
}

}  // namespace ulnet::ctl
