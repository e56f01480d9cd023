"""The one JSON text of a value (RFC 8785), for comparing a text with what it should have been."""
import json
import math

MOST_DEPTH = 200
_SHORT = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


class NotCanonical(ValueError):
    """The text or value has no canonical form."""


def parse(text):
    """Parses JSON with every number as ECMAScript has it: a double."""
    try:
        return json.loads(text, parse_int=_number, parse_float=_number, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise NotCanonical(str(error)) from error


def _number(text):
    value = float(text)
    if math.isinf(value):
        raise NotCanonical("a number is too large")
    return value


def _refuse(text):
    raise NotCanonical(text)


def write(value, depth=0):
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, (int, float)):
        return number(float(value))
    if depth == MOST_DEPTH:
        raise NotCanonical("too deep")
    if isinstance(value, list):
        return "[" + ",".join(write(each, depth + 1) for each in value) + "]"
    # By UTF-16 code units: that is the order RFC 8785 asks for.
    keys = sorted(value, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
    return "{" + ",".join(_string(key) + ":" + write(value[key], depth + 1) for key in keys) + "}"


def _string(text):
    parts = []
    for letter in text:
        code = ord(letter)
        if 0xD800 <= code <= 0xDFFF:
            raise NotCanonical("a lone surrogate")
        if letter in _SHORT:
            parts.append(_SHORT[letter])
        elif code < 0x20:
            parts.append("\\u%04x" % code)
        else:
            parts.append(letter)
    return '"' + "".join(parts) + '"'


def number(value):
    """A double as ECMAScript's Number::toString writes it."""
    if math.isnan(value) or math.isinf(value):
        raise NotCanonical("no number")
    if value == 0:
        return "0"
    if value < 0:
        return "-" + number(-value)
    # repr gives the shortest digits that come back as the same double, as ECMAScript does.
    mantissa, _, exponent = repr(value).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    count = len(digits)
    if count <= point <= 21:
        return digits + "0" * (point - count)
    if 0 < point <= 21:
        return digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    power = point - 1
    rest = "." + digits[1:] if count > 1 else ""
    return digits[0] + rest + "e" + ("+" if power > 0 else "-") + str(abs(power))
