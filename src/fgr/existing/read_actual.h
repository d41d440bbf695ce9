// Reads an existing file of a host into the values that the checks compare. Source:
// docs/spec/cli-lnetctl.md 5, 6, 9, 10.
#pragma once

#include <cstdint>
#include <string_view>

#include "fgr/check/actual.h"
#include "lnet/config/problem.h"

namespace ulnet::tools::fgr {

enum class FileKind : std::uint8_t {
  kOther,     ///< any other text
  kLnetctl,   ///< YAML that export prints and import takes
  kModprobe,  ///< lines "options lnet ip2nets=...", or parameters without "options"
  kRoutes,    ///< "o2ib6002: { gateway: 68@gni1, hop: 1 }", or the text of routes=
  kIp2nets,   ///< the text of ip2nets=: "o2ib6002 10.10.100.[4,6]"
};

/// Finds the kind by the content, and by the name if the content is empty: *.routes, *.yaml and
/// *.yml.
FileKind kind_of(std::string_view file_name, std::string_view text);

/// Reads everything except the hosts. On failure the problem has its place in the text: -EINVAL, or
/// -E2BIG for a text that is too long or has more than 65536 routes or patterns of addresses. Reads
/// nothing from a text of kind kOther. Takes any bytes, and throws only when memory runs out.
conf::Parsed<plan::Actual> read_actual(std::string_view file_name, std::string_view text,
                                       FileKind kind);
/// Finds the kind of the text with kind_of(), and reads the text with read_actual().
conf::Parsed<plan::Actual> check_text(std::string_view file_name, std::string_view text);

/// Reads nets, routes and routing from lnetctl's YAML: adds the content of the sections net,
/// ip2nets, route and routing; other sections are ignored. A text with nets, with global settings,
/// or without any content describes a whole node: it covers nets and routes even if it has none.
conf::Parsed<void> read_lnetctl(std::string_view text, plan::Actual& out);

}  // namespace ulnet::tools::fgr
