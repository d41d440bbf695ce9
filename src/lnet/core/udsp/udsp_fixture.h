// For tests: rules, nets and NIDs from texts.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lnet/core/udsp/rule_list.h"

namespace ulnet::core::udsp {

inline Rule rule_of(const RuleText& words) { return parse_rule(words).value(); }
inline Nid nid_of(const std::string& text) { return Nid::parse(text).value(); }
inline NetId net_of(const std::string& text) { return NetId::parse(text).value(); }

/// "src=tcp 3", "dst=10.0.0.1@tcp rte=10.0.0.9@tcp": a rule as the tests compare it.
inline std::string words_of(const Rule& rule) {
  std::string words;
  const auto put = [&](const char* name, const std::optional<Criterion>& criterion) {
    if (criterion) words += (words.empty() ? "" : " ") + (name + criterion->to_string());
  };
  put("src=", rule.src);
  put("dst=", rule.dst);
  put("rte=", rule.rte);
  return rule.priority ? words + " " + std::to_string(*rule.priority) : words;
}
inline std::vector<std::string> words_of(const RuleList& list) {
  std::vector<std::string> all;
  for (const RuleList::Entry& entry : list.entries()) all.push_back(words_of(entry.rule));
  return all;
}

}  // namespace ulnet::core::udsp
