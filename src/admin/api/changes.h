// The changes of a node (lnet/config/change.h) as requests of the control API: the client writes
// them and the server reads them. Source: docs/CONTROL-API.md; spec/cli-lnetctl.md 3, 5.2 has the
// keys of the bodies.
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "admin/api/fields.h"
#include "admin/conf/yaml_in.h"
#include "lnet/config/change.h"

namespace ulnet::api {

/// The keys of the numbers of router buffers.
inline constexpr std::array kPools = {"tiny", "small", "large"};

struct ChangeRequest {
  const char* method;
  const char* path;
  Json body;
};

ChangeRequest request_of(const conf::change::AddNi& change);
ChangeRequest request_of(const conf::change::DelNi& change);
ChangeRequest request_of(const conf::change::SetNi& change);
ChangeRequest request_of(const conf::change::AddPeer& change);
ChangeRequest request_of(const conf::change::DelPeer& change);
ChangeRequest request_of(const conf::change::SetPeer& change);
ChangeRequest request_of(const conf::change::SetGlobals& change);
ChangeRequest request_of(const conf::change::SetParams& change);
ChangeRequest request_of(const conf::change::AddPolicy& change);
ChangeRequest request_of(const conf::change::DelPolicy& change);
ChangeRequest request_of(const conf::change::AddSelection& change);
ChangeRequest request_of(const conf::change::DelSelection& change);
ChangeRequest request_of(const conf::change::SetRouting& change);
ChangeRequest request_of(const conf::change::AddFault& change);
ChangeRequest request_of(const conf::change::DelFault& change);
ChangeRequest request_of(const conf::change::ResetFaults& change);
ChangeRequest request_of(const conf::change::ResetStats& change);
// The node expands the patterns of an item of `route:` to conf::change::AddRoutes or DelRoutes.
ChangeRequest request_to_add(const conf::RouteEntry& route);
ChangeRequest request_to_delete(const conf::RouteEntry& route);

/// A kind of request that changes a node.
struct ChangeEndpoint {
  std::string_view method, path;
  std::string_view words;  ///< what it changes, for the log, in lnetctl's words
  /// Reads the body. An error has the reason and the errno of the answer.
  Result<conf::Change> (*read)(const Json& body);
};
std::span<const ChangeEndpoint> change_endpoints();

}  // namespace ulnet::api
