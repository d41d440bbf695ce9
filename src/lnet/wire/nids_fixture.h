// NIDs for tests of this module.
#pragma once

#include "ulnet/nid.hpp"

namespace ulnet::wire {

inline const Nid kA = Nid::parse("192.168.1.10@tcp").value();
inline const Nid kB = Nid::parse("192.168.1.20@tcp").value();
inline const Nid kA6 = Nid::parse("2001:db8::10@tcp").value();
inline const Nid kB6 = Nid::parse("2001:db8::20@tcp").value();

}  // namespace ulnet::wire
