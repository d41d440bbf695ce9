// A site as a YAML file. Source: docs/FGR.md, "The site file".
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "fgr/check/check.h"
#include "fgr/plan/plan.h"
#include "text/fields.h"

namespace ulnet::tools::fgr {

using sim::Mistakes;

/// The words that "nid[00608-00609,00638]" stands for, in this order; numbers have as many digits
/// as the first one is written with. A word without a bracket stands for itself. -EINVAL with the
/// reason, -E2BIG for more than `limit`, -EEXIST for a number that is written twice: words of one
/// line go together one by one, and with a word too few each would go to the wrong host.
Result<std::vector<std::string>> expand_word(std::string_view word, std::size_t limit);

/// Where the text speaks of a host, a client system, a file system, or of a net among servers by
/// plan::place_of_net_among_servers().
using SitePlaces = std::map<std::string, conf::Place, std::less<>>;

/// Whether hosts of one name or address, and hosts without an address, are mistakes, or are left
/// for the checks to find (plan/check.h).
enum class ForChecks : bool { kSaid, kLeft };

/// All mistakes at once, in the order of the text. Fills `places`, unless it is null.
tl::expected<plan::Site, Mistakes> read_site(std::string_view text, SitePlaces* places = nullptr,
                                             ForChecks for_checks = ForChecks::kSaid);

/// The plan of the site in a file; else what is to be told, a line for each mistake: "FILE: reason"
/// or "FILE:line:column: reason"; the first thousand, and how many more there are. `fabric`: a file
/// as fabric_of_file() takes it; empty: the fabric is not known.
tl::expected<plan::Plan, std::string> plan_of_file(const std::filesystem::path& file,
                                                   const std::string& fabric = {});
/// The same; what the checks of a plan find to be an error (plan/check.h) is told as well.
tl::expected<plan::Plan, std::string> sound_plan_of_file(const std::filesystem::path& file,
                                                         const std::string& fabric = {});

/// What stands against a plan; of one that can be made, what the checks find to be an error.
std::vector<plan::Finding> errors_of(
    const tl::expected<plan::Plan, std::vector<plan::Problem>>& plan);

/// A line for each mistake, with its end; the first thousand, and how many more there are.
std::string told(const std::string& file, const Mistakes& mistakes);

}  // namespace ulnet::tools::fgr
