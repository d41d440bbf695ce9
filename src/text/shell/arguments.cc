#include "text/shell/arguments.h"

#include <getopt.h>

#include <algorithm>
#include <limits>

#include "lnet/base/nearest_word.h"
#include "text/shell/speak.h"

namespace ulnet::tools {

namespace {

constexpr int kFirstLongOnly = 256;

/// The two tables that getopt needs, made from `options`.
struct Tables {
  explicit Tables(std::initializer_list<Option> options) {
    int index = 0;
    for (const Option& o : options) {
      const int takes = o.kind == Option::kValue  ? required_argument
                        : o.kind == Option::kFlag ? no_argument
                                                  : optional_argument;
      longs.push_back({o.name, takes, nullptr, kFirstLongOnly + index++});
      if (o.letter == 0) continue;
      shorts += o.letter;
      if (o.kind == Option::kValue) shorts += ":";
      if (o.kind == Option::kLevelLoose) shorts += "::";
    }
    longs.push_back({nullptr, 0, nullptr, 0});
  }
  std::vector<option> longs;
  std::string shorts;
};

/// Prints the option that was probably meant by `word`, which getopt has refused.
void suggest_option(std::string_view word, std::initializer_list<Option> options) {
  if (!word.starts_with("--")) return;
  const std::string_view name = word.substr(2, word.find('=') - 2);
  std::vector<std::string_view> names;
  for (const Option& o : options) names.emplace_back(o.name);
  if (const std::string_view meant = text::nearest_word(name, names);
      !meant.empty() && meant != name)
    err("Did you mean '--" + std::string(meant) + "'?\n");
}

}  // namespace

std::optional<Arguments> Arguments::parse(const Words& words,
                                          std::initializer_list<Option> options) {
  const Tables tables(options);
  Words copy = words;  // getopt reorders the words
  std::vector<char*> argv;
  for (std::string& word : copy) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int argc = static_cast<int>(copy.size());

  Arguments parsed;
  optind = 0;  // restarts getopt
  for (;;) {
    const int got =
        ::getopt_long(argc, argv.data(), tables.shorts.c_str(), tables.longs.data(), nullptr);
    if (got == -1) break;
    if (got == '?') {
      suggest_option(argv[static_cast<std::size_t>(optind - 1)], options);
      return std::nullopt;
    }
    const auto option = std::find_if(options.begin(), options.end(), [&](const Option& o) {
      return got >= kFirstLongOnly ? &o - options.begin() == got - kFirstLongOnly : o.letter == got;
    });
    std::string value = optarg == nullptr ? "" : optarg;
    const bool level = option->kind == Option::kLevel || option->kind == Option::kLevelLoose;
    if (level || (option->kind == Option::kMaybe && optarg == nullptr)) {
      // The value is the next word, if that is a number. A level attached to the option is ignored.
      const bool follows = optind < argc && parse_number(argv[static_cast<std::size_t>(optind)]);
      value = follows ? argv[static_cast<std::size_t>(optind++)] : level ? "1" : "";
    }
    parsed.values_[option->name].push_back(value);
  }
  for (int i = optind; i < argc; ++i) parsed.rest_.emplace_back(argv[static_cast<std::size_t>(i)]);
  return parsed;
}

std::optional<std::string> Arguments::value(std::string_view name) const {
  const auto at = values_.find(name);
  if (at == values_.end()) return std::nullopt;
  return at->second.back();
}

Words Arguments::values(std::string_view name) const {
  const auto at = values_.find(name);
  return at == values_.end() ? Words() : at->second;
}

std::optional<std::int32_t> Arguments::number(std::string_view name) const {
  const auto text = value(name);
  const auto n = text ? parse_number(*text) : std::nullopt;
  using Limits = std::numeric_limits<std::int32_t>;
  if (!n || *n < Limits::min() || *n > Limits::max()) return std::nullopt;
  return static_cast<std::int32_t>(*n);
}

int Arguments::level(std::string_view name) const {
  const auto text = value(name);
  if (!text) return 0;
  return static_cast<int>(std::clamp<std::int64_t>(parse_number(*text).value_or(1), 0, 5));
}

}  // namespace ulnet::tools
