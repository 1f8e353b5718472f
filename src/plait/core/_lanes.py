"""SIMD lanes: several numbers side by side as one value of a CPU's vector registers, with the usual operators.

Loops over rows of several arrays lose most of their speed to checks that the arrays do not overlap. Here 8 or 16
numbers are one value of LLVM's vector type, which stays in registers: load it, compute, store it. Every operation acts
on each lane alone and rounds once (only `fused` may leave a rounding out), so a lane's result never depends on the
others, nor on how many they are. Where an operand is a plain number, it is put in all lanes.

How many lanes a value has must be known when a kernel is compiled: 8, or what a kernel gets as `width`, one of
`WIDTHS`: a tuple with one entry for every 8 lanes, since the length of a tuple is part of its type.

`plait.core._exponentials` has `exp`, `log` and `log1p` of lanes.
"""

import operator
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic, lower_builtin, models, register_model, type_callable

__all__ = [
    "constant",
    "WIDTHS",
    "Lanes",
    "fill",
    "fused",
    "larger",
    "load",
    "load_column",
    "load_row",
    "magnitude",
    "narrow",
    "peak",
    "select_above",
    "smaller",
    "store",
    "store_column",
    "store_labels",
    "store_row",
    "widen",
    "within",
]

WIDTHS: dict[int, tuple[int, ...]] = {8: (0,), 16: (0, 0)}

_INT32 = ir.IntType(32)


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


def constant(kind: Any, value: float) -> Any:
    """Return a number in all lanes of an LLVM type, or alone."""
    return ir.Constant(kind, [value] * kind.count) if isinstance(kind, ir.VectorType) else ir.Constant(kind, value)


def _counted(width: Any) -> int:
    """Return how many lanes the type of `width` stands for; 8 where none is given."""
    return 8 if width is None else 8 * len(width)


def _given(*arguments: Any) -> list[Any]:
    """Return the types of a signature's arguments, one of them perhaps a width that is left out."""
    return [types.none if argument is None else argument for argument in arguments]


def _filled(builder: Any, value: Any, kind: Any) -> Any:
    """Return one number, of float32 or float64, in all lanes of an LLVM vector type."""
    if value.type != kind.element:
        wider = isinstance(kind.element, ir.DoubleType)
        value = (builder.fpext if wider else builder.fptrunc)(value, kind.element)
    nothing = ir.Constant(kind, ir.Undefined)
    first = builder.insert_element(nothing, value, ir.Constant(_INT32, 0))
    return builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(_INT32, kind.count), [0] * kind.count))


def _in_lanes(context: Any, builder: Any, kind: Any, values: Any) -> list[Any]:
    """Return operands, those that are plain numbers in all lanes."""
    vector = context.get_value_type(kind)
    return [value if value.type == vector else _filled(builder, value, vector) for value in values]


def _common(*operands: Any) -> Lanes | None:
    """Return the type of the operands' lanes, None where they are no lanes or do not go together."""
    kinds = {kind for kind in operands if isinstance(kind, Lanes)}
    rest = all(isinstance(kind, Lanes | types.Float) for kind in operands)
    return kinds.pop() if len(kinds) == 1 and rest else None


def _of_lanes(build: Any) -> Any:
    """Return an intrinsic from operands, one of them lanes, to lanes, made by build(builder, *operands)."""

    def signature(operands: Any) -> tuple[Any, Any]:
        kind = _common(*operands)
        if kind is None:
            raise TypingError(f"lanes of one kind and single floats are needed, but they are {operands}")

        def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return build(builder, *_in_lanes(context, builder, kind, values))

        return kind(*operands), code

    return signature


def _select(builder: Any, sign: str, a: Any, b: Any, x: Any, y: Any) -> Any:
    return builder.select(builder.fcmp_ordered(sign, a, b), x, y)


_larger = _of_lanes(lambda builder, a, b: _select(builder, ">", a, b, a, b))
_smaller = _of_lanes(lambda builder, a, b: _select(builder, "<", a, b, a, b))
_select_above = _of_lanes(lambda builder, a, b, x, y: _select(builder, ">", a, b, x, y))


