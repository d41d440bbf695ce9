#include "sim/tool/show.h"

#include <fmt/format.h>

#include <cstdio>

#include "sim/tool/diagram.h"
#include "sim/world/trace_text.h"
#include "text/shell/speak.h"

namespace ulnet::tools {
namespace {

/// The most messages that fit into a picture.
constexpr std::size_t kPictureMessages = 60;

}  // namespace

std::string verdict_text(const sim::Report& report) {
  const std::string numbers =
      fmt::format("{} steps, {:.6f} virtual seconds, digest {:016x}", report.steps,
                  std::chrono::duration<double>(report.age).count(), report.digest);
  if (report.ending == sim::Ending::kDied) return "died: " + report.what;
  std::string text = std::string(to_string(report.ending));
  if (report.ending == sim::Ending::kViolated) text += ": " + report.checker;
  if (report.ending == sim::Ending::kUnexpected) {
    for (const std::string& unmet : report.unmet) text += "\n  " + unmet;
    return text + "\n" + numbers;
  }
  if (!report.what.empty()) text += ": " + report.what;
  return text + (report.good() ? ": " : "\n") + numbers;
}

std::string links_text(const sim::Report& report) {
  std::string text;
  for (const sim::LinkUse& use : report.switch_links) {
    if (text.empty())
      text = fmt::format("{:<32} {:>15} {:>15} {:>7} {:>12} {:>9}\n", "link between switches",
                         "bytes/s", "bytes", "busy", "queue", "lost");
    const sim::PortCounters& counters = use.counters;
    text += fmt::format("{:<32} {:>15} {:>15} {:>5} % {:>12} {:>9}\n", use.from + " to " + use.to,
                        use.bytes_per_second, counters.bytes, use.busy_percent(),
                        counters.highest_queue, counters.lost);
  }
  return text;
}

Shown run_and_show(const sim::Scenario& scenario, const Showing& show, std::uint64_t until,
                   const std::string& title, const std::string& trace_file) {
  sim::RunOptions options;
  options.until_step = until;
  if (show.trace || !show.svg.empty() || !trace_file.empty())
    options.trace.keep = sim::TraceOptions::Keep::kAll;
  if (!show.svg.empty()) options.timeline = kPictureMessages;
  sim::Run run(scenario, options);
  Shown shown{run.go(), true};
  const auto name = [&](std::uint32_t node) {
    return node < run.world().size() ? run.world().node(node).name() : std::string("?");
  };
  std::string text;
  if (show.trace || !trace_file.empty())
    run.world().trace().for_each(
        [&](const sim::TraceRecord& record) { text += to_string(record, name) + "\n"; });
  if (show.trace) std::fputs(text.c_str(), stdout);
  if (!trace_file.empty()) shown.written = write_text("ulnet-sim", trace_file, text);
  if (!show.svg.empty()) {
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < run.world().size(); ++i) names.push_back(name(i));
    std::string how;
    for (const char c : verdict_text(shown.report)) {
      if (c == ' ' && how.ends_with(' ')) continue;
      how += c == '\n' ? "; " : std::string(1, c);
    }
    const std::string picture =
        diagram(*run.timeline(), sim::Timeline::breaches(run.world().trace()), names, {title, how});
    shown.written = write_text("ulnet-sim", show.svg, picture) && shown.written;
  }
  return shown;
}

}  // namespace ulnet::tools
