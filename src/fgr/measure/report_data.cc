#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "fgr/measure/report.h"
#include "selftest/ulst/run/plan.h"

namespace ulnet::tools::fgr {
namespace {

using Data = nlohmann::ordered_json;

constexpr int kMeasureShape =
    1;  ///< to be increased when readers of the previous version would not understand the output

std::uint64_t to_bytes(double value) { return static_cast<std::uint64_t>(std::llround(value)); }
Data bytes_or_null(const std::optional<double>& value) {
  return value ? Data(to_bytes(*value)) : Data();
}
Data words_or_null(const std::string& text) { return text.empty() ? Data() : Data(text); }

class MeasureData {
 public:
  explicit MeasureData(const MeasureReport& report) : report_(report) {}

  Data all() const {
    const Measurement& measurement = report_.measurement;
    Data tests = Data::array(), verdicts = Data::array();
    for (const Measured& test : measurement.measured) tests.push_back(of(test));
    for (const JudgedCase& each : report_.cases) verdicts.push_back(of(each));
    const bool write = measurement.step.operation == lst::run::Operation::kWrite;
    return {{"version", kMeasureShape},
            {"ok", report_.ok()},
            {"interrupted", measurement.interrupted},
            {"stopped", words_or_null(measurement.stopped)},
            {"test", write ? "write" : "read"},
            {"size", measurement.step.size},
            {"clients", measurement.clients},
            {"share", report_.share},
            {"tests", std::move(tests)},
            {"verdicts", std::move(verdicts)}};
  }

 private:
  std::string name_of(std::size_t group) const {
    return report_.plan.name_of(report_.plan.groups[group]);
  }

  Data of(const plan::OssFigure& figure) const {
    return {{"oss", plan::server_of(report_.plan, figure.oss).host},
            {"nid", report_.nid_of(figure.oss)},
            {"group", name_of(figure.oss.group)},
            {"bytes_per_s", figure.failed.empty() ? Data(to_bytes(figure.bytes_per_s)) : Data()},
            {"errors", figure.errors},
            {"failed", words_or_null(figure.failed)}};
  }

  Data of(const Measured& test) const {
    Data scopes = Data::array(), groups = Data::array(), osss = Data::array(),
         samples = Data::array();
    for (const plan::MeasureScope scope : report_.measurement.runs[test.run].scopes)
      scopes.push_back(plan::to_string(scope));
    double sum = 0;
    for (const GroupFigure& group : by_group(test.figures)) {
      sum += group.bytes_per_s;
      groups.push_back({{"group", name_of(group.group)},
                        {"osss", group.osss},
                        {"bytes_per_s", to_bytes(group.bytes_per_s)}});
    }
    for (const plan::OssFigure& figure : test.figures) osss.push_back(of(figure));
    for (const RateSample& sample : test.samples) {
      Data rates = Data::array();
      for (const auto& rate : sample.bytes_per_s) rates.push_back(bytes_or_null(rate));
      samples.push_back({{"seconds", std::round(sample.seconds * 1e3) / 1e3},
                         {"osss_bytes_per_s", std::move(rates)}});
    }
    return {{"scopes", std::move(scopes)},
            {"concurrency", test.concurrency},
            {"osss_of_a_client", test.osss_of_a_client},
            {"seconds", std::round(test.seconds * 1e3) / 1e3},
            {"bytes_per_s", to_bytes(sum)},
            {"groups", std::move(groups)},
            {"osss", std::move(osss)},
            {"samples", std::move(samples)},
            {"troubles", test.troubles},
            {"remarks", test.remarks}};
  }

  Data of(const JudgedCase& judged) const {
    Data suspects = Data::array();
    for (const plan::MeasureSuspect& each : judged.verdict.suspects) {
      Data oss, nid;
      if (each.server) {
        oss = plan::server_of(report_.plan, {each.group, *each.server}).host;
        nid = report_.nid_of({each.group, *each.server});
      }
      suspects.push_back({{"group", name_of(each.group)},
                          {"oss", std::move(oss)},
                          {"nid", std::move(nid)},
                          {"bytes_per_s", to_bytes(each.bytes_per_s)},
                          {"of_siblings_bytes_per_s", bytes_or_null(each.of_siblings)},
                          {"why", each.why}});
    }
    return {{"of", judged.what.title},
            {"concurrency", judged.what.tests.front()->concurrency},
            {"median_bytes_per_s", to_bytes(judged.verdict.median)},
            {"median_deviation_bytes_per_s", to_bytes(judged.verdict.deviation)},
            {"suspects", std::move(suspects)},
            {"not_compared", judged.verdict.not_compared}};
  }

  const MeasureReport& report_;
};

}  // namespace

std::string measure_json(const MeasureReport& report) {
  return MeasureData(report).all().dump(2, ' ', false, Data::error_handler_t::replace) + "\n";
}

}  // namespace ulnet::tools::fgr
