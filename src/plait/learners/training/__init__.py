"""What learners share before they train: checked problems, weights of rows and classes, scales of columns, and
scikit-learn's estimators inside ours.
"""
