#!/usr/bin/env bash
# A reader of document 004 at the packages of a session, by hand: document-004.sh <step> <HO-number>
set -eu
step=$1 file=.project/07-audit/sessions/SESSION-ID/handoffs/$2.yaml
mkdir -p "${file%/*}" .project/02-requirements .project/05-quality
touch .project/02-requirements/US-001.md .project/05-quality/review.md

# From, step, to, reason, summary; more lines of the package come from the standard input. Written at once.
package() {
  local form='handoff:\n  from:\n    agent: %s\n    step: %s\n  to:\n    agent: %s\n    reason: "%s"\n  context:\n    summary: "%s"\n%s\n'
  printf "$form" "$@" "$(cat)" >"$file"
}

case $step in
sequential)
  package specification 2 architecture 'Specs validated, moving to design' 'User stories defined and validated' <<END
    artifacts:
      - path: ".project/02-requirements/US-001.md"
END
  ;;
delegation)
  package architecture 3 security-check 'Need security validation' 'API architecture defined, needs security review' <<END
  expectations:
    deliverable: "Risk report on proposed architecture"
    constraints:
      - "Focus on authentication and sensitive data"
    success_criteria:
      - "No unaddressed critical risks"
END
  ;;
escalation)
  package estimation 2 human 'Business decision required' 'Two possible approaches with significant trade-offs' <<END
    open_questions:
      - question: "What is the priority: time-to-market or maintainability?"
        priority: high
  expectations:
    deliverable: "Validated choice with justification"
END
  ;;
return)
  package security-check null architecture 'Security review completed' '2 risks identified, recommendations provided' <<END
    artifacts:
      - path: ".project/05-quality/review.md"
    decisions:
      - id: "SEC-001"
        decision: "JWT with refresh token rotation"
        rationale: "Security/UX balance"
END
  ;;
gate)
  package architecture 3 human 'BLOCKING gate reached' 'Design finished: three services, one database' <<END
  gate:
    type: blocking
    name: design
    step: "3"
  validation_request:
    items:
      - "The three services"
    options:
      approve: "Continue with next step"
      reject: "Adjustments required"
      question: "Clarification needed"
END
  ;;
next) package architecture 3 builder 'Design done' "${3-Design finished: three services, one database}" </dev/null ;;
acknowledge)
  text=$(cat <<END
acknowledgment:
  received: true
  from: "$3"
  understood:
    task: "$4"
    constraints: "none"
  questions: []
  starting: true
END
  )
  printf '%s\n' "$text" >>"$file"
  ;;
complete) sed -i 's|^  status: .*|  status: completed|' "$file" ;;
esac
