"""Ed25519 verification as RFC 8032 describes it, section 5.1.7, on Python's own integers.

Slow and plain on purpose: a few milliseconds for a signature, and nothing in it but the formulas of the RFC.
It only verifies, so nothing here is secret and nothing needs constant time.
"""
import hashlib

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)


def _add(a, b):
    """Points in extended coordinates: x = X/Z, y = Y/Z, x*y = T/Z."""
    e = (a[1] - a[0]) * (b[1] - b[0]) % P
    f = (a[1] + a[0]) * (b[1] + b[0]) % P
    g = 2 * a[3] * b[3] * D % P
    h = 2 * a[2] * b[2] % P
    x, y, z, w = f - e, h - g, h + g, f + e
    return (x * y % P, w * z % P, y * z % P, x * w % P)


def _multiply(scalar, point):
    result = (0, 1, 1, 0)
    while scalar > 0:
        if scalar & 1:
            result = _add(result, point)
        point = _add(point, point)
        scalar >>= 1
    return result


def _decompress(data):
    """A point from its 32 bytes; None where they are none."""
    y = int.from_bytes(data, "little")
    sign = y >> 255
    y &= (1 << 255) - 1
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    if square == 0:
        return None if sign else (0, y, 1, 0)
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * ROOT_OF_MINUS_ONE % P
    if (x * x - square) % P != 0:
        return None
    if x & 1 != sign:
        x = P - x
    return (x, y, 1, x * y % P)


def _compress(point):
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | ((x & 1) << 255)).to_bytes(32, "little")


def _is_small(point):
    """Whether its order divides 8."""
    x, y, z, _ = _multiply(8, point)
    return x == 0 and y == z


BASE = _decompress((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def verify(key, message, signature):
    """Whether the signature over the message is this key's."""
    if len(key) != 32 or len(signature) != 64:
        return False
    point, commitment = _decompress(key), _decompress(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if point is None or commitment is None or s >= L:
        return False
    # As browsers and Node do: with such points a signature could fit many messages.
    if _is_small(point) or _is_small(commitment):
        return False
    digest = hashlib.sha512(signature[:32] + key + message).digest()
    k = int.from_bytes(digest, "little") % L
    # R = S*B - k*A, compared as bytes: -A is A with x turned round.
    minus = (P - point[0], point[1], point[2], P - point[3])
    return _compress(_add(_multiply(s, BASE), _multiply(k, minus))) == signature[:32]
