"""Mounts an empty FUSE file system at a folder, answers what statfs and stat ask, and runs a command meanwhile."""
import ctypes, os, struct, subprocess, sys, threading

folder, command = sys.argv[1], sys.argv[2:]
device = os.open('/dev/fuse', os.O_RDWR)
options = f'fd={device},rootmode=40000,user_id=0,group_id=0'.encode()
libc = ctypes.CDLL(None, use_errno=True)
if libc.mount(b'empty', folder.encode(), b'fuse', 0, options) != 0:
    sys.exit(f'cannot mount: {os.strerror(ctypes.get_errno())}')

LOOKUP, GETATTR, STATFS, INIT, FORGET = 1, 3, 17, 26, (2, 42)
ENOENT, ENOSYS = 2, 38
ROOT = struct.pack('<QQQQQQIIIIIIIII', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0o40777, 2, 0, 0, 0, 4096)
ANSWERS = {
    INIT: struct.pack('<IIIIHHIIHHI28x', 7, 31, 0, 0, 0, 0, 4096, 1, 1, 0, 0),
    GETATTR: struct.pack('<QII', 1, 0, 0) + ROOT + b'\0' * 4,
    STATFS: struct.pack('<QQQQQIIII24x', 1 << 20, 1 << 19, 1 << 19, 1 << 10, 1 << 9, 4096, 255, 4096, 0),
}

def answer():
    while True:
        try:
            asked = os.read(device, 1 << 20)
        except OSError:
            return
        _, opcode, unique = struct.unpack_from('<IIQ', asked)
        if opcode in FORGET:
            continue
        body = ANSWERS.get(opcode, b'')
        error = 0 if opcode in ANSWERS else -ENOENT if opcode == LOOKUP else -ENOSYS
        os.write(device, struct.pack('<IiQ', 16 + len(body), error, unique) + body)

threading.Thread(target=answer, daemon=True).start()
try:
    sys.exit(subprocess.run(command).returncode)
finally:
    libc.umount2(folder.encode(), 2)
