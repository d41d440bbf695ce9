// For tests: the whole text of a body that is made in pieces.
#pragma once

#include <functional>
#include <string>

#include "admin/server/pieces.h"

namespace ulnet::node::control {

inline std::string whole(const std::function<void(Pieces&)>& make) {
  std::string all;
  Pieces pieces([&](std::string_view piece) {
    all += piece;
    return true;
  });
  make(pieces);
  pieces.finish();
  return all;
}

}  // namespace ulnet::node::control
