"""
Pipelines and grid searches
===========================

plait's estimators are scikit-learn's: every part has parameters, and a part is a
parameter too.
"""

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from plait import JointClassifier
from plait.data.folds import MultilabelStratifiedKFold
from plait.data.synthetic import make_label_network
from plait.learners import LogisticLearner
from plait.metrics import scorers

data = make_label_network(600, 8, 5, structure="tree", strength=3.0, random_state=0)
X, Y = data.dataset.X, data.dataset.Y

# %%
# Search over the structure of the joint and the penalty of its learner, by the held-out
# likelihood of whole label sets:

pipeline = make_pipeline(StandardScaler(), JointClassifier(learner=LogisticLearner()))
grid = {
    "jointclassifier__structure": ["independent", "label_tree", "full_chain"],
    "jointclassifier__learner__C": [0.01, 0.1, 1.0],
}
folds = MultilabelStratifiedKFold(n_splits=3, random_state=0)
search = GridSearchCV(pipeline, grid, cv=folds, scoring=scorers["cll_loss"])
search.fit(X, Y)
search.best_params_

# %%
# All that was tried; the larger the score, the likelier are unseen rows:

results = pd.DataFrame(search.cv_results_)
table = results.pivot_table(
    index="param_jointclassifier__structure",
    columns="param_jointclassifier__learner__C",
    values="mean_test_score",
)
fig, axis = plt.subplots(figsize=(5.5, 3))
table.T.plot(ax=axis, marker="o", logx=True)
axis.set(xlabel="C of the learner", ylabel="minus CLL-loss, held out")
axis.legend(title="structure")
fig.tight_layout()

# %%

table.rename_axis(index="structure", columns="C").round(1)

# %%
# The winner, as scikit-learn shows it:

search.best_estimator_
