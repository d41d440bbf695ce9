// State that the parts of the experiment reader share.
#pragma once

#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "lab/experiment/reader.h"

namespace ulnet::tools::lab {

class ExperimentReading {
 public:
  ExperimentReading(std::string_view text, std::filesystem::path file)
      : text_(text), file_(std::move(file)) {}

  Experiment experiment;
  conf::Problems mistakes;
  conf::Problems others;  ///< mistakes of a topology file

  void wrong(const conf::YamlNode& at, std::string reason) {
    mistakes.push_back({text::place_of(at), std::move(reason)});
  }

  // Called in this order, since later sections use names that earlier ones define.
  void read_topology_of(const conf::YamlNode& value, const conf::YamlNode& root);
  void cap_wires(const conf::YamlNode& value);
  void read_loads(const conf::YamlNode& section);
  void read_faults(const conf::YamlNode& section);
  void read_expected(const conf::YamlNode& section);
  /// Checks that need the complete experiment.
  void check_loads();
  void check_faults();
  void choose_console(const conf::YamlNode& root);

 private:
  bool measured_in_faults(const conf::YamlNode& at, LoadNumber number);
  void read_load(const conf::YamlNode& item);
  void read_fault(const conf::YamlNode& item);
  void read_fault_target(text::Fields& fields, ExperimentFault& fault);
  bool fault_times(text::Fields& fields, ExperimentFault& fault);
  std::vector<NodeNumber> nodes_in(text::Fields& fields, std::string_view key);
  void resolve(const conf::YamlNode& word, std::set<NodeNumber>& out);
  /// Calls `fn` with the value for each load: a mapping has a value for each load that it names,
  /// and a single value is for all loads.
  template <class Each>
  void for_loads(const conf::YamlNode& section, std::string_view key, Each&& each);
  void expect_lost(const conf::YamlNode& section);
  void expect_rate(const conf::YamlNode& section);
  void expect_recovered(const conf::YamlNode& section);
  /// Reads a key whose value is one of several words. Returns the index of the word; or reports a
  /// mistake and returns nothing.
  std::optional<std::size_t> word_of(text::Fields& fields, std::string_view key,
                                     std::span<const std::string_view> words);
  void settle_topology(tl::expected<Topology, conf::Problems> read, const std::string& file);
  bool compared(const conf::YamlNode& at, LoadNumber load);
  void check_limits(const ExperimentLoad& load);
  void check_reach(const ExperimentLoad& load);
  bool hits(const ExperimentFault& fault, NodeNumber node) const;

  const std::string_view text_;
  const std::filesystem::path file_;
};

}  // namespace ulnet::tools::lab
