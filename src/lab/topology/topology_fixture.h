// Texts that must be right, random topologies and the examples, for tests of topologies.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "lab/topology/reader.h"

namespace ulnet::tools::lab {

inline Topology topology_of(const std::string& text) {
  auto read = read_topology(text, "lab");
  EXPECT_TRUE(read) << conf::lines_of(read.error()) << text;
  return read.value_or(Topology{});
}

/// Returns the topologies of examples/lab below the source folder.
inline std::vector<Topology> topologies_in(const std::filesystem::path& source) {
  std::vector<Topology> all;
  for (const auto& entry : std::filesystem::directory_iterator(source / "examples/lab")) {
    if (!entry.is_regular_file()) continue;  // skips the experiments
    auto read = read_topology_file(entry.path());
    EXPECT_TRUE(read) << conf::lines_of(read.error());
    if (read) all.push_back(*std::move(read));
  }
  EXPECT_GE(all.size(), 7U);
  return all;
}

/// Returns a topology whose nets are all joined by routers: one or more routers connect net k > 0
/// to an earlier one. Some nodes have several rails, also on one net.
inline Topology random_topology() {
  const auto upto = [](int most) { return *rc::gen::inRange(0, most + 1); };
  const int nets = 1 + upto(5);
  const auto net = [](int number) { return "tcp" + std::to_string(number); };
  std::string text = "nodes:\n";
  for (int k = 1; k < nets; ++k)
    text += "    r" + std::to_string(k) + "-[1-" + std::to_string(1 + upto(2)) + "]: {nets: [" +
            net(upto(k - 1)) + ", " + net(k) + (upto(3) == 0 ? ", " + net(k) : "") +
            "], routing: yes}\n";
  for (int k = 0; k < nets; ++k)
    text += "    n" + std::to_string(k) + "-[1-" + std::to_string(1 + upto(9)) + "]: {nets: [" +
            net(k) + (upto(3) == 0 ? ", " + net(upto(nets - 1)) : "") + "]}\n";
  return topology_of(text);
}

}  // namespace ulnet::tools::lab
