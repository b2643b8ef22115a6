"""A failure told in every form people need, all from one trace. Refuses to decide whether it is one."""
