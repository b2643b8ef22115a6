"""Contract 1's rows and programs, one module an idea."""
