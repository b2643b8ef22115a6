"""The spec: types, rows, programs, properties. Touches nothing outside itself."""
