// explain-log.
#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "fgr/commands.h"
#include "fgr/log/log_explanation.h"
#include "fgr/output/chunks.h"
#include "text/shell/progress.h"

namespace ulnet::tools::fgr {
namespace {

constexpr const char* kLogExamples = R"(Examples:
  ulnet-fgr explain-log site.yaml /var/log/messages
  journalctl -k | ulnet-fgr explain-log site.yaml
  zcat console-2026*.gz | ulnet-fgr explain-log site.yaml --json

A mention is a line that names a NID. ulnet-fgr looks up every NID in the plan of the site: the
group whose net it is on, and its host. The report begins with what stands out: a host, a group, a
switch or a file system that the log mentions at least half more often than if all mentioned
servers, all mentioned routers and all mentioned clients were hit alike.)";

struct ExplainLogOptions {
  std::string site, fabric;
  std::vector<std::string> files;
  bool json = false;
  std::size_t top = 10;
};

/// Shows on a terminal, five times a second, how much has been read.
class ReadProgress {
 public:
  void begin(const std::string& file) {
    name_ = file == "-" ? "standard input" : file;
    size_ = size_of_file(file);
    read_ = 0;
  }
  void add(std::size_t bytes) {
    read_ += bytes;
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return;
    next_ = now + std::chrono::milliseconds(200);
    const auto done = static_cast<double>(read_);
    progress_.detail(
        size_ == 0 ? fmt::format("{}: {:.0f} MB", name_, done / 1e6)
                   : fmt::format("{}: {:.0f} %", name_, done * 100 / static_cast<double>(size_)));
  }

 private:
  Progress progress_;
  std::string name_;
  std::uint64_t size_ = 0, read_ = 0;
  std::chrono::steady_clock::time_point next_ =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
};

/// Returns the program that unpacks a file with these first bytes; empty for text.
std::string_view unpacker_of(std::string_view begin) {
  using namespace std::string_view_literals;
  if (begin.starts_with("\x1f\x8b"sv)) return "zcat";
  if (begin.starts_with("\xfd"
                        "7zXZ\0"sv))
    return "xzcat";
  if (begin.starts_with("\x28\xb5\x2f\xfd"sv)) return "zstdcat";
  return begin.starts_with("BZh"sv) && begin.substr(0, 10).ends_with("1AY&SY"sv) ? "bzcat" : "";
}

Result<plan::LogCounts> scan(const plan::Plan& plan, const std::vector<std::string>& files) {
  plan::LogScanner scanner(plan::NidOwners(plan).planned());
  ReadProgress progress;
  for (const std::string& file : files) {
    progress.begin(file);
    std::optional<std::string_view> unpacker;
    const auto read = read_chunks(file, [&](std::string_view chunk) {
      if (!unpacker) unpacker = unpacker_of(chunk);
      scanner.feed(chunk);
      progress.add(chunk.size());
      return unpacker->empty();
    });
    if (!read) return fail(read.error().code, file + ": " + read.error().reason);
    if (!unpacker.value_or("").empty())
      return fail(-EINVAL,
                  fmt::format("{0}: the file is compressed: {1} {0} | ulnet-fgr explain-log ...",
                              file, *unpacker));
    scanner.end_line();
  }
  return scanner.finish();
}

int explain(const plan::Plan& plan, ExplainLogOptions& options) {
  if (options.files.empty()) options.files = {"-"};
  auto counts = scan(plan, options.files);
  if (!counts) {
    fmt::print(stderr, "ulnet-fgr: {}\n", counts.error().reason);
    return kExitInput;
  }
  const auto explanation = plan::explain_log(plan, std::move(*counts), options.top);
  if (options.json)
    fmt::print("{}\n", explanation_json(plan, explanation, options.top)
                           .dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  else
    fmt::print("{}", plan::explanation_text(plan, explanation, options.top));
  return kExitDone;
}

}  // namespace

void add_explain_log_command(CLI::App& app, int& code) {
  CLI::App& command = *app.add_subcommand(
      "explain-log", "which groups and hosts the NIDs in a log belong to, and where to look first");
  ExplainLogOptions& options = run_with_plan<ExplainLogOptions>(command, code, explain);
  command.footer(kLogExamples);
  add_value(command, "FILE", options.files, "",
            "texts with NIDs: kernel logs, journals, lctl's debug logs; '-', or none, is the "
            "standard input");
  command.add_flag("--json", options.json, "print JSON, for programs");
  add_number(command, "--top", options.top, 1, 1'000'000, "the most entries of each list")
      ->capture_default_str();
}

}  // namespace ulnet::tools::fgr
