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

/// The form of lists. Short: ranges, and one entry for nets with equal gateways. Written out: each
/// number, and each net on a line of its own, as in the design document.
enum class ListForm : std::uint8_t { kShort, kWrittenOut };

/// Returns addresses in the syntax of ip2nets: addresses that differ only in the last number become
/// one word, with the last numbers in brackets. "10.10.100.[101,102] 10.10.101.7". The words are in
/// the order of their values. The short form also joins words with equal last numbers:
/// "10.10.[100-101].[1-4]".
std::string words_of(std::vector<Address> addresses, ListForm form = ListForm::kShort);

struct ModuleParameter {
  std::string name;  ///< "routes"
  /// "options lnet NAME=\"…\"
  /// ", with backslashes at the ends of continued lines
  std::string line;
  std::size_t bytes = 0;  ///< of the value, as modprobe passes it to the module
};
/// ip2nets, and routes if there are any.
struct ModuleOptions {
  std::vector<ModuleParameter> parameters;

  std::string text() const;
  /// Returns a parameter of more than `most` bytes, which a module would not accept
  /// (docs/spec/cli-lnetctl.md 9.1). Null: no parameter is so long.
  const ModuleParameter* too_long(std::size_t most) const;
};

// The options of each kind of node. All nodes of a kind get the same text, and ip2nets selects
// their nets. Both forms give the same nets in the same order, and the same routes.

ModuleOptions router_options(const Plan& plan, std::size_t client,
                             ListForm form = ListForm::kShort);
ModuleOptions client_options(const Plan& plan, std::size_t client,
                             ListForm form = ListForm::kShort);
ModuleOptions server_options(const Plan& plan, std::size_t file_system,
                             ListForm form = ListForm::kShort);
/// Returns the options for hosts of this kind and system (HostConfig::system).
ModuleOptions options_of(const Plan& plan, HostConfig::Kind kind, std::size_t system,
                         ListForm form);

}  // namespace ulnet::plan
