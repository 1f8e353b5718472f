"""`exp`, `log` and `log1p` of SIMD lanes and of single floats, by plain arithmetic.

A call of the C library's would keep a loop over single floats from becoming vector code; these cost about a fourth of
it there. They are emitted in place, without a function of their own.
"""

import math
from dataclasses import dataclass
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

from plait.core._lanes import Lanes, constant

__all__ = ["exp", "log", "log1p"]

_LOG2_E = 1.4426950408889634


@dataclass(frozen=True)
class _Floats:
    """How a kind of floats is stored, and how its exponential and logarithm are taken.

    ln 2 comes in two parts: the first has so few bits that its product with a small integer is exact (Cody and Waite).
    Adding `rounder` leaves the nearest integer in the lowest bits. `above_root` is what takes the bits of sqrt(1 / 2)
    to those of 1. The series err by less than half a unit of the last place.
    """

    bits: int
    mantissa: int
    bias: int
    above_root: int
    ln2_high: float
    ln2_low: float
    n_exp: int
    n_log: int
    n_log1p: int

    @property
    def rounder(self) -> float:
        return 1.5 * 2.0**self.mantissa


_DOUBLE = _Floats(
    64, 52, 1023, 0x3FF0000000000000 - 0x3FE6A09E667F3BCD, 0.6931471803691238, 1.9082149292705877e-10, 13, 10, 15
)
_SINGLE = _Floats(32, 23, 127, 0x3F800000 - 0x3F3504F3, 0.693359375, -2.1219444005469057e-4, 7, 4, 7)


def _form(kind: Any) -> _Floats:
    dtype = kind.dtype if isinstance(kind, Lanes) else kind
    return _DOUBLE if dtype == types.float64 else _SINGLE


def _integers(kind: Any, form: _Floats) -> Any:
    one = ir.IntType(form.bits)
    return ir.VectorType(one, kind.count) if isinstance(kind, ir.VectorType) else one


def _fuse(builder: Any, a: Any, b: Any, more: Any) -> Any:
    return builder.fadd(builder.fmul(a, b, flags=("contract",)), more, flags=("contract",))


def _horner(builder: Any, terms: list[float], x: Any) -> Any:
    value = constant(x.type, terms[-1])
    for term in terms[-2::-1]:
        value = _fuse(builder, value, x, constant(x.type, term))
    return value


def _two_artanh(builder: Any, s: Any, degree: int) -> Any:
    """Return 2 artanh(s) = log((1 + s) / (1 - s)) by its series."""
    terms = [2.0 / (2 * k + 1) for k in range(degree + 1)]
    return builder.fmul(_horner(builder, terms, builder.fmul(s, s)), s)


@intrinsic
def exp(typing: Any, x: Any) -> Any:
    """Return e to the power of numbers, within a unit of the last place: -700 to 700 as float64, -87 to 87 as float32.

    exp(x) = 2**n exp(rest) with |rest| <= log(2) / 2, where Taylor's series is short. Nothing is promised beyond.
    """
    form = _form(x)

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        x, kind = values[0], values[0].type
        shifted = _fuse(builder, x, constant(kind, _LOG2_E), constant(kind, form.rounder))
        n = builder.fsub(shifted, constant(kind, form.rounder))
        rest = _fuse(builder, n, constant(kind, -form.ln2_high), x)
        rest = _fuse(builder, n, constant(kind, -form.ln2_low), rest)
        series = _horner(builder, [1.0 / math.factorial(k) for k in range(form.n_exp + 1)], rest)
        integers = _integers(kind, form)
        exponent = builder.add(builder.bitcast(shifted, integers), constant(integers, form.bias))
        return builder.fmul(series, builder.bitcast(builder.shl(exponent, constant(integers, form.mantissa)), kind))

    return x(x), build


@intrinsic
def log(typing: Any, x: Any) -> Any:
    """Return the natural logarithms of positive normal numbers, within a few units of the last place.

    x = 2**n m with m from sqrt(1 / 2) to sqrt(2), and log m = 2 artanh(s) with s = (m - 1) / (m + 1), |s| <= 0.172.
    """
    form = _form(x)

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kind = values[0].type
        integers = _integers(kind, form)
        bits, places = builder.bitcast(values[0], integers), constant(integers, form.mantissa)
        # Exponents grow by one where the mantissa passes sqrt(2); `bias` more keeps them positive.
        exponents = builder.lshr(builder.add(bits, constant(integers, form.above_root)), places)
        m = builder.sub(bits, builder.shl(builder.sub(exponents, constant(integers, form.bias)), places))
        m = builder.bitcast(m, kind)
        # Small integers to numbers: as the lowest bits of 2 ** mantissa.
        power = (form.mantissa + form.bias) << form.mantissa
        n = builder.bitcast(builder.or_(exponents, constant(integers, power)), kind)
        n = builder.fsub(n, constant(kind, 2.0**form.mantissa + form.bias))
        one = constant(kind, 1.0)
        series = _two_artanh(builder, builder.fdiv(builder.fsub(m, one), builder.fadd(m, one)), form.n_log)
        low = _fuse(builder, n, constant(kind, form.ln2_low), series)
        return _fuse(builder, n, constant(kind, form.ln2_high), low)

    return x(x), build


@intrinsic
def log1p(typing: Any, x: Any) -> Any:
    """Return log(1 + x) of numbers from 0 to 1, by the series of 2 artanh(x / (2 + x))."""
    form = _form(x)

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        ratio = builder.fdiv(values[0], builder.fadd(values[0], constant(values[0].type, 2.0)))
        return _two_artanh(builder, ratio, form.n_log1p)

    return x(x), build