def _fuse(builder: Any, a: Any, b: Any, more: Any) -> Any:
    return builder.fadd(builder.fmul(a, b, flags=("contract",)), more, flags=("contract",))


_fused = _of_lanes(_fuse)


@intrinsic
def larger(typing: Any, a: Any, b: Any) -> Any:
    """Return the larger number of each pair; b where one is missing."""
    return _larger((a, b))


@intrinsic
def smaller(typing: Any, a: Any, b: Any) -> Any:
    """Return the smaller number of each pair; b where one is missing."""
    return _smaller((a, b))


@intrinsic
def select_above(typing: Any, a: Any, b: Any, x: Any, y: Any) -> Any:
    """Return x where a > b, else y."""
    return _select_above((a, b, x, y))


@intrinsic
def fused(typing: Any, a: Any, b: Any, more: Any) -> Any:
    """Return a * b + more, rounded once where the CPU can."""
    return _fused((a, b, more))


_within = _of_lanes(
    lambda builder, x, low, high: _select(builder, "<", (cut := _select(builder, ">", x, low, x, low)), high, cut, high)
)


@intrinsic
def within(typing: Any, x: Any, low: Any, high: Any) -> Any:
    """Return the numbers, those below `low` or above `high` moved there."""
    return _within((x, low, high))


def _with_operator(symbol: Any, name: str) -> None:
    """Let a symbol such as `+` act on lanes, one or both operands; emitted in place, without a function of its own."""

    @type_callable(symbol)
    def _typed(context: Any) -> Any:
        return lambda a, b: _common(a, b)  # noqa: PLW0108 -- Numba reads the names of the arguments

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return getattr(builder, name)(*_in_lanes(context, builder, signature.return_type, values))

    for operands in ((Lanes, Lanes), (Lanes, types.Float), (types.Float, Lanes)):
        lower_builtin(symbol, *operands)(code)


for _symbol, _name in (
    (operator.add, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
):
    _with_operator(_symbol, _name)


@intrinsic
def fill(typing: Any, value: Any, width: Any = None) -> Any:
    """Return the same number in all lanes."""
    kind = Lanes(value, _counted(width))

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _filled(builder, values[0], context.get_value_type(kind))

    return kind(*_given(value, width)), build


@intrinsic
def magnitude(typing: Any, row: Any) -> Any:
    """Return absolute values."""

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        x, kind = values[0], values[0].type
        return _select(builder, "<", x, constant(kind, 0.0), builder.fsub(constant(kind, -0.0), x), x)

    return row(row), build


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


def _in_c_order(array: Any) -> None:
    if not (isinstance(array, types.Array) and array.ndim == 2 and array.layout == "C"):
        raise TypingError(f"lanes need an array of two axes in C order, but it is {array}")


def _place(context: Any, builder: Any, kind: Any, values: Any) -> tuple[Any, Any]:
    """Return the address of array[row, column] of an array in C order, and the number of its columns."""
    array = context.make_array(kind)(context, builder, values[0])
    n_columns = builder.extract_value(array.shape, 1)
    return builder.gep(array.data, [builder.add(builder.mul(values[1], n_columns), values[2])]), n_columns


def _row(context: Any, builder: Any, kind: Any, values: Any, count: int) -> Any:
    """Return the address of a row of an array (n, count) in C order: with `count` known, addresses cost nothing."""
    data = context.make_array(kind)(context, builder, values[0]).data
    return builder.gep(data, [builder.mul(values[1], ir.Constant(ir.IntType(64), count))])


def _load_at(builder: Any, place: Any, element: Any, count: int) -> Any:
    vector = ir.VectorType(place.type.pointee, count)
    loaded = builder.load(builder.bitcast(place, vector.as_pointer()))
    loaded.align = element.bitwidth // 8
    return loaded


def _store_at(builder: Any, numbers: Any, place: Any, element: Any) -> None:
    stored = builder.store(numbers, builder.bitcast(place, numbers.type.as_pointer()))
    stored.align = element.bitwidth // 8


@intrinsic
def load(typing: Any, array: Any, row: Any, column: Any, width: Any = None) -> Any:
    """Return as many numbers of array[row, column:] as there are lanes; the array is in C order."""
    _in_c_order(array)
    count = _counted(width)

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        place, _ = _place(context, builder, array, values)
        return _load_at(builder, place, array.dtype, count)

    return Lanes(array.dtype, count)(*_given(array, types.int64, types.int64, width)), build


@intrinsic
def store(typing: Any, array: Any, row: Any, column: Any, numbers: Any) -> Any:
    """Set array[row, column:] to as many numbers as there are lanes; the array is in C order."""
    _in_c_order(array)

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        place, _ = _place(context, builder, array, values)
        _store_at(builder, values[3], place, array.dtype)
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64, numbers), build


