"""What a change of the lifecycle does, by behaviour: two models explored side by side. Refuses to judge a system."""
