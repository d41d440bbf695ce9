// Rates of wires as people write them: "1gbit", "100MB/s"; and numbers of bytes for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ulnet/result.hpp"

namespace ulnet::tools::lab {

/// Parses bits a second, as in "10mbit", "1.5gbit" (units of tc: bit, kbit, mbit, gbit, also with
/// "/s"), or bytes a second as in scenarios, "100MB/s". "0": no limit. -EINVAL, -ERANGE above 8796
/// gbit.
Result<std::uint64_t> parse_bit_rate(std::string_view text);

/// Returns the shortest text in bits that parses as the same value: "10mbit"; "0" for no limit.
std::string bit_rate_text(std::uint64_t bits_per_second);

/// Returns "0 B", "999 B", "1.5 kB", "12.3 MB": powers of 1000, three digits or so.
std::string size_words(std::uint64_t bytes);

}  // namespace ulnet::tools::lab
