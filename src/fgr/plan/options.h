// The module parameters ip2nets and routes of a plan, as text for modprobe.d. Source: design
// document 004, section III.A; docs/spec/cli-lnetctl.md 8 and 9; docs/spec/design-vs-today.md 5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fgr/plan/host_config.h"
#include "fgr/plan/plan.h"

namespace ulnet::plan {

/// How lists are written: as short as the syntax allows, with ranges, and with one entry for nets
/// of equal gateways; or each number, and each net on a line of its own, as the document has them.
enum class ListForm : std::uint8_t { kShort, kWrittenOut };

/// Addresses as ip2nets has them: those that differ in the last number only are one word, with the
/// last numbers in brackets. "10.10.100.[101,102] 10.10.101.7". In the order of their values. The
/// short form joins words of equal last numbers as well: "10.10.[100-101].[1-4]".
std::string words_of(std::vector<Address> addresses, ListForm form = ListForm::kShort);

struct ModuleParameter {
  std::string name;  ///< "routes"
  std::string line;  ///< "options lnet NAME=\"…\"\n", in several lines that end with a backslash
  std::size_t bytes = 0;  ///< of its value, as modprobe hands it to the module
};
/// ip2nets, and routes where there are any.
struct ModuleOptions {
  std::vector<ModuleParameter> parameters;

  std::string text() const;
  /// A parameter of more bytes than a module takes (docs/spec/cli-lnetctl.md 9.1); else null.
  const ModuleParameter* too_long(std::size_t most) const;
};

// What each node of a kind gets; all of a kind get the same, and ip2nets finds out which nets are
// theirs. Both forms stand for the same nets in the same order, and for the same routes.

ModuleOptions router_options(const Plan& plan, std::size_t client,
                             ListForm form = ListForm::kShort);
ModuleOptions client_options(const Plan& plan, std::size_t client,
                             ListForm form = ListForm::kShort);
ModuleOptions server_options(const Plan& plan, std::size_t file_system,
                             ListForm form = ListForm::kShort);
/// The one of these for hosts of a kind and system (HostConfig::system).
ModuleOptions options_of(const Plan& plan, HostConfig::Kind kind, std::size_t system,
                         ListForm form);

}  // namespace ulnet::plan
