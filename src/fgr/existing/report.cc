#include "fgr/existing/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "fgr/output/exit_code.h"
#include "lnet/base/text_table.h"
#include "text/quantity.h"

namespace ulnet::tools::fgr {
namespace {

using Json = nlohmann::ordered_json;
using plan::Finding;
using plan::Severity;

/// The most findings that are shown as text: nobody reads more.
constexpr std::size_t kMaxShown = 1000;
constexpr Severity kSeverities[] = {Severity::kError, Severity::kWarning, Severity::kNote};

/// Returns a path as a URI reference (RFC 3986). Bytes that a URI cannot have as they are become
/// %XX. An absolute path begins with file://.
std::string uri_of(std::string_view path) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char c : path)
    uri += kPlain.find(c) != std::string_view::npos
               ? std::string(1, c)
               : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return uri;
}

/// Returns the JSON as text. Names of files may be invalid UTF-8, which JSON cannot contain, so
/// invalid bytes are replaced.
std::string dumped(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json location_of(const Finding& finding) {
  Json location = {{"artifactLocation", {{"uri", uri_of(finding.file)}}}};
  if (finding.place.line > 0)
    location["region"] = {{"startLine", finding.place.line},
                          {"startColumn", std::max(finding.place.column, 1)}};
  Json whole = {{"physicalLocation", std::move(location)}};
  const std::string& name = finding.where.empty() ? finding.subject : finding.where;
  if (!name.empty()) whole["logicalLocations"] = Json::array({Json{{"fullyQualifiedName", name}}});
  return whole;
}

Json sarif_rules() {
  Json rules = Json::array();
  for (const plan::RuleInfo& rule : plan::all_rules())
    rules.push_back({{"id", rule.id},
                     {"name", rule.name},
                     {"shortDescription", {{"text", rule.about}}},
                     {"help", {{"text", rule.cure}}},
                     {"defaultConfiguration", {{"level", to_string(rule.severity)}}}});
  return rules;
}

}  // namespace

std::size_t CheckReport::count(Severity severity) const {
  return static_cast<std::size_t>(std::ranges::count(findings, severity, &Finding::severity));
}

CheckReport fabric_report(const plan::Plan& plan, const std::string& file) {
  CheckReport report{.findings = plan::check_fabric(plan)};
  for (Finding& finding : report.findings) finding.file = file;
  return report;
}

int exit_code_of(const CheckReport& report) {
  if (report.count(Severity::kError) != 0) return kExitFound;
  const bool partly = std::ranges::any_of(report.findings, plan::leaves_unchecked, &Finding::rule);
  return partly ? kExitPartly : kExitDone;
}

std::string text_of(const CheckReport& report) {
  std::string text;
  const std::size_t shown = std::min(report.findings.size(), kMaxShown);
  for (const Finding& finding : std::span(report.findings).first(shown)) {
    const plan::RuleInfo& rule = plan::info_of(finding.rule);
    text += fmt::format("{}: {}: {} [{} {}]\n    {}\n",
                        conf::place_text(finding.file, finding.place), to_string(finding.severity),
                        sentence_of(finding), rule.id, rule.name, finding.hint);
  }
  if (shown != report.findings.size())
    text += fmt::format("and {} more\n", report.findings.size() - shown);
  std::string counts;
  for (const Severity severity : kSeverities)
    if (const std::size_t count = report.count(severity); count != 0)
      counts += (counts.empty() ? "" : ", ") + text::counted(count, to_string(severity));
  if (!counts.empty()) return text + counts + "\n";
  return text + fmt::format("good: {}, {}, {}\n", text::counted(report.hosts, "host"),
                            text::counted(report.files, "file"),
                            text::counted(report.routes, "route"));
}

std::string json_of(const CheckReport& report) {
  Json findings = Json::array();
  for (const Finding& finding : report.findings) {
    const plan::RuleInfo& rule = plan::info_of(finding.rule);
    findings.push_back({{"rule", rule.id},
                        {"name", rule.name},
                        {"severity", to_string(finding.severity)},
                        {"file", finding.file},
                        {"line", finding.place.line},
                        {"column", finding.place.column},
                        {"where", finding.where},
                        {"subject", finding.subject},
                        {"what", finding.reason},
                        {"cure", finding.hint}});
  }
  Json json = {{"findings", std::move(findings)}};
  for (const Severity severity : kSeverities)
    json[std::string(to_string(severity)) + "s"] = report.count(severity);
  json["hosts"] = report.hosts;
  json["files"] = report.files;
  json["routes"] = report.routes;
  return dumped(json);
}

std::string sarif_of(const CheckReport& report) {
  Json results = Json::array();
  for (const Finding& finding : report.findings)
    results.push_back({{"ruleId", plan::info_of(finding.rule).id},
                       {"ruleIndex", static_cast<std::size_t>(finding.rule)},
                       {"level", to_string(finding.severity)},
                       {"message", {{"text", sentence_of(finding) + ". " + finding.hint}}},
                       {"locations", Json::array({location_of(finding)})}});
  const Json driver = {{"name", "ulnet-fgr"}, {"version", ULNET_VERSION}, {"rules", sarif_rules()}};
  Json run = {{"tool", {{"driver", driver}}},
              {"columnKind", "utf16CodeUnits"},
              {"results", std::move(results)}};
  return dumped({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                 {"version", "2.1.0"},
                 {"runs", Json::array({std::move(run)})}});
}

std::string rules_text() {
  std::vector<std::vector<std::string>> rows = {{"rule", "name", "severity", "what"}};
  for (const plan::RuleInfo& rule : plan::all_rules())
    rows.push_back({std::string(rule.id), std::string(rule.name),
                    std::string(to_string(rule.severity)), std::string(rule.about)});
  return text::text_table(rows);
}

}  // namespace ulnet::tools::fgr
