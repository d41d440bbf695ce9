#include "admin/dlc/library.h"

#include <cerrno>
#include <new>

#include "admin/conf/yaml_out.h"
#include "admin/dlc/tree.h"
#include "ulnet/lnetconfig.h"

namespace ulnet::dlc {

namespace {

struct LastError {
  std::string reason, hint;
};
LastError& last_error() {
  thread_local LastError last;
  return last;
}

/// Runs `body`; no exception leaves this function. -ENOMEM if memory runs out.
template <class Body>
int guarded(const Report& report, Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    // The error needs memory too, and may be without text.
    return cYAML_build_error(-ENOMEM, report.seq_no, report.op, report.entity, "out of memory",
                             report.err_rc);
  }
}

}  // namespace

int failed(const Report& report, const Error& error, const std::string& hint) {
  const std::string reason = error.reason.empty() ? conf::errno_text(error.code) : error.reason;
  last_error() = {reason, hint};
  return cYAML_build_error(error.code, report.seq_no, report.op, report.entity, reason.c_str(),
                           report.err_rc);
}

int succeeded() {
  last_error() = {};
  return 0;
}

Library& Library::get() {
  static Library library;
  return library;
}

Result<void> Library::use_node(std::string control) {
  const std::lock_guard lock(mutex_);
  if (references_ > 0) return fail(-EBUSY, "the library is in use");
  control_ = std::move(control);
  connection_.reset();
  return {};
}

Result<void> Library::init() {
  const std::lock_guard lock(mutex_);
  if (references_ == 0)
    if (const auto there = connect(ctl::Intent::kShow); !there) return there;
  ++references_;
  return {};
}

void Library::uninit() {
  const std::lock_guard lock(mutex_);
  if (references_ == 0 || --references_ > 0) return;
  client_ = nullptr;
  connection_.reset();
}

Result<void> Library::connect(ctl::Intent intent) {
  if (connection_ == nullptr) connection_ = std::make_unique<ctl::NodeConnection>(control_);
  const auto client = connection_->open(intent);
  if (!client) return tl::unexpected(client.error());
  client_ = *client;
  return {};
}

int Library::call(const Report& report, ctl::Intent intent, const Work& work) noexcept {
  return guarded(report, [&] {
    const std::lock_guard lock(mutex_);
    if (references_ == 0)
      return failed(report, {-ENOTCONN, "lustre_lnet_config_lib_init() has not been called"});
    if (const auto there = connect(intent); !there) return failed(report, there.error());
    LnetConfig lnet(*client_);
    const int code = work(lnet);
    // The connection cannot be used any more.
    if (code == -ECONNRESET) connection_.reset();
    return code;
  });
}

std::string Library::take_hint() { return client_->take_hint(); }

int change(const Report& report, const std::function<Result<void>(LnetConfig&)>& work) {
  Library& library = Library::get();
  return library.call(report, ctl::Intent::kChange, [&](LnetConfig& lnet) {
    const auto result = work(lnet);
    return result ? succeeded() : failed(report, result.error(), library.take_hint());
  });
}

int show(const Report& report, cYAML** show_rc,
         const std::function<Result<Tree>(LnetConfig&)>& work) {
  Library& library = Library::get();
  return library.call(report, ctl::Intent::kShow, [&](LnetConfig& lnet) {
    const auto tree = work(lnet);
    if (!tree) return failed(report, tree.error(), library.take_hint());
    if (add_sections(*tree, show_rc) != 0) return failed(report, {-ENOMEM, "out of memory"});
    return succeeded();
  });
}

int local(const Report& report, const std::function<Result<void>()>& work) noexcept {
  return guarded(report, [&] {
    const auto result = work();
    return result ? succeeded() : failed(report, result.error());
  });
}

}  // namespace ulnet::dlc

using namespace ulnet;
using namespace ulnet::dlc;

extern "C" {

int ulnet_lnetconfig_use_node(const char* control) {
  return local({"configure", "lnet", -1, nullptr},
               [&] { return Library::get().use_node(text_of(control)); });
}

int lustre_lnet_config_lib_init(void) {
  return local({"configure", "lnet", -1, nullptr}, [] { return Library::get().init(); });
}

void lustre_lnet_config_lib_uninit(void) { Library::get().uninit(); }

const char* ulnet_lnetconfig_last_error(void) { return last_error().reason.c_str(); }

const char* ulnet_lnetconfig_last_hint(void) { return last_error().hint.c_str(); }

}  // extern "C"
