// Reads an existing file of a host into the values that the checks compare. Source:
// docs/spec/cli-lnetctl.md 5, 6, 9, 10.
#pragma once

#include <cstdint>
#include <string_view>

#include "fgr/check/actual.h"
#include "lnet/config/problem.h"

namespace ulnet::tools::fgr {

enum class FileKind : std::uint8_t {
  kOther,     ///< none of these
  kLnetctl,   ///< YAML: what export prints and import takes
  kModprobe,  ///< lines "options lnet ip2nets=...", or parameters without "options"
  kRoutes,    ///< "o2ib6002: { gateway: 68@gni1, hop: 1 }", or the text of routes=
  kIp2nets,   ///< the text of ip2nets=: "o2ib6002 10.10.100.[4,6]"
};

/// By the content; by the name where the content is empty: *.routes, *.yaml and *.yml.
FileKind kind_of(std::string_view file_name, std::string_view text);

/// All but the hosts. The problem of a text that cannot be read, at its place: -EINVAL, or -E2BIG
/// for one that is too long or has more than 65536 routes or patterns of addresses. Of kind kOther
/// nothing is read. Takes any bytes, and never throws but for memory.
conf::Parsed<plan::Actual> read_actual(std::string_view file_name, std::string_view text,
                                       FileKind kind);
/// The same, of the kind that it has.
conf::Parsed<plan::Actual> check_text(std::string_view file_name, std::string_view text);

}  // namespace ulnet::tools::fgr
