#include "lab/experiment/reader.h"

#include <tuple>

#include "lab/experiment/reading_experiment.h"

namespace ulnet::tools::lab {
namespace {

constexpr Duration kShortestSample = std::chrono::milliseconds(100);
constexpr Duration kLongest = std::chrono::hours(1);
constexpr int kMinSamples = 4;

void read_times(text::Fields& fields, ExperimentReading& reading) {
  Experiment& experiment = reading.experiment;
  fields.duration("lasts", experiment.lasts);
  fields.duration("sample", experiment.sample);
  const auto at = [&](const char* key) -> const conf::YamlNode& {
    const conf::YamlNode* said = fields.map().find(key);
    return said == nullptr ? fields.map() : *said;
  };
  if (experiment.lasts > kLongest) reading.wrong(at("lasts"), "lasts: at most an hour");
  if (experiment.sample < kShortestSample)
    reading.wrong(at("sample"), "sample: at least 100ms");
  else if (experiment.lasts / experiment.sample < kMinSamples)
    reading.wrong(at("lasts"),
                  "lasts: at least four times 'sample', " + text::duration_text(experiment.sample));
}

void read_root_of(const conf::YamlNode& root, ExperimentReading& reading) {
  text::Fields fields(root, "an experiment", reading.mistakes);
  fields.text("name", reading.experiment.name);
  fields.text("about", reading.experiment.about);
  read_times(fields, reading);
  // Takes all keys before it refuses the first unknown one, so that the message can name the
  // nearest key.
  const auto* topology = fields.need("topology");
  const auto* most = fields.take("wires at most");
  const auto* loads = fields.need("loads");
  const auto* faults = fields.take("faults");
  const auto* expected = fields.take("expect");
  if (topology == nullptr) return;
  reading.read_topology_of(*topology, root);
  if (reading.experiment.topology.nodes.empty()) return;  // no other mistake could be found
  if (most != nullptr) reading.cap_wires(*most);
  if (loads == nullptr) return;
  reading.read_loads(*loads);
  if (faults != nullptr) reading.read_faults(*faults);
  reading.check_loads();
  reading.check_faults();
  if (expected != nullptr) reading.read_expected(*expected);
  if (reading.mistakes.empty()) reading.choose_console(root);
}

}  // namespace

tl::expected<Experiment, conf::Problems> read_experiment(std::string_view text,
                                                         const std::filesystem::path& file) {
  ExperimentReading reading(text, file);
  reading.experiment.name = file.stem().string();
  text::read_document(text, "experiment", reading.mistakes,
                      [&](const conf::YamlNode& root) { read_root_of(root, reading); });
  if (reading.mistakes.empty() && reading.others.empty()) return std::move(reading.experiment);
  conf::Problems wrong = std::move(reading.others);
  for (conf::Problem& mistake : conf::in_file(std::move(reading.mistakes), file.string()))
    wrong.push_back(std::move(mistake));
  return tl::unexpected(std::move(wrong));
}

tl::expected<Experiment, conf::Problems> read_experiment_file(const std::filesystem::path& file) {
  const auto text = file_text(file);
  if (!text) return tl::unexpected(conf::Problems{text.error()});
  return read_experiment(*text, file);
}

conf::Problems not_on_loopback(const Experiment& experiment) {
  conf::Problems mistakes;
  for (const ExperimentFault& fault : experiment.faults) {
    constexpr const char* kNeeds = ": start it with --netns, as root, or with --simulate";
    if (fault.what == ExperimentFault::What::kLinkRate)
      mistakes.push_back({fault.place, std::string("on loopback no wire has a rate") + kNeeds});
    else if (fault.at_link() && fault.wire.link)
      mistakes.push_back({fault.place, std::string("on loopback there are no switches") + kNeeds});
  }
  return mistakes;
}

std::string blanked(std::string_view text, conf::Place from, conf::Place end) {
  std::string kept(text);
  int line = 1, column = 1;
  for (char& letter : kept) {
    const bool before = std::tie(line, column) < std::tie(from.line, from.column);
    const bool behind = end.line != 0 && line >= end.line;
    if (letter == '\n') {
      ++line, column = 1;
      continue;
    }
    if (before || behind) letter = ' ';
    ++column;
  }
  return kept;
}

}  // namespace ulnet::tools::lab
