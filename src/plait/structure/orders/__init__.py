"""In which order labels stand in a chain: as given, random, by frequency, by information."""

from plait.structure.orders.frequency_order import FrequencyOrder
from plait.structure.orders.given_order import GivenOrder
from plait.structure.orders.information_order import InformationOrder
from plait.structure.orders.order import Order
from plait.structure.orders.order_words import ORDER_RULES, arranged
from plait.structure.orders.random_order import RandomOrder

__all__ = ["ORDER_RULES", "FrequencyOrder", "GivenOrder", "InformationOrder", "Order", "RandomOrder", "arranged"]
