// Counts what this program allocates.
#pragma once

#include <cstddef>

/// How often a thread of this program has allocated so far.
std::size_t allocations();
