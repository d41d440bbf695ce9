// Planted bugs, to show that the simulator finds them (docs/TESTING.md has the table). Each is one
// line where it would be made by mistake: ULNET_CANARY(name) is the constant `false` everywhere but
// in the programs of tests/canaries, which compile the same sources with ULNET_CANARIES.
#pragma once

#ifdef ULNET_CANARIES

#include "base/canary_bugs.h"

#define ULNET_CANARY(name) (::ulnet::canary::planted == ::ulnet::canary::Bug::name)

#else

#define ULNET_CANARY(name) false

#endif
