"""A rehearsal stage for hosts that test their own listeners, tools and behaviours. Not needed to run agents."""
