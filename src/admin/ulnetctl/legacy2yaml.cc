// legacy2yaml, also as the program lnet_legacy2yaml. The command talks to no node. Source:
// spec/cli-lnetctl.md 10.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "admin/conf/legacy.h"
#include "admin/ulnetctl/command.h"
#include "admin/ulnetctl/files.h"
#include "lnet/base/limits.h"
#include "lnet/base/text.h"

namespace ulnet::tools {

namespace {

using conf::LegacyKind;

constexpr int kUsage = 1;  // wrong usage, or nothing to convert
constexpr int kWrong = 2;  // a text or a file is wrong

/// The options that name files, in the order in which their files are read.
struct Section {
  const char* option;
  LegacyKind kind;
};
constexpr Section kKinds[] = {{"ip2nets", LegacyKind::kIp2Nets},
                              {"routes", LegacyKind::kRoutes},
                              {"networks", LegacyKind::kNetworks},
                              {"modprobe", LegacyKind::kModprobe}};

class Converting {
 public:
  Converting(Session& session, std::optional<std::uint32_t> default_hop)
      : session_(session), legacy_(default_hop) {}

  bool add_file(LegacyKind kind, const std::string& path) {
    const File file(std::fopen(path.c_str(), "re"));
    if (file == nullptr)
      return wrong(fmt::format("cannot open '{}': {}", path, std::strerror(errno)));
    return add(kind, path, file.get());
  }
  bool add(LegacyKind kind, const std::string& name, std::FILE* file) {
    const auto text = read_all(file);
    if (!text) return wrong(name + ": " + text.error().reason);
    if (text->size() > limits::kConfigTextMax)
      return wrong(name + ": the text is longer than 16 MiB");
    return add(kind, name, *text);
  }
  bool add(LegacyKind kind, const std::string& name, const std::string& text) {
    if (auto added = legacy_.add(kind, text); !added) {
      added.error().file = name;
      return wrong(to_string(added.error()));
    }
    for (; notes_printed_ < legacy_.notes().size(); ++notes_printed_) {
      conf::Problem note = legacy_.notes()[notes_printed_];
      note.file = name;
      err(session_.program() + ": " + to_string(note) + "\n");
    }
    return true;
  }

  int finish(const std::optional<std::string>& output) {
    if (legacy_.empty())
      return err(session_.program() + ": error: no ip2nets, routes, or networks data\n"), kUsage;
    const std::string yaml = legacy_.yaml();
    if (!output) return out(yaml), 0;
    const File file(std::fopen(output->c_str(), "we"));
    const bool written = file != nullptr &&
                         std::fwrite(yaml.data(), 1, yaml.size(), file.get()) == yaml.size() &&
                         std::fflush(file.get()) == 0;
    if (written) return 0;
    wrong(fmt::format("cannot write '{}': {}", *output, std::strerror(errno)));
    return kWrong;
  }

 private:
  bool wrong(const std::string& what) {
    err(session_.program() + ": error: " + what + "\n");
    return false;
  }

  Session& session_;
  conf::Legacy legacy_;
  std::size_t notes_printed_ = 0;  // how many of the notes were printed
};

/// Returns the value of --default-hop; 1 if it has none; nothing if it is not a number of hops.
std::optional<std::uint32_t> hop_of(const std::string& text) {
  const auto hop = text.empty() ? 1U : text::number(text, 255).value_or(0);
  if (hop == 0) return {};
  return hop;
}

int convert(Converting& to, const Arguments& args) {
  for (const auto& [option, kind] : kKinds)
    for (const std::string& path : args.values(option))
      if (!to.add_file(kind, path)) return kWrong;
  for (const std::string& text : args.rest())
    if (!to.add(LegacyKind::kAny, "TEXT", text)) return kWrong;
  const bool from_stdin = args.rest().empty() && ::isatty(STDIN_FILENO) == 0;
  if (from_stdin && !to.add(LegacyKind::kAny, "standard input", stdin)) return kWrong;
  return to.finish(args.value("output"));
}

}  // namespace

int run_legacy2yaml(Session& session, const Command& self, Words words) {
  words.front() = session.program();  // getopt uses it in its messages
  const auto args = Arguments::parse(words, {kHelp,
                                             {"ip2nets", 'i', Option::kValue},
                                             {"routes", 'r', Option::kValue},
                                             {"networks", 'n', Option::kValue},
                                             {"modprobe", 'm', Option::kValue},
                                             {"output", 'o', Option::kValue},
                                             {"default-hop", 0, Option::kMaybe}});
  if (!args) return print_help(session, self), kUsage;
  if (args->has("help")) return print_help(session, self), 0;
  std::optional<std::uint32_t> default_hop;
  if (const auto given = args->value("default-hop")) {
    default_hop = hop_of(*given);
    if (!default_hop) {
      err(session.program() + ": error: --default-hop: hopcount " + text::quoted(*given) +
          " out of range (1 to 255)\n");
      return kUsage;
    }
  }
  Converting converting(session, default_hop);
  return convert(converting, *args);
}

}  // namespace ulnet::tools
