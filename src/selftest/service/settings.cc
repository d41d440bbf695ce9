#include "selftest/service/settings.h"

#include <algorithm>
#include <string>

#include "lnet/base/text.h"

namespace ulnet::svc::selftest {
namespace {

struct Row {
  std::string_view name;
  void (*set)(Settings& to, std::uint32_t value);
};
constexpr Row kRows[] = {
    {"rpc_timeout", [](Settings& to, auto value) { to.rpc_timeout = std::chrono::seconds(value); }},
    {"session_timeout",
     [](Settings& to, auto value) { to.session_timeout = std::chrono::seconds(value); }},
    {"brw_inject_errors", [](Settings& to, auto value) { to.inject_errors = value; }},
    {"brw_srv_workitems", [](Settings& to, auto value) { to.brw_workitems = value; }},
    {"ping_srv_workitems", [](Settings& to, auto value) { to.ping_workitems = value; }},
};

}  // namespace

Result<void> set_setting(Settings& to, std::string_view name, std::string_view value) {
  if (name == "selftest_consoles") {
    auto consoles = wire::parse_nid_patterns(value);
    if (!consoles) return tl::unexpected(consoles.error());
    to.consoles = *std::move(consoles);
    return {};
  }
  const auto* row = std::ranges::find(kRows, name, &Row::name);
  if (row == std::end(kRows))
    return fail(-ENOENT, "selftest has no parameter " + std::string(name));
  const auto number = text::number(value, UINT32_MAX);
  if (!number) return fail(-EINVAL, std::string(name) + " takes a number");
  row->set(to, *number);
  return {};
}

}  // namespace ulnet::svc::selftest
