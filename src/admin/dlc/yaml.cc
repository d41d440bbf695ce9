// YAML documents, and other functions that configure a node or its machine. Source:
// spec/cli-lnetctl.md 3.17, 5, 7.
#include <cerrno>
#include <nlohmann/json.hpp>

#include "admin/client/yaml_apply.h"
#include "admin/dlc/library.h"
#include "admin/dlc/ping.h"
#include "admin/dlc/tree.h"
#include "lnet/os/interfaces.h"
#include "ulnet/lnetconfig.h"

using namespace ulnet;
using namespace ulnet::dlc;

namespace {

/// Carries out a document and keeps the first error's code.
class Import {
 public:
  Import(int seq_no, cYAML** show_rc, cYAML** err_rc)
      : seq_no_(seq_no), show_rc_(show_rc), err_rc_(err_rc) {}

  int run(LnetConfig& lnet, const conf::Document& document, ctl::ImportMode mode) {
    ctl::yaml_apply(lnet, document, mode, machine::local_interfaces(), ctl::resolve_host, sink());
    return first_ == 0 ? succeeded() : first_;
  }

 private:
  void keep(int code) {
    if (first_ == 0) first_ = code;
  }
  ctl::ImportSink sink() {
    return {
        .error =
            [this](std::string_view operation, std::string_view entity,
                   const conf::Problem& problem) {
              const int seq_no = problem.seq_no ? static_cast<int>(*problem.seq_no) : seq_no_;
              keep(failed(
                  {std::string(operation).c_str(), std::string(entity).c_str(), seq_no, err_rc_},
                  {problem.code, to_string(problem)}, problem.hint));
            },
        .note = [](const conf::Problem&) {},
        .shown =
            [this](const std::string&, const Tree& tree) {
              if (add_sections(tree, show_rc_) != 0) keep(-ENOMEM);
            },
        .pinged =
            [this](const LnetConfig::PingResult& result) {
              if (add_sections(result.good, show_rc_) != 0) keep(-ENOMEM);
              keep(failed_targets(result, seq_no_, err_rc_));
            },
    };
  }

  int seq_no_;
  cYAML** show_rc_;
  cYAML** err_rc_;
  int first_ = 0;
};

int import(ctl::ImportMode mode, const char* text, std::size_t length, int seq_no, cYAML** show_rc,
           cYAML** err_rc) {
  const bool changes = mode == ctl::ImportMode::kAdd || mode == ctl::ImportMode::kDel;
  const Report report{mode == ctl::ImportMode::kDel ? "del" : "add", "import", seq_no, err_rc};
  const auto intent = changes ? ctl::Intent::kChange : ctl::Intent::kShow;
  return Library::get().call(report, intent, [&](LnetConfig& lnet) {
    const auto document =
        conf::read_yaml({text == nullptr ? "" : text, text == nullptr ? 0 : length});
    if (document) return Import(seq_no, show_rc, err_rc).run(lnet, *document, mode);
    const conf::Problem& problem = document.error();
    return failed(report, {problem.code, to_string(problem)});
  });
}

/// Reports that ulnet does not have this command, which would configure the machine.
int not_built(const char* command, int seq_no, cYAML** err_rc) {
  return local({"manage", command, seq_no, err_rc}, [&]() -> Result<void> {
    return fail(-ENOSYS, "'" + std::string(command) + "' is not built yet in ulnet");
  });
}

}  // namespace

extern "C" {

int lustre_yaml_config(const char* text, size_t length, int seq_no, cYAML** err_rc) {
  return import(ctl::ImportMode::kAdd, text, length, seq_no, nullptr, err_rc);
}

int lustre_yaml_del(const char* text, size_t length, int seq_no, cYAML** err_rc) {
  return import(ctl::ImportMode::kDel, text, length, seq_no, nullptr, err_rc);
}

int lustre_yaml_show(const char* text, size_t length, int seq_no, cYAML** show_rc, cYAML** err_rc) {
  return import(ctl::ImportMode::kShow, text, length, seq_no, show_rc, err_rc);
}

int lustre_yaml_exec(const char* text, size_t length, int seq_no, cYAML** show_rc, cYAML** err_rc) {
  return import(ctl::ImportMode::kExec, text, length, seq_no, show_rc, err_rc);
}

int lustre_lnet_calc_service_id(uint64_t*, int seq_no, cYAML** err_rc) {
  return not_built("service-id", seq_no, err_rc);
}

int lustre_lnet_setup_mrrouting(int seq_no, cYAML** err_rc) {
  return not_built("setup-mrrouting", seq_no, err_rc);
}

int lustre_lnet_setup_sysctl(int seq_no, cYAML** err_rc) {
  return not_built("setup-sysctl", seq_no, err_rc);
}

int yaml_lnet_configure(unsigned int flags, const char** message) {
  const int code = change({"configure", "lnet", -1, nullptr}, [&](LnetConfig& lnet) {
    return lnet.config_ni_system((flags & YAML_LNET_UP) != 0, (flags & YAML_LNET_ALL) != 0,
                                 (flags & YAML_LNET_LARGE) != 0);
  });
  if (message != nullptr) *message = code == 0 ? nullptr : ulnet_lnetconfig_last_error();
  return code;
}

}  // extern "C"
