#!/usr/bin/env python3
"""Verifies an export of a Baton log with nothing but Python: no code of Baton's, no packages, no network.

    python3 verify.py log/ [--seen FILE] [--vkey KEY] [--json]

Levels: L0 chains, L1 signed checkpoints, L2 what you remember, L5 disclosures.
Exit codes: 0 ok, 1 tampered, 2 cannot be verified, 3 wrong use.
"""
import argparse
import base64
import binascii
import hashlib
import json
import os
import re
import sys

# Whoever verifies leaves nothing behind, not even a cache.
sys.dont_write_bytecode = True
import canonical  # noqa: E402
import ed25519  # noqa: E402

WIDTH = 256
MOST_ENTRY = 60_000
MOST_COUNT = 2**53 - 1
ZERO_HASH = "A" * 43 + "="
# White space as ECMAScript's \s has it; Python's is another set.
SPACE = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"

ORIGIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._~:/-]{0,254}")
STREAM = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@/-]{0,199}")
COUNT = re.compile(r"0|[1-9][0-9]{0,18}")
HASH = re.compile(r"[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=")
VKEY = re.compile(r"([^%s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)" % SPACE)
SIGNATURE = re.compile("\u2014 ([^%s+]+) ([^%s]+)" % (SPACE, SPACE))
DISCLOSURE = re.compile(rb'\{"disclosure":"([^"]+)","entry":(0|[1-9][0-9]{0,14})\}')
HEAD = re.compile(rb'\["[A-Za-z0-9_-]{22,98}","([A-Za-z][A-Za-z0-9_.-]{0,63})",')
TILE = re.compile(r"tile/(entries|[0-9])/((?:x[0-9]{3}/){0,5}[0-9]{3})(?:\.p/([0-9]{1,3}))?")


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def unbase64(text):
    """The bytes of canonical base64, None for anything else."""
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError, ValueError):
        return None
    return data if base64.b64encode(data).decode() == text else None


class Level:
    def __init__(self, name, title):
        self.name, self.title = name, title
        self.bad, self.first, self.other = 0, None, "ok"
        self.summary = ""

    def wrong(self, where, reason):
        self.bad += 1
        if self.first is None:
            self.first = "%s: %s" % (where, reason)

    @property
    def verdict(self):
        return "failed" if self.bad else self.other


class Export:
    """The files of an export. Nothing larger than it can honestly be is read, and no link is followed."""

    def __init__(self, folder):
        self.folder = folder

    def names(self):
        for path, _, files in os.walk(self.folder):
            for name in files:
                yield os.path.relpath(os.path.join(path, name), self.folder).replace(os.sep, "/")

    def read(self, name, most):
        path = os.path.join(self.folder, *name.split("/"))
        if os.path.islink(path) or not os.path.isfile(path) or os.path.getsize(path) > most:
            return None
        with open(path, "rb") as file:
            return file.read()

    def lines(self, name):
        """Lines without their ends; None for one that has no end. No lines at all is an empty list."""
        path = os.path.join(self.folder, name)
        if os.path.islink(path) or not os.path.isfile(path):
            return None
        return self._lines(path)

    @staticmethod
    def _lines(path):
        with open(path, "rb") as file:
            for line in file:
                yield line[:-1] if line.endswith(b"\n") else None


