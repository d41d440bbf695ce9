#include "admin/conf/daemon_settings.h"

#include <fmt/format.h>

namespace ulnet::conf {

namespace {

/// Calls `visit` with each key and the fields that it names in both settings.
template <class One, class Other, class Visit>
void for_each(One& one, Other& other, Visit&& visit) {
  visit("selftest", one.selftest, other.selftest);
  visit("metrics", one.metrics, other.metrics);
  visit("metrics-api", one.metrics_api, other.metrics_api);
  visit("log-level", one.log_level, other.log_level);
  visit("log-format", one.log_format, other.log_format);
  visit("log-file", one.log_file, other.log_file);
  visit("drain", one.drain, other.drain);
  visit("skip-unsupported", one.skip_unsupported, other.skip_unsupported);
}

}  // namespace

DaemonSettings merged(DaemonSettings first, const DaemonSettings& second) {
  for_each(first, second, [](const char*, auto& to, const auto& from) {
    if (!to) to = from;
  });
  return first;
}

std::vector<std::string> described(const DaemonSettings& settings) {
  std::vector<std::string> words;
  for_each(settings, settings, [&](const char* key, const auto& value, const auto&) {
    if (value) words.push_back(fmt::format("{} {}", key, *value));
  });
  return words;
}

std::vector<std::string> differing_keys(const DaemonSettings& one, const DaemonSettings& other) {
  std::vector<std::string> keys;
  for_each(one, other, [&](const char* key, const auto& a, const auto& b) {
    if (a != b) keys.emplace_back(key);
  });
  return keys;
}

}  // namespace ulnet::conf
