"""The reference runtime: a small, real agent runtime. Knows nothing of the model that judges it."""
