// Texts and functions that tests of experiments share.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "lab/experiment/reader.h"

namespace ulnet::tools::lab {

inline Experiment experiment_of(const std::string& text) {
  auto read = read_experiment(text, "folder/trial.yaml");
  EXPECT_TRUE(read) << conf::lines_of(read.error()) << text;
  return read ? std::move(*read) : Experiment{};
}

/// Reads an example of examples/lab/experiments below the source folder.
inline Experiment example_experiment(const std::string& source, const std::string& name) {
  auto read = read_experiment_file(source + "/examples/lab/experiments/" + name + ".yaml");
  EXPECT_TRUE(read) << conf::lines_of(read.error());
  return read ? std::move(*read) : Experiment{};
}

/// Two clients, two servers, and a router that leads to a third server.
inline constexpr const char* kSmallLab = R"(topology:
    nets: {tcp: {rate: 100mbit}, tcp1: {rate: 100mbit}}
    nodes:
        client[1-2]: {nets: [tcp, tcp]}
        server[1-2]: tcp
        router: {nets: [tcp, tcp1], routing: yes}
        far: tcp1
)";
inline constexpr const char* kOneLoad = "loads:\n    - {name: up, from: client, to: server1}\n";

}  // namespace ulnet::tools::lab
