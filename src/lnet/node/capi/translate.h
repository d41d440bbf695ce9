// Translates between the C structs of ulnet/lnet.h and the C++ values of ulnet/lnet.hpp.
#pragma once

#include <bit>

#include "ulnet/lnet.h"
#include "ulnet/lnet.hpp"

namespace ulnet::capi {

static_assert(sizeof(lnet_nid) == sizeof(Nid));

constexpr Nid to_nid(const lnet_nid& c) { return std::bit_cast<Nid>(c); }
constexpr lnet_nid to_c(const Nid& nid) { return std::bit_cast<lnet_nid>(nid); }
inline ProcessId to_process(const lnet_processid& c) { return {to_nid(c.nid), Pid{c.pid}}; }
inline lnet_processid to_c(const ProcessId& id) { return {to_c(id.nid), id.pid.value}; }

inline UnlinkMode to_unlink(lnet_unlink c) {
  return c == LNET_UNLINK ? UnlinkMode::kUnlink : UnlinkMode::kRetain;
}

inline lnet_event to_c(const Event& e) {
  lnet_event c;
  c.type = static_cast<lnet_event_kind>(e.type);
  c.status = e.status;
  c.unlinked = e.unlinked ? 1 : 0;
  c.msg_type = e.msg_type;
  c.sequence = e.sequence;
  c.target = to_c(e.target);
  c.initiator = to_c(e.initiator);
  c.source = to_c(e.source);
  c.sender = to_c(e.sender);
  c.pt_index = e.portal.index;
  c.match_bits = e.match_bits.value;
  c.rlength = e.rlength;
  c.mlength = e.mlength;
  c.offset = e.offset;
  c.hdr_data = e.hdr_data;
  c.md_handle.cookie = e.md.cookie;
  c.md_start = e.md_start;
  c.md_user_ptr = e.md_user_ptr;
  c.md_options = e.md_options;
  return c;
}

}  // namespace ulnet::capi
