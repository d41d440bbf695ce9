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

/// Returns the file for MPICH_RANK_REORDER_METHOD=3: a line for each node of the job, in the order
/// of the candidates, with the ranks that it runs. The nearest node has the first `per_node` ranks.
std::string rank_order(const RankedHints& ranked, std::uint32_t per_node);

/// Returns the file for Slurm's topology/tree: a leaf for each group, with the candidates that are
/// nearest to its routers, and a switch above the leaves.
std::string slurm_topology(const plan::Plan& plan, const Hints& hints);

/// Makes the files hosts, MPICH_RANK_ORDER, nodes.slurm, topology.conf, and for a torus links.txt.
/// Hints must be ranked. -EINVAL: a node's name is not valid in lists of host names.
Result<std::vector<plan::OutputFile>> placement_files(const plan::Plan& plan, const Hints& hints,
                                                      std::uint32_t per_node);

}  // namespace ulnet::tools::fgr
