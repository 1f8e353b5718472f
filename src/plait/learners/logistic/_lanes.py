"""Labels side by side: a vector type for kernels, one number for each of 8 or 16 labels.

Kernels written with plain loops over 16 columns lose most of their speed to checks that arrays do not overlap; here a
row of 16 numbers is one value of LLVM's vector type, which stays in registers. Not meant for more than arithmetic:
load a row, compute, store it. Every operation acts on each lane alone, so a lane's result never depends on the others,
nor on how many they are.

How many lanes a panel has must be known when a kernel is compiled: kernels take `width`, one of `WIDTHS`, a tuple with
one entry for every 8 lanes, since the length of a tuple is part of its type.
"""

import math
from dataclasses import dataclass
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

__all__ = [
    "LANES",
    "NARROW",
    "WIDTHS",
    "add",
    "divide",
    "exp",
    "fill",
    "fused",
    "load",
    "log1p",
    "magnitude",
    "multiply",
    "narrow",
    "peak",
    "prefer",
    "store",
    "subtract",
    "widen",
]

LANES, NARROW = 16, 8
WIDTHS: dict[int, tuple[int, ...]] = {NARROW: (0,), LANES: (0, 0)}
_INT = ir.IntType(64)
_LOG2_E = 1.4426950408889634


def _exp_terms(degree: int) -> list[float]:
    return [1.0 / math.factorial(k) for k in range(degree, -1, -1)]


def _atanh_terms(degree: int) -> list[float]:
    return [2.0 / (2 * k + 1) for k in range(degree, -1, -1)]


@dataclass(frozen=True)
class _Floats:
    """How a kind of floats is stored, and how its exponential and logarithm are taken.

    ln 2 comes in two parts: the first has so few bits that its product with a small integer is exact (Cody and Waite).
    """

    bits: int
    mantissa: int
    bias: int
    bound: float
    ln2_high: float
    ln2_low: float
    exp_terms: list[float]
    atanh_terms: list[float]


_DOUBLE = _Floats(64, 52, 1023, 700.0, 0.6931471803691238, 1.9082149292705877e-10, _exp_terms(13), _atanh_terms(15))
_SINGLE = _Floats(32, 23, 127, 87.0, 0.693359375, -2.1219444005469057e-4, _exp_terms(7), _atanh_terms(7))


class Lanes(types.Type):
    """The type of `count` numbers of one kind."""

    def __init__(self, dtype: Any, count: int) -> None:
        self.dtype, self.count = dtype, count
        super().__init__(name=f"Lanes({dtype}, {count})")


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        element = manager.lookup(kind.dtype).get_value_type()
        super().__init__(manager, kind, ir.VectorType(element, kind.count))


def _constant(vector: Any, value: float) -> Any:
    return ir.Constant(vector, [value] * vector.count)


def _counted(width: Any) -> int:
    """Return how many lanes the type of `width` stands for."""
    return NARROW * len(width)


def _row(context: Any, builder: Any, kind: Any, value: Any, index: Any, count: int) -> tuple[Any, int]:
    """Return the address of row `index` of an array (n, count) in C order, and the alignment of its numbers."""
    data = context.make_array(kind)(context, builder, value).data
    place = builder.gep(data, [builder.mul(index, ir.Constant(_INT, count))])
    element = context.get_data_type(kind.dtype)
    return builder.bitcast(place, ir.VectorType(element, count).as_pointer()), kind.dtype.bitwidth // 8


@intrinsic
def load(typing: Any, array: Any, index: Any, width: Any) -> Any:
    """Return row `index` of an array."""
    count = _counted(width)

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        place, alignment = _row(context, builder, signature.args[0], values[0], values[1], count)
        row = builder.load(place)
        row.align = alignment
        return row

    return Lanes(array.dtype, count)(array, types.int64, width), build


@intrinsic
def store(typing: Any, array: Any, index: Any, row: Any) -> Any:
    """Write row `index` of an array."""

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        place, alignment = _row(context, builder, signature.args[0], values[0], values[1], row.count)
        builder.store(values[2], place).align = alignment
        return context.get_dummy_value()

    return types.void(array, types.int64, row), build


@intrinsic
def fill(typing: Any, value: Any, width: Any) -> Any:
    """Return the same number in all lanes."""
    count = _counted(width)

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        vector = context.get_value_type(signature.return_type)
        nothing = ir.Constant(vector, ir.Undefined)
        first = builder.insert_element(nothing, values[0], ir.Constant(ir.IntType(32), 0))
        return builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(ir.IntType(32), count), [0] * count))

    return Lanes(value, count)(value, width), build


