#!/usr/bin/env bash
# Two agents that read different formats pass work to each other: claude lives in _handoffs/ (document 000, a shell script), the
# react-specialist in handoffs/ (document 001, a Python program). Neither knows the other's format, nor Baton.
#
# Runs in a project with both folders in its baton.yaml:
#
#   folders:
#     - {dialect: markdown, path: _handoffs}
#     - {dialect: queue, path: .}
#
# BATON is the command, unless it is called baton.
set -euo pipefail

baton=${BATON:-baton}
here=$(cd "$(dirname "$0")/.." && pwd)
task=${1:-BPRD-2026-0042}

# 1. grok hands a task to claude, in document 000.
$baton send --as grok --to claude --task "$task" --title "Build the profile page" --home markdown \
  --purpose "Users want to see their profile" --context "The API is there" \
  --deliverable "Profile page" --criterion "npm test passes" --meeting meetings/standup.md --skill skills/ui --quiet
file=$(ls _handoffs/active/*"$task"*.md)
AGENT=claude "$here/bash-agent/agent.sh" acknowledge
$baton folders sync --as claude --quiet

# 2. claude hands the building of it on, in document 001: the same content, another format.
request="hoff-001-$(date +%s)000"
$baton convert "$file" --to queue --set "id=$request" --set state=offered --set from=claude --set to=react-specialist \
  --set from_phase=11 --set from_role=orchestrator --set to_phase=13 --set to_role=specialist \
  --set input_schema=react-specialist.input.schema.json \
  --out "handoffs/pending/$request.json" --quiet
$baton folders sync --as claude --quiet
python3 "$here/python-queue/specialist.py" --agent @react-specialist --count 1 --poll 0.1
$baton folders sync --as claude --quiet

# 3. The answer goes back: what the specialist made is claude's evidence, and grok can verify it.
made=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["output"]["artifact_path"])' "handoffs/completed/$request.json")
id=$(basename "$file" .md)
AGENT=claude "$here/bash-agent/agent.sh" done "$id" "$made"
$baton folders sync --as claude --quiet
echo "$id $request $made"
