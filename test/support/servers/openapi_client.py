"""A client that knows nothing of Baton but its OpenAPI document.

It reads the document from the server, makes a function of every operation in it, and carries a handoff from its sending to
its end. Each call is printed as a line of JSON: operation, status, content type and body, so that the answers can be held
against the document. Standard library only.
"""

import json
import sys
import urllib.error
import urllib.parse
import urllib.request


class Api:
    def __init__(self, base, document):
        self.base = base
        self.operations = {}
        for path, item in document["paths"].items():
            for method, operation in item.items():
                self.operations[operation["operationId"]] = (method.upper(), path, operation)

    def call(self, token, name, **given):
        method, path, operation = self.operations[name]
        headers = {"Authorization": "Bearer " + token}
        query = []
        for parameter in operation.get("parameters", []):
            key = parameter["name"].replace("-", "_").lower()
            if key not in given:
                if parameter.get("required"):
                    raise SystemExit(f"{name} needs {key}")
                continue
            value = given.pop(key)
            if parameter["in"] == "path":
                path = path.replace("{" + parameter["name"] + "}", urllib.parse.quote(str(value), safe=""))
            elif parameter["in"] == "query":
                for each in value if isinstance(value, list) else [value]:
                    query.append((parameter["name"], each))
            else:
                headers[parameter["name"]] = str(value)
        body = None
        if "requestBody" in operation:
            schema = operation["requestBody"]["content"]["application/json"]["schema"]
            unknown = set(given) - set(schema["properties"])
            missing = set(schema["required"]) - set(given)
            if unknown or missing:
                raise SystemExit(f"{name}: the document does not know {unknown} and demands {missing}")
            body = json.dumps(given).encode()
            headers["Content-Type"] = "application/json"
        elif given:
            raise SystemExit(f"{name}: the document does not know {set(given)}")
        url = self.base + path + ("?" + urllib.parse.urlencode(query) if query else "")
        request = urllib.request.Request(url, data=body, headers=headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return self.answer(name, response.status, response.headers, response.read())
        except urllib.error.HTTPError as error:
            return self.answer(name, error.code, error.headers, error.read())

    def answer(self, name, status, headers, raw):
        kind = (headers.get("Content-Type") or "").split(";")[0]
        body = json.loads(raw) if kind.endswith("json") else raw.decode()
        print(json.dumps({"operation": name, "status": status, "type": kind, "body": body}), flush=True)
        return status, headers, body


def want(expected, got, what):
    if got != expected:
        raise SystemExit(f"{what}: expected {expected}, got {got}")


def main(base, asking, working):
    with urllib.request.urlopen(base + "/v1/openapi.json", timeout=30) as response:
        api = Api(base, json.load(response))
    api.call(asking, "healthz")
    api.call(asking, "readyz")
    api.call(asking, "whoami")
    api.call(asking, "task_create", id="T-1", title="Limits")
    sent = dict(to="codex", title="Add rate limiting", summary="The API needs limits before the launch",
                deliverables=["Middleware in src/"], criteria=["npm test passes"], task="T-1", idempotency_key="send-1",
                traceparent="00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
    _, _, first = api.call(asking, "handoff_send", **sent)
    _, _, again = api.call(asking, "handoff_send", **sent)
    handoff = first["handoff"]
    want(handoff["uid"], again["handoff"]["uid"], "the same key again")
    want(409, api.call(asking, "handoff_send", **{**sent, "title": "Other"})[0], "the same key with other input")
    want([handoff["id"]], [item["id"] for item in api.call(working, "handoff_inbox")[2]["items"]], "inbox")
    want(403, api.call(asking, "handoff_accept", id=handoff["id"])[0], "accepting what is for another")
    want(409, api.call(working, "handoff_accept", id=handoff["id"], if_match='"99"')[0], "another revision")
    status, _, accepted = api.call(working, "handoff_accept", id=handoff["id"], if_match=f'"{handoff["rev"]}"')
    want(200, status, "accept")
    api.call(working, "handoff_heartbeat", id=handoff["id"], progress=50)
    want(403, api.call(working, "handoff_complete", id=handoff["id"])[0], "completing one's own work")
    evidence = [{"deliverable": "Middleware in src/", "evidence": "src/limit.ts"}]
    want(200, api.call(working, "handoff_submit", id=handoff["id"], evidence=evidence, note="12 tests")[0], "submit")
    want(403, api.call(working, "handoff_verify", id=handoff["id"], **{"pass": True})[0], "verifying one's own work")
    want("completed", api.call(asking, "handoff_verify", id=handoff["id"], **{"pass": True})[2]["handoff"]["state"], "verify")
    waited = api.call(asking, "handoff_wait", id=handoff["id"], timeout_s=5)[2]
    want(["completed", True, "12 tests"], [waited["handoff"]["state"], waited["done"], waited["note"]], "wait")
    for n in range(7):
        api.call(asking, "handoff_create", to="codex", title=f"Draft {n}", summary="To be written later")
    seen, cursor = [], {}
    while True:
        _, _, page = api.call(asking, "handoff_list", limit=3, state=["draft", "completed"], **cursor)
        seen += [item["id"] for item in page["items"]]
        if "next" not in page:
            break
        cursor = {"cursor": page["next"]}
    want((8, 8), (len(seen), len(set(seen))), "pages")
    _, headers, _ = api.call(asking, "handoff_get", id=handoff["id"])
    want(304, api.call(asking, "handoff_get", id=handoff["id"], if_none_match=headers["ETag"])[0], "unchanged")
    want(404, api.call(asking, "handoff_get", id="HO-1999-001")[0], "an unknown handoff")
    want(400, api.call(asking, "handoff_list", limit=0)[0], "a limit of none")
    want(401, api.call("baton_nobody", "handoff_inbox")[0], "an unknown token")
    want(200, api.call(asking, "task_update", id="T-1", progress=10)[0], "a field of the path under its shared name")
    for name in ("task_get", "task_brief", "task_log"):
        api.call(asking, name, id="T-1")
    for name in ("task_list", "agent_list", "report_status", "report_flow", "audit_sessions", "workflow_list"):
        api.call(asking, name)


main(*sys.argv[1:])
