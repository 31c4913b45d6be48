"""What ``harness`` and its members can do, and the policy that confines it."""
