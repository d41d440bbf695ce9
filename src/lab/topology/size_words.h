// Numbers of bytes for people.
#pragma once

#include <cstdint>
#include <string>

namespace ulnet::tools::lab {

/// Returns "0 B", "999 B", "1.5 kB", "12.3 MB": powers of 1000, three digits or so.
std::string size_words(std::uint64_t bytes);

}  // namespace ulnet::tools::lab
