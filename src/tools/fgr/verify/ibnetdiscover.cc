#include "tools/fgr/verify/ibnetdiscover.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "base/printable.h"
#include "base/text.h"

namespace ulnet::tools::fgr {
namespace {

constexpr std::size_t kMostLines = 4'000'000;
constexpr std::size_t kMostCables = 200'000, kMostStrangers = 100'000;
constexpr std::size_t kLongestLine = 4096;
constexpr std::size_t kMostTold = 5;

/// What is between the next two quotes; nothing when a quote is missing. `rest` goes on behind.
std::optional<std::string_view> next_quoted(std::string_view& rest) {
  const std::size_t begin = rest.find('"');
  if (begin == std::string_view::npos) return std::nullopt;
  const std::size_t end = rest.find('"', begin + 1);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view word = rest.substr(begin + 1, end - begin - 1);
  rest.remove_prefix(end + 1);
  return word;
}

/// Hexadecimal digits behind "S-" or "H-".
bool is_guid(std::string_view id, std::string_view kind) {
  return id.starts_with(kind) && id.size() > kind.size() &&
         id.find_first_not_of("0123456789abcdefABCDEF", kind.size()) == std::string_view::npos;
}

/// Letters, digits, '-', '_' and '.' make a word, in small letters.
std::vector<std::string> words_in(std::string_view description) {
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  for (const char c : text::lower(description)) {
    const bool part =
        (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    if (part)
      word += c;
    else
      end_word();
  }
  end_word();
  return words;
}

/// Names by their small letters.
class Names {
 public:
  void add(const std::string& name) {
    if (!name.empty()) names_.emplace(text::lower(name), name);
  }
  /// The first name that is a word of the description, or the GUID; a domain is left out.
  std::string in(std::string_view description, std::string_view guid) const {
    auto words = words_in(description);
    words.insert(words.end(), {text::lower(guid), "s-" + text::lower(guid)});
    for (const std::string& word : words)
      for (const std::string& one : {word, word.substr(0, word.find('.'))})
        if (const auto found = names_.find(one); found != names_.end()) return found->second;
    return {};
  }

 private:
  std::map<std::string, std::string> names_;
};

class FabricReading {
 public:
  explicit FabricReading(const plan::VerifyChecks& checks) : checks_(checks) {
    for (const plan::VerifyHost& host : checks.hosts) {
      if (host.is(plan::HostConfig::Kind::kClients)) continue;
      hosts_.add(host.name);
      switches_.add(host.at_switch);
    }
  }

  Result<Fabric> read(std::istream& in) {
    std::string line;
    while (next_line(in, line))
      if (++lines_ > kMostLines) return fail(-E2BIG, "it has more than 4 million lines");
    if (ports_ == 0)
      return fail(-EINVAL,
                  "there is no switch with a port in it: is it the output of "
                  "ibnetdiscover?");
    tell();
    return std::move(fabric_);
  }

 private:
  /// Of a line that is too long the beginning counts.
  bool next_line(std::istream& in, std::string& line) {
    line.clear();
    int c = in.get();
    if (c == std::istream::traits_type::eof()) return false;
    for (; c != std::istream::traits_type::eof() && c != '\n'; c = in.get())
      if (line.size() < kLongestLine) line += static_cast<char>(c);
    ended_ = c == '\n';
    take(line);
    return true;
  }

  void take(std::string_view line) {
    line = text::trim(line);
    if (line.starts_with("Switch"))
      begin_switch(line);
    else if (line.starts_with("Ca") || line.starts_with("Rt"))
      switch_guid_.clear();
    else if (line.starts_with("[") && !switch_guid_.empty())
      take_port(line);
  }

  /// Switch 36 "S-0002c90200423e60" # "MF0;left0:IS5035/U1" enhanced port 0 lid 1 lmc 0
  void begin_switch(std::string_view line) {
    switch_guid_.clear();
    const auto id = next_quoted(line);
    if (!id || !is_guid(*id, "S-")) return not_understood();
    switch_guid_ = id->substr(2);
    switch_name_ = switches_.in(next_quoted(line).value_or(""), switch_guid_);
  }

  /// [1] "H-0002c903000a1b2c"[1](2c903000a1b2d) # "snx11001n004 HCA-1" lid 12 4xQDR
  void take_port(std::string_view line) {
    const std::size_t close = line.find(']');
    const auto port = close == std::string_view::npos
                          ? std::nullopt
                          : text::number(line.substr(1, close - 1), UINT16_MAX);
    const auto id = next_quoted(line);
    if (!port || !id) return not_understood();
    ++ports_;
    if (!id->starts_with("H-")) return;
    const auto description = next_quoted(line);
    if (!description || !is_guid(*id, "H-")) return not_understood();
    const std::string host = hosts_.in(*description, id->substr(2));
    if (host.empty()) {
      if (strangers_.size() < kMostStrangers) strangers_.insert(text::printable(*description));
      return;
    }
    if (fabric_.cables.size() == kMostCables) return not_understood();
    found_.insert(host);
    fabric_.cables.push_back({host, std::string(id->substr(2)), switch_guid_, switch_name_, *port});
  }

  void not_understood() { ++odd_lines_; }

  void tell() {
    const auto few = [](const std::set<std::string>& names) {
      std::string text;
      std::size_t count = 0;
      for (const std::string& name : names) {
        if (++count > kMostTold) break;
        text += (text.empty() ? "" : ", ") + name;
      }
      return names.size() > kMostTold
                 ? fmt::format("{} and {} more", text, names.size() - kMostTold)
                 : text;
    };
    std::set<std::string> missing;
    for (const plan::VerifyHost& host : checks_.hosts)
      if (!host.is(plan::HostConfig::Kind::kClients) && !found_.contains(host.name))
        missing.insert(host.name);
    if (!missing.empty())
      fabric_.remarks.push_back(
          fmt::format("{} of the plan's hosts are not in it: {}", missing.size(), few(missing)));
    if (!strangers_.empty())
      fabric_.remarks.push_back(
          fmt::format("{}{} descriptions of adapters name no host of the plan: {}",
                      strangers_.size() == kMostStrangers ? "at least " : "", strangers_.size(),
                      few(strangers_)));
    if (odd_lines_ > 0)
      fabric_.remarks.push_back(
          fmt::format("{} lines of switches and ports were not understood", odd_lines_));
    if (!ended_) fabric_.remarks.emplace_back("it ends within a line: it is cut short");
  }

  const plan::VerifyChecks& checks_;
  Names hosts_, switches_;
  Fabric fabric_;
  std::string switch_guid_, switch_name_;
  std::set<std::string> found_, strangers_;
  std::size_t lines_ = 0, ports_ = 0, odd_lines_ = 0;
  bool ended_ = true;
};

}  // namespace

Result<Fabric> read_ibnetdiscover(std::istream& text, const plan::VerifyChecks& checks) {
  return FabricReading(checks).read(text);
}

}  // namespace ulnet::tools::fgr
