// Programs that run at a node of a laboratory: with its control socket, and in its namespace.
#pragma once

#include <string>
#include <vector>

#include "lab/live/laboratory.h"

namespace ulnet::tools::lab {

/// Replaces this process by the program. Returns only when that fails, with a code for the shell,
/// after a message.
int become(const std::vector<std::string>& words);
/// The same at a node: ULNET_CONTROL, ULNET_LAB and ULNET_LAB_NODE name it, and the folder of
/// ulnet's programs is the first in PATH.
int become_at(const Laboratory& lab, NodeNumber node, std::vector<std::string> words);

/// Words before a program that runs in a namespace.
std::vector<std::string> in_space_words(const std::string& space, std::vector<std::string> words);

/// The only node that the word names. -EINVAL: it names several.
Result<NodeNumber> one_node(const Topology& topology, const std::string& word);

}  // namespace ulnet::tools::lab
