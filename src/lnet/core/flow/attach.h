// MEs and MDs are attached and bound. Source: spec/core-semantics.md 3, 4.3, 4.4.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// At home: shard `user` is going to attach entries of this type. -EINVAL: no such portal.
/// -EPERM: the portal has the other type (3).
Check claim_portal(Step& step, Portal portal, PortalType type, std::uint32_t user);
/// 0 and `me`, or -EINVAL, -EPERM, -ENOMEM (3). -EAGAIN: the portal's home is another shard and
/// this shard has never attached an entry on the portal, so the caller first has to call
/// claim_portal() at home; it says with `claimed` that it has.
Check attach_me(Step& step, Portal portal, const ProcessId& match_id, MatchBits match,
                MatchBits ignore, UnlinkMode unlink, bool at_head, bool claimed, MeHandle& me);
/// 0 and `md`; then the MD is offered to the messages that wait on the portal. On an error other
/// than -ENOENT and -EBUSY the ME is gone too (4.3).
Check attach_md(Step& step, MeHandle me, const MdSpec& spec, UnlinkMode unlink, MdOwner owner,
                MdHandle& md);
/// 0 and `md`, or -EINVAL, -ENOMEM (4.4).
Check bind_md(Step& step, const MdSpec& spec, UnlinkMode unlink, MdOwner owner, MdHandle& md);

}  // namespace ulnet::core
