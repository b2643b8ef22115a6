"""Runtimes wrong in one named way each, to measure what the judge catches. Refuses to import the runtime itself."""
