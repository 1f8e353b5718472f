"""Every inference that the room exports keeps its promises: new ones join by their export line."""

import pytest

import plait.inference
from plait.core.naming import registry
from plait.inference import Inference
from plait.testing import InferenceConformance

EVERY_INFERENCE = [made() for _, made in sorted(registry(plait.inference, Inference).items())]


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("inference", EVERY_INFERENCE, ids=repr)
class TestEveryInference(InferenceConformance):
    pass
