// The connection of the process to one node, and how a C function makes a call with it. Source:
// spec/cli-lnetctl.md 7, 13.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "admin/client/lnetconfig.h"
#include "admin/client/node_connection.h"
#include "ulnet/cyaml.h"

namespace ulnet::dlc {

using namespace conf::change;
using ctl::LnetConfig;
using ctl::Tree;

/// The names that an error has, and the tree to which it is added.
struct Report {
  const char* op;
  const char* entity;
  int seq_no;
  cYAML** err_rc;
};

/// Adds the error to the report's tree and remembers it for the thread. Returns its code.
int failed(const Report& report, const Error& error, const std::string& hint = {});
/// Remembers that a call of the thread has succeeded. Returns 0.
int succeeded();

/// The only state of the library. Any thread; one call at a time.
class Library {
 public:
  static Library& get();

  /// Sets the node; an empty `control` means the default. -EBUSY while the library is in use.
  Result<void> use_node(std::string control);
  Result<void> init();
  void uninit();

  using Work = std::function<int(ctl::LnetConfig& lnet)>;
  /// Calls `work` with the node and returns its result. An obstacle becomes an error of the report:
  /// there is no connection, the node must not be changed, memory runs out.
  int call(const Report& report, ctl::Intent intent, const Work& work) noexcept;

  /// Returns the hint that came with the node's last error. Call it only inside `work`.
  std::string take_hint();

 private:
  Result<void> connect(ctl::Intent intent);

  std::mutex mutex_;  // guards the rest
  int references_ = 0;
  std::string control_;
  std::unique_ptr<ctl::NodeConnection> connection_;  // null: the next call connects
  ctl::ControlClient* client_ = nullptr;             // belongs to connection_
};

/// Makes a call that changes the node. Returns the node's result.
int change(const Report& report, const std::function<Result<void>(ctl::LnetConfig&)>& work);
/// Makes a call that shows part of the node's state, and adds the sections to `*show_rc`.
int show(const Report& report, cYAML** show_rc,
         const std::function<Result<ctl::Tree>(ctl::LnetConfig&)>& work);
/// Makes a call that needs no node.
int local(const Report& report, const std::function<Result<void>()>& work) noexcept;

/// Returns a text of the caller; a null pointer is an empty text.
inline std::string text_of(const char* text) { return text == nullptr ? "" : text; }

}  // namespace ulnet::dlc
