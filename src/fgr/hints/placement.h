// Files for the tools that place a job's processes. Source: docs/FGR.md, "Where a job's data go".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fgr/hints/hints_out.h"
#include "fgr/plan/outputs.h"
#include "ulnet/result.hpp"

namespace ulnet::tools::fgr {

/// Host names as Slurm has them in lists: "nid[00010-00012,00020],login1", without steps. Those
/// that differ in the numbers at their ends only, of equally many digits, are one word; the words
/// are in the order in which their first names come.
std::string slurm_list(const std::vector<std::string>& names);

/// For MPICH_RANK_REORDER_METHOD=3: a line for each node of the job, in the order of the
/// candidates, with the ranks that it runs. The nearest node has the first `per_node` ranks.
std::string rank_order(const RankedHints& ranked, std::uint32_t per_node);

/// For Slurm's topology/tree: a leaf for each group, with the candidates that are nearest to its
/// routers, and a switch above them.
std::string slurm_topology(const plan::Plan& plan, const Hints& hints);

/// hosts, MPICH_RANK_ORDER, nodes.slurm, topology.conf, and of a torus links.txt. Hints are ranked.
/// -EINVAL: a node has a name that lists of host names cannot have.
Result<std::vector<plan::OutputFile>> placement_files(const plan::Plan& plan, const Hints& hints,
                                                      std::uint32_t per_node);

}  // namespace ulnet::tools::fgr
