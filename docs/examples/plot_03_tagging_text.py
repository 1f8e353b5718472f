"""
Tags of raw texts
=================

Texts carry several tags, most tags are rare, and the score people care about is F1.
The corpus here is made up, so that the page needs no download; with your own, only the
first block changes.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from plait import make_joint_pipeline, recipes

# %%
# Texts about cooking. "pasta" nearly always comes with "italian", "vegan" never with
# "fish"; some words belong to two tags, and some tags are not in the words at all.

rng = np.random.default_rng(0)
vocabulary = {
    "italian": "tomato basil olive lemon rome",
    "pasta": "spaghetti dough boil tomato fork",
    "vegan": "tofu lentil plant bean tomato",
    "fish": "salmon cod lemon grill sea",
    "dessert": "sugar chocolate cream oven lemon",
    "quick": "minutes simple pan weekday fast",
}
filler = "the a we add serve with and then some more of it dish".split()


def one_text():
    tags = {"italian"} if rng.random() < 0.3 else set()
    if rng.random() < (0.6 if tags else 0.05):
        tags.add("pasta")
    tags.add(str(rng.choice(["vegan", "fish", "dessert"], p=[0.3, 0.3, 0.4])))
    if rng.random() < 0.2:
        tags.add("quick")
    told = [t for t in sorted(tags) if rng.random() < 0.85]
    words = [w for t in told for w in rng.choice(vocabulary[t].split(), 2)]
    return " ".join(rng.permutation([*words, *rng.choice(filler, 8)])), tags


texts, tags = zip(*(one_text() for _ in range(1000)), strict=True)
texts[0], tags[0]

# %%
# A pipeline as everywhere in scikit-learn; sets of names are a form of Y that plait
# takes as it is. ``loss="micro_f1"`` finds the threshold at `fit`.

model = make_joint_pipeline(TfidfVectorizer(), recipes.pcc(loss="micro_f1"))
model.fit(texts[:700], tags[:700])
model.predict_sets(["add some basil and boil the spaghetti", "tofu in ten minutes"])

# %%
# The most probable tags one by one, for a list of suggestions:

names, probabilities = model.top_labels(["grill the salmon with lemon and olive"], 3)
for name, p in zip(names[0], probabilities[0], strict=True):
    print(f"{name:8s} {p:.2f}")

# %%
# The editor confirms "italian"; "pasta" becomes likelier although the text is the same.

answer = model.joint(["serve with tomato"])
before = answer.marginals()[0]
after = answer.given({"italian": 1}).marginals()[0]
for name, b, a in zip(model.label_names_, before, after, strict=True):
    print(f"{name:8s} {b:.2f} -> {a:.2f}")

places = np.arange(len(before))
fig, axis = plt.subplots(figsize=(6, 3))
axis.bar(places - 0.2, before, 0.4, label="text alone")
axis.bar(places + 0.2, after, 0.4, label="italian confirmed")
axis.set_xticks(places, model.label_names_)
axis.set(ylabel="probability", ylim=(0, 1))
axis.legend()
fig.tight_layout()

# %%
# Held-out scores, by the loss that `predict` decides for:

from plait.metrics import exact_match, micro_f1

Y = np.array([[name in row for name in model.label_names_] for row in tags[700:]])
for loss in ("subset", "micro_f1"):
    predicted = model.predict(texts[700:], loss=loss)
    scores = f"{exact_match(Y, predicted):.3f}  {micro_f1(Y, predicted):.3f}"
    print(f"loss={loss:9s} exact match, micro-F1: {scores}")
