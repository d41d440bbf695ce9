// The module parameters ip2nets and routes of a plan, as text for modprobe.d. Source: design
// document 004, section III.A; docs/spec/design-vs-today.md 5.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace ulnet::plan {

/// Addresses as ip2nets has them: those that differ in the last number only are one word, with the
/// last numbers in brackets. "10.10.100.[101,102] 10.10.101.7". In the order of their values.
std::string words_of(std::vector<Address> addresses);

/// "options lnet NAME=\"…\"\n", the entries on lines of their own that end with ";\".
std::string option_text(const std::string& name, const std::vector<std::string>& entries);

// What each node of a kind gets; all of a kind get the same, and ip2nets finds out which nets are
// theirs.

std::string router_options(const Plan& plan, std::size_t client);
std::string client_options(const Plan& plan, std::size_t client);
std::string server_options(const Plan& plan, std::size_t file_system);

}  // namespace ulnet::plan
