"""An audit of everything in results/, down to the raw logs where they are there."""
