#include "tools/fgr/site/site_file.h"

#include <fmt/format.h>

#include "tools/fgr/site/reading.h"
#include "tools/lab/topology/reader.h"

namespace ulnet::tools::fgr {

tl::expected<plan::Site, Mistakes> read_site(std::string_view text, SitePlaces* places) {
  Mistakes mistakes;
  SiteReading reading(mistakes, places);
  sim::read_document(text, "site", mistakes,
                     [&](const conf::YamlNode& root) { reading.read(root); });
  if (!mistakes.empty()) return tl::unexpected(std::move(mistakes));
  return reading.take();
}

tl::expected<plan::Plan, std::string> plan_of_file(const std::filesystem::path& file) {
  const auto text = lab::file_text(file);
  if (!text) return tl::unexpected(lab::told(file.string(), text.error()));
  auto site = read_site(*text);
  if (!site) return tl::unexpected(lab::told(file.string(), site.error()));
  auto plan = plan::make_plan(std::move(*site));
  if (plan) return std::move(*plan);
  std::string said;
  for (const plan::Problem& problem : plan.error())
    said += fmt::format("{}: {}: {}\n", file.string(), problem.where, problem.what);
  return tl::unexpected(std::move(said));
}

}  // namespace ulnet::tools::fgr
