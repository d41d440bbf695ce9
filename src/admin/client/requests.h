// What makes a request's body, and what is left of an answer that has only to be good.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "admin/client/door.h"

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