def utf8(data):
    try:
        return None if data is None else data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def index_path(n):
    digits = str(n)
    digits = digits.zfill((len(digits) + 2) // 3 * 3)
    groups = [digits[i : i + 3] for i in range(0, len(digits), 3)]
    return "/".join(["x" + group for group in groups[:-1]] + groups[-1:])


def tile_path(kind, n, width):
    return "tile/%s/%s%s" % (kind, index_path(n), "" if width == WIDTH else ".p/%d" % width)


def is_tile_of(name, size):
    found = TILE.fullmatch(name)
    if not found:
        return False
    kind, path, part = found.groups()
    level = 0 if kind == "entries" else int(kind)
    n = int(path.replace("x", "").replace("/", ""))
    width = min(WIDTH, size // WIDTH**level - n * WIDTH)
    if width <= 0 or (WIDTH if part is None else int(part)) != width:
        return False
    return name == tile_path(kind, n, width)


# Keys, notes and checkpoints (C2SP signed-note v1.0.0, tlog-checkpoint v1.0.0)


def read_vkey(text):
    found = VKEY.fullmatch(text or "")
    data = unbase64(found.group(3)) if found else None
    if data is None or len(data) != 33 or data[0] not in (1, 4):
        return None
    key_id = sha256(found.group(1).encode() + b"\n", data)[:4]
    if key_id.hex() != found.group(2):
        return None
    return {"name": found.group(1), "id": key_id, "algorithm": data[0], "key": data[1:]}


def read_note(note):
    """Text and signatures of a note, None where it is none."""
    if note is None or len(note) > 1_000_000 or not note.endswith("\n"):
        return None
    if any(ord(letter) < 0x20 and letter != "\n" for letter in note):
        return None
    split = note.rfind("\n\n")
    if split < 0:
        return None
    lines = note[split + 2 : -1].split("\n")
    signatures = []
    for line in lines:
        found = SIGNATURE.fullmatch(line)
        data = unbase64(found.group(2)) if found else None
        if data is None or len(data) <= 4:
            return None
        signatures.append((found.group(1), data[:4], data[4:]))
    return None if len(lines) > 100 else (note[: split + 1], signatures)


def open_note(note, verifier):
    read = read_note(note)
    if read is None or verifier["algorithm"] != 1:
        return None
    own = [each for each in read[1] if each[0] == verifier["name"] and each[1] == verifier["id"]]
    if len(own) != 1 or not ed25519.verify(verifier["key"], read[0].encode(), own[0][2]):
        return None
    return read[0]


def read_checkpoint(text):
    """Origin, size and root; None for anything but three lines."""
    lines = (text or "").split("\n")
    if len(lines) != 4 or lines[0] == "" or lines[3] != "":
        return None
    root = unbase64(lines[2])
    if not re.fullmatch(r"0|[1-9][0-9]{0,15}", lines[1]) or root is None or len(root) != 32:
        return None
    size = int(lines[1])
    return (lines[0], size, root) if size <= MOST_COUNT else None


# The tree (RFC 6962)


class Tree:
    def __init__(self):
        self.size, self.edge, self.rows = 0, [], {}

    def add(self, leaf):
        """Yields rows of 256 hashes as they are filled."""
        full = []
        node, height = leaf, 0
        self._keep(0, node, full)
        rest = self.size
        while rest & 1:
            node = sha256(b"\x01", self.edge.pop(), node)
            height += 1
            if height % 8 == 0:
                self._keep(height // 8, node, full)
            rest >>= 1
        self.edge.append(node)
        self.size += 1
        return full

    def _keep(self, level, node, full):
        n, hashes = self.rows.get(level, (0, b""))
        hashes += node
        if len(hashes) == WIDTH * 32:
            full.append((level, n, hashes))
            n, hashes = n + 1, b""
        self.rows[level] = (n, hashes)

    def root(self):
        if not self.edge:
            return sha256()
        root = self.edge[-1]
        for left in reversed(self.edge[:-1]):
            root = sha256(b"\x01", left, root)
        return root

    def partial(self):
        return [(level, n, hashes) for level, (n, hashes) in self.rows.items() if hashes]


# L0


def read_entry(data):
    """Origin, stream, position, link and record of an entry, or why it is none."""
    text = utf8(data)
    if text is None:
        return "it is not UTF-8"
    lines = text.split("\n", 5)
    if len(lines) < 6:
        return "it has fewer than six lines"
    version, origin, stream, position, prev, body = lines
    if version != "baton-audit/v1":
        return "line 1 is not baton-audit/v1"
    if not ORIGIN.fullmatch(origin):
        return "line 2 is not an origin"
    if not STREAM.fullmatch(stream):
        return "line 3 is not the id of a stream"
    if not COUNT.fullmatch(position) or int(position) > MOST_COUNT:
        return "line 4 is not a position"
    seq = int(position)
    if not (prev == ZERO_HASH if seq == 0 else prev != ZERO_HASH and HASH.fullmatch(prev)):
        return "line 5 is not a hash that can stand here"
    if len(data) > MOST_ENTRY:
        return "it is too long"
    try:
        record = canonical.parse(body)
        if not isinstance(record, dict) or canonical.write(record) != body:
            return "line 6 is not a canonical JSON object"
    except canonical.NotCanonical:
        return "line 6 is not a canonical JSON object"
    return (origin, stream, seq, prev, record)


class Chains(Level):
    def __init__(self):
        super().__init__("L0", "chains")
        self.heads, self.entries = {}, 0

    def check(self, index, data, leaf, origin):
        self.entries += 1
        entry = read_entry(data)
        where = "entry %d" % index
        if isinstance(entry, str):
            self.wrong(where, entry)
            return None
        own, stream, seq, prev, record = entry
        if own != origin:
            self.wrong(where, "it is of another log")
        last, head = self.heads.get(stream, (-1, ZERO_HASH))
        if seq != last + 1:
            self.wrong(where, "it says that it is number %d, and %d is next" % (seq, last + 1))
        elif prev != head:
            self.wrong(where, "it does not follow the entry before it")
        self.heads[stream] = (seq, base64.b64encode(leaf).decode())
        return record


# L1 and L2


class Checkpoints(Level):
    def __init__(self, verifier):
        super().__init__("L1", "signed checkpoints")
        self.verifier, self.expected, self.count = verifier, [], 0

    def load(self, export, newest):
        lines, last = export.lines("checkpoints.jsonl"), None
        if lines is None:
            self.wrong("checkpoints.jsonl", "it is missing")
            lines = []
        for number, line in enumerate(lines, 1):
            where = "checkpoints.jsonl line %d" % number
            note = self._note(utf8(line))
            if note is None:
                self.wrong(where, "it is not a stored checkpoint")
            else:
                self.take(where, note)
                last = note
        if last != newest:
            self.wrong("checkpoints.jsonl", "its last checkpoint is not the one in the file checkpoint")
            self.take("checkpoint", newest)

    @staticmethod
    def _note(line):
        try:
            value = canonical.parse(line or "")
            note, size = value["note"], value["size"]
            read = read_checkpoint((read_note(note) or ("",))[0])
            whole = canonical.write({"note": note, "size": size})
            return note if read and read[1] == size and whole == line else None
        except (canonical.NotCanonical, KeyError, TypeError):
            return None

    def take(self, where, note):
        self.count += 1
        checkpoint = read_checkpoint(open_note(note, self.verifier))
        if checkpoint is None:
            self.wrong(where, "it is not signed by %s with the given key" % self.verifier["name"])
        elif checkpoint[0] != self.verifier["name"]:
            self.wrong(where, "it is of another log")
        elif self.expected and checkpoint[1] <= self.expected[-1][1]:
            self.wrong(where, "it is not larger than the one before it")
        else:
            self.expected.append(checkpoint)

    def at(self, tree):
        while self.expected and self.expected[0][1] < tree.size:
            self.expected.pop(0)
        if self.expected and self.expected[0][1] == tree.size and self.expected[0][2] != tree.root():
            self.wrong("checkpoint of %d entries" % tree.size, "it signs another root")

    def compare(self, export, rows):
        for level, n, hashes in rows:
            name = tile_path(level, n, len(hashes) // 32)
            if export.read(name, len(hashes)) != hashes:
                self.wrong(name, "it is missing, or its hashes are not those of the entries")


class Remembered(Level):
    def __init__(self, text, verifier, origin):
        super().__init__("L2", "what you remember")
        note = read_note(text)
        self.origin, self.size, self.root = read_checkpoint(note[0] if note else text)
        self.compared = False
        if note and open_note(text, verifier) is None:
            self.wrong("the checkpoint that you remember", "it is not signed with the given key")
        if self.origin != origin:
            self.wrong("the checkpoint that you remember", "it is of another log")

    def at(self, tree):
        if tree.size == self.size:
            self.compared = True
            if tree.root() != self.root:
                self.wrong("the first %d entries" % self.size, "they differ from what you remember")

    def end(self, size):
        if not self.compared:
            self.wrong("entry %d" % size, "you remember %d entries: it was rolled back" % self.size)
        if self.size == 0:
            self.other = "nothing"
        self.summary = "the first %d entries match what you remember" % self.size


# L5


class Disclosures(Level):
    def __init__(self, export):
        super().__init__("L5", "disclosures")
        self.lines, self.opened, self.missing = {}, 0, {}
        before = (-1, b"")
        lines = export.lines("disclosures.jsonl")
        if lines is None:
            self.wrong("disclosures.jsonl", "it is missing")
        for number, line in enumerate(lines or [], 1):
            found = DISCLOSURE.fullmatch(line) if line is not None else None
            here = (int(found.group(2)), found.group(1)) if found else before
            if here <= before:
                self.wrong("disclosures.jsonl line %d" % number, "it is not a disclosure in its place")
                break
            before = here
            self.lines.setdefault(here[0], []).append(here[1])

    def check(self, index, record):
        if record.get("act") == "audit.redact":
            gone = record.get("h")
            for digest in [gone] if isinstance(gone, str) else gone if isinstance(gone, list) else []:
                self.missing.pop(digest, None) if isinstance(digest, str) else None
        digests = record.get("sd")
        digests = dict(digests) if isinstance(digests, dict) else {}
        for line in self.lines.pop(index, []):
            digest = base64.urlsafe_b64encode(sha256(line)).decode().rstrip("=")
            name = next((name for name in digests if digests[name] == digest), None)
            if name is None:
                self.wrong("entry %d" % index, "a disclosure opens no digest of it")
                continue
            del digests[name]
            if self._name(line) != name:
                self.wrong("entry %d" % index, "a disclosure does not name the field %s" % name)
            else:
                self.opened += 1
        for name, digest in digests.items():
            if isinstance(digest, str):
                self.missing[digest] = "%s of entry %d" % (name, index)

    @staticmethod
    def _name(line):
        head = line[:200].replace(b"-", b"+").replace(b"_", b"/")
        try:
            found = HEAD.match(base64.b64decode(head + b"=" * (-len(head) % 4), validate=True))
        except binascii.Error:
            return None
        return found.group(1).decode() if found else None

    def end(self):
        for index in self.lines:
            self.wrong("disclosures.jsonl", "a disclosure belongs to entry %d, which is not there" % index)
        for where in self.missing.values():
            self.wrong(where, "its text is missing, and no record says that it was redacted")
        self.summary = "%d texts as written" % self.opened


def read_bundle(data):
    entries, at = [], 0
    while at + 2 <= len(data):
        end = at + 2 + int.from_bytes(data[at : at + 2], "big")
        if end > len(data):
            break
        entries.append(data[at + 2 : end])
        at = end
    return entries, len(data) - at


def verify(folder, seen=None, vkey=None):
    """The levels of an export, or the reason why nothing can be said."""
    export = Export(folder)
    note = utf8(export.read("checkpoint", 1_000_000))
    if note is None:
        return "there is no file checkpoint: this is not an export of a log"
    own_key = utf8(export.read("vkey", 1_000_000))
    verifier = read_vkey(vkey if vkey is not None else re.sub(r"\n\Z", "", own_key or ""))
    if verifier is None:
        return "there is no key to check signatures with; give one with --vkey"
    checkpoint = read_checkpoint((read_note(note) or ("",))[0])
    if checkpoint is None:
        return "the file checkpoint is not a checkpoint"
    origin, size, _ = checkpoint

    tree, chains, signed = Tree(), Chains(), Checkpoints(verifier)
    remembered = Remembered(seen, verifier, origin) if seen is not None else None
    disclosures = Disclosures(export)
    signed.load(export, note)
    for name in export.names():
        if name.startswith("tile/") and not is_tile_of(name, size):
            signed.wrong(name, "a log of this size has no such file")
    if own_key is None or not own_key.endswith("\n") or (vkey is not None and own_key != vkey + "\n"):
        signed.wrong("vkey", "it is not the key that was given")

    def look():
        signed.at(tree)
        if remembered:
            remembered.at(tree)

    look()
    for n in range((size + WIDTH - 1) // WIDTH):
        width = min(WIDTH, size - n * WIDTH)
        name = tile_path("entries", n, width)
        data = export.read(name, WIDTH * (2 + MOST_ENTRY))
        entries, rest = read_bundle(data or b"")
        if data is None or len(entries) != width or rest:
            signed.wrong(name, "it does not hold %d whole entries and nothing else" % width)
        for entry in entries[:width]:
            leaf = sha256(b"\x00", entry)
            index = tree.size
            full = tree.add(leaf)
            look()
            record = chains.check(index, entry, leaf, origin)
            if record is not None:
                disclosures.check(index, record)
            signed.compare(export, full)
        if len(entries) < width:
            break
    signed.compare(export, tree.partial())
    if tree.size < size:
        signed.wrong("entry %d" % tree.size, "%d entries are signed, and the export holds %d" % (size, tree.size))
        chains.other = disclosures.other = "unverifiable"
    disclosures.end()
    chains.summary = "%d entries in %d chains" % (chains.entries, len(chains.heads))
    signed.summary = "%d checkpoints signed by %s" % (signed.count, verifier["name"])
    if remembered:
        remembered.end(tree.size)
    return [level for level in (chains, signed, remembered, disclosures) if level]


MARKS = {"ok": "\u2713", "failed": "\u2717", "unverifiable": "?", "nothing": "\u2013"}


def exit_code(found):
    if isinstance(found, str):
        return 2
    verdicts = [level.verdict for level in found]
    return 1 if "failed" in verdicts else 2 if "unverifiable" in verdicts else 0


def show(found):
    if isinstance(found, str):
        return "? %s" % found
    lines = []
    for level in found:
        text = "".join(c if " " <= c <= "~" else "?" for c in level.first or level.summary)
        lines.append("%s %s %-20s %s" % (MARKS[level.verdict], level.name, level.title, text))
    lines.append("This does not prove that what the entries say is true, nor that this key signed no other history.")
    return "\n".join(lines)


def main(arguments):
    parser = argparse.ArgumentParser(description="Verifies exports of a Baton log.", exit_on_error=False)
    parser.add_argument("folder", nargs="+")
    parser.add_argument("--seen", help="a checkpoint that you kept")
    parser.add_argument("--vkey", help="key of the log as you know it")
    parser.add_argument("--json", action="store_true", help="one line of JSON for each folder")
    try:
        options = parser.parse_args(arguments)
    except (argparse.ArgumentError, SystemExit) as error:
        return 0 if isinstance(error, SystemExit) and error.code == 0 else 3
    seen = None
    if options.seen:
        try:
            with open(options.seen, encoding="utf-8", newline="") as file:
                seen = file.read()
        except (OSError, UnicodeDecodeError):
            seen = ""
        note = read_note(seen)
        if read_checkpoint(note[0] if note else seen) is None:
            print("%s is not a checkpoint" % options.seen, file=sys.stderr)
            return 3
    if options.vkey is not None and read_vkey(options.vkey) is None:
        print("%s is not a key" % options.vkey, file=sys.stderr)
        return 3
    worst = 0
    for folder in options.folder:
        if not os.path.isdir(folder):
            print("there is no folder %s" % folder, file=sys.stderr)
            return 3
        found = verify(folder, seen, options.vkey)
        worst = max(worst, exit_code(found), key=[0, 2, 1].index)
        if options.json:
            levels = {} if isinstance(found, str) else {level.name: level.verdict for level in found}
            print(json.dumps({"exit": exit_code(found), "levels": levels}))
        else:
            print(show(found))
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