@intrinsic
def load_row(typing: Any, array: Any, row: Any, width: Any = None) -> Any:
    """Return a row of an array in C order that has as many columns as there are lanes."""
    count = _counted(width)

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _load_at(builder, _row(context, builder, array, values, count), array.dtype, count)

    return Lanes(array.dtype, count)(*_given(array, types.int64, width)), build


@intrinsic
def store_row(typing: Any, array: Any, row: Any, numbers: Any) -> Any:
    """Set a row of an array in C order that has as many columns as there are lanes."""

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        _store_at(builder, values[2], _row(context, builder, array, values, numbers.count), array.dtype)
        return context.get_dummy_value()

    return types.void(array, types.int64, numbers), build


@intrinsic
def load_column(typing: Any, array: Any, row: Any, column: Any, width: Any = None) -> Any:
    """Return as many numbers of array[row:, column] as there are lanes; the array is in C order."""
    _in_c_order(array)
    kind = Lanes(array.dtype, _counted(width))

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        place, n_columns = _place(context, builder, array, values)
        numbers = ir.Constant(context.get_value_type(kind), ir.Undefined)
        for k in range(kind.count):
            numbers = builder.insert_element(numbers, builder.load(place), ir.Constant(_INT32, k))
            place = builder.gep(place, [n_columns])
        return numbers

    return kind(*_given(array, types.int64, types.int64, width)), build


@intrinsic
def store_column(typing: Any, array: Any, row: Any, column: Any, numbers: Any) -> Any:
    """Set array[row:, column] to as many numbers as there are lanes; the array is in C order."""
    _in_c_order(array)

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        place, n_columns = _place(context, builder, array, values)
        for k in range(numbers.count):
            builder.store(builder.extract_element(values[3], ir.Constant(_INT32, k)), place)
            place = builder.gep(place, [n_columns])
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64, numbers), build


@intrinsic
def store_labels(typing: Any, array: Any, row: Any, column: Any, labels: Any) -> Any:
    """Set a square of bytes, array[row:, column:] in C order: 1 where the numbers of as many labels are above 0."""
    _in_c_order(array)
    count = labels.count

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        place, n_columns = _place(context, builder, array, values)
        line = ir.VectorType(ir.IntType(8), count)
        parts = [builder.extract_value(values[3], k) for k in range(count)]
        parts = [builder.zext(builder.fcmp_ordered(">", part, constant(part.type, 0.0)), line) for part in parts]
        while len(parts) > 1:
            size = 2 * parts[0].type.count
            both = ir.Constant(ir.VectorType(_INT32, size), list(range(size)))
            parts = [builder.shuffle_vector(a, b, both) for a, b in zip(parts[::2], parts[1::2], strict=True)]
        for k in range(count):
            mask = ir.Constant(ir.VectorType(_INT32, count), [count * label + k for label in range(count)])
            labels_of_row = builder.shuffle_vector(parts[0], ir.Constant(parts[0].type, ir.Undefined), mask)
            builder.store(labels_of_row, builder.bitcast(place, line.as_pointer())).align = 1
            place = builder.gep(place, [n_columns])
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64, labels), build
