"""Systems under test: everything between the judge and what it judges. Refuses to know a row of the model."""