def _binary(operation: str) -> Any:
    def typed(typing: Any, left: Any, right: Any) -> Any:
        def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return getattr(builder, operation)(*values)

        return left(left, right), build

    return intrinsic(typed)


add, subtract, multiply, divide = (_binary(name) for name in ("fadd", "fsub", "fmul", "fdiv"))


def _fused(builder: Any, left: Any, right: Any, more: Any) -> Any:
    product = builder.fmul(left, right, flags=("contract",))
    return builder.fadd(product, more, flags=("contract",))


@intrinsic
def fused(typing: Any, left: Any, right: Any, more: Any) -> Any:
    """Return left * right + more."""

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _fused(builder, *values)

    return left(left, right, more), build


@intrinsic
def magnitude(typing: Any, row: Any) -> Any:
    """Return absolute values."""

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        negative = builder.fcmp_ordered("<", values[0], _constant(values[0].type, 0.0))
        return builder.select(negative, builder.fsub(_constant(values[0].type, -0.0), values[0]), values[0])

    return row(row), build


@intrinsic
def prefer(typing: Any, test: Any, negative: Any, other: Any) -> Any:
    """Return `negative` where `test` is below zero, `other` elsewhere."""

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        below = builder.fcmp_ordered("<", values[0], _constant(values[0].type, 0.0))
        return builder.select(below, values[1], values[2])

    return negative(test, negative, other), build


@intrinsic
def peak(typing: Any, row: Any) -> Any:
    """Return the largest number of all lanes."""

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kind = values[0].type
        name = f"llvm.vector.reduce.fmax.v{row.count}f{row.dtype.bitwidth}"
        reduced = cgutils.get_or_insert_function(builder.module, ir.FunctionType(kind.element, [kind]), name)
        return builder.call(reduced, [values[0]])

    return row.dtype(row), build


@intrinsic
def widen(typing: Any, row: Any) -> Any:
    """Return the same numbers as float64."""

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        wide = context.get_value_type(signature.return_type)
        return values[0] if values[0].type == wide else builder.fpext(values[0], wide)

    return Lanes(types.float64, row.count)(row), build


@intrinsic
def narrow(typing: Any, row: Any, like: Any) -> Any:
    """Return float64 numbers in the kind of the array `like`."""

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kind = context.get_value_type(signature.return_type)
        return values[0] if values[0].type == kind else builder.fptrunc(values[0], kind)

    return Lanes(like.dtype, row.count)(row, like), build


def _horner(builder: Any, terms: list[float], x: Any) -> Any:
    value = _constant(x.type, terms[0])
    for term in terms[1:]:
        value = _fused(builder, value, x, _constant(x.type, term))
    return value


@intrinsic
def exp(typing: Any, row: Any) -> Any:
    """Return e to the power of numbers, within a few units of the last place.

    Numbers of float64 are cut to -700 ... 700, those of float32 to -87 ... 87.
    """
    form = _DOUBLE if row.dtype == types.float64 else _SINGLE

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        x, kind = values[0], values[0].type
        for sign, bound in (("<", -form.bound), (">", form.bound)):
            limit = _constant(kind, bound)
            x = builder.select(builder.fcmp_ordered(sign, x, limit), limit, x)
        name = f"llvm.rint.v{row.count}f{form.bits}"
        rint = cgutils.get_or_insert_function(builder.module, ir.FunctionType(kind, [kind]), name)
        power = builder.call(rint, [builder.fmul(x, _constant(kind, _LOG2_E))])
        rest = _fused(builder, power, _constant(kind, -form.ln2_high), x)
        rest = _fused(builder, power, _constant(kind, -form.ln2_low), rest)
        integers = ir.VectorType(ir.IntType(form.bits), row.count)
        exponent = builder.add(builder.fptosi(power, integers), _constant(integers, form.bias))
        scale = builder.bitcast(builder.shl(exponent, _constant(integers, form.mantissa)), kind)
        return builder.fmul(_horner(builder, form.exp_terms, rest), scale)

    return row(row), build


@intrinsic
def log1p(typing: Any, row: Any) -> Any:
    """Return log(1 + x) of numbers from 0 to 1, by the series of 2 atanh(x / (2 + x))."""
    form = _DOUBLE if row.dtype == types.float64 else _SINGLE

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        x = values[0]
        ratio = builder.fdiv(x, builder.fadd(x, _constant(x.type, 2.0)))
        return builder.fmul(_horner(builder, form.atanh_terms, builder.fmul(ratio, ratio)), ratio)

    return row(row), build
