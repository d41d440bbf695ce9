// NIDs for tests of this module.
#pragma once

#include <string>
#include <string_view>

#include "ulnet/nid.hpp"

namespace ulnet::conf {

inline Nid ip(std::string_view address) {
  return Nid::parse(std::string(address) + "@tcp").value();
}

}  // namespace ulnet::conf
