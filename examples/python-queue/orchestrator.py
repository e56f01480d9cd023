#!/usr/bin/env python3
"""An orchestrator of document 001 in plain Python: it hands work over through files and knows nothing of Baton.

    python3 orchestrator.py --to @react-specialist --component UserProfile --timeout 60

Writes one request to handoffs/pending/, waits until its answer lies in completed/ or failed/, and prints it.
Exit code 0: completed, 1: failed, 2: nothing final in time.
"""

import argparse
import json
import os
import sys
import time
from datetime import datetime, timezone
from pathlib import Path


class HandoffFailed(Exception):
    pass


class HandoffTimedOut(Exception):
    pass


def utc_now():
    return datetime.now(timezone.utc).isoformat().replace("+00:00", "Z")


def write_whole(path, value):
    """Nobody sees half a file: it is written under another name and put in place by a rename."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    with open(draft, "x", encoding="utf-8") as file:
        json.dump(value, file, indent=2)
        file.flush()
        os.fsync(file.fileno())
    os.rename(draft, path)


def read_context(root, name):
    path = root / "context" / name
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def create_request(root, source, target, data, timeout_s=300):
    handoff_id = f"hoff-{os.getpid():03d}-{time.time_ns() // 1_000_000}"
    request = {
        "handoff_id": handoff_id,
        "timestamp": utc_now(),
        "status": "pending",
        "source": {"agent_id": source, "phase": 11, "agent_type": "orchestrator"},
        "target": {"agent_id": target, "phase": 13, "agent_type": "specialist"},
        "context": {
            "project_id": read_context(root, "project-context.json").get("project_id", "proj-001"),
            "tech_stack": read_context(root, "tech-stack.json") or {"framework": "React", "version": "18.2"},
        },
        "input": {"schema": f"{target.removeprefix('@')}.input.schema.json", "data": data},
        "timeout_seconds": timeout_s,
    }
    write_whole(root / "handoffs" / "pending" / f"{handoff_id}.json", request)
    print(f"✅ Handoff created: {handoff_id}", flush=True)
    return handoff_id


def answer_in(root, folder, handoff_id):
    try:
        return json.loads((root / "handoffs" / folder / f"{handoff_id}.json").read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        # Not there, or somebody is writing it at this moment: the next look finds it whole.
        return None


def wait_for(root, handoff_id, timeout_s=300, poll_s=5):
    """A failure that carries not_before is tried again by itself: the wait goes on."""
    deadline = time.monotonic() + timeout_s
    while True:
        completed = answer_in(root, "completed", handoff_id)
        if completed and completed.get("status") == "completed":
            return completed
        failed = answer_in(root, "failed", handoff_id)
        if failed and failed.get("status") == "failed" and not failed.get("not_before"):
            raise HandoffFailed(failed["error"]["message"])
        left = deadline - time.monotonic()
        if left <= 0:
            raise HandoffTimedOut(f"Handoff {handoff_id} timed out after {timeout_s:g}s")
        time.sleep(min(poll_s, left))


def main():
    parser = argparse.ArgumentParser(description="Hand a component over and wait for it.")
    parser.add_argument("--root", type=Path, default=Path("."))
    parser.add_argument("--source", default="@frontend-specialist")
    parser.add_argument("--to", default="@react-specialist")
    parser.add_argument("--component", default="UserProfile")
    parser.add_argument("--timeout", type=float, default=300)
    parser.add_argument("--poll", type=float, default=5)
    args = parser.parse_args()

    requirement = {"name": args.component, "type": "functional", "props": {}}
    data = {"component_requirements": [requirement], "code_quality": {"testing_coverage_target": 80}}
    handoff_id = create_request(args.root, args.source, args.to, data, args.timeout)
    try:
        answer = wait_for(args.root, handoff_id, args.timeout, args.poll)
    except HandoffFailed as failure:
        print(f"❌ Handoff failed: {handoff_id}: {failure}")
        return 1
    except HandoffTimedOut as late:
        print(f"⏳ {late}")
        return 2
    print(f"✅ Handoff completed: {handoff_id}")
    print(json.dumps(answer["output"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
