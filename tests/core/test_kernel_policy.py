import pytest

from plait.core.kernel_policy import kernels_pay, using_kernels


def test_the_threshold_decides_unless_overruled():
    with using_kernels("auto"):
        assert [kernels_pay(work, 10.0) for work in (9.0, 10.0, 11.0)] == [False, True, True]
        with using_kernels("always"):
            assert kernels_pay(0.0, 10.0)
            with using_kernels("never"):
                assert not kernels_pay(1e9, 10.0)
            assert kernels_pay(0.0, 10.0)
        assert not kernels_pay(0.0, 10.0)


def test_an_error_inside_does_not_leave_the_policy_behind():
    with using_kernels("auto"):
        with pytest.raises(RuntimeError), using_kernels("always"):
            raise RuntimeError
        assert not kernels_pay(0.0, 1.0)


def test_another_word_is_refused():
    with pytest.raises(ValueError, match=r"policy to be one of .*, but it is 'maybe'"), using_kernels("maybe"):
        pass


def test_blocks_that_end_in_another_order_leave_nothing_behind():
    with using_kernels("auto"):
        first, second = using_kernels("never"), using_kernels("always")
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert kernels_pay(0.0, 1.0)
        second.__exit__(None, None, None)
        assert [kernels_pay(work, 10.0) for work in (0.0, 11.0)] == [False, True]
