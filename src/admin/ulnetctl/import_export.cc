// import, export. Source: spec/cli-lnetctl.md 3.13, 5, 6.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "admin/client/export.h"
#include "admin/client/yaml_apply.h"
#include "admin/conf/unsupported.h"
#include "admin/conf/yaml_in.h"
#include "admin/ulnetctl/command.h"
#include "admin/ulnetctl/files.h"
#include "admin/ulnetctl/ping.h"
#include "lnet/os/interfaces.h"

namespace ulnet::tools {

namespace {

int cannot_open(Session& session, const std::string& path, int code) {
  const std::string descr = "cannot open '" + path + "': " + std::strerror(code);
  return session.nested("yaml", "builder", -1, descr, -code);
}

ctl::ImportMode mode_of(const Arguments& args) {
  if (args.has("exec")) return ctl::ImportMode::kExec;
  if (args.has("show")) return ctl::ImportMode::kShow;
  if (args.has("del")) return ctl::ImportMode::kDel;
  return ctl::ImportMode::kAdd;
}

ctl::Intent intent_of(ctl::ImportMode mode) {
  const bool changes = mode == ctl::ImportMode::kAdd || mode == ctl::ImportMode::kDel;
  return changes ? ctl::Intent::kChange : ctl::Intent::kShow;
}

/// Makes a message about a part of the file, with its place. When called as lnetctl, leaves out the
/// place, as lnetctl does.
std::string with_place(const Session& session, const conf::Problem& problem) {
  return session.program() == "lnetctl" ? problem.reason : to_string(problem);
}

ctl::ImportSink sink_of(Session& session, bool as_json) {
  return {
      .error =
          [&session](std::string_view operation, std::string_view entity,
                     const conf::Problem& problem) {
            session.failed(operation, entity, {problem.code, with_place(session, problem)},
                           problem.seq_no);
            session.hint(problem.hint);
          },
      .note = [&session](const conf::Problem& note) { err(with_place(session, note) + "\n"); },
      .shown = [&session, as_json](const std::string&,
                                   const ctl::Tree& tree) { session.show(tree, as_json); },
      .pinged =
          [&session, as_json](const ctl::LnetConfig::PingResult& result) {
            show_ping(session, result, as_json);
          },
  };
}

/// With `--strict`, prints every note and every problem as an error.
bool refuse_all(const conf::Document& document, const ctl::ImportSink& sink,
                std::string_view operation) {
  conf::Problems problems = document.notes;
  for (const conf::Item& item : document.items)
    if (const auto* problem = std::get_if<conf::Problem>(&item.what)) problems.push_back(*problem);
  for (const conf::Problem& problem : problems) sink.error(operation, "import", problem);
  return !problems.empty();
}

/// With `--skip-unsupported`, or if the file's `daemon:` section requests it, leaves out the nets
/// for whose type ulnet has no driver. Prints which nets these are.
void leave_out_unsupported(Session& session, const Arguments& args, conf::Document& document) {
  const bool asked =
      args.has("skip-unsupported") || conf::skips_unsupported(document).value_or(false);
  if (!asked) return;
  const conf::LeftOut left = conf::leave_out_unsupported(
      document, [](NetType type) { return type == NetType::kTcp || type == NetType::kLo; });
  if (left.any()) session.hint("left out: " + left.to_string());
}

}  // namespace

int run_import(Session& session, const Command& self, Words words) {
  const auto args = Arguments::parse(words, {kHelp,
                                             {"add", 'a', Option::kFlag},
                                             {"del", 'd', Option::kFlag},
                                             {"show", 's', Option::kFlag},
                                             {"exec", 'e', Option::kFlag},
                                             {"old-api", 'o', Option::kFlag},
                                             {"strict", 0, Option::kFlag},
                                             {"skip-unsupported", 0, Option::kFlag},
                                             kJson});
  if (!args) return wrong_option(session, self);
  if (args->has("help")) return print_help(session, self), 0;
  File file(stdin);
  if (!args->rest().empty()) {
    const std::string& path = args->rest().back();
    file.reset(std::fopen(path.c_str(), "re"));
    if (file == nullptr) return cannot_open(session, path, errno);
  }
  const ctl::ImportMode mode = mode_of(*args);
  auto text = read_all(file.get());
  const char* const operation = mode == ctl::ImportMode::kDel ? "del" : "add";
  if (!text) return session.failed(operation, "import", text.error());
  auto document = conf::read_yaml(*text);
  if (!document) {
    const conf::Problem& problem = document.error();
    return session.failed(operation, "import", {problem.code, to_string(problem)});
  }
  const ctl::ImportSink sink = sink_of(session, args->has("json"));
  if (args->has("strict") && refuse_all(*document, sink, operation)) return kRequestFailed;
  if (mode == ctl::ImportMode::kAdd) leave_out_unsupported(session, *args, *document);
  if (document->items.empty()) return 0;
  ctl::LnetConfig& lnet = session.connect(intent_of(mode));
  HostNames hosts;
  const bool good =
      ctl::yaml_apply(lnet, *document, mode, machine::local_interfaces(), hosts.resolver(), sink);
  hosts.hint(session);
  if (good) return 0;
  return mode == ctl::ImportMode::kExec ? kTargetFailed : kRequestFailed;
}

int run_export(Session& session, const Command& self, Words words) {
  const auto args = Arguments::parse(words, {kHelp, {"backup", 'b', Option::kFlag}, kJson});
  if (!args) return wrong_option(session, self);
  if (args->has("help")) return print_help(session, self), 0;
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kShow);
  const auto tree = ctl::export_tree(lnet, args->has("backup"), machine::local_interfaces());
  if (!tree) return session.failed("show", "export", tree.error());
  if (args->rest().empty()) return session.show(*tree, args->has("json")), 0;
  const std::string& path = args->rest().back();
  File file(std::fopen(path.c_str(), "we"));
  if (file == nullptr) return cannot_open(session, path, errno);
  const std::string text = session.text_of(*tree, args->has("json"));
  const bool written = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size() &&
                       std::fflush(file.get()) == 0;
  return written ? 0 : cannot_open(session, path, errno);
}

}  // namespace ulnet::tools
