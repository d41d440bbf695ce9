// Counts the allocations of this program.
#pragma once

#include <cstddef>

/// How often the threads of this program have allocated so far.
std::size_t allocations();
