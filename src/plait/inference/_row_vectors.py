"""Eight rows side by side: a type for kernels whose values are vectors of 8 numbers, with the usual operators.

Loops over rows of several arrays lose most of their speed to checks that the arrays do not overlap. Here eight numbers
are one value of LLVM's vector type, which stays in registers. Every operation acts on each number alone, so the result
of a row never depends on its neighbours. Products may be fused with sums.
"""

import operator
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core.errors import TypingError
from numba.extending import intrinsic, models, overload, register_model

from plait.core.compilation import kernel

__all__ = [
    "WIDTH",
    "RowVector",
    "larger",
    "load",
    "load_column",
    "logarithm",
    "power_of_two",
    "select_above",
    "smaller",
    "spread",
    "store",
    "store_column",
    "store_labels",
]

WIDTH = 8
_VECTOR = ir.VectorType(ir.DoubleType(), WIDTH)
_INTEGERS = ir.VectorType(ir.IntType(64), WIDTH)


class RowVector(types.Type):
    """The type of eight numbers."""

    def __init__(self) -> None:
        super().__init__(name="RowVector")


_ROWS = RowVector()


@register_model(RowVector)
class _RowVectorModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)


def _in_c_order(array: Any) -> None:
    if not (isinstance(array, types.Array) and array.ndim == 2 and array.layout == "C"):
        raise TypingError(f"rows in vectors need an array of two axes in C order, but it is {array}")


def _place(context: Any, builder: Any, kind: Any, values: Any) -> Any:
    """Return the address of array[row, column:column + 8] of an array in C order."""
    array = context.make_array(kind)(context, builder, values[0])
    _, n_columns = (builder.extract_value(array.shape, k) for k in range(2))
    place = builder.gep(array.data, [builder.add(builder.mul(values[1], n_columns), values[2])])
    return builder.bitcast(place, _VECTOR.as_pointer())


@intrinsic
def load(typing: Any, array: Any, row: Any, column: Any) -> Any:
    """Return array[row, column:column + 8] of an array in C order."""
    _in_c_order(array)

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        loaded = builder.load(_place(context, builder, signature.args[0], values))
        loaded.align = 8
        return loaded

    return _ROWS(array, types.int64, types.int64), build


@intrinsic
def store(typing: Any, array: Any, row: Any, column: Any, numbers: Any) -> Any:
    """Set array[row, column:column + 8] of an array in C order."""
    _in_c_order(array)

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        stored = builder.store(values[3], _place(context, builder, signature.args[0], values))
        stored.align = 8
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64, _ROWS), build


def _column(context: Any, builder: Any, kind: Any, values: Any) -> tuple[Any, Any]:
    """Return the address of array[row, column] of an array in C order, and the number of its columns."""
    array = context.make_array(kind)(context, builder, values[0])
    n_columns = builder.extract_value(array.shape, 1)
    return builder.gep(array.data, [builder.add(builder.mul(values[1], n_columns), values[2])]), n_columns


@intrinsic
def load_column(typing: Any, array: Any, row: Any, column: Any) -> Any:
    """Return array[row:row + 8, column] of an array in C order."""
    _in_c_order(array)

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        place, n_columns = _column(context, builder, signature.args[0], values)
        numbers = ir.Constant(_VECTOR, ir.Undefined)
        for k in range(WIDTH):
            numbers = builder.insert_element(numbers, builder.load(place), ir.Constant(ir.IntType(32), k))
            place = builder.gep(place, [n_columns])
        return numbers

    return _ROWS(array, types.int64, types.int64), build


@intrinsic
def store_column(typing: Any, array: Any, row: Any, column: Any, numbers: Any) -> Any:
    """Set array[row:row + 8, column] of an array in C order."""
    _in_c_order(array)

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        place, n_columns = _column(context, builder, signature.args[0], values)
        for k in range(WIDTH):
            builder.store(builder.extract_element(values[3], ir.Constant(ir.IntType(32), k)), place)
            place = builder.gep(place, [n_columns])
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64, _ROWS), build


@intrinsic
def store_labels(typing: Any, array: Any, row: Any, column: Any, eight: Any) -> Any:
    """Set array[row:row + 8, column:column + 8] of bytes in C order: 1 where the eight labels' numbers are above 0."""
    _in_c_order(array)

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        place, n_columns = _column(context, builder, signature.args[0], values)
        zeros, half = ir.Constant(_VECTOR, [0.0] * WIDTH), ir.VectorType(ir.IntType(8), WIDTH)
        parts = [builder.extract_value(values[3], k) for k in range(WIDTH)]
        parts = [builder.zext(builder.fcmp_ordered(">", part, zeros), half) for part in parts]
        for _ in range(3):
            size = parts[0].type.count
            both = ir.Constant(ir.VectorType(ir.IntType(32), 2 * size), list(range(2 * size)))
            parts = [builder.shuffle_vector(a, b, both) for a, b in zip(parts[::2], parts[1::2], strict=True)]
        for k in range(WIDTH):
            mask = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [WIDTH * label + k for label in range(WIDTH)])
            line = builder.shuffle_vector(parts[0], ir.Constant(parts[0].type, ir.Undefined), mask)
            stored = builder.store(line, builder.bitcast(place, half.as_pointer()))
            stored.align = 1
            place = builder.gep(place, [n_columns])
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64, types.UniTuple(_ROWS, WIDTH)), build


