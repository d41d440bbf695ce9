// Applies a YAML document to a node: lnetctl's `import`. All its changes are one request, which the
// node takes into use together. The node makes them in document order, except that it deletes
// policies by their index (`udsp:`) before anything else. Each change has its own result: an error
// neither undoes nor stops the others. Source: spec/cli-lnetctl.md 5, 7.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "admin/client/lnetconfig.h"
#include "admin/client/nid_words.h"
#include "admin/conf/yaml_in.h"
#include "lnet/config/interfaces.h"

namespace ulnet::ctl {

enum class ImportMode { kAdd, kDel, kShow, kExec };

/// Where an import reports. The functions are called on the caller's thread, in document order.
struct ImportSink {
  /// Reports an error in lnetctl's form: operation, entity, errno and descr. The error has a place
  /// if it is about a part of the document.
  std::function<void(std::string_view operation, std::string_view entity,
                     const conf::Problem& problem)>
      error;
  /// Reports a note, which stops nothing.
  std::function<void(const conf::Problem& note)> note;
  /// With --show: reports a tree of this section ("net", "global", ...).
  std::function<void(const std::string& section, const Tree& tree)> shown;
  /// With --exec: reports the outcome of a ping or of a discovery.
  std::function<void(const LnetConfig::PingResult& result)> pinged;
};

/// Applies the document to the node. Returns whether everything succeeded. `resolve` turns host
/// names into addresses for --exec.
bool yaml_apply(LnetConfig& lnet, const conf::Document& document, ImportMode mode,
                std::span<const conf::LocalInterface> interfaces, const HostResolver& resolve,
                const ImportSink& sink);

}  // namespace ulnet::ctl
