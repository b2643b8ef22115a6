"""The zoo as data, one table a topic. Refuses to hold logic: what a table says is read by `zoo`."""
