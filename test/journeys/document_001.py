"""Document 001's five functions and its section 3, for programs that do not know Baton: document_001.py <story> <id> ..."""
import json
import os
import shutil
import sys
import time
from datetime import datetime, timezone

SOURCE = {"agent_id": "@frontend-specialist", "phase": 11, "agent_type": "orchestrator"}
TARGET = {"agent_id": "@react-specialist", "phase": 13, "agent_type": "specialist"}
NEEDED = {"component_requirements": [{"name": "UserProfile", "type": "functional", "props": {}}]}


def now():
    return datetime.now(timezone.utc).isoformat().replace("+00:00", "Z")


def path(folder, handoff_id):
    return f"handoffs/{folder}/{handoff_id}.json"


def read(file):
    with open(file) as f:
        return json.load(f)


def write(file, value):
    os.makedirs(os.path.dirname(file), exist_ok=True)
    with open(file, "w") as f:
        json.dump(value, f, indent=2)


def create(handoff_id, **more):
    write(path("pending", handoff_id), {
        "handoff_id": handoff_id, "timestamp": now(), "status": "pending", "source": SOURCE, "target": TARGET,
        "context": {"project_id": "proj-001", "tech_stack": {"framework": "React", "version": "18.2"}},
        "input": {"schema": "react-specialist.input.schema.json", "data": NEEDED}, "timeout_seconds": 300, **more,
    })


def pick_up(handoff_id):
    shutil.move(path("pending", handoff_id), path("in-progress", handoff_id))
    handoff = read(path("in-progress", handoff_id))
    handoff["status"] = "in_progress"
    handoff["started_at"] = now()
    write(path("in-progress", handoff_id), handoff)
    return handoff


def artifact(handoff_id):
    made = f"artifacts/phase-13-react/artifact-{handoff_id}.json"
    write(made, {"files": ["UserProfile.tsx"]})
    return {"artifact_id": f"artifact-{handoff_id}", "artifact_path": made,
            "artifact_type": "react-components", "schema_compliance": "valid"}


def finish(handoff_id, folder, **said):
    handoff = read(path("in-progress", handoff_id))
    handoff.update(status=folder, **said)
    shutil.move(path("in-progress", handoff_id), path(folder, handoff_id))
    write(path(folder, handoff_id), handoff)


def succeed(handoff_id):
    finish(handoff_id, "completed", completed_at=now(), execution_time_seconds=332, output=artifact(handoff_id),
           validation={"status": "passed", "tests_passing": True, "coverage_percentage": 87})


def fail(handoff_id, message):
    count = read(path("in-progress", handoff_id)).get("retry_count", 0)
    error = {"code": "PROCESSING_ERROR", "message": message, "severity": "error", "timestamp": now()}
    finish(handoff_id, "failed", failed_at=now(), error=error, retry_available=True, retry_count=count)


def wait(handoff_id, seconds=60):
    until = time.time() + seconds
    while time.time() < until:
        if os.path.exists(path("completed", handoff_id)):
            return read(path("completed", handoff_id))
        if os.path.exists(path("failed", handoff_id)):
            raise RuntimeError(read(path("failed", handoff_id))["error"]["message"])
        time.sleep(0.02)
    raise TimeoutError(f"Handoff {handoff_id} timed out after {seconds}s")


def answer(handoff_id, place, **said):
    """Section 3: an answer of its own, which repeats nothing of the request but the parties; the request goes."""
    parties = {"source": {"agent_id": "@frontend-specialist", "phase": 11},
               "target": {"agent_id": "@react-specialist", "phase": 13}}
    value = {"handoff_id": handoff_id, f"timestamp_{place}": "2026-01-13T10:05:32Z", "status": place,
             "execution_time_seconds": 332, **parties, **said}
    write(path(place, handoff_id), value)
    os.remove(path("in-progress", handoff_id))
    print(json.dumps(value))


def main(story, *ids):
    for each in ids:
        if story in ("create", "both", "fails"):
            create(each, **({"retry_policy": {"max_retries": 1, "retry_delay_seconds": 0}} if story == "fails" else {}))
        if story == "both":
            pick_up(each)
            succeed(each)
            wait(each)
        if story == "pick-up":
            pick_up(each)
        if story == "fail":
            pick_up(each)
            fail(each, "the compiler is down")
        if story == "response":
            answer(each, "completed", output=artifact(each), metadata={"components_generated": 1},
                   validation={"status": "passed", "typescript_errors": 0, "tests_passing": True, "coverage_percentage": 87},
                   next_steps=["Integrate UserProfile component into application"], warnings=["one prop is unused"], errors=[])
        if story == "failure":
            answer(each, "failed", error={"code": "SCHEMA_VALIDATION_FAILED", "message": "props is missing 'type'",
                   "severity": "error", "timestamp": "2026-01-13T10:08:45Z"},
                   validation={"status": "failed", "errors": [{"field": "props", "error": "Missing required field 'type'"}]},
                   retry_available=True, retry_count=0, max_retries=3, recovery_actions=["Ensure all props have 'type'"])
        if story == "again":
            shutil.move(path("failed", each), path("pending", each))


main(*sys.argv[1:])
