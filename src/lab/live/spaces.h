// Network namespaces of laboratories: their names, the namespaces that exist, and queries inside
// one.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/live/processes.h"
#include "ulnet/result.hpp"

namespace ulnet::tools::lab {

/// The folder in which iproute2 keeps named namespaces.
inline constexpr const char* kSpacesFolder = "/run/netns";

/// Returns "ulnet-lab.NAME.NODE". Neither a node's name nor "@switches" has a dot, so the
/// laboratory's name can be found again.
std::string space_of_node(std::string_view lab, std::string_view node);
/// Returns the namespace with the bridges.
std::string space_of_switches(std::string_view lab);
/// Returns the name of a namespace's laboratory; nothing: the namespace does not belong to a
/// laboratory.
std::optional<std::string> lab_of_space(std::string_view space);

/// Returns the existing namespaces of a laboratory; without a name, those of all laboratories.
std::vector<std::string> spaces_there(std::string_view lab = {});

/// Calls `work` in a thread that is inside the namespace; the calling thread stays where it is.
Result<void> in_space(const std::string& space, const std::function<Result<void>()>& work);

/// Inside a namespace, before it has interfaces: makes the settings that several NIs on one net
/// need, and disables IPv6.
Result<void> settle_space();
/// Inside a namespace: whether all of these interfaces have a carrier and the system reports that
/// they are up.
bool are_running(std::span<const std::string> interfaces);

/// Ends the processes in the namespaces, and then deletes the namespaces. Returns how many
/// processes there were.
Result<std::size_t> delete_spaces(std::span<const std::string> spaces,
                                  std::chrono::milliseconds patience);

}  // namespace ulnet::tools::lab
