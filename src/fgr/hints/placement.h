// Files for the tools that place a job's processes. Source: docs/FGR.md, "Where a job's data go".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fgr/hints/hints_out.h"
#include "fgr/plan/outputs.h"
#include "ulnet/result.hpp"

namespace ulnet::tools::fgr {

/// Host names in Slurm's list syntax: "nid[00010-00012,00020],login1", without steps. Names that
/// differ only in the numbers at their ends, with equally many digits, become one word; the words
/// are in the order of their first names.
std::string slurm_list(const std::vector<std::string>& names);

/// Makes the files hosts, MPICH_RANK_ORDER, nodes.slurm, topology.conf, and for a torus links.txt.
/// Hints must be ranked. -EINVAL: a node's name is not valid in lists of host names.
Result<std::vector<plan::OutputFile>> placement_files(const plan::Plan& plan, const Hints& hints,
                                                      std::uint32_t per_node);

}  // namespace ulnet::tools::fgr
