#!/usr/bin/env bash
# A reader of document 000 at the files of _handoffs/, by hand: document-000.sh <step> <handoff_id>
set -eu
step=$1 id=$2
active=_handoffs/active/$id.md
archive=_handoffs/archived/$(date -u +%Y/%m)/$id.md
now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
later=$(date -u -d '+4 hours' +%Y-%m-%dT%H:%M:%SZ)

# A status, with other keys of the front matter, in one write.
write() {
  local file=$1 text status=$2
  shift 2
  text=$(sed -e "s|^status: .*|status: $status|" -e "s|^updated_at: .*|updated_at: $now|" "$@" "$active"; printf x)
  if [ "$file" = "$archive" ]; then archived; fi
  printf %s "${text%x}" >"$file"
}
checks() {
  printf 'completion_verified_by: %s\\nverification_record:\\n  verified_at: %s\\n  deliverable_checks:' "$1" "$now"
  shift
  for each in "$@"; do
    printf '\\n    - deliverable: "%s"\\n      status: %s\\n      evidence: "PR #123"' "${each#*:}" "${each%%:*}"
  done
}
# Whoever else looks after the folder may have moved it already.
archived() { mkdir -p "${archive%/*}" && { mv "$active" "$archive" 2>/dev/null || [ -f "$archive" ]; }; }
MIDDLEWARE='Implemented rate limiting middleware' TESTS='Unit tests passing' DOCS='Documentation updated'

case $step in
create)
  task=${id%-*}
  cat >"$active" <<FILE
---
handoff_id: $id
from_agent: grok
to_agent: claude
related_task: ${task#handoff-grok-claude-}
status: ${3-Created}
created_at: $now
updated_at: $now
expires_at: $(date -u -d '+1 hour' +%Y-%m-%dT%H:%M:%SZ)
title: "Implement API Rate Limiting"
purpose: |
  The plan is made, and claude has the skills to build it.
context: |
  The API needs limits before its public launch.
deliverables:
  - "$MIDDLEWARE"
  - "$TESTS"
  - "$DOCS"
verification_criteria:
  - "All tests pass in CI"
source_meeting: meetings/sprint-planning.md
skill_web_node: skills/api-development
acknowledged_at: null
acknowledged_by: null
acknowledgment_notes: null
completed_at: null
completion_verified_by: null
completion_notes: null
---

# Handoff: Implement API Rate Limiting

## From: Grok
## To: Claude
FILE
  ;;
finalise) write "$active" Active -e "s|^expires_at: .*|expires_at: $later|" ;;
acknowledge)
  write "$active" "${3-Acknowledged}" -e "s|^acknowledged_at: .*|acknowledged_at: $now|" \
    -e 's|^acknowledged_by: .*|acknowledged_by: claude|' \
    -e 's|^acknowledgment_notes: .*|acknowledgment_notes: "Accepted."|'
  ;;
complete)
  record=$(checks "${3-perplexity}" "${4-verified}:$MIDDLEWARE" "verified:$TESTS" "verified:$DOCS")
  write "$active" Complete -e "s|^completed_at: .*|completed_at: $now|" -e "s|^completion_verified_by: .*|$record|"
  archived
  ;;
two-of-three)
  record=$(checks perplexity "verified:$MIDDLEWARE" "verified:$TESTS")
  write "$active" Complete -e "s|^completed_at: .*|completed_at: $now|" -e "s|^completion_verified_by: .*|$record|"
  archived
  ;;
reject)
  write "$active" Rejected -e 's|^acknowledged_at: .*|&\nrejection_reason: "no capacity this week"|'
  archived
  ;;
move-then-reject)
  write "$archive" Rejected -e 's|^acknowledged_at: .*|&\nrejection_reason: "no capacity this week"|'
  ;;
expire)
  # A watcher may have been quicker.
  [ -f "$active" ] || exit 0
  write "$active" Expired
  archived
  ;;
esac
