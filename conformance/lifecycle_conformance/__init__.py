"""The judge: any system under test, one adapter, one verdict."""
