"""Variants of contract 1, each a contract of its own: what it replaces and adds, one module an idea."""
