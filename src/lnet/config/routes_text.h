// The text of `routes=`, in both of its forms, and the routes that it describes. Source:
// spec/cli-lnetctl.md 9.2, 10.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lnet/config/plain_text.h"

namespace ulnet::conf {

/// The most routes that one text may describe.
inline constexpr std::size_t kRoutesMax = 65'536;
inline constexpr const char* kTooManyRoutes = "more than 65536 routes";

/// An entry of the text. Nets and gateways stay as written: words, perhaps patterns, that parse.
struct RouteRule {
  std::vector<std::string_view> nets, gateways;  ///< views into the text; neither is empty
  std::optional<std::uint32_t> hop, priority;
};
/// The problem of an entry with two gateways where one is allowed.
inline constexpr const char* kSeveralGateways = "multiple gateway specifications found";

/// Reads the entries of `part`, a view into the text, each on a separate line or before a
/// semicolon: "tcp1 1 192.168.1.[1-4]@o2ib:2" or
/// "tcp1: { gateway: 192.168.1.[1-4]@o2ib, hop: 1, priority: 2 }". -E2BIG: more than kRoutesMax,
/// gateways not expanded.
Parsed<std::vector<RouteRule>> read_routes(const PlainText& in, std::string_view part);

}  // namespace ulnet::conf
