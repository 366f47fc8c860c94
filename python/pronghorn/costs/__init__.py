"""What trials are expected to cost, and what they were seen to cost."""
