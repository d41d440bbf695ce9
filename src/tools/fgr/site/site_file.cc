#include "tools/fgr/site/site_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/fgr/site/reading.h"
#include "tools/lab/topology/reader.h"

namespace ulnet::tools::fgr {

tl::expected<plan::Site, Mistakes> read_site(std::string_view text, SitePlaces* places,
                                             ForChecks for_checks) {
  Mistakes mistakes;
  SiteReading reading(mistakes, places, for_checks);
  sim::read_document(text, "site", mistakes,
                     [&](const conf::YamlNode& root) { reading.read(root); });
  if (!mistakes.empty()) return tl::unexpected(std::move(mistakes));
  return reading.take();
}

namespace {

/// Nobody reads more, and a file may have hundreds of thousands of mistakes.
std::string first_lines(std::string text) {
  constexpr std::ptrdiff_t kMost = 1000;
  const auto lines = std::ranges::count(text, '\n');
  if (lines <= kMost) return text;
  std::size_t end = 0;
  for (std::ptrdiff_t i = 0; i < kMost; ++i) end = text.find('\n', end) + 1;
  text.resize(end);
  return text + fmt::format("and {} more\n", lines - kMost);
}

}  // namespace

tl::expected<plan::Plan, std::string> plan_of_file(const std::filesystem::path& file) {
  const auto text = lab::file_text(file);
  if (!text) return tl::unexpected(lab::told(file.string(), text.error()));
  SitePlaces places;
  auto site = read_site(*text, &places);
  if (!site) return tl::unexpected(first_lines(lab::told(file.string(), site.error())));
  auto plan = plan::make_plan(std::move(*site));
  if (plan) return std::move(*plan);
  std::string said;
  for (const plan::Problem& problem : plan.error()) {
    std::string at = file.string();
    if (const auto place = places.find(problem.where); place != places.end())
      at += fmt::format(":{}:{}", place->second.line, place->second.column);
    said += fmt::format("{}: {}: {}\n", at, problem.where, problem.what);
  }
  return tl::unexpected(first_lines(std::move(said)));
}

}  // namespace ulnet::tools::fgr
