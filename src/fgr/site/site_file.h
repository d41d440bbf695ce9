// A site as a YAML file, and the file of its fabric. Source: docs/FGR.md, "The site file" and "The
// real fabric".
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "fgr/check/check.h"
#include "fgr/fabric/fabric.h"
#include "fgr/plan/plan.h"
#include "text/fields.h"

namespace ulnet::tools::fgr {

/// Returns the words that "nid[00608-00609,00638]" stands for, in this order; numbers have as many
/// digits as the first one. A word without a bracket stands for itself. -EINVAL with the reason,
/// -E2BIG for more than `limit`, -EEXIST for a number that is written twice. Words of one line are
/// matched one by one, so if one word were missing, the later words would be assigned to wrong
/// hosts.
Result<std::vector<std::string>> expand_word(std::string_view word, std::size_t limit);

/// The places in the text of each host, client system and file system, and of nets among servers by
/// plan::place_of_net_among_servers().
using SitePlaces = std::map<std::string, conf::Place, std::less<>>;

/// Whether hosts with equal names or addresses, and hosts without an address, are mistakes, or are
/// left for the checks to find (fgr/check/check.h).
enum class ForChecks : bool { kSaid, kLeft };

/// Reads a site. Reports all mistakes at once, in the order of the text. Fills `places`, unless it
/// is null.
tl::expected<plan::Site, conf::Problems> read_site(std::string_view text,
                                                   SitePlaces* places = nullptr,
                                                   ForChecks for_checks = ForChecks::kSaid);

/// Reads a text that ibnetdiscover printed, or a cached fabric (ibnetdiscover --cache), which
/// ibnetdiscover --load-cache on this machine reads. The problem is in `file`.
conf::Parsed<plan::Fabric> fabric_of_file(const std::string& file);

/// Returns the plan of the site in a file; or its mistakes, as first_in() does. `fabric`: a file
/// for fabric_of_file(); empty: the fabric is not known.
tl::expected<plan::Plan, conf::Problems> plan_of_file(const std::filesystem::path& file,
                                                      const std::string& fabric = {});
/// Does what plan_of_file() does, and also reports the errors that the checks of a plan find
/// (fgr/check/check.h).
tl::expected<plan::Plan, conf::Problems> sound_plan_of_file(const std::filesystem::path& file,
                                                            const std::string& fabric = {});

/// Returns the problems that prevent a plan; or the errors that the checks find in the plan.
std::vector<plan::Finding> errors_of(
    const tl::expected<plan::Plan, std::vector<plan::Finding>>& plan);

/// Returns the first thousand mistakes in `file`, and one that counts the others. Nobody reads
/// more, and a file may have hundreds of thousands.
conf::Problems first_in(const std::string& file, conf::Problems mistakes);

}  // namespace ulnet::tools::fgr
