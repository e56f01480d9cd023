"""Runs a program on a terminal of its own: python3 terminal.py '<json>'.

The JSON holds argv, cwd, env, columns, rows and steps: texts to wait for, each with what is typed then. "always" has
such texts that are answered whenever they show.
Prints JSON: the exit code and everything that the program showed.
"""
import fcntl, json, os, pty, select, signal, struct, sys, termios, time

job = json.loads(sys.argv[1])
pid, master = pty.fork()
if pid == 0:
    os.chdir(job["cwd"])
    os.execve(job["argv"][0], job["argv"], job["env"])

fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", job["rows"], job["columns"], 0, 0))
shown, searched, steps = b"", 0, list(job["steps"])
deadline = time.monotonic() + job["seconds"]
while time.monotonic() < deadline:
    ready, _, _ = select.select([master], [], [], 0.1)
    if ready:
        try:
            part = os.read(master, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    for seen, typed in job.get("always", []):
        at = shown.find(seen.encode(), searched)
        if at >= 0:
            searched = at + len(seen)
            os.write(master, typed.encode())
    if steps:
        at = shown.find(steps[0][0].encode(), searched)
        if at >= 0:
            searched = len(shown)
            os.write(master, steps[0][1].encode())
            steps.pop(0)
else:
    os.kill(pid, signal.SIGKILL)

_, status = os.waitpid(pid, 0)
print(json.dumps({"code": os.waitstatus_to_exitcode(status), "shown": shown.decode("utf-8", "replace"), "left": steps}))
