#!/usr/bin/env bash
# An agent of document 000 that is a shell script: it reads and edits files in _handoffs/ and knows nothing of Baton.
#
#   AGENT=claude ./agent.sh acknowledge      takes on every handoff that was sent to it
#   AGENT=claude ./agent.sh done ID TEXT     hands in what was done, as evidence for every deliverable
#
# Runs in the root of the project. Only the front matter is touched; a file is replaced by a rename, never half written.
set -euo pipefail

agent=${AGENT:?set AGENT to the name of this agent}
folder=_handoffs/active

# field FILE KEY: the value of a key of the front matter.
field() {
  sed -n '2,/^---$/s/^'"$2"': *//p' "$1" | head -n 1 | sed 's/^"\(.*\)"$/\1/'
}

# replace FILE KEY VALUE: sets a key that stands in the front matter.
replace() {
  awk -v key="$2" -v value="$3" '
    /^---$/ { marks++ }
    marks == 1 && index($0, key ":") == 1 { print key ": " value; next }
    { print }
  ' "$1" > "$1.tmp.$$"
  mv "$1.tmp.$$" "$1"
}

acknowledge() {
  for file in "$folder"/*.md; do
    [ -e "$file" ] || continue
    [ "$(field "$file" to_agent)" = "$agent" ] || continue
    [ "$(field "$file" status)" = Active ] || continue
    cp "$file" "$file.new.$$"
    replace "$file.new.$$" status Acknowledged
    replace "$file.new.$$" acknowledged_by "$agent"
    replace "$file.new.$$" acknowledged_at "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
    mv "$file.new.$$" "$file"
    echo "acknowledged $(field "$file" handoff_id)"
  done
}

# One entry of evidence for each deliverable, above the end of the front matter.
hand_in() {
  local file="$folder/$1.md" text=$2
  [ -e "$file" ] || { echo "there is no open handoff $1" >&2; return 1; }
  awk -v text="$text" '
    /^---$/ && ++marks == 2 {
      print "evidence:"
      for (i = 1; i <= count; i++) printf "  - deliverable: %s\n    evidence: %s\n", wanted[i], text
    }
    marks == 1 && /^[a-z_]+:/ { inside = ($0 ~ /^deliverables:/) }
    marks == 1 && inside && /^ *- / { sub(/^ *- */, ""); wanted[++count] = $0; print "  - " $0; next }
    { print }
  ' "$file" > "$file.new.$$"
  mv "$file.new.$$" "$file"
  echo "handed in $1"
}

case ${1:-} in
  acknowledge) acknowledge ;;
  done) hand_in "${2:?name the handoff}" "${3:?say what was done}" ;;
  *) echo "usage: AGENT=name $0 acknowledge | done ID TEXT" >&2; exit 2 ;;
esac
