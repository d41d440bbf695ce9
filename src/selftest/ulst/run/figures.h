// Formats figures of a run for people.
#pragma once

#include <string>

namespace ulnet::tools::lst::run {

/// "850us", "12.3ms", "1.20s": three digits.
std::string time_text(double microseconds);
/// "1234.50": MiB per second.
std::string mib_text(double bytes_per_s);
/// "10.0 s".
std::string seconds_text(double seconds);

}  // namespace ulnet::tools::lst::run
