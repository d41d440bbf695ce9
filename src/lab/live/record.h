// The description of a running laboratory: its file lab.json, from which every later command reads
// its topology, its mode and the processes of its nodes.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "lab/live/home.h"
#include "lab/live/journal.h"
#include "lab/topology/topology.h"

namespace ulnet::tools::lab {

struct Record {
  std::string name;
  bool spaces = false;                         ///< in network namespaces, else on loopback
  std::uint8_t number = 0;                     ///< on loopback: addresses are 127.NUMBER.0.0/16
  std::uint16_t port = 0;                      ///< the port on which the nodes listen
  std::string version;                         ///< version of the programs
  std::string text;                            ///< the topology file as it was read
  std::string file;                            ///< its path, for people
  bool ready = false;                          ///< `up` has succeeded
  bool netem = false;                          ///< the kernel makes the delays and losses
  std::map<std::string, ProcessId> processes;  ///< by node
  std::set<std::string> down;                  ///< rails and links of switches that were cut
  /// rates in bits a second that differ from the file's
  std::map<std::string, std::uint64_t> rates;
};

std::string record_text(const Record& record);
/// Parses a record. -EINVAL: the text is not a record of a version that this program knows.
Result<Record> parse_record(std::string_view text);

/// Reads the record of a laboratory. -ENOENT when the laboratory does not exist, with a sentence
/// that says what to do.
Result<Record> load_record(const Home& home);
Result<void> save_record(const Home& home, const Record& record);

/// Returns the topology of a record, with the addresses that its nodes use.
Result<Topology> topology_of(const Record& record);

/// Returns the name of a rail's wire: "client1:0".
std::string rail_name(const Topology& topology, NodeNumber node, std::uint32_t rail);
/// Returns the name of a link of switches: "left-right".
std::string link_name(const Topology& topology, const SwitchLink& link);

}  // namespace ulnet::tools::lab
