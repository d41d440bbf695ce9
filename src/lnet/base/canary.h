// Planted bugs, which show that the simulator finds such bugs (docs/TESTING.md has the table). Each
// is one line in the code where a programmer would make that mistake. ULNET_CANARY(name) is the
// constant `false`, except in the programs of tests/sim/planted, which compile the same sources
// with ULNET_CANARIES.
#pragma once

#ifdef ULNET_CANARIES

#include "lnet/base/canary_bugs.h"

#define ULNET_CANARY(name) (::ulnet::canary::planted == ::ulnet::canary::Bug::name)

#else

#define ULNET_CANARY(name) false

#endif
