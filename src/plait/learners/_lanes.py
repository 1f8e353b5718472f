"""Sixteen labels side by side: a vector type for kernels, one number for each of 16 labels.

Kernels written with plain loops over 16 columns lose most of their speed to checks that arrays do not overlap; here a
row of 16 numbers is one value of LLVM's vector type, which stays in registers. Not meant for more than arithmetic:
load a row, compute, store it. Every operation acts on each lane alone, so a lane's result never depends on the others.
"""

from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

__all__ = [
    "LANES",
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
    "prefer",
    "store",
    "subtract",
    "widen",
]

LANES = 16
_INT = ir.IntType(64)
_LOG2_E = 1.4426950408889634
# ln 2 in two parts: the first has so few bits that its product with a small integer is exact (Cody and Waite).
_LN2_HIGH, _LN2_LOW = 0.6931471803691238, 1.9082149292705877e-10
_EXP_TERMS = [1.0 / float(np.prod(np.arange(1, k + 1, dtype=np.float64))) for k in range(13, -1, -1)]
_ATANH_TERMS = [2.0 / (2 * k + 1) for k in range(15, -1, -1)]


class Lanes(types.Type):
    """The type of 16 numbers of one kind."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        super().__init__(name=f"Lanes({dtype})")


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        element = manager.lookup(kind.dtype).get_value_type()
        super().__init__(manager, kind, ir.VectorType(element, LANES))


def _constant(vector: Any, value: float) -> Any:
    return ir.Constant(vector, [value] * LANES)


def _row(context: Any, builder: Any, kind: Any, value: Any, index: Any) -> tuple[Any, int]:
    """Return the address of row `index` of an array of shape (n, 16) in C order, and the alignment of its numbers."""
    data = context.make_array(kind)(context, builder, value).data
    place = builder.gep(data, [builder.mul(index, ir.Constant(_INT, LANES))])
    element = context.get_data_type(kind.dtype)
    return builder.bitcast(place, ir.VectorType(element, LANES).as_pointer()), kind.dtype.bitwidth // 8


@intrinsic
def load(typing: Any, array: Any, index: Any) -> Any:
    """Return row `index` of an array."""

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        place, alignment = _row(context, builder, signature.args[0], values[0], values[1])
        row = builder.load(place)
        row.align = alignment
        return row

    return Lanes(array.dtype)(array, types.int64), build


@intrinsic
def store(typing: Any, array: Any, index: Any, row: Any) -> Any:
    """Write row `index` of an array."""

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        place, alignment = _row(context, builder, signature.args[0], values[0], values[1])
        builder.store(values[2], place).align = alignment
        return context.get_dummy_value()

    return types.void(array, types.int64, row), build


@intrinsic
def fill(typing: Any, value: Any) -> Any:
    """Return 16 times the same number."""

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        vector = context.get_value_type(signature.return_type)
        nothing = ir.Constant(vector, ir.Undefined)
        first = builder.insert_element(nothing, values[0], ir.Constant(ir.IntType(32), 0))
        return builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES))

    return Lanes(value)(value), build


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
def widen(typing: Any, row: Any) -> Any:
    """Return the same numbers as float64."""

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        wide = context.get_value_type(signature.return_type)
        return values[0] if values[0].type == wide else builder.fpext(values[0], wide)

    return Lanes(types.float64)(row), build


@intrinsic
def narrow(typing: Any, row: Any, like: Any) -> Any:
    """Return float64 numbers in the kind of the array `like`."""

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kind = context.get_value_type(signature.return_type)
        return values[0] if values[0].type == kind else builder.fptrunc(values[0], kind)

    return Lanes(like.dtype)(row, like), build


def _horner(builder: Any, terms: list[float], x: Any) -> Any:
    value = _constant(x.type, terms[0])
    for term in terms[1:]:
        value = _fused(builder, value, x, _constant(x.type, term))
    return value


@intrinsic
def exp(typing: Any, row: Any) -> Any:
    """Return e to the power of float64 numbers, which are cut to -700 ... 700; within a few units of the last place."""

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        x, kind = values[0], values[0].type
        for sign, bound in (("<", -700.0), (">", 700.0)):
            limit = _constant(kind, bound)
            x = builder.select(builder.fcmp_ordered(sign, x, limit), limit, x)
        name = f"llvm.rint.v{LANES}f64"
        rint = cgutils.get_or_insert_function(builder.module, ir.FunctionType(kind, [kind]), name)
        power = builder.call(rint, [builder.fmul(x, _constant(kind, _LOG2_E))])
        rest = _fused(builder, power, _constant(kind, -_LN2_HIGH), x)
        rest = _fused(builder, power, _constant(kind, -_LN2_LOW), rest)
        integers = ir.VectorType(_INT, LANES)
        exponent = builder.add(builder.fptosi(power, integers), ir.Constant(integers, [1023] * LANES))
        scale = builder.bitcast(builder.shl(exponent, ir.Constant(integers, [52] * LANES)), kind)
        return builder.fmul(_horner(builder, _EXP_TERMS, rest), scale)

    return row(row), build


@intrinsic
def log1p(typing: Any, row: Any) -> Any:
    """Return log(1 + x) of float64 numbers from 0 to 1, by the series of 2 atanh(x / (2 + x))."""

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        x = values[0]
        ratio = builder.fdiv(x, builder.fadd(x, _constant(x.type, 2.0)))
        return builder.fmul(_horner(builder, _ATANH_TERMS, builder.fmul(ratio, ratio)), ratio)

    return row(row), build
