// Formats figures of a run for people.
#pragma once

#include <string>

namespace ulnet::tools::lst::run {

/// Formats a time with three digits: "850us", "12.3ms", "1.20s".
std::string time_text(double microseconds);
/// Formats a rate as MiB per second: "1234.50".
std::string mib_text(double bytes_per_s);
/// Formats a time as "10.0 s".
std::string seconds_text(double seconds);

}  // namespace ulnet::tools::lst::run