@intrinsic
def spread(typing: Any, number: Any) -> Any:
    """Return eight times the same number."""

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        one = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), values[0], ir.Constant(ir.IntType(32), 0))
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)
        return builder.shuffle_vector(one, ir.Constant(_VECTOR, ir.Undefined), zeros)

    return _ROWS(types.float64), build


def _arithmetic(name: str) -> Any:
    @intrinsic
    def operation(typing: Any, a: Any, b: Any) -> Any:
        def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return getattr(builder, name)(values[0], values[1], flags=("contract",))

        return _ROWS(_ROWS, _ROWS), build

    return operation


_add, _subtract, _multiply, _divide = (_arithmetic(name) for name in ("fadd", "fsub", "fmul", "fdiv"))


@intrinsic
def select_above(typing: Any, a: Any, b: Any, x: Any, y: Any) -> Any:
    """Return x where a > b, else y."""

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", values[0], values[1]), values[2], values[3])

    return _ROWS(_ROWS, _ROWS, _ROWS, _ROWS), build


@intrinsic
def larger(typing: Any, a: Any, b: Any) -> Any:
    """Return the larger number of each pair; b where one is missing."""

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", values[0], values[1]), values[0], values[1])

    return _ROWS(_ROWS, _ROWS), build


@intrinsic
def smaller(typing: Any, a: Any, b: Any) -> Any:
    """Return the smaller number of each pair; b where one is missing."""

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.select(builder.fcmp_ordered("<", values[0], values[1]), values[0], values[1])

    return _ROWS(_ROWS, _ROWS), build


@intrinsic
def _parts(typing: Any, numbers: Any) -> Any:
    """Return (exponents, mantissas) of positive numbers, mantissas from sqrt(1 / 2) to sqrt(2)."""

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        def constant(value: int) -> Any:
            return ir.Constant(_INTEGERS, [value] * WIDTH)

        bits = builder.bitcast(values[0], _INTEGERS)
        # Exponents grow by one where the mantissa passes sqrt(2); 1023 more keeps them positive.
        raised = builder.add(bits, constant(0x3FF0000000000000 - 0x3FE6A09E667F3BCD))
        exponents = builder.lshr(raised, constant(52))
        mantissas = builder.sub(bits, builder.shl(builder.sub(exponents, constant(1023)), constant(52)))
        # Small integers to numbers: as the lowest bits of 2**52.
        whole = builder.bitcast(builder.or_(exponents, constant(0x4330000000000000)), _VECTOR)
        whole = builder.fsub(whole, ir.Constant(_VECTOR, [2.0**52 + 1023.0] * WIDTH))
        return context.make_tuple(builder, signature.return_type, (whole, builder.bitcast(mantissas, _VECTOR)))

    return types.UniTuple(_ROWS, 2)(_ROWS), build


@intrinsic
def power_of_two(typing: Any, shifted: Any) -> Any:
    """Return 2 ** k where the lowest bits of the numbers hold the integers k."""

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        def constant(value: int) -> Any:
            return ir.Constant(_INTEGERS, [value] * WIDTH)

        bits = builder.add(builder.bitcast(values[0], _INTEGERS), constant(1023))
        return builder.bitcast(builder.shl(bits, constant(52)), _VECTOR)

    return _ROWS(_ROWS), build


def _with_operator(symbol: Any, operation: Any) -> None:
    @overload(symbol)
    def chosen(a, b):  # type: ignore[no-untyped-def]
        if isinstance(a, RowVector) and isinstance(b, RowVector):
            return lambda a, b: operation(a, b)  # noqa: PLW0108 - an intrinsic is no implementation
        if isinstance(a, RowVector) and isinstance(b, types.Float):
            return lambda a, b: operation(a, spread(b))
        if isinstance(a, types.Float) and isinstance(b, RowVector):
            return lambda a, b: operation(spread(a), b)
        return None


for _symbol, _operation in (
    (operator.add, _add),
    (operator.sub, _subtract),
    (operator.mul, _multiply),
    (operator.truediv, _divide),
):
    _with_operator(_symbol, _operation)


@kernel(error_model="numpy", forceinline=True)
def logarithm(numbers):  # type: ignore[no-untyped-def]
    """Return the natural logarithms of positive normal numbers, within a few units of the last place.

    log m = 2 artanh(s) with s = (m - 1) / (m + 1), |s| <= 0.172, where the series to s**21 errs by 1e-17.
    """
    exponents, mantissas = _parts(numbers)
    s = (mantissas - 1.0) / (mantissas + 1.0)
    square = s * s
    series = square * (2.0 / 21.0) + 2.0 / 19.0
    series = series * square + 2.0 / 17.0
    series = series * square + 2.0 / 15.0
    series = series * square + 2.0 / 13.0
    series = series * square + 2.0 / 11.0
    series = series * square + 2.0 / 9.0
    series = series * square + 2.0 / 7.0
    series = series * square + 2.0 / 5.0
    series = series * square + 2.0 / 3.0
    series = series * square + 2.0
    return exponents * 0.693147180369123816490 + (series * s + exponents * 1.90821492927058770002e-10)
