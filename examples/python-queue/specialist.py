#!/usr/bin/env python3
"""A specialist of document 001 in plain Python: it takes work by moving files and knows nothing of Baton.

    python3 specialist.py --agent @react-specialist --count 1

Whoever moves a request from handoffs/pending/ to in-progress/ has it: of several programs only one can. The artifact is
written first, then the answer lies in completed/ or failed/.
"""

import argparse
import json
import os
import sys
import time
from datetime import datetime, timezone
from pathlib import Path

RANKS = {"critical": 0, "high": 1, "normal": 2, "low": 3}


def utc_now():
    return datetime.now(timezone.utc).isoformat().replace("+00:00", "Z")


def write_whole(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    with open(draft, "x", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.rename(draft, path)


def read(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return None


def waiting_for(root, agent):
    """Requests for this agent that may be taken now: by priority, then age."""
    found = []
    for path in (root / "handoffs" / "pending").glob("*.json"):
        request = read(path)
        if request and request.get("target", {}).get("agent_id") == agent and request.get("not_before", "") <= utc_now():
            found.append((RANKS.get(request.get("priority", "normal"), 2), request.get("timestamp", ""), path.stem))
    return [handoff_id for _, _, handoff_id in sorted(found)]


def pick_up(root, handoff_id):
    """The rename is the claim; who comes second finds no file."""
    in_progress = root / "handoffs" / "in-progress" / f"{handoff_id}.json"
    in_progress.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.rename(root / "handoffs" / "pending" / f"{handoff_id}.json", in_progress)
    except FileNotFoundError:
        print(f"❌ Handoff not found: {handoff_id}", flush=True)
        return None
    print(f"🔄 Processing handoff: {handoff_id}", flush=True)
    return read(in_progress)


def build(root, request):
    """The work itself: here one file for each component."""
    data = request["input"]["data"]
    # What was converted from another format lists deliverables instead.
    names = [each["name"] for each in data.get("component_requirements", [])]
    names = names or [each.title().replace(" ", "") for each in data["package"]["deliverables"]]
    if "Impossible" in names:
        raise RuntimeError("there is no way to build Impossible")
    artifact_id = f"artifact-react-components-{time.time_ns() // 1_000_000}"
    path = f"artifacts/phase-13-react/{artifact_id}.json"
    write_whole(root / path, json.dumps({"files": [f"{name}.tsx" for name in names]}, indent=2))
    return {"id": artifact_id, "path": path}


def answer(root, handoff_id, folder, more):
    """The answer is the request with more keys. It is whole before the request goes away."""
    in_progress = root / "handoffs" / "in-progress" / f"{handoff_id}.json"
    handoff = read(in_progress)
    if handoff is None:
        print(f"❌ Handoff not found: {handoff_id}", flush=True)
        return False
    text = json.dumps({**handoff, **more}, indent=2)
    write_whole(root / "handoffs" / folder / f"{handoff_id}.json", text)
    in_progress.unlink(missing_ok=True)
    return True


def succeed(root, handoff_id, artifact):
    done = {
        "status": "completed",
        "completed_at": utc_now(),
        "output": {
            "artifact_id": artifact["id"],
            "artifact_path": artifact["path"],
            "artifact_type": "react-components",
            "schema_compliance": "valid",
        },
        "validation": {"status": "passed", "typescript_errors": 0, "tests_passing": True, "coverage_percentage": 87},
        "next_steps": ["Use the components in the application"],
    }
    if answer(root, handoff_id, "completed", done):
        print(f"✅ Handoff completed: {handoff_id}", flush=True)


def fail(root, handoff_id, message):
    now = utc_now()
    failed = {
        "status": "failed",
        "failed_at": now,
        "error": {"code": "PROCESSING_ERROR", "message": message, "severity": "error", "timestamp": now},
    }
    if answer(root, handoff_id, "failed", failed):
        print(f"❌ Handoff failed: {handoff_id}", flush=True)


def work(root, agent):
    """Takes one request and answers it; False when there is none."""
    for handoff_id in waiting_for(root, agent):
        request = pick_up(root, handoff_id)
        if request is None:
            continue
        try:
            succeed(root, handoff_id, build(root, request))
        except Exception as error:
            fail(root, handoff_id, str(error))
        return True
    return False


def main():
    parser = argparse.ArgumentParser(description="Take requests and answer them.")
    parser.add_argument("--root", type=Path, default=Path("."))
    parser.add_argument("--agent", default="@react-specialist")
    parser.add_argument("--count", type=int, default=0, help="stop after so many; 0: never")
    parser.add_argument("--poll", type=float, default=1)
    args = parser.parse_args()
    done = 0
    while args.count == 0 or done < args.count:
        if work(args.root, args.agent):
            done += 1
        else:
            time.sleep(args.poll)
    return 0


if __name__ == "__main__":
    sys.exit(main())
